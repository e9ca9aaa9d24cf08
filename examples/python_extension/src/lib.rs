//! The likelihood of a normal distribution and its gradient, for Python by ctypes:
//!
//!     ./doit build crate=examples/python_extension
//!     python3 examples/python_extension/fit.py

use autodiff::*;

/// How likely the samples are, as a logarithm, given the mean and the logarithm of the deviation.
#[autodiff_reverse(d_log_likelihood, Duplicated, Const, Active)]
fn log_likelihood(parameters: &[f64; 2], samples: &[f64]) -> f64 {
    let [mean, log_deviation] = *parameters;
    let of_one = |sample: &f64| {
        let z = (sample - mean) * (-log_deviation).exp();
        -0.5 * z * z - log_deviation - 0.5 * std::f64::consts::TAU.ln()
    };
    samples.iter().map(of_one).sum()
}

/// Returns the value, and writes the gradient.
///
/// # Safety
///
/// `parameters` and `gradient` point to two numbers, `samples` to as many as `count` says; `gradient` overlaps neither.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn likelihood_and_gradient(
    parameters: *const [f64; 2],
    gradient: *mut [f64; 2],
    samples: *const f64,
    count: usize,
) -> f64 {
    let samples = unsafe { std::slice::from_raw_parts(samples, count) };
    let (parameters, gradient) = unsafe { (&*parameters, &mut *gradient) };
    *gradient = [0.0; 2];
    d_log_likelihood(parameters, gradient, samples, 1.0)
}
