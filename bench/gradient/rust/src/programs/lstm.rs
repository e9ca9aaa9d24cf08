//! A long short-term memory (Hochreiter and Schmidhuber, 1997) of some layers, and how badly it tells what comes next.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

pub struct Memory {
    /// Layer by layer the rows of four gates, each with a number for what comes from below and then for the last output.
    weights: Vec<f64>,
    biases: Vec<f64>,
    inputs: Vec<f64>,
    labels: Vec<usize>,
    width: usize,
}

impl Memory {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[layers, width, steps] = sizes else { panic!("lstm: layers, width, steps") };
        Self {
            weights: numbers.many(layers * 4 * width * 2 * width, -0.5, 0.5),
            biases: numbers.many(layers * 4 * width, -0.5, 0.5),
            inputs: numbers.many(steps * width, -1.0, 1.0),
            labels: (0..steps).map(|_| numbers.below(width)).collect(),
            width,
        }
    }
}

program!(Memory, |it| loss[weights, biases](&it.inputs, &it.labels, it.width));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, Const, Const, DualOnly)]
fn loss(weights: &[f64], biases: &[f64], inputs: &[f64], labels: &[usize], width: usize) -> f64 {
    let layers = biases.len() / (4 * width);
    let mut outputs = vec![0.0; layers * width];
    let mut cells = vec![0.0; layers * width];
    let mut gates = vec![0.0; 4 * width];
    let mut below = vec![0.0; width];
    let mut sum = 0.0;
    for (input, &label) in inputs.chunks_exact(width).zip(labels) {
        below.copy_from_slice(input);
        for layer in 0..layers {
            let output = &mut outputs[layer * width..][..width];
            let cell = &mut cells[layer * width..][..width];
            let rows = weights[layer * 8 * width * width..].chunks_exact(2 * width);
            for ((gate, row), bias) in gates.iter_mut().zip(rows).zip(&biases[layer * 4 * width..]) {
                let (of_below, of_output) = row.split_at(width);
                *gate = bias + dot(of_below, &below) + dot(of_output, output);
            }
            for i in 0..width {
                let [forget, enter, leave, change] = [0, 1, 2, 3].map(|gate| gates[gate * width + i]);
                cell[i] = logistic(forget) * cell[i] + logistic(enter) * change.tanh();
                output[i] = logistic(leave) * cell[i].tanh();
            }
            below.copy_from_slice(output);
        }
        sum += below.iter().map(|y| y.exp()).sum::<f64>().ln() - below[label];
    }
    sum / labels.len() as f64
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
