//! The parameters of an ordinary differential equation, fitted to what was observed by Gauss and Newton's method.
//!
//! Forward mode goes through the solver, in both parameters' directions at once.

use autodiff::*;

const BEGIN: f64 = 0.5;
const STEPS: u32 = 200;

/// How large a population is after some days: y' = rate · y · (1 - y / capacity), by Runge and Kutta.
#[autodiff_forward(slopes, 2, Dual, Const, Dual)]
fn population(parameters: &[f64; 2], days: f64) -> f64 {
    let [rate, capacity] = *parameters;
    let growth = |y: f64| rate * y * (1.0 - y / capacity);
    let h = days / f64::from(STEPS);
    (0..STEPS).fold(BEGIN, |y, _| {
        let a = growth(y);
        let b = growth(y + 0.5 * h * a);
        let c = growth(y + 0.5 * h * b);
        let d = growth(y + h * c);
        y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    })
}

/// The equation's solution, in closed form.
fn solution([rate, capacity]: [f64; 2], days: f64) -> f64 {
    capacity / (1.0 + (capacity / BEGIN - 1.0) * (-rate * days).exp())
}

/// And its slopes.
fn closed_form([rate, capacity]: [f64; 2], days: f64) -> [f64; 2] {
    let fading = (-rate * days).exp();
    let below = 1.0 + (capacity / BEGIN - 1.0) * fading;
    let by_rate = capacity * (capacity / BEGIN - 1.0) * days * fading / (below * below);
    [by_rate, 1.0 / below - capacity * fading / (BEGIN * below * below)]
}

fn main() {
    let observed: Vec<(f64, f64)> = (1..=12).map(f64::from).map(|days| (days, solution([0.8, 10.0], days))).collect();
    let mut parameters = [0.5, 7.0];
    println!("{:>10} {:>10} {:>12} {:>12}", "rate", "capacity", "misfit", "off by");
    for _ in 0..6 {
        // Least squares of residuals that are taken for linear: (JᵀJ) step = Jᵀ residuals.
        let ([mut aa, mut ab, mut bb, mut ar, mut br], mut misfit, mut off) = ([0.0; 5], 0.0, 0.0_f64);
        for &(days, y) in &observed {
            let [value, a, b] = slopes(&parameters, &[1.0, 0.0], &[0.0, 1.0], days);
            let (residual, right) = (y - value, closed_form(parameters, days));
            (aa, ab, bb, ar, br) = (aa + a * a, ab + a * b, bb + b * b, ar + a * residual, br + b * residual);
            misfit += residual * residual;
            off = off.max((a - right[0]).abs()).max((b - right[1]).abs());
        }
        println!("{:>10.6} {:>10.6} {misfit:>12.2e} {off:>12.1e}", parameters[0], parameters[1]);
        assert!(off <= 1e-7, "the slopes are wrong: more than the solver's own error");
        let determinant = aa * bb - ab * ab;
        parameters[0] += (bb * ar - ab * br) / determinant;
        parameters[1] += (aa * br - ab * ar) / determinant;
    }
    assert!((parameters[0] - 0.8).abs() <= 1e-7 && (parameters[1] - 10.0).abs() <= 1e-6, "the fit failed");
}
