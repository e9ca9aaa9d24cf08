//! Derivatives that cargo's tests check: `cargo autodiff test --test gradients`.

use autodiff::{autodiff_reverse, gradcheck};

#[autodiff_reverse(d_spread, Duplicated, Active)]
fn spread(x: &[f64]) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn spread_has_the_right_gradient() {
    if autodiff::available() {
        gradcheck!(#[autodiff_reverse(d_spread, Duplicated, Active)] spread(&[1.0, -2.0, 0.5]));
    }
}

/// By hand, and wrong by a factor of 2.
fn by_hand(x: &[f64], dx: &mut [f64], seed: f64) -> f64 {
    let (value, mean) = (spread(x), x.iter().sum::<f64>() / x.len() as f64);
    for (dx, x) in dx.iter_mut().zip(x) {
        *dx += seed * 2.0 * (x - mean) / value;
    }
    value
}

#[test]
#[should_panic = "the derivative of the result by &[1.0, -2.0, 0.5], number 1 of 3"]
fn a_wrong_gradient_panics_with_the_report() {
    gradcheck!(#[autodiff_reverse(by_hand, Duplicated, Active)] spread(&[1.0, -2.0, 0.5]));
}
