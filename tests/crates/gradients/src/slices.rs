//! Loops over slices, and numbers beside them.

use crate::case::{Case, Precision, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_rosenbrock, Duplicated, Active)]
#[autodiff_forward(t_rosenbrock, Dual, Dual)]
#[autodiff_forward(t8_rosenbrock, 8, Dual, Dual)]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

fn rosenbrock_gradient(x: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    for i in 1..x.len() {
        let slope = x[i] - x[i - 1] * x[i - 1];
        gradient[i - 1] -= 400.0 * x[i - 1] * slope + 2.0 * (1.0 - x[i - 1]);
        gradient[i] += 200.0 * slope;
    }
    gradient
}

/// The polynomial with these coefficients, the constant one first, by Horner's rule.
#[autodiff_reverse(d_polynomial, Duplicated, Active, Active)]
#[autodiff_forward(t_polynomial, Dual, Dual, Dual)]
#[autodiff_forward(t8_polynomial, 8, Dual, Dual, Dual)]
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    let mut value = 0.0;
    for coefficient in coefficients.iter().rev() {
        value = value * x + coefficient;
    }
    value
}

fn polynomial_gradient(coefficients: &[f64], x: f64) -> Vec<f64> {
    let powers = (0..coefficients.len() as i32).map(|k| x.powi(k));
    let slope = (1..coefficients.len()).map(|k| k as f64 * coefficients[k] * x.powi(k as i32 - 1)).sum();
    powers.chain([slope]).collect()
}

/// The energy of the moving average.
#[autodiff_reverse(d_smoothed, Duplicated, Active, Active)]
#[autodiff_forward(t_smoothed, Dual, Dual, Dual)]
#[autodiff_forward(t8_smoothed, 8, Dual, Dual, Dual)]
fn smoothed(x: &[f64], keep: f64) -> f64 {
    let (mut average, mut energy) = (0.0, 0.0);
    for value in x {
        average = keep * average + (1.0 - keep) * value;
        energy += average * average;
    }
    energy
}

fn smoothed_gradient(x: &[f64], keep: f64) -> Vec<f64> {
    let weight = |age: usize| (1.0 - keep) * keep.powi(age as i32);
    let slope = |age: usize| -keep.powi(age as i32) + (1.0 - keep) * age as f64 * keep.powi(age as i32 - 1);
    let average = |i: usize| (0..=i).map(|j| weight(i - j) * x[j]).sum::<f64>();
    let by_value = |j: usize| (j..x.len()).map(|i| 2.0 * average(i) * weight(i - j)).sum();
    let by_keep = |i: usize| 2.0 * average(i) * (0..=i).map(|j| slope(i - j) * x[j]).sum::<f64>();
    (0..x.len()).map(by_value).chain([(0..x.len()).map(by_keep).sum()]).collect()
}

/// The case of a function of a slice and a number: the number is the last input.
macro_rules! of_a_slice_and_a_number {
    ($primal:ident, $reverse:ident, $forward:ident, $forward_8:ident, $at:expr, $gradient:ident) => {
        Case {
            name: stringify!($primal),
            precision: Precision::F64,
            at: $at,
            primal: |x| {
                let (number, x) = x.split_last().unwrap();
                vec![$primal(x, *number)]
            },
            reverse: |x, weights| {
                let (number, x) = x.split_last().unwrap();
                let mut dx = vec![0.0; x.len()];
                let (value, slope) = $reverse(x, &mut dx, *number, weights[0]);
                dx.push(slope);
                (vec![value], dx)
            },
            forward: |x, u| {
                let (number, x) = x.split_last().unwrap();
                let (by, u) = u.split_last().unwrap();
                let (value, tangent) = $forward(x, u, *number, *by);
                (vec![value], vec![tangent])
            },
            forward_8: |x, directions| {
                let (number, x) = x.split_last().unwrap();
                let [a, b, c, d, e, f, g, h] = directions.each_ref().map(|u| u.split_last().unwrap());
                let [value, tangents @ ..] = $forward_8(
                    x, a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1, *number, *a.0, *b.0, *c.0, *d.0, *e.0, *f.0, *g.0, *h.0,
                );
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| {
                let (number, x) = x.split_last().unwrap();
                vec![$gradient(x, *number)]
            },
        }
    };
}
pub(crate) use of_a_slice_and_a_number;

pub fn cases(size: usize) -> Vec<Case> {
    let at = || samples(size + 1, 0.3..0.9, 0.2);
    vec![
        of_a_slice!(
            rosenbrock(x),
            d_rosenbrock,
            t_rosenbrock,
            t8_rosenbrock,
            samples(size, -1.0..1.0, 0.5),
            rosenbrock_gradient
        ),
        of_a_slice_and_a_number!(polynomial, d_polynomial, t_polynomial, t8_polynomial, at(), polynomial_gradient),
        of_a_slice_and_a_number!(smoothed, d_smoothed, t_smoothed, t8_smoothed, at(), smoothed_gradient),
    ]
}
