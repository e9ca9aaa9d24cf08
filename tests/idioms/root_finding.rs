use crate::dual::Number;
use std::fmt;

#[derive(Debug)]
enum Failure {
    NoSignChange { low: f64, high: f64 },
    TooManySteps(usize),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::NoSignChange { low, high } => write!(f, "no change of sign from {low} to {high}"),
            Failure::TooManySteps(steps) => write!(f, "no root after {steps} steps"),
        }
    }
}

fn newton<T: Number>(f: impl Fn(T) -> T, slope: impl Fn(T) -> T, start: T) -> Result<T, Failure> {
    const STEPS: usize = 50;
    let mut x = start;
    for _ in 0..STEPS {
        let step = f(x) / slope(x);
        x -= step;
        if step.abs() < 1e-13 {
            return Ok(x);
        }
    }
    Err(Failure::TooManySteps(STEPS))
}

/// Halves the interval a few times, then improves what is found by a step of Newton's, which knows the derivative.
fn bisected<T: Number>(f: impl Fn(T) -> T, (mut low, mut high): (T, T)) -> Result<T, Failure> {
    if (f(low) > 0.0) == (f(high) > 0.0) {
        return Err(Failure::NoSignChange { low: low.value(), high: high.value() });
    }
    while high - low > 1e-3 {
        let middle = (low + high) * 0.5;
        if (f(middle) > 0.0) == (f(high) > 0.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(low - f(low) * (high - low) / (f(high) - f(low)))
}

pub fn cube_roots_by_newton<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .map(|&x| {
            let target = x * x + 1.0;
            newton(|y| y * y * y - target, |y| y * y * 3.0, T::from(1.5)).expect("it converges")
        })
        .sum()
}

pub fn roots_between_signs<T: Number>(xs: &[T], _k: usize) -> T {
    let roots: Result<Vec<T>, Failure> =
        xs.iter().map(|&x| bisected(|y| y * y * y + y - x, (T::from(-3.0), T::from(3.0)))).collect();
    match roots {
        Ok(roots) => roots.iter().map(|&root| root * root).sum(),
        Err(failure) => T::from(failure.to_string().len() as f64),
    }
}

pub fn kepler_equation<T: Number>(xs: &[T], _k: usize) -> T {
    let eccentricity = 0.3;
    let anomaly = |mean: T| {
        newton(|e| e - e.sin() * eccentricity - mean, |e| -e.cos() * eccentricity + 1.0, mean).unwrap_or(mean)
    };
    xs.iter().map(|&mean| anomaly(mean).cos()).sum()
}

pub fn secant_method<T: Number>(xs: &[T], _k: usize) -> T {
    let solve = |c: T| {
        let f = |y: T| y.exp() - c * c - 1.5;
        let (mut a, mut b) = (T::from(0.0), T::from(1.0));
        for _ in 0..5 {
            let (fa, fb) = (f(a), f(b));
            (a, b) = (b, b - fb * (b - a) / (fb - fa));
        }
        b
    };
    xs.iter().map(|&x| solve(x)).sum()
}

pub fn fixed_point_in_a_loop<T: Number>(xs: &[T], _k: usize) -> T {
    let mut y = T::from(0.5);
    let mut steps = 0;
    let found = loop {
        let next = xs.iter().fold(T::from(0.2), |sum, &x| sum + (x * y * 0.1).sin());
        steps += 1;
        if (next - y).abs() < 1e-6 || steps == 30 {
            break next;
        }
        y = next;
    };
    found * 10.0
}

pub fn newton_in_two_unknowns<T: Number>(xs: &[T], _k: usize) -> T {
    let last = xs[xs.len() - 1];
    let (mut u, mut v) = (T::from(1.0), T::from(0.5));
    for _ in 0..6 {
        let f = [u * u + v * v - xs[0] * xs[0] - 2.0, u - v * 0.5 - last * 0.1];
        let [[a, b], [c, d]] = [[u * 2.0, v * 2.0], [T::from(1.0), T::from(-0.5)]];
        let determinant = a * d - b * c;
        u -= (d * f[0] - b * f[1]) / determinant;
        v -= (a * f[1] - c * f[0]) / determinant;
    }
    u * 2.0 + v
}

pub fn halley_method<T: Number>(xs: &[T], k: usize) -> T {
    let lambert = |x: T| {
        (0..k + 3).fold(x, |w, _| {
            let e = w.exp();
            let f = w * e - x;
            w - f / (e * (w + 1.0) - (w + 2.0) * f / (w * 2.0 + 2.0))
        })
    };
    xs.iter().map(|&x| lambert(x * x + 0.2)).sum()
}
