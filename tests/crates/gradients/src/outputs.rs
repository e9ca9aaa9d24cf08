//! Functions that return nothing and write what they compute.

use crate::case::{Case, Precision, WIDTH, samples};
use autodiff::{autodiff_forward, autodiff_reverse};
use std::array::from_fn;

#[autodiff_reverse(d_softmax, Duplicated, Duplicated)]
#[autodiff_forward(t_softmax, Dual, Dual)]
#[autodiff_forward(t8_softmax, 8, Dual, Dual)]
fn softmax(x: &[f64], y: &mut [f64]) {
    let mut sum = 0.0;
    for (y, x) in y.iter_mut().zip(x) {
        *y = x.exp();
        sum += *y;
    }
    for y in y {
        *y /= sum;
    }
}

fn softmax_jacobian(x: &[f64]) -> Vec<Vec<f64>> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    let share = |i: usize| x[i].exp() / sum;
    let entry = |i: usize, j: usize| share(i) * (f64::from(i == j) - share(j));
    (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j)).collect()).collect()
}

/// Replaces each number by the product of all up to it.
#[autodiff_reverse(d_prefix_products, Duplicated)]
#[autodiff_forward(t_prefix_products, Dual)]
#[autodiff_forward(t8_prefix_products, 8, Dual)]
fn prefix_products(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] *= x[i - 1];
    }
}

fn prefix_products_jacobian(x: &[f64]) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| if j > i { 0.0 } else { x[..=i].iter().product::<f64>() / x[j] };
    (0..x.len()).map(|i| (0..x.len()).map(|j| entry(i, j)).collect()).collect()
}

/// A step of the heat equation; the ends stay as they are.
#[autodiff_reverse(d_heat, Duplicated, Active, Duplicated)]
#[autodiff_forward(t_heat, Dual, Dual, Dual)]
#[autodiff_forward(t8_heat, 8, Dual, Dual, Dual)]
fn heat(now: &[f64], rate: f64, next: &mut [f64]) {
    next.copy_from_slice(now);
    for i in 1..now.len() - 1 {
        next[i] += rate * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
    }
}

fn heat_jacobian(now: &[f64], rate: f64) -> Vec<Vec<f64>> {
    let last = now.len() - 1;
    let row = |i: usize| {
        let mut row = vec![0.0; now.len() + 1];
        row[i] = 1.0;
        if i != 0 && i != last {
            row[i - 1] = rate;
            row[i] -= 2.0 * rate;
            row[i + 1] = rate;
            row[now.len()] = now[i - 1] - 2.0 * now[i] + now[i + 1];
        }
        row
    };
    (0..now.len()).map(row).collect()
}

pub fn cases(size: usize) -> Vec<Case> {
    vec![
        Case {
            name: "softmax",
            precision: Precision::F64,
            at: samples(size, -2.0..2.0, 0.4),
            primal: |x| {
                let mut y = vec![0.0; x.len()];
                softmax(x, &mut y);
                y
            },
            reverse: |x, weights| {
                let (mut dx, mut y, mut dy) = (vec![0.0; x.len()], vec![0.0; x.len()], weights.to_vec());
                d_softmax(x, &mut dx, &mut y, &mut dy);
                (y, dx)
            },
            forward: |x, u| {
                let (mut y, mut tangent) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                t_softmax(x, u, &mut y, &mut tangent);
                (y, tangent)
            },
            forward_8: |x, [a, b, c, d, e, f, g, h]| {
                let mut y = vec![0.0; x.len()];
                let mut tangents: [_; WIDTH] = from_fn(|_| vec![0.0; x.len()]);
                let [i, j, k, l, m, n, o, p] = &mut tangents;
                t8_softmax(x, a, b, c, d, e, f, g, h, &mut y, i, j, k, l, m, n, o, p);
                (y, tangents)
            },
            jacobian: softmax_jacobian,
        },
        Case {
            name: "prefix_products",
            precision: Precision::F64,
            at: samples(size, 0.5..1.5, 0.6),
            primal: |x| {
                let mut x = x.to_vec();
                prefix_products(&mut x);
                x
            },
            reverse: |x, weights| {
                let (mut x, mut dx) = (x.to_vec(), weights.to_vec());
                d_prefix_products(&mut x, &mut dx);
                (x, dx)
            },
            forward: |x, u| {
                let (mut x, mut tangent) = (x.to_vec(), u.to_vec());
                t_prefix_products(&mut x, &mut tangent);
                (x, tangent)
            },
            forward_8: |x, directions| {
                let (mut x, mut tangents) = (x.to_vec(), directions.clone());
                let [a, b, c, d, e, f, g, h] = &mut tangents;
                t8_prefix_products(&mut x, a, b, c, d, e, f, g, h);
                (x, tangents)
            },
            jacobian: prefix_products_jacobian,
        },
        Case {
            name: "heat",
            precision: Precision::F64,
            at: samples(size + 1, 0.1..0.9, 0.1),
            primal: |x| {
                let (rate, now) = x.split_last().unwrap();
                let mut next = vec![0.0; now.len()];
                heat(now, *rate, &mut next);
                next
            },
            reverse: |x, weights| {
                let (rate, now) = x.split_last().unwrap();
                let (mut next, mut dnext) = (vec![0.0; now.len()], weights.to_vec());
                let mut dx = vec![0.0; now.len()];
                let slope = d_heat(now, &mut dx, *rate, &mut next, &mut dnext);
                dx.push(slope);
                (next, dx)
            },
            forward: |x, u| {
                let (rate, now) = x.split_last().unwrap();
                let (by, u) = u.split_last().unwrap();
                let (mut next, mut tangent) = (vec![0.0; now.len()], vec![0.0; now.len()]);
                t_heat(now, u, *rate, *by, &mut next, &mut tangent);
                (next, tangent)
            },
            #[rustfmt::skip] // an argument's directions stay on its line
            forward_8: |x, directions| {
                let (rate, now) = x.split_last().unwrap();
                let [a, b, c, d, e, f, g, h] = directions.each_ref().map(|u| u.split_last().unwrap());
                let mut next = vec![0.0; now.len()];
                let mut tangents: [_; WIDTH] = from_fn(|_| vec![0.0; now.len()]);
                let [i, j, k, l, m, n, o, p] = &mut tangents;
                t8_heat(
                    now, a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1,
                    *rate, *a.0, *b.0, *c.0, *d.0, *e.0, *f.0, *g.0, *h.0,
                    &mut next, i, j, k, l, m, n, o, p,
                );
                (next, tangents)
            },
            jacobian: |x| {
                let (rate, now) = x.split_last().unwrap();
                heat_jacobian(now, *rate)
            },
        },
    ]
}
