//! The log-likelihood of a Gaussian mixture, with a Wishart prior.
//!
//! The inverse of each covariance is `Qᵀ Q`, where `Q` is a lower triangle with the exponentials of the first `dims` numbers
//! of its factor on the diagonal, and row by row the others below.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

pub struct Mixture {
    weights: Vec<f64>,
    means: Vec<f64>,
    factors: Vec<f64>,
    points: Vec<f64>,
    dims: usize,
}

impl Mixture {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[dims, parts, points] = sizes else { panic!("gmm: dimensions, parts, points") };
        Self {
            weights: numbers.many(parts, -1.0, 1.0),
            means: numbers.many(parts * dims, -1.0, 1.0),
            factors: numbers.many(parts * dims * (dims + 1) / 2, -0.5, 0.5),
            points: numbers.many(points * dims, -2.0, 2.0),
            dims,
        }
    }
}

program!(Mixture, |it| log_likelihood[weights, means, factors](&it.points, it.dims));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Duplicated, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Duplicated, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Dual, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Dualv, Const, Const, DualOnly)]
fn log_likelihood(weights: &[f64], means: &[f64], factors: &[f64], points: &[f64], dims: usize) -> f64 {
    let triangle = dims * (dims + 1) / 2;
    let mut scales = Vec::with_capacity(means.len());
    let mut log_determinants = Vec::with_capacity(weights.len());
    let mut prior = 0.0;
    for factor in factors.chunks_exact(triangle) {
        let (diagonal, below) = factor.split_at(dims);
        scales.extend(diagonal.iter().map(|q| q.exp()));
        log_determinants.push(diagonal.iter().sum::<f64>());
        prior += 0.5 * below.iter().map(|l| l * l).sum::<f64>();
    }
    prior += 0.5 * scales.iter().map(|s| s * s).sum::<f64>() - log_determinants.iter().sum::<f64>();

    let mut terms = vec![0.0; weights.len()];
    let mut centred = vec![0.0; dims];
    let mut sum = 0.0;
    for point in points.chunks_exact(dims) {
        for (k, term) in terms.iter_mut().enumerate() {
            let mean = &means[k * dims..][..dims];
            let scale = &scales[k * dims..][..dims];
            let below = &factors[k * triangle..][dims..triangle];
            for ((c, x), m) in centred.iter_mut().zip(point).zip(mean) {
                *c = x - m;
            }
            let (mut squared, mut begin) = (0.0, 0);
            for i in 0..dims {
                let row = &below[begin..begin + i];
                let y = scale[i] * centred[i] + row.iter().zip(&centred).map(|(l, c)| l * c).sum::<f64>();
                squared += y * y;
                begin += i;
            }
            *term = weights[k] + log_determinants[k] - 0.5 * squared;
        }
        sum += log_sum_exp(&terms);
    }
    sum - (points.len() / dims) as f64 * log_sum_exp(weights) - prior
}

fn log_sum_exp(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()
}
