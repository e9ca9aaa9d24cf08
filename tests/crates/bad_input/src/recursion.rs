//! Functions that call themselves.

use crate::tried;
use std::cell::Cell;
use std::hint::black_box;

fn power(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

fn even(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * odd(x, n - 1) }
}

fn odd(x: f64, n: u32) -> f64 {
    if n == 0 { x } else { even(x, n - 1) + x }
}

fn iterated(f: &dyn Fn(f64) -> f64, x: f64, n: u32) -> f64 {
    if n == 0 { x } else { iterated(f, f(x), n - 1) }
}

fn multiplied(kept: &Cell<f64>, x: f64, n: u32) {
    if n > 0 {
        kept.set(kept.get() * x);
        multiplied(kept, x, n - 1);
    }
}

fn perhaps(x: f64, n: u32) -> Option<f64> {
    (n > 0).then(|| perhaps(x, n - 1).unwrap_or(1.0) * x)
}

tried! {
    of_itself(x) { power(x, black_box(3)) } => x.powi(3), 3.0 * x * x;
    of_each_other(x) { even(x, black_box(4)) } => x.powi(3) + 2.0 * x * x, 3.0 * x * x + 4.0 * x;
    of_a_closure(x) { iterated(&|y| y * x, x, black_box(2)) } => x.powi(3), 3.0 * x * x;
    with_a_cell(x) { let kept = Cell::new(1.0); multiplied(&kept, x, black_box(3)); kept.get() } => x.powi(3), 3.0 * x * x;
    with_options(x) { perhaps(x, black_box(3)).unwrap() } => x.powi(3), 3.0 * x * x;
}
