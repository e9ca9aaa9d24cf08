//! The spectrum of a signal by Cooley and Tukey's fast Fourier transform, and its logarithmic power.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;
use std::f64::consts::TAU;

pub struct Spectrum {
    /// Complex numbers, the real part before the imaginary one; a power of two of them.
    signal: Vec<f64>,
    /// `exp(-2πik/n)` for the first half of all `k`.
    roots: Vec<f64>,
    weights: Vec<f64>,
}

impl Spectrum {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[length] = sizes else { panic!("fft: length") };
        assert!(length.is_power_of_two(), "fft: the length is a power of two");
        Self {
            signal: numbers.many(2 * length, -1.0, 1.0),
            weights: numbers.many(length, 0.0, 1.0),
            roots: (0..length / 2).map(|k| -TAU * k as f64 / length as f64).flat_map(|a| [a.cos(), a.sin()]).collect(),
        }
    }
}

program!(Spectrum, |it| power[signal](&it.roots, &it.weights));

#[autodiff_reverse(gradient, Duplicated, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Const, Const, DualOnly)]
fn power(signal: &[f64], roots: &[f64], weights: &[f64]) -> f64 {
    let length = weights.len();
    let unused_bits = length.leading_zeros() + 1;
    let mut x = vec![0.0; signal.len()];
    for (i, z) in x.chunks_exact_mut(2).enumerate() {
        let from = i.reverse_bits() >> unused_bits % usize::BITS;
        z.copy_from_slice(&signal[2 * from..][..2]);
    }
    let mut half = 1;
    while half < length {
        let stride = length / (2 * half);
        for block in x.chunks_exact_mut(4 * half) {
            let (low, high) = block.split_at_mut(2 * half);
            for (k, (a, b)) in low.chunks_exact_mut(2).zip(high.chunks_exact_mut(2)).enumerate() {
                let root = &roots[2 * k * stride..][..2];
                let re = b[0] * root[0] - b[1] * root[1];
                let im = b[0] * root[1] + b[1] * root[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
        half *= 2;
    }
    x.chunks_exact(2).zip(weights).map(|(z, weight)| weight * (1.0 + z[0] * z[0] + z[1] * z[1]).ln()).sum()
}
