//! A function, its gradient by Crategrad, and the closed form beside it.

use autodiff::*;

#[autodiff_reverse(gradient, Duplicated, Active)]
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

fn main() {
    let (x, mut dx) = ([-1.2, 1.0, 0.8, 1.5], [0.0; 4]);
    let value = gradient(&x, &mut dx, 1.0);
    println!("f(x) = {value:.6}\n{:>10} {:>14} {:>14}", "x", "Enzyme", "closed form");
    for i in 0..4 {
        let left = if i == 0 { 0.0 } else { 200.0 * (x[i] - x[i - 1] * x[i - 1]) };
        let right = if i == 3 { 0.0 } else { 2.0 * (x[i] - 1.0) - 400.0 * x[i] * (x[i + 1] - x[i] * x[i]) };
        println!("{:>10.4} {:>14.6} {:>14.6}", x[i], dx[i], left + right);
        assert!((dx[i] - left - right).abs() < 1e-9, "the gradient is wrong");
    }
}
