//! `par_iter` around a derivative, in both modes, equal to one thread

use crate::tried::Case;
use rayon::prelude::*;

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

#[cfg_attr(not(feature = "refused"), autodiff::autodiff_reverse(reverse, Duplicated, Const, Active))]
#[cfg_attr(not(feature = "refused"), autodiff::autodiff_forward(forward, Dual, Const, Dual))]
fn misfit(x: &[f64], at: f64) -> f64 {
    let model = x.iter().rev().fold(0.0, |sum, x| sum * at + x);
    (model - at.sin()).powi(2)
}

fn points() -> Vec<f64> {
    (0..1000).map(|i| f64::from(i) / 1000.0).collect()
}

fn sum(mut one: Vec<f64>, other: Vec<f64>) -> Vec<f64> {
    one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
    one
}

/// A sum over points, each of them differentiated by whichever thread has it; what is right is the same by one thread.
#[cfg(not(feature = "refused"))]
pub fn report() {
    let (x, points) = (std::hint::black_box(SIX), points());
    let one_by_one = || {
        let mut gradient = x.to_vec();
        gradient.fill(0.0);
        points.iter().for_each(|at| _ = reverse(&x, &mut gradient, *at, 1.0));
        gradient
    };
    let primal = |x: &[f64]| points.iter().map(|at| misfit(x, *at)).sum();
    Case { name: concat!(module_path!(), "::misfit"), x: &x, primal: &primal, right: Some(one_by_one()) }
        .in_reverse(&|x, dx, seed| {
            let none = || (0.0, vec![0.0; x.len()]);
            let (value, gradient) = points
                .par_iter()
                .fold(none, |(value, mut gradient), at| (value + reverse(x, &mut gradient, *at, seed), gradient))
                .reduce(none, |one, other| (one.0 + other.0, sum(one.1, other.1)));
            dx.copy_from_slice(&gradient);
            value
        })
        .in_forward_mode(&|x, along| {
            let both = points.par_iter().map(|at| forward(x, along, *at));
            both.reduce(|| (0.0, 0.0), |one, other| (one.0 + other.0, one.1 + other.1))
        });
}
