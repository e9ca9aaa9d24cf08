//! Chains of iterators.

use crate::case::{Case, Precision, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_distance, Duplicated, Duplicated, Active)]
#[autodiff_forward(t_distance, Dual, Dual, Dual)]
#[autodiff_forward(t8_distance, 8, Dual, Dual, Dual)]
fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

fn distance_gradient(x: &[f64], y: &[f64]) -> Vec<f64> {
    let apart: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    let norm = apart.iter().map(|d| d * d).sum::<f64>().sqrt();
    apart.iter().map(|d| d / norm).chain(apart.iter().map(|d| -d / norm)).collect()
}

#[autodiff_reverse(d_volumes, Duplicated, Active)]
#[autodiff_forward(t_volumes, Dual, Dual)]
#[autodiff_forward(t8_volumes, 8, Dual, Dual)]
fn volumes(x: &[f64]) -> f64 {
    x.chunks(3).map(|sides| sides.iter().product::<f64>()).sum()
}

fn volumes_gradient(x: &[f64]) -> Vec<f64> {
    let others = |sides: &[f64], k: usize| sides[..k].iter().chain(&sides[k + 1..]).product();
    x.chunks(3).flat_map(|sides| (0..sides.len()).map(move |k| others(sides, k))).collect()
}

#[autodiff_reverse(d_growth, Duplicated, Active)]
#[autodiff_forward(t_growth, Dual, Dual)]
#[autodiff_forward(t8_growth, 8, Dual, Dual)]
fn growth(rates: &[f64]) -> f64 {
    let capital = rates.iter().scan(1.0, |capital, rate| {
        *capital *= 1.0 + rate;
        Some(*capital)
    });
    capital.fold(0.0, |sum, capital| sum + capital.ln() * capital)
}

fn growth_gradient(rates: &[f64]) -> Vec<f64> {
    let capital = |i: usize| rates[..=i].iter().map(|rate| 1.0 + rate).product::<f64>();
    let slope = |i: usize| (1.0 + capital(i).ln()) * capital(i);
    (0..rates.len()).map(|j| (j..rates.len()).map(slope).sum::<f64>() / (1.0 + rates[j])).collect()
}

#[autodiff_reverse(d_coherence, Duplicated, Active)]
#[autodiff_forward(t_coherence, Dual, Dual)]
#[autodiff_forward(t8_coherence, 8, Dual, Dual)]
fn coherence(phases: &[f64]) -> f64 {
    phases.iter().flat_map(|x| phases.iter().map(move |y| (x - y).cos())).sum()
}

fn coherence_gradient(phases: &[f64]) -> Vec<f64> {
    phases.iter().map(|x| -2.0 * phases.iter().map(|y| (x - y).sin()).sum::<f64>()).collect()
}

/// Two points, one behind the other.
fn halves(x: &[f64]) -> (&[f64], &[f64]) {
    x.split_at(x.len() / 2)
}

pub fn cases(size: usize) -> Vec<Case> {
    let at = || samples(size, 0.1..0.9, 0.35);
    vec![
        Case {
            name: "distance",
            precision: Precision::F64,
            at: samples(2 * size, -1.0..1.0, 0.65),
            primal: |x| {
                let (x, y) = halves(x);
                vec![distance(x, y)]
            },
            reverse: |x, weights| {
                let (x, y) = halves(x);
                let (mut dx, mut dy) = (vec![0.0; x.len()], vec![0.0; y.len()]);
                let value = d_distance(x, &mut dx, y, &mut dy, weights[0]);
                (vec![value], [dx, dy].concat())
            },
            forward: |x, u| {
                let ((x, y), (u, v)) = (halves(x), halves(u));
                let (value, tangent) = t_distance(x, u, y, v);
                (vec![value], vec![tangent])
            },
            forward_8: |x, directions| {
                let (x, y) = halves(x);
                let [a, b, c, d, e, f, g, h] = directions.each_ref().map(|u| halves(u));
                let [value, tangents @ ..] =
                    t8_distance(x, a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0, y, a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1);
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| {
                let (x, y) = halves(x);
                vec![distance_gradient(x, y)]
            },
        },
        of_a_slice!(volumes(x), d_volumes, t_volumes, t8_volumes, at(), volumes_gradient),
        of_a_slice!(growth(x), d_growth, t_growth, t8_growth, at(), growth_gradient),
        of_a_slice!(coherence(x), d_coherence, t_coherence, t8_coherence, at(), coherence_gradient),
    ]
}
