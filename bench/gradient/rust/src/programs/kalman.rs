//! How unlikely what was seen of a moving thing is, by Kalman's filter.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;
use std::array::from_fn;

/// Numbers of the state; the first `SEEN` of them are seen.
const STATE: usize = 4;
const SEEN: usize = 2;

type Matrix = [[f64; STATE]; STATE];

pub struct Filter {
    /// The matrix by which a state becomes the next one, row by row.
    transition: Vec<f64>,
    /// The logarithms of the variances that a step adds to the state, then those of what is seen.
    noise: Vec<f64>,
    seen: Vec<f64>,
}

impl Filter {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[steps] = sizes else { panic!("kalman: steps") };
        let mut transition = numbers.many(STATE * STATE, -0.1, 0.1);
        (0..STATE).for_each(|i| transition[i * STATE + i] += 0.9);
        Self { transition, noise: numbers.many(STATE + SEEN, -2.0, 0.0), seen: numbers.many(SEEN * steps, -2.0, 2.0) }
    }
}

program!(Filter, |it| unlikelihood[transition, noise](&it.seen));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, DualOnly)]
fn unlikelihood(transition: &[f64], noise: &[f64], seen: &[f64]) -> f64 {
    let f: Matrix = from_fn(|i| from_fn(|j| transition[i * STATE + j]));
    let noise: [f64; STATE + SEEN] = from_fn(|i| noise[i].exp());
    let mut mean = [0.0; STATE];
    let mut covariance: Matrix = from_fn(|i| from_fn(|j| f64::from(u8::from(i == j))));
    let mut sum = 0.0;
    for seen in seen.chunks_exact(SEEN) {
        mean = from_fn(|i| (0..STATE).map(|j| f[i][j] * mean[j]).sum());
        covariance = times(&times(&f, &covariance), &transposed(&f));
        for i in 0..STATE {
            covariance[i][i] += noise[i];
        }
        let off = [seen[0] - mean[0], seen[1] - mean[1]];
        let (a, d) = (covariance[0][0] + noise[STATE], covariance[1][1] + noise[STATE + 1]);
        let (b, c) = (covariance[0][1], covariance[1][0]);
        let determinant = a * d - b * c;
        let inverse = [[d / determinant, -b / determinant], [-c / determinant, a / determinant]];
        let gain: [[f64; SEEN]; STATE] =
            from_fn(|i| from_fn(|j| covariance[i][0] * inverse[0][j] + covariance[i][1] * inverse[1][j]));
        mean = from_fn(|i| mean[i] + gain[i][0] * off[0] + gain[i][1] * off[1]);
        let rows = [covariance[0], covariance[1]];
        covariance = from_fn(|i| from_fn(|j| covariance[i][j] - gain[i][0] * rows[0][j] - gain[i][1] * rows[1][j]));
        let by_inverse: [f64; SEEN] = from_fn(|i| inverse[i][0] * off[0] + inverse[i][1] * off[1]);
        sum += 0.5 * (determinant.ln() + off[0] * by_inverse[0] + off[1] * by_inverse[1]);
    }
    sum
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    from_fn(|i| from_fn(|j| (0..STATE).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transposed(a: &Matrix) -> Matrix {
    from_fn(|i| from_fn(|j| a[j][i]))
}
