//! Vectors that live inside the function.

use crate::case::{Case, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_collected, Duplicated, Active)]
#[autodiff_forward(t_collected, Dual, Dual)]
#[autodiff_forward(t8_collected, 8, Dual, Dual)]
fn collected(x: &[f64]) -> f64 {
    let powers: Vec<f64> = x.iter().map(|x| x.exp()).collect();
    powers.windows(2).map(|pair| pair[0] * pair[1]).sum()
}

fn collected_gradient(x: &[f64]) -> Vec<f64> {
    let before = |i: usize| if i == 0 { 0.0 } else { (x[i - 1] + x[i]).exp() };
    let after = |i: usize| if i == x.len() - 1 { 0.0 } else { (x[i] + x[i + 1]).exp() };
    (0..x.len()).map(|i| before(i) + after(i)).collect()
}

/// The squares of the sums of each so many neighbours, by prefix sums.
#[autodiff_reverse(d_neighbours, Duplicated, Const, Active)]
#[autodiff_forward(t_neighbours, Dual, Const, Dual)]
#[autodiff_forward(t8_neighbours, 8, Dual, Const, Dual)]
fn neighbours(x: &[f64], count: usize) -> f64 {
    let mut sums = vec![0.0; x.len() + 1];
    for (i, x) in x.iter().enumerate() {
        sums[i + 1] = sums[i] + x;
    }
    (count..sums.len()).map(|i| (sums[i] - sums[i - count]).powi(2)).sum()
}

fn neighbours_gradient(x: &[f64]) -> Vec<f64> {
    let sums: Vec<f64> = x.windows(COUNT).map(|window| window.iter().sum()).collect();
    let around = |j: usize| (0..sums.len()).filter(move |i| (*i..i + COUNT).contains(&j));
    (0..x.len()).map(|j| around(j).map(|i| 2.0 * sums[i]).sum()).collect()
}

const COUNT: usize = 3;

pub fn cases(size: usize) -> Vec<Case> {
    vec![
        of_a_slice!(
            collected(x),
            d_collected,
            t_collected,
            t8_collected,
            samples(size, -1.0..1.0, 0.75),
            collected_gradient
        ),
        of_a_slice!(
            neighbours(x, COUNT),
            d_neighbours,
            t_neighbours,
            t8_neighbours,
            samples(size, -1.0..1.0, 0.85),
            neighbours_gradient
        ),
    ]
}
