//! One function for each verdict of `./doit gradcheck`.
#![allow(dead_code)]

use autodiff::*;

/// Right, in both modes and at once in several directions.
#[autodiff_reverse(d_energy, Duplicated, Const, Active)]
#[autodiff_forward(t_energy, Dual, Const, Dual)]
#[autodiff_forward(v_energy, 3, Dualv, Const, DualvOnly)]
fn energy(x: &[f64], stiffness: f64) -> f64 {
    x.iter().map(|x| 0.5 * stiffness * x * x).sum()
}

/// A struct, an array, a tuple, single precision.
mod values {
    use autodiff::autodiff_reverse;
    use autodiff::check::{Generate, Numbers};

    #[derive(Clone, Numbers, Generate)]
    pub struct Spring {
        stiffness: f32,
        ends: [f32; 2],
        turns: u32,
    }

    #[autodiff_reverse(d_pull, Duplicated, Active, Active)]
    pub fn pull(spring: &Spring, (by, more): (f32, [f32; 2])) -> (f32, f32) {
        let Spring { stiffness, ends, turns } = spring;
        (stiffness * (ends[1] - ends[0]) * by, more[0] * more[1] / *turns as f32)
    }
}

/// Its own memory is said to carry nothing, and does: the derivative is not that of the function.
#[autodiff_reverse(d_wrong, Duplicated, Const, Active)]
fn wrong(x: &[f64], scratch: &mut [f64]) -> f64 {
    for (x, to) in x.iter().zip(scratch.iter_mut()) {
        *to = x * x;
    }
    scratch.iter().sum()
}

/// The same, told as it is.
#[autodiff_reverse(d_scratch, Duplicated, DuplicatedOnly, Active)]
fn scratch(x: &[f64], scratch: &mut [f64]) -> f64 {
    wrong(x, scratch)
}

/// Out of bounds for the slices that are made, if nothing is said of them.
#[autodiff_reverse(d_stops, Duplicated, Const, Active)]
fn stops(x: &[f64], i: usize) -> f64 {
    x[i + 5]
}

#[autodiff_reverse(d_goes_on, Duplicated, Const, Active)]
#[domain(x = [0.0..1.0; 9], i = 0..4)]
fn goes_on(x: &[f64], i: usize) -> f64 {
    stops(x, i)
}

/// Nowhere defined.
#[autodiff_reverse(d_undefined, Active, Active)]
#[domain(x = -2.0..-1.0)]
fn undefined(x: f64) -> f64 {
    x.ln()
}

/// Defined for positive numbers.
#[autodiff_reverse(d_defined, Active, Active, Active)]
fn defined(x: f64, y: f64) -> f64 {
    x.ln() * y.sqrt()
}

/// A kink at every number.
#[autodiff_reverse(d_hinge, Duplicated, Active)]
#[autodiff_forward(t_hinge, Dual, Dual)]
#[domain(x = 0.0)]
fn hinge(x: &[f64]) -> f64 {
    x.iter().map(|x| if *x > 0.0 { x + x.sin() } else { x.sin() }).sum()
}

/// Nobody says what it is made of.
struct Opaque(f64);

#[autodiff_reverse(d_opaque, Duplicated, Active)]
fn opaque(of: &Opaque) -> f64 {
    of.0 * of.0
}

impl Opaque {
    #[autodiff_reverse(d_method, Duplicated, Active)]
    fn method(&self) -> f64 {
        self.0.sin()
    }
}

fn main() {
    let opaque = Opaque(1.0);
    println!("main: {}", opaque.d_method(&mut Opaque(0.0), 1.0));
}
