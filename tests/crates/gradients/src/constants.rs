//! Arguments that are not differentiated, of every kind.

use crate::case::{Case, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_moment, Duplicated, Const, Const, Const, Active)]
#[autodiff_forward(t_moment, Dual, Const, Const, Const, Dual)]
#[autodiff_forward(t8_moment, 8, Dual, Const, Const, Const, Dual)]
fn moment(x: &[f64], weights: &[f64], power: i32, from: usize) -> f64 {
    (from..x.len()).map(|i| weights[i] * x[i].powi(power)).sum()
}

fn moment_gradient(x: &[f64]) -> Vec<f64> {
    let weights = weights(x.len());
    let slope = |i: usize| f64::from(POWER) * weights[i] * x[i].powi(POWER - 1);
    (0..x.len()).map(|i| if i < FROM { 0.0 } else { slope(i) }).collect()
}

const POWER: i32 = 3;
const FROM: usize = 2;

fn weights(count: usize) -> Vec<f64> {
    samples(count, 1.0..2.0, 0.25)
}

/// The products of those that follow each other in `order`.
#[autodiff_reverse(d_visited, Duplicated, Const, Active)]
#[autodiff_forward(t_visited, Dual, Const, Dual)]
#[autodiff_forward(t8_visited, 8, Dual, Const, Dual)]
fn visited(x: &[f64], order: &[usize]) -> f64 {
    order.windows(2).map(|step| x[step[0]] * x[step[1]]).sum()
}

fn visited_gradient(x: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    for step in order(x.len()).windows(2) {
        gradient[step[0]] += x[step[1]];
        gradient[step[1]] += x[step[0]];
    }
    gradient
}

/// Every index, some of them twice.
fn order(count: usize) -> Vec<usize> {
    (0..2 * count).map(|i| (3 * i + i / count) % count).collect()
}

/// Springs between neighbours, the last one a wall.
struct Chain {
    stiffness: f64,
    lengths: Vec<f64>,
    is_walled: bool,
}

#[autodiff_reverse(d_potential, Duplicated, Const, Active)]
#[autodiff_forward(t_potential, Dual, Const, Dual)]
#[autodiff_forward(t8_potential, 8, Dual, Const, Dual)]
fn potential(x: &[f64], chain: &Chain) -> f64 {
    let mut energy = 0.0;
    for (pair, length) in x.windows(2).zip(&chain.lengths) {
        let stretch = pair[1] - pair[0] - length;
        energy += 0.5 * chain.stiffness * stretch * stretch;
    }
    if chain.is_walled { energy + x[x.len() - 1].powi(4) } else { energy }
}

fn potential_gradient(x: &[f64]) -> Vec<f64> {
    let Chain { stiffness, lengths, .. } = chain(x.len());
    let mut gradient = vec![0.0; x.len()];
    for i in 1..x.len() {
        let force = stiffness * (x[i] - x[i - 1] - lengths[i - 1]);
        gradient[i] += force;
        gradient[i - 1] -= force;
    }
    gradient[x.len() - 1] += 4.0 * x[x.len() - 1].powi(3);
    gradient
}

fn chain(count: usize) -> Chain {
    Chain { stiffness: 2.5, lengths: samples(count - 1, 0.5..1.0, 0.6), is_walled: count > 1 }
}

pub fn cases(size: usize) -> Vec<Case> {
    let at = || samples(size, 0.5..1.5, 0.15);
    vec![
        of_a_slice!(moment(x, &weights(x.len()), POWER, FROM), d_moment, t_moment, t8_moment, at(), moment_gradient),
        of_a_slice!(visited(x, &order(x.len())), d_visited, t_visited, t8_visited, at(), visited_gradient),
        of_a_slice!(potential(x, &chain(x.len())), d_potential, t_potential, t8_potential, at(), potential_gradient),
    ]
}
