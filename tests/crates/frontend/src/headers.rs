//! Headers that rustc's ABI splits, packs or returns in pieces: by value, as a result, and of a function that is called.

use crate::report::show_as;
use autodiff::*;

/// t, t², t³ …
fn powers<const N: usize>(t: f64) -> [f64; N] {
    let mut power = 1.0;
    std::array::from_fn(|_| {
        power *= t;
        power
    })
}

fn product<const N: usize>(parts: [f64; N]) -> f64 {
    let mut product = 1.0;
    for part in parts {
        product *= part;
    }
    product
}

/// A type, its floats, and how it is made of them.
macro_rules! header {
    ($name:ident, $precision:literal, $ty:ty, $n:literal, |$x:ident| $parts:expr, |$p:ident| $make:expr) => {
        mod $name {
            use super::*;

            fn parts($x: $ty) -> [f64; $n] {
                $parts
            }

            fn make($p: [f64; $n]) -> $ty {
                $make
            }

            #[inline(never)]
            fn callee(x: $ty) -> $ty {
                make(parts(x).map(|part| part * part))
            }

            #[autodiff_reverse(d_taken, Active, Active)]
            #[autodiff_forward(t_taken, Dual, Dual)]
            #[autodiff_forward(t_taken_2, 2, Dual, DualOnly)]
            fn taken(x: $ty) -> f64 {
                product(parts(x))
            }

            #[autodiff_reverse(d_given, Active, Active)]
            #[autodiff_forward(t_given, Dual, Dual)]
            #[autodiff_forward(t_given_4, 4, Dual, DualOnly)]
            fn given(t: f64) -> $ty {
                make(powers(t))
            }

            #[autodiff_reverse(d_through, Duplicated, Active)]
            #[autodiff_forward(t_through, Dual, Dual)]
            fn through(t: &f64) -> f64 {
                product(parts(callee(make(powers(*t)))))
            }

            #[autodiff_reverse(d_behind, Duplicated, Active)]
            #[autodiff_forward(t_behind, Dual, DualOnly)]
            fn behind(x: &$ty) -> f64 {
                product(parts(callee(*x)))
            }

            pub fn report() {
                let show = |what: &str, got: &[f64], right: &[f64]| {
                    show_as($precision, concat!("header ", stringify!($name), ": "), what, got, right);
                };
                let at: [f64; $n] = std::array::from_fn(|i| 1.5 + 0.5 * i as f64);
                let along: [f64; $n] = std::array::from_fn(|i| 0.25 * i as f64 - 0.5);
                let value = product(at);
                let slope = |along: [f64; $n]| (0..$n).map(|i| along[i] * value / at[i]).sum::<f64>();

                let (got, adjoint) = d_taken(make(at), 1.0);
                show(
                    "taken, reverse",
                    &[&[got], &parts(adjoint)[..]].concat(),
                    &[&[value], &at.map(|x| value / x)[..]].concat(),
                );
                let both = t_taken(make(at), make(along));
                show("taken, forward", &[both.0, both.1], &[value, slope(along)]);
                let lanes = t_taken_2(make(at), make(along), make(at));
                show("taken, width 2", &lanes, &[slope(along), slope(at)]);

                let t = 1.25_f64;
                let moved: [f64; $n] = std::array::from_fn(|i| (i + 1) as f64 * t.powi(i as i32));
                let (got, adjoint) = d_given(t, make(along));
                let seeded: f64 = moved.iter().zip(along).map(|(m, a)| m * a).sum();
                show(
                    "given, reverse",
                    &[&parts(got)[..], &[adjoint]].concat(),
                    &[&powers::<$n>(t)[..], &[seeded]].concat(),
                );
                let (got, tangent) = t_given(t, 2.0);
                let right = moved.map(|m| 2.0 * m);
                show("given, forward", &[parts(got), parts(tangent)].concat(), &[powers(t), right].concat());
                let lanes = t_given_4(t, 1.0, 2.0, 0.0, -1.0);
                let right = [1.0, 2.0, 0.0, -1.0].map(|by| moved.map(|m| by * m));
                show("given, width 4", &lanes.map(parts).concat(), &right.concat());

                let exponent = $n * ($n + 1);
                let (value, slope) = (t.powi(exponent), f64::from(exponent) * t.powi(exponent - 1));
                let mut dt = 0.0;
                let got = d_through(&t, &mut dt, 1.0);
                show("through a callee, reverse", &[got, dt], &[value, slope]);
                let both = t_through(&t, &2.0);
                show("through a callee, forward", &[both.0, both.1], &[value, 2.0 * slope]);

                let mut dx = make([0.0; $n]);
                let got = d_behind(&make(at), &mut dx, 1.0);
                let value = product(at).powi(2);
                show(
                    "behind, reverse",
                    &[&[got], &parts(dx)[..]].concat(),
                    &[&[value], &at.map(|x| 2.0 * value / x)[..]].concat(),
                );
                let slope = (0..$n).map(|i| along[i] * 2.0 * value / at[i]).sum::<f64>();
                show("behind, forward", &[t_behind(&make(at), &make(along))], &[slope]);
            }
        }
    };
}

