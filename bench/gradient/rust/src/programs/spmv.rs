//! A vector that a sparse matrix is applied to again and again, brought back to length 1 each time.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

pub struct Powers {
    values: Vec<f64>,
    start: Vec<f64>,
    /// Where each row's values begin and, at last, where they end.
    begins: Vec<usize>,
    columns: Vec<usize>,
    probe: Vec<f64>,
    times: usize,
}

impl Powers {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[rows, a_row, times] = sizes else { panic!("spmv: rows, values of a row on average, times") };
        let mut begins = vec![0];
        for row in 0..rows {
            begins.push(begins[row] + 1 + numbers.below(2 * a_row - 1));
        }
        let count = begins[rows];
        Self {
            columns: (0..count).map(|_| numbers.below(rows)).collect(),
            values: numbers.many(count, -0.5, 1.0),
            start: numbers.many(rows, 0.5, 1.0),
            probe: numbers.many(rows, -1.0, 1.0),
            begins,
            times,
        }
    }
}

program!(Powers, |it| probed[values, start](&it.begins, &it.columns, &it.probe, it.times));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Const, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, Const, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, Const, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, Const, Const, Const, DualOnly)]
fn probed(values: &[f64], start: &[f64], begins: &[usize], columns: &[usize], probe: &[f64], times: usize) -> f64 {
    let mut x = start.to_vec();
    let mut y = vec![0.0; start.len()];
    for _ in 0..times {
        for (y, row) in y.iter_mut().zip(begins.windows(2)) {
            let its = row[0]..row[1];
            *y = values[its.clone()].iter().zip(&columns[its]).map(|(value, &column)| value * x[column]).sum();
        }
        let length = y.iter().map(|y| y * y).sum::<f64>().sqrt();
        for (x, y) in x.iter_mut().zip(&y) {
            *x = y / length;
        }
    }
    x.iter().zip(probe).map(|(x, weight)| weight * x).sum()
}
