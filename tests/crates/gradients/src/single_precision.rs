//! Functions of `f32`; their closed forms are computed in `f64`.

use crate::case::{Case, Precision, WIDTH, samples};
use autodiff::{autodiff_forward, autodiff_reverse};
use std::array::from_fn;

#[autodiff_reverse(d_logistic, Active, Active, Active)]
#[autodiff_forward(t_logistic, Dual, Dual, Dual)]
#[autodiff_forward(t8_logistic, 8, Dual, Dual, Dual)]
fn logistic(x: f32, slope: f32) -> f32 {
    1.0 / (1.0 + (-slope * x).exp())
}

fn logistic_gradient(x: &[f64]) -> Vec<f64> {
    let value = 1.0 / (1.0 + (-x[0] * x[1]).exp());
    let by_product = value * (1.0 - value);
    vec![by_product * x[1], by_product * x[0]]
}

#[autodiff_reverse(d_softplus, Duplicated, Active)]
#[autodiff_forward(t_softplus, Dual, Dual)]
#[autodiff_forward(t8_softplus, 8, Dual, Dual)]
fn softplus(x: &[f32]) -> f32 {
    x.iter().map(|x| (1.0 + x.exp()).ln()).sum()
}

fn softplus_gradient(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect()
}

/// The vector of length one in this direction.
#[autodiff_reverse(d_normalized, Duplicated, Duplicated)]
#[autodiff_forward(t_normalized, Dual, Dual)]
#[autodiff_forward(t8_normalized, 8, Dual, Dual)]
fn normalized(x: &[f32], y: &mut [f32]) {
    let norm = x.iter().map(|x| x * x).sum::<f32>().sqrt();
    for (y, x) in y.iter_mut().zip(x) {
        *y = x / norm;
    }
}

fn normalized_jacobian(x: &[f64]) -> Vec<Vec<f64>> {
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let entry = |i: usize, j: usize| f64::from(i == j) / norm - x[i] * x[j] / norm.powi(3);
    (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j)).collect()).collect()
}

fn narrow(x: &[f64]) -> Vec<f32> {
    x.iter().map(|x| *x as f32).collect()
}

fn widen(x: &[f32]) -> Vec<f64> {
    x.iter().copied().map(f64::from).collect()
}

pub fn cases(size: usize) -> Vec<Case> {
    vec![
        Case {
            name: "logistic",
            precision: Precision::F32,
            at: samples(2, 0.5..1.5, 0.4),
            primal: |x| {
                let x = narrow(x);
                widen(&[logistic(x[0], x[1])])
            },
            reverse: |x, weights| {
                let x = narrow(x);
                let (value, dx, dslope) = d_logistic(x[0], x[1], weights[0] as f32);
                (widen(&[value]), widen(&[dx, dslope]))
            },
            forward: |x, u| {
                let (x, u) = (narrow(x), narrow(u));
                let (value, tangent) = t_logistic(x[0], u[0], x[1], u[1]);
                (widen(&[value]), widen(&[tangent]))
            },
            forward_8: |x, directions| {
                let x = narrow(x);
                let [a, b, c, d, e, f, g, h] = directions.each_ref().map(|u| narrow(u));
                let [value, tangents @ ..] = t8_logistic(
                    x[0], a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0], x[1], a[1], b[1], c[1], d[1], e[1], f[1],
                    g[1], h[1],
                );
                (widen(&[value]), tangents.map(|tangent| widen(&[tangent])))
            },
            jacobian: |x| vec![logistic_gradient(x)],
        },
        Case {
            name: "softplus",
            precision: Precision::F32,
            at: samples(size, -1.0..1.0, 0.1),
            primal: |x| widen(&[softplus(&narrow(x))]),
            reverse: |x, weights| {
                let mut dx = vec![0.0; x.len()];
                let value = d_softplus(&narrow(x), &mut dx, weights[0] as f32);
                (widen(&[value]), widen(&dx))
            },
            forward: |x, u| {
                let (value, tangent) = t_softplus(&narrow(x), &narrow(u));
                (widen(&[value]), widen(&[tangent]))
            },
            forward_8: |x, directions| {
                let [a, b, c, d, e, f, g, h] = &directions.each_ref().map(|u| narrow(u));
                let [value, tangents @ ..] = t8_softplus(&narrow(x), a, b, c, d, e, f, g, h);
                (widen(&[value]), tangents.map(|tangent| widen(&[tangent])))
            },
            jacobian: |x| vec![softplus_gradient(x)],
        },
        Case {
            name: "normalized",
            precision: Precision::F32,
            at: samples(size, -1.0..1.0, 0.7),
            primal: |x| {
                let mut y = vec![0.0; x.len()];
                normalized(&narrow(x), &mut y);
                widen(&y)
            },
            reverse: |x, weights| {
                let (mut dx, mut y, mut dy) = (vec![0.0; x.len()], vec![0.0; x.len()], narrow(weights));
                d_normalized(&narrow(x), &mut dx, &mut y, &mut dy);
                (widen(&y), widen(&dx))
            },
            forward: |x, u| {
                let (mut y, mut tangent) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                t_normalized(&narrow(x), &narrow(u), &mut y, &mut tangent);
                (widen(&y), widen(&tangent))
            },
            forward_8: |x, directions| {
                let [a, b, c, d, e, f, g, h] = &directions.each_ref().map(|u| narrow(u));
                let mut y = vec![0.0; x.len()];
                let mut tangents: [_; WIDTH] = from_fn(|_| vec![0.0; x.len()]);
                let [i, j, k, l, m, n, o, p] = &mut tangents;
                t8_normalized(&narrow(x), a, b, c, d, e, f, g, h, &mut y, i, j, k, l, m, n, o, p);
                (widen(&y), tangents.map(|tangent| widen(&tangent)))
            },
            jacobian: normalized_jacobian,
        },
    ]
}
