//! The six families of headers that rustc and LLVM lower in their own ways; `main` returns 0 if every gradient is right.
#![no_main]
use autodiff::*;

pub trait Curve {
    fn at(&self, x: f32) -> f32;
}

struct Scaled(f32);

impl Curve for Scaled {
    #[inline(never)]
    fn at(&self, x: f32) -> f32 {
        self.0 * x * x
    }
}

#[derive(Clone, Copy)]
pub struct Pair {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy)]
pub struct Wrapper {
    z: f32,
}

#[derive(Clone, Copy)]
pub struct Nested {
    x: f32,
    y: Wrapper,
}

static FACTOR: f32 = 3.0;

#[autodiff_reverse(d_array, Duplicated, Active)]
#[inline(never)]
fn array(x: &[f32; 2]) -> f32 {
    x[0] * x[1]
}

#[autodiff_reverse(d_array_of_one, Duplicated, Active)]
#[inline(never)]
fn array_of_one(x: &[f32; 1]) -> f32 {
    x[0] * x[0]
}

#[autodiff_reverse(d_array_by_value, Active, Active)]
#[inline(never)]
fn array_by_value(x: [f32; 2]) -> f32 {
    x[0] * x[1]
}

#[autodiff_reverse(d_function, Const, Active, Active)]
#[inline(never)]
fn function(f: fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[autodiff_reverse(d_reference, Duplicated, Const, Active)]
#[inline(never)]
fn reference(x: &f32, y: &'static f32) -> f32 {
    *x * *x * *y
}

#[autodiff_reverse(d_dynamic, Const, Active, Active)]
#[inline(never)]
fn dynamic(curve: &dyn Curve, x: f32) -> f32 {
    curve.at(x)
}

#[autodiff_reverse(d_tuple, Active, Active)]
#[inline(never)]
fn tuple(x: (f32, f32)) -> f32 {
    x.0 * x.1
}

#[autodiff_reverse(d_structure, Active, Active)]
#[inline(never)]
fn structure(x: Pair) -> f32 {
    x.x * x.y
}

#[autodiff_reverse(d_nested, Active, Active)]
#[inline(never)]
fn nested(x: Nested) -> f32 {
    x.x * x.y.z
}

#[autodiff_forward(t_behind_a_reference, Dual, Dual)]
#[inline(never)]
fn behind_a_reference(x: &(&f32, &f32)) -> f32 {
    references(*x)
}

/// A pair of references by value has no tangent of its own: it is what a differentiated function calls.
#[inline(never)]
fn references(x: (&f32, &f32)) -> f32 {
    *x.0 * *x.1
}

#[inline(never)]
fn square(x: f32) -> f32 {
    x * x
}

fn check(right: &mut bool, seen: &[f32], wanted: &[f32]) {
    *right &= seen.iter().zip(wanted).all(|(s, w)| s == w);
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (a, mut right) = (argc as f32 + 1.0, true);
    let f: fn(f32) -> f32 = core::hint::black_box(square);
    let curve: &dyn Curve = core::hint::black_box(&Scaled(2.0));

    let mut dx = [0.0; 2];
    d_array(&[a, 5.0], &mut dx, 1.0);
    check(&mut right, &dx, &[5.0, a]);
    let mut dx = [0.0; 1];
    d_array_of_one(&[a], &mut dx, 1.0);
    check(&mut right, &dx, &[2.0 * a]);
    check(&mut right, &d_array_by_value([a, 5.0], 1.0).1, &[5.0, a]);
    check(&mut right, &[d_function(f, a, 1.0).1], &[2.0 * a]);
    let mut dx = 0.0;
    d_reference(&a, &mut dx, &FACTOR, 1.0);
    check(&mut right, &[dx], &[6.0 * a]);
    check(&mut right, &[d_dynamic(curve, a, 1.0).1], &[4.0 * a]);
    let (_, (by_0, by_1)) = d_tuple((a, 5.0), 1.0);
    check(&mut right, &[by_0, by_1], &[5.0, a]);
    let (_, by) = d_structure(Pair { x: a, y: 5.0 }, 1.0);
    check(&mut right, &[by.x, by.y], &[5.0, a]);
    let (_, by) = d_nested(Nested { x: a, y: Wrapper { z: 5.0 } }, 1.0);
    check(&mut right, &[by.x, by.y.z], &[5.0, a]);
    let (value, tangent) = t_behind_a_reference(&(&a, &5.0), &(&1.0, &2.0));
    check(&mut right, &[value, tangent], &[5.0 * a, 5.0 + 2.0 * a]);
    i32::from(!right)
}
