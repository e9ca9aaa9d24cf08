//! Methods, traits, generics and values, in a crate that permits neither warnings nor `unsafe` code.
#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, rust_2018_idioms, unreachable_pub, unused_qualifications, unused_lifetimes)]
#![deny(rustdoc::all)]

use autodiff::{autodiff_forward, autodiff_reverse};
use core::ops::Mul;

/// Two numbers.
#[derive(Clone, Copy)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
}

impl Point {
    /// By reference.
    #[autodiff_reverse(d_dot, Duplicated, Duplicated, Active)]
    #[autodiff_forward(t_dot, 3, Dual, Const, DualOnly)]
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// By mutable reference; the result borrows.
    #[autodiff_reverse(d_scale, Duplicated, Active, Const)]
    pub fn scale(&mut self, by: f64) -> &f64 {
        self.x *= by;
        &self.x
    }

    /// By value, with `mut`.
    #[autodiff_reverse(d_mirrored, Active, Active)]
    #[autodiff_forward(t_mirrored, 2, Dual, Dual)]
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        self.x = -self.x;
        self
    }

    /// Without a receiver, and without a word of the type.
    #[autodiff_reverse(d_unit, Active, ActiveOnly)]
    #[must_use]
    pub fn unit(x: f64) -> f64 {
        x
    }
}

/// With methods that have a body, and such that have none.
pub trait Shape {
    /// None.
    #[autodiff_reverse(d_area, Const, Active, Active)]
    fn area(&self, scale: f64) -> f64;

    /// One.
    #[autodiff_reverse(d_volume, Const, Active, Active, Active)]
    fn volume(&self, scale: f64, height: f64) -> f64 {
        self.area(scale) * height
    }
}

impl Shape for Point {
    fn area(&self, scale: f64) -> f64 {
        self.x * self.y * scale
    }
}

/// Generic over types, constants and lifetimes.
#[autodiff_reverse(d_generic, Active, Const, Active)]
#[autodiff_forward(t_generic, Dual, Const, Dual)]
pub fn generic<'a, T, const N: usize>(x: T, by: &'a [T; N]) -> T
where
    T: Copy + Mul<Output = T> + 'a,
{
    by.iter().fold(x, |x, &by| x * by)
}

/// Functions without a name of their type; patterns.
#[autodiff_reverse(d_given, Active, Const, Const, Active)]
#[autodiff_forward(t_given, Dual, Const, Const, Dual)]
pub fn given((x, y): (f64, f64), _: usize, f: impl Fn(f64) -> f64) -> f64 {
    f(x) * y
}

/// Slices of tangents, seeds alone.
#[autodiff_forward(t_sum, 4, Dualv, Dual)]
#[autodiff_reverse(d_sum, 2, Duplicated, ActiveOnly)]
#[must_use]
pub fn sum(x: &[f64]) -> f64 {
    x.iter().sum()
}

/// Not evaluated at compile time any more.
#[autodiff_reverse(d_constant, Active, Active)]
#[must_use]
pub const fn constant(x: f64) -> f64 {
    x * x
}

/// Called from elsewhere.
#[autodiff_reverse(d_foreign, Active, Active)]
#[must_use]
pub extern "C" fn foreign(x: f64) -> f64 {
    x * x
}

/// Uses what is generic.
#[must_use]
pub fn uses(x: f64) -> f64 {
    let (_, by_x) = d_generic(x, &[x; 3], 1.0);
    let (_, moved) = t_given((by_x, 1.0), (1.0, 0.0), 0, |x| x);
    moved
}
