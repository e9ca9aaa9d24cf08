//! Matrices, row by row in slices.

use crate::case::{Case, Precision, WIDTH, samples};
use autodiff::{autodiff_forward, autodiff_reverse};
use std::array::from_fn;

/// `c = a · b`, all of them `n` × `n`.
#[autodiff_reverse(d_matrix_product, Const, Duplicated, Duplicated, Duplicated)]
#[autodiff_forward(t_matrix_product, Const, Dual, Dual, Dual)]
#[autodiff_forward(t8_matrix_product, 8, Const, Dual, Dual, Dual)]
fn matrix_product(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        }
    }
}

fn matrix_product_jacobian(x: &[f64]) -> Vec<Vec<f64>> {
    let (n, a, b) = factors(x);
    let row = |i: usize, j: usize| {
        let mut row = vec![0.0; x.len()];
        for k in 0..n {
            row[i * n + k] = b[k * n + j];
            row[(n + k) * n + j] = a[i * n + k];
        }
        row
    };
    (0..n * n).map(|place| row(place / n, place % n)).collect()
}

/// The two matrices in a slice, and their size.
fn factors(x: &[f64]) -> (usize, &[f64], &[f64]) {
    let (a, b) = x.split_at(x.len() / 2);
    (a.len().isqrt(), a, b)
}

#[autodiff_reverse(d_log_sum_exp, Duplicated, Active)]
#[autodiff_forward(t_log_sum_exp, Dual, Dual)]
#[autodiff_forward(t8_log_sum_exp, 8, Dual, Dual)]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut largest = x[0];
    for &x in x {
        if x > largest {
            largest = x;
        }
    }
    largest + x.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

fn log_sum_exp_gradient(x: &[f64]) -> Vec<f64> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}

/// `xᵀ · a · x` for a matrix that is not symmetric.
#[autodiff_reverse(d_quadratic_form, Duplicated, Const, Active)]
#[autodiff_forward(t_quadratic_form, Dual, Const, Dual)]
#[autodiff_forward(t8_quadratic_form, 8, Dual, Const, Dual)]
fn quadratic_form(x: &[f64], a: &[f64]) -> f64 {
    let inner = |row: &[f64]| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    a.chunks_exact(x.len()).zip(x).map(|(row, x)| x * inner(row)).sum()
}

fn quadratic_form_gradient(x: &[f64]) -> Vec<f64> {
    let (n, a) = (x.len(), form(x.len()));
    (0..n).map(|i| (0..n).map(|j| (a[i * n + j] + a[j * n + i]) * x[j]).sum()).collect()
}

fn form(n: usize) -> Vec<f64> {
    samples(n * n, -1.0..1.0, 0.95)
}

pub fn cases(size: usize) -> Vec<Case> {
    let at = || samples(size, -2.0..2.0, 0.05);
    vec![
        Case {
            name: "matrix_product",
            precision: Precision::F64,
            at: samples(2 * size * size, -1.0..1.0, 0.85),
            primal: |x| {
                let (n, a, b) = factors(x);
                let mut c = vec![0.0; n * n];
                matrix_product(n, a, b, &mut c);
                c
            },
            reverse: |x, weights| {
                let (n, a, b) = factors(x);
                let (mut da, mut db) = (vec![0.0; n * n], vec![0.0; n * n]);
                let (mut c, mut dc) = (vec![0.0; n * n], weights.to_vec());
                d_matrix_product(n, a, &mut da, b, &mut db, &mut c, &mut dc);
                (c, [da, db].concat())
            },
            forward: |x, u| {
                let ((n, a, b), (_, u, v)) = (factors(x), factors(u));
                let (mut c, mut tangent) = (vec![0.0; n * n], vec![0.0; n * n]);
                t_matrix_product(n, a, u, b, v, &mut c, &mut tangent);
                (c, tangent)
            },
            #[rustfmt::skip] // an argument's directions stay on its line
            forward_8: |x, directions| {
                let (size, left, right) = factors(x);
                let [a, b, c, d, e, f, g, h] = directions.each_ref().map(|u| factors(u));
                let mut product = vec![0.0; size * size];
                let mut tangents: [_; WIDTH] = from_fn(|_| vec![0.0; size * size]);
                let [i, j, k, l, m, n, o, p] = &mut tangents;
                t8_matrix_product(
                    size,
                    left, a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1,
                    right, a.2, b.2, c.2, d.2, e.2, f.2, g.2, h.2,
                    &mut product, i, j, k, l, m, n, o, p,
                );
                (product, tangents)
            },
            jacobian: matrix_product_jacobian,
        },
        of_a_slice!(log_sum_exp(x), d_log_sum_exp, t_log_sum_exp, t8_log_sum_exp, at(), log_sum_exp_gradient),
        of_a_slice!(
            quadratic_form(x, &form(x.len())),
            d_quadratic_form,
            t_quadratic_form,
            t8_quadratic_form,
            at(),
            quadratic_form_gradient
        ),
    ]
}
