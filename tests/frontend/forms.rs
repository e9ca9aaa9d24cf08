//! Every form of a derivative that there is, in a crate that permits neither warnings nor `unsafe` code.
#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, rust_2018_idioms, unreachable_pub, unused_qualifications)]

extern crate alloc;

use alloc::{borrow::Cow, string::String, vec::Vec};
use autodiff::{autodiff_forward, autodiff_reverse};

/// Reverse, twice forward.
#[autodiff_reverse(d_dot, Duplicated, Duplicated, Active)]
#[autodiff_forward(t_dot, Dual, Dual, Dual)]
#[autodiff_forward(t_dot_4, 4, Dual, Const, Dual)]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Scalars of both widths, and arguments of every kind that is not differentiated.
#[autodiff_reverse(d_blend, Active, Active, Const, Const, Const, Const, Active)]
#[autodiff_forward(t_blend, 2, Dual, Dual, Const, Const, Const, Const, Dual)]
pub fn blend(x: f32, y: f32, n: usize, weights: Vec<f32>, by: &dyn Fn(&f32) -> f32, _unused: (f64, [f32; 2])) -> f32 {
    by(&x) * weights[n] + y
}

/// Constants behind `&mut`, with lifetimes of their own.
#[autodiff_reverse(d_visit, Active, Const, Const)]
pub fn visit(x: f64, by: &mut dyn FnMut(&f64), seen: &mut Vec<Cow<'_, str>>) {
    by(&x);
    seen.clear();
}

/// Nothing returned.
#[autodiff_reverse(d_double, Duplicated)]
#[autodiff_forward(t_double, Dual)]
pub fn double(x: &mut [f64]) {
    for x in x {
        *x *= 2.0;
    }
}

/// Nothing returned, said in words; `mut` is no part of the derivative's header.
#[autodiff_reverse(d_store, Active, Duplicated)]
#[allow(clippy::unused_unit)]
pub fn store(mut x: f64, to: &mut [f64; 3]) -> () {
    x += 1.0;
    to[0] = x;
}

/// A result that cannot be zero, and one that borrows.
#[autodiff_reverse(d_label, Active, Const, Const)]
#[autodiff_forward(t_label, Dual, Const, Const)]
pub fn label(x: f64, name: String) -> Cow<'static, str> {
    if x > 0.0 { name.into() } else { "none".into() }
}

/// Lifetimes, one bound by the other.
#[autodiff_reverse(d_longest, Duplicated, Duplicated, Const)]
pub fn longest<'a, 'b: 'a>(x: &'a [f64], y: &'b [f64]) -> &'a [f64] {
    if x.len() > y.len() { x } else { y }
}

/// All of it constant.
#[autodiff_reverse(d_length, Const, Const, Const, Const, Const)]
pub fn length<'a>(
    x: <Vec<&'a [f64]> as IntoIterator>::IntoIter,
    _f: fn(&f64, f64) -> f64,
    _p: *const [f64; 1 + 1],
    _g: &mut (dyn for<'b> FnMut(&'b [f64]) -> &'b f64 + Send + 'a),
) -> usize {
    x.len()
}

/// No arguments.
#[autodiff_forward(t_pi, Dual)]
#[autodiff_forward(t_pi_constant, Const)]
pub fn pi() -> f64 {
    core::f64::consts::PI
}

/// Names that the generated code uses, and words that are none without `r#`.
#[autodiff_reverse(r#yield, Active, Active, Duplicated, Active, Active, Active)]
#[allow(non_snake_case)]
pub fn r#loop(value_1: f64, value_0: f64, result: &[f64], DESCRIPTOR: f64, r#type: f64) -> f64 {
    value_1 * value_0 * result[0] * DESCRIPTOR * r#type
}

/// More arguments than clippy likes.
#[autodiff_forward(t_norm, 8, Dual, Dual)]
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x)
}

/// Gone, and so is its derivative.
#[autodiff_reverse(d_configured, Active, Active)]
#[cfg(test)]
pub fn configured(x: f64) -> f64 {
    x
}

/// The one that is left.
#[autodiff_reverse(d_configured, Active, Active)]
#[cfg(not(test))]
pub fn configured(x: f64) -> f64 {
    x
}

/// Warns of its use, outside.
#[autodiff_reverse(d_old, Active, Active)]
#[deprecated = "use `dot`"]
pub fn old(x: f64) -> f64 {
    x
}

/// Functions inside functions; the argument is named like the function.
pub fn outer(x: f64) -> f64 {
    #[autodiff_reverse(d_inner, Active, Active)]
    #[inline]
    fn inner(inner: f64) -> f64 {
        inner * inner
    }
    if autodiff::available() { d_inner(x, 1.0).1 } else { inner(x) }
}

macro_rules! square {
    ($name:ident, $derivative:ident, $float:ty) => {
        /// Made by a macro.
        #[autodiff_reverse($derivative, Active, Duplicated, Active)]
        pub fn $name(x: $float, by: &[$float]) -> $float {
            x * x * by[0]
        }
    };
}

/// A module, so that the path is longer.
pub mod squares {
    use autodiff::autodiff_reverse;

    square!(square_32, d_square_32, f32);
    square!(square_64, d_square_64, f64);
}
