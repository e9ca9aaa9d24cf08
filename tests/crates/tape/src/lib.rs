//! Functions whose derivatives take memory of every kind, and their gradients in closed form.
//!
//! The products are `start · Π (1 + x_i / n)`, of which the logarithm's gradient is `1 / (n + x_i)`.

pub use autodiff::tape::{held, hold_at_most, release};
use autodiff::*;

/// A tape whose length is known before.
#[autodiff_reverse(d_known, Duplicated, Active)]
fn known(x: &[f64]) -> f64 {
    let mut product = 2.0;
    for each in x {
        product += product * each / x.len() as f64;
    }
    product
}

/// A tape that grows.
#[autodiff_reverse(d_grown, Duplicated, Const, Active)]
fn grown(x: &[f64], end: f64) -> f64 {
    let (mut product, mut i) = (2.0, 0);
    while i < x.len() && x[i] < end {
        product += product * x[i] / x.len() as f64;
        i += 1;
    }
    product
}

/// A tape of rows: one for each run of the outer loop, of 1 to 100 numbers.
#[autodiff_reverse(d_rows, Duplicated, Active)]
fn rows(x: &[f64]) -> f64 {
    let (mut product, mut rest, mut length) = (2.0, x, 1);
    while !rest.is_empty() {
        let (row, others) = rest.split_at(length.min(rest.len()));
        for each in row {
            product += product * each / x.len() as f64;
        }
        (rest, length) = (others, length % 100 + 1);
    }
    product
}

/// Vectors of the function's own, one of which grows.
#[autodiff_reverse(d_vectors, Duplicated, Active)]
fn vectors(x: &[f64]) -> f64 {
    let factors: Vec<f64> = x.iter().map(|each| 1.0 + each / x.len() as f64).collect();
    let mut products = vec![2.0];
    for factor in &factors {
        let last = products[products.len() - 1];
        products.push(last * factor);
    }
    products[x.len()]
}

/// A function that calls itself hands its tapes on.
#[autodiff_reverse(d_halves, Duplicated, Const, Active)]
fn halves(x: &[f64], n: f64) -> f64 {
    if x.len() == 1 {
        return 1.0 + x[0] / n;
    }
    let (left, right) = x.split_at(x.len() / 2);
    let mut product = halves(right, n);
    for each in left {
        product += product * each / n;
    }
    product
}

/// A vector of the caller's grows, and its tangent: what the derivative allocates for them, the caller frees.
#[autodiff_forward(t_filled, Dual, Dual)]
fn filled(x: &[f64], products: &mut Vec<f64>) {
    let mut product = 2.0;
    for each in x {
        product += product * each / x.len() as f64;
        products.push(product);
    }
}

/// What the inner loop chose is kept, in memory that is had before both loops: with one number for 2⁶⁴ - 1 runs of it, none of
/// which comes.
#[autodiff_reverse(d_chosen, Duplicated, Const, Active)]
fn chosen(x: &[f64], runs: usize) -> f64 {
    let mut product = 2.0;
    for run in 0..runs {
        for i in 2..x.len() {
            product *= if product * x[i] > 0.0 { x[i] } else { x[run] };
        }
    }
    product * x[0]
}

/// That one by itself, in numbers of few bits: where its inner loop does not run, and where it does.
pub fn check_chosen() -> Result<(), String> {
    let (mut one, mut three) = ([0.0], [0.0; 3]);
    let values = (d_chosen(&[0.5], &mut one, 3, 1.0), d_chosen(&[0.5, 0.25, 0.75], &mut three, 3, 1.0));
    // 2 x0, and 2 x0 x2³
    match (values, one, three) {
        ((1.0, 0.421875), [2.0], [0.84375, 0.0, 1.6875]) => Ok(()),
        wrong => Err(format!("chosen: {wrong:?}")),
    }
}

/// Takes all gradients at `n` numbers, and says which is not what it should be.
pub fn check(n: usize, seed: usize) -> Result<(), String> {
    let x: Vec<f64> = (0..n).map(|i| (((i * 7919 + seed) % 1000) as f64).sin()).collect();
    let count = n as f64;
    let product = |start: f64| x.iter().fold(start, |product, each| product + product * each / count);
    let is_right = |name: &str, value: f64, gradient: &[f64], start: f64| {
        let expected = product(start);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * b.abs();
        let wrong = x.iter().zip(gradient).position(|(x, dx)| !close(*dx, expected / (count + x)));
        match wrong {
            None if close(value, expected) => Ok(()),
            _ => Err(format!("{name} of {n} numbers: {value}, not {expected}; wrong at {wrong:?}")),
        }
    };
    let mut dx = vec![0.0; n];
    let value = d_known(&x, &mut dx, 1.0);
    is_right("known", value, &dx, 2.0)?;
    dx.fill(0.0);
    let value = d_grown(&x, &mut dx, 2.0, 1.0);
    is_right("grown", value, &dx, 2.0)?;
    dx.fill(0.0);
    let value = d_rows(&x, &mut dx, 1.0);
    is_right("rows", value, &dx, 2.0)?;
    dx.fill(0.0);
    let value = d_vectors(&x, &mut dx, 1.0);
    is_right("vectors", value, &dx, 2.0)?;
    dx.fill(0.0);
    let value = d_halves(&x, &mut dx, count, 1.0);
    is_right("halves", value, &dx, 1.0)?;
    let (mut products, mut tangents) = (Vec::new(), Vec::new());
    t_filled(&x, &vec![1.0; n], &mut products, &mut tangents);
    let gradient: Vec<f64> = x.iter().map(|each| products[n - 1] / (count + each)).collect();
    is_right("filled", products[n - 1], &gradient, 2.0)?;
    match (tangents[n - 1] / gradient.iter().sum::<f64>() - 1.0).abs() {
        ..=1e-10 => Ok(()),
        off => Err(format!("filled of {n} numbers: its tangent is off by {off:e}")),
    }
}

/// # Safety
///
/// `x` and `dx` have `n` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradient(x: *const f64, dx: *mut f64, n: usize) -> f64 {
    let (x, dx) = unsafe { (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(dx, n)) };
    d_known(x, dx, 1.0)
}

#[unsafe(no_mangle)]
pub extern "C" fn kept() -> usize {
    held()
}
