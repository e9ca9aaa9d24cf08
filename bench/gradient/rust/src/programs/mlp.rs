//! A perceptron of three layers, and its squared errors over a batch.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

pub struct Perceptron {
    /// Layer by layer, neuron by neuron: a weight for each input, then the bias.
    parameters: Vec<f64>,
    samples: Vec<f64>,
    targets: Vec<f64>,
    /// Of a sample, of both layers within, of a target.
    widths: [usize; 3],
}

impl Perceptron {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[samples, inputs, within, outputs] = sizes else { panic!("mlp: samples, inputs, within, outputs") };
        let parameters = (inputs + 1) * within + (within + 1) * within + (within + 1) * outputs;
        Self {
            parameters: numbers.many(parameters, -0.5, 0.5),
            samples: numbers.many(samples * inputs, -1.0, 1.0),
            targets: numbers.many(samples * outputs, -1.0, 1.0),
            widths: [inputs, within, outputs],
        }
    }
}

program!(Perceptron, |it| loss[parameters](&it.samples, &it.targets, it.widths));

#[autodiff_reverse(gradient, Duplicated, Const, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Const, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Const, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Const, Const, Const, DualOnly)]
fn loss(parameters: &[f64], samples: &[f64], targets: &[f64], widths: [usize; 3]) -> f64 {
    let [inputs, within, outputs] = widths;
    let (first, others) = parameters.split_at((inputs + 1) * within);
    let (second, third) = others.split_at((within + 1) * within);
    let (mut a, mut b, mut y) = (vec![0.0; within], vec![0.0; within], vec![0.0; outputs]);
    let mut sum = 0.0;
    for (sample, target) in samples.chunks_exact(inputs).zip(targets.chunks_exact(outputs)) {
        layer(first, sample, &mut a);
        a.iter_mut().for_each(|x| *x = x.tanh());
        layer(second, &a, &mut b);
        b.iter_mut().for_each(|x| *x = x.tanh());
        layer(third, &b, &mut y);
        sum += y.iter().zip(target).map(|(y, t)| (y - t) * (y - t)).sum::<f64>();
    }
    sum / targets.len() as f64
}

fn layer(parameters: &[f64], inputs: &[f64], outputs: &mut [f64]) {
    for (output, neuron) in outputs.iter_mut().zip(parameters.chunks_exact(inputs.len() + 1)) {
        let (weights, bias) = neuron.split_at(inputs.len());
        *output = bias[0] + weights.iter().zip(inputs).map(|(w, x)| w * x).sum::<f64>();
    }
}