macro_rules! headers {
    ($($name:ident, $precision:literal, $ty:ty, $n:literal, |$x:ident| $parts:expr, |$p:ident| $make:expr;)*) => {
        $(header!($name, $precision, $ty, $n, |$x| $parts, |$p| $make);)*

        fn values() {
            $($name::report();)*
        }
    };
}

#[derive(Clone, Copy)]
pub struct Two {
    a: f32,
    b: f32,
}

#[derive(Clone, Copy)]
pub struct Wide {
    a: f64,
    b: f64,
}

#[derive(Clone, Copy)]
pub struct Vector([f32; 2]);

#[derive(Clone, Copy)]
pub struct Deep {
    inner: (Vector, f32),
}

#[derive(Clone, Copy)]
pub struct Tagged {
    tag: u8,
    value: f32,
}

#[derive(Clone, Copy)]
pub struct Nothing;

headers! {
    array_32_1, "f32", [f32; 1], 1, |x| x.map(f64::from), |p| p.map(|p| p as f32);
    array_32_2, "f32", [f32; 2], 2, |x| x.map(f64::from), |p| p.map(|p| p as f32);
    array_32_3, "f32", [f32; 3], 3, |x| x.map(f64::from), |p| p.map(|p| p as f32);
    array_64_1, "f64", [f64; 1], 1, |x| x, |p| p;
    array_64_2, "f64", [f64; 2], 2, |x| x, |p| p;
    array_of_arrays, "f32", [[f32; 1]; 2], 2, |x| [x[0][0].into(), x[1][0].into()], |p| [[p[0] as f32], [p[1] as f32]];
    pair_32, "f32", (f32, f32), 2, |x| [x.0.into(), x.1.into()], |p| (p[0] as f32, p[1] as f32);
    pair_64, "f64", (f64, f64), 2, |x| [x.0, x.1], |p| (p[0], p[1]);
    pair_mixed, "f32", (f32, f64), 2, |x| [x.0.into(), x.1], |p| (p[0] as f32, p[1]);
    pair_with_integer, "f32", (f32, i32), 1, |x| [x.0.into()], |p| (p[0] as f32, 3);
    pair_with_long, "f64", (i64, f64), 1, |x| [x.1], |p| (3, p[0]);
    pair_with_bool, "f64", (bool, f64), 1, |x| [x.1], |p| (true, p[0]);
    struct_32, "f32", Two, 2, |x| [x.a.into(), x.b.into()], |p| Two { a: p[0] as f32, b: p[1] as f32 };
    struct_64, "f64", Wide, 2, |x| [x.a, x.b], |p| Wide { a: p[0], b: p[1] };
    struct_of_array, "f32", Vector, 2, |x| x.0.map(f64::from), |p| Vector(p.map(|p| p as f32));
    struct_deep, "f32", Deep, 3, |x| [x.inner.0.0[0].into(), x.inner.0.0[1].into(), x.inner.1.into()],
        |p| Deep { inner: (Vector([p[0] as f32, p[1] as f32]), p[2] as f32) };
    struct_tagged, "f32", Tagged, 1, |x| [x.value.into()], |p| Tagged { tag: 7, value: p[0] as f32 };
    with_zero_sized, "f32", (Nothing, f32, (), f32), 2, |x| [x.1.into(), x.3.into()],
        |p| (Nothing, p[0] as f32, (), p[1] as f32);
    three, "f64", (f64, f64, f64), 3, |x| [x.0, x.1, x.2], |p| (p[0], p[1], p[2]);
    scalar_32, "f32", f32, 1, |x| [x.into()], |p| p[0] as f32;
}

// A callee that returns a float beside a tag.

#[inline(never)]
fn root(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.sqrt())
}

#[autodiff_reverse(d_option, Active, Active)]
#[autodiff_forward(t_option, Dual, Dual)]
fn option(x: f64) -> f64 {
    root(x).unwrap_or(1.0) * x
}

fn calls() {
    let show = |what: &str, got: &[f64], right: &[f64]| show_as("f64", "header ", what, got, right);
    let both = d_option(4.0, 1.0);
    show("option, reverse", &[both.0, both.1], &[8.0, 3.0]);
    let both = t_option(4.0, 2.0);
    show("option, forward", &[both.0, both.1], &[8.0, 6.0]);
}

pub fn report() {
    values();
    calls();
}
