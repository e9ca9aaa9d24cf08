//! Branches, and loops that end when the numbers say so.

use crate::case::{Case, Precision, samples};
use crate::slices::of_a_slice_and_a_number;
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_huber, Duplicated, Active, Active)]
#[autodiff_forward(t_huber, Dual, Dual, Dual)]
#[autodiff_forward(t8_huber, 8, Dual, Dual, Dual)]
fn huber(residuals: &[f64], threshold: f64) -> f64 {
    let mut loss = 0.0;
    for residual in residuals {
        loss += if residual.abs() <= threshold {
            0.5 * residual * residual
        } else {
            threshold * (residual.abs() - 0.5 * threshold)
        };
    }
    loss
}

fn huber_gradient(residuals: &[f64], threshold: f64) -> Vec<f64> {
    let slopes = residuals.iter().map(|residual| residual.clamp(-threshold, threshold));
    let beyond = residuals.iter().map(|residual| (residual.abs() - threshold).max(0.0)).sum();
    slopes.chain([beyond]).collect()
}

#[derive(Clone, Copy)]
enum Activation {
    Identity,
    Rectifier,
    Logistic,
    Swish { sharpness: f64 },
}

#[autodiff_reverse(d_activations, Duplicated, Const, Active)]
#[autodiff_forward(t_activations, Dual, Const, Dual)]
#[autodiff_forward(t8_activations, 8, Dual, Const, Dual)]
fn activations(x: &[f64], kinds: &[Activation]) -> f64 {
    let mut sum = 0.0;
    for (&x, kind) in x.iter().zip(kinds) {
        sum += match *kind {
            Activation::Identity => x,
            Activation::Rectifier if x < 0.0 => 0.0,
            Activation::Rectifier => x * x,
            Activation::Logistic => 1.0 / (1.0 + (-x).exp()),
            Activation::Swish { sharpness } => x / (1.0 + (-sharpness * x).exp()),
        };
    }
    sum
}

fn activations_gradient(x: &[f64]) -> Vec<f64> {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let slope = |(&x, kind): (&f64, Activation)| match kind {
        Activation::Identity => 1.0,
        Activation::Rectifier => 2.0 * x.max(0.0),
        Activation::Logistic => logistic(x) * logistic(-x),
        Activation::Swish { sharpness: k } => logistic(k * x) * (1.0 + k * x * logistic(-k * x)),
    };
    x.iter().zip(kinds(x.len())).map(slope).collect()
}

/// Each kind in turn, the rectifier more often: it has two arms.
fn kinds(count: usize) -> Vec<Activation> {
    use Activation::{Identity, Logistic, Rectifier, Swish};
    let cycle = [Rectifier, Identity, Logistic, Rectifier, Swish { sharpness: 1.5 }];
    cycle.into_iter().cycle().take(count).collect()
}

/// The sum of the powers of `ratio` that exceed `least`.
#[autodiff_reverse(d_geometric, Active, Const, Active)]
#[autodiff_forward(t_geometric, Dual, Const, Dual)]
#[autodiff_forward(t8_geometric, 8, Dual, Const, Dual)]
fn geometric(ratio: f64, least: f64) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    while term > least {
        sum += term;
        term *= ratio;
    }
    sum
}

fn geometric_slope(ratio: f64, least: f64) -> f64 {
    let count = (least.ln() / ratio.ln()).ceil();
    let last = ratio.powf(count - 1.0);
    (1.0 - count * last + (count - 1.0) * last * ratio) / (1.0 - ratio).powi(2)
}

const LEAST: f64 = 1e-3;

/// Adds up squares until there is enough.
#[autodiff_reverse(d_enough, Duplicated, Const, Active)]
#[autodiff_forward(t_enough, Dual, Const, Dual)]
#[autodiff_forward(t8_enough, 8, Dual, Const, Dual)]
fn enough(x: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for x in x {
        if sum > limit {
            return sum * sum;
        }
        sum += x * x;
    }
    sum
}

fn enough_gradient(x: &[f64]) -> Vec<f64> {
    let squares = |until: usize| x[..until].iter().map(|x| x * x).sum::<f64>();
    let stop = (0..x.len()).find(|until| squares(*until) > LIMIT);
    let factor = stop.map_or(1.0, |until| 2.0 * squares(until));
    let counted = |i: usize| i < stop.unwrap_or(x.len());
    (0..x.len()).map(|i| if counted(i) { factor * 2.0 * x[i] } else { 0.0 }).collect()
}

const LIMIT: f64 = 0.7;

pub fn cases(size: usize) -> Vec<Case> {
    let at = || samples(size, -1.0..1.0, 0.0);
    let mut residuals = samples(size, -2.0..2.0, 0.3);
    residuals.push(0.75);
    vec![
        of_a_slice_and_a_number!(huber, d_huber, t_huber, t8_huber, residuals, huber_gradient),
        of_a_slice!(
            activations(x, &kinds(x.len())),
            d_activations,
            t_activations,
            t8_activations,
            at(),
            activations_gradient
        ),
        Case {
            name: "geometric",
            precision: Precision::F64,
            at: samples(1, 0.5..0.9, 0.2),
            primal: |x| vec![geometric(x[0], LEAST)],
            reverse: |x, weights| {
                let (value, slope) = d_geometric(x[0], LEAST, weights[0]);
                (vec![value], vec![slope])
            },
            forward: |x, u| {
                let (value, tangent) = t_geometric(x[0], u[0], LEAST);
                (vec![value], vec![tangent])
            },
            forward_8: |x, [a, b, c, d, e, f, g, h]| {
                let [value, tangents @ ..] = t8_geometric(x[0], a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0], LEAST);
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| vec![vec![geometric_slope(x[0], LEAST)]],
        },
        of_a_slice!(enough(x, LIMIT), d_enough, t_enough, t8_enough, at(), enough_gradient),
    ]
}
