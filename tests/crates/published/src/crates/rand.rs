//! Samples drawn outside of the derivative, densities inside; and a generator of its own inside

use crate::tried;
use crate::tried::Case;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::f64::consts::TAU;

fn samples() -> Vec<f64> {
    let mut generator = SmallRng::seed_from_u64(7);
    (0..20).map(|_| generator.random_range(-1.0..1.0)).collect()
}

fn logarithm_of_density(sample: f64, mean: f64, deviation: f64) -> f64 {
    let z = (sample - mean) / deviation;
    -0.5 * (z * z + TAU.ln()) - deviation.ln()
}

tried! {
    drawn_inside_by_a_seed(x: [0.3, 1.5]) {
        let mut generator = SmallRng::seed_from_u64(7);
        (0..20).map(|_| (x[0] + x[1] * generator.random_range(-1.0..1.0)).powi(2)).sum()
    };
    shuffled_inside(x: [1.5, -0.5, 2.5, 0.75, -1.0, 0.3]) {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.shuffle(&mut SmallRng::seed_from_u64(7));
        order.iter().enumerate().map(|(i, at)| i as f64 * x[*at] * x[*at]).sum()
    };
    decided_by_chance(x: [1.5, -0.5, 2.5, 0.75, -1.0, 0.3]) {
        let mut generator = SmallRng::seed_from_u64(7);
        x.iter().filter(|_| generator.random_bool(0.5)).map(|x| x * x).sum()
    };
}

/// The derivative is by the mean and the deviation alone: what was drawn is handed in.
#[cfg_attr(not(feature = "refused"), autodiff::autodiff_reverse(reverse, Duplicated, Const, Active))]
#[cfg_attr(not(feature = "refused"), autodiff::autodiff_forward(forward, Dual, Const, Dual))]
fn likelihood(x: &[f64], samples: &[f64]) -> f64 {
    samples.iter().map(|sample| logarithm_of_density(*sample, x[0], x[1])).sum()
}

#[cfg(not(feature = "refused"))]
pub fn report_of_likelihood() {
    let x = std::hint::black_box([0.3, 1.5]);
    let samples = samples();
    let right = [
        samples.iter().map(|sample| (sample - x[0]) / x[1].powi(2)).sum(),
        samples.iter().map(|sample| ((sample - x[0]) / x[1]).powi(2) / x[1] - 1.0 / x[1]).sum(),
    ];
    let primal = |x: &[f64]| likelihood(x, &samples);
    Case { name: concat!(module_path!(), "::likelihood"), x: &x, primal: &primal, right: Some(right.to_vec()) }
        .in_reverse(&|x, dx, seed| reverse(x, dx, &samples, seed))
        .in_forward_mode(&|x, along| forward(x, along, &samples));
}
