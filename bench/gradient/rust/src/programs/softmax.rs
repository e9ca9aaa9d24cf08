//! A linear classifier's loss: a product of matrices, and the logarithm of a sum of exponentials row by row.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

pub struct Softmax {
    weights: Vec<f64>,
    biases: Vec<f64>,
    samples: Vec<f64>,
    labels: Vec<usize>,
}

impl Softmax {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[samples, features, classes] = sizes else { panic!("softmax: samples, features, classes") };
        Self {
            weights: numbers.many(features * classes, -0.5, 0.5),
            biases: numbers.many(classes, -0.5, 0.5),
            samples: numbers.many(samples * features, -1.0, 1.0),
            labels: (0..samples).map(|_| numbers.below(classes)).collect(),
        }
    }
}

program!(Softmax, |it| loss[weights, biases](&it.samples, &it.labels));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, Const, DualOnly)]
fn loss(weights: &[f64], biases: &[f64], samples: &[f64], labels: &[usize]) -> f64 {
    let classes = biases.len();
    let features = weights.len() / classes;
    let mut logits = vec![0.0; classes];
    let mut sum = 0.0;
    for (sample, &label) in samples.chunks_exact(features).zip(labels) {
        logits.copy_from_slice(biases);
        for (x, row) in sample.iter().zip(weights.chunks_exact(classes)) {
            for (logit, w) in logits.iter_mut().zip(row) {
                *logit += x * w;
            }
        }
        let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        sum += most + logits.iter().map(|logit| (logit - most).exp()).sum::<f64>().ln() - logits[label];
    }
    sum / labels.len() as f64
}
