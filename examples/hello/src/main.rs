//! A function, its gradient by Crategrad, and the closed form beside it.

use autodiff::*;

/// The Rosenbrock function of `x`, whose minimum 0 is at (1, …, 1).
#[autodiff_reverse(gradient, Duplicated, Active)]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

fn closed_form(x: &[f64]) -> Vec<f64> {
    let mut g = vec![0.0; x.len()];
    for i in 0..x.len() - 1 {
        let slope = x[i + 1] - x[i] * x[i];
        g[i] += -400.0 * x[i] * slope - 2.0 * (1.0 - x[i]);
        g[i + 1] += 200.0 * slope;
    }
    g
}

fn main() {
    let x = [-1.2, 1.0, 0.8, 1.5];
    let mut dx = [0.0; 4];
    let value = gradient(&x, &mut dx, 1.0);
    println!("f(x) = {value:.6}");
    println!("{:>10} {:>14} {:>14}", "x", "Enzyme", "closed form");
    for ((x, enzyme), expected) in x.iter().zip(dx).zip(closed_form(&x)) {
        println!("{x:>10.4} {enzyme:>14.6} {expected:>14.6}");
        assert!((enzyme - expected).abs() <= 1e-12 * expected.abs(), "the gradient is wrong");
    }
}
