//! Numbers with a derivative, by which bodies are checked that are written once for both.

#![allow(dead_code)] // nobody who takes this file in calls all of the functions

use std::cmp::Ordering;
use std::fmt::Debug;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bits of the largest number that a dual one was made of, be it one on which nothing depends: backwards, zero times what is
/// infinite is no number.  What is none has more bits than what is infinite.
pub static LARGEST: AtomicU64 = AtomicU64::new(0);

/// The bits of how much a tangent may be off each time that one is made, relative to it: how derivatives are rounded is nobody's
/// promise where they may be reordered, and a result that moves with it is none.
pub static ROUNDING: AtomicU64 = AtomicU64::new(0);

static MADE: AtomicU64 = AtomicU64::new(0);

/// Declares `Number`, what the bodies count with, of these functions; and that `f64` has them, by its own of those names.
macro_rules! number {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// What the bodies count with: `f64`, or dual numbers.
        pub trait Number:
            Copy
            + Debug
            + Default
            + PartialOrd<f64>
            + PartialOrd
            + Add<Output = Self>
            + Sub<Output = Self>
            + Mul<Output = Self>
            + Div<Output = Self>
            + Neg<Output = Self>
            + Mul<f64, Output = Self>
            + Add<f64, Output = Self>
            + Sub<f64, Output = Self>
            + Div<f64, Output = Self>
            + AddAssign
            + SubAssign
            + MulAssign
            + DivAssign
            + Sum
            + Product
            + for<'a> Sum<&'a Self>
            + for<'a> Product<&'a Self>
            + From<f64>
            + 'static
        {
            /// The number without its derivative: for integers made of it.
            fn value(self) -> f64;
            fn total_cmp(&self, other: &Self) -> Ordering;
            fn sin_cos(self) -> (Self, Self);
            $(fn $name(self, $($argument: $type),*) -> Self;)*
        }

        impl Number for f64 {
            fn value(self) -> f64 {
                self
            }
            fn total_cmp(&self, other: &Self) -> Ordering {
                f64::total_cmp(self, other)
            }
            fn sin_cos(self) -> (Self, Self) {
                f64::sin_cos(self)
            }
            $(fn $name(self, $($argument: $type),*) -> Self {
                f64::$name(self, $($argument),*)
            })*
        }
    };
}

number! {
    sin();
    cos();
    tan();
    asin();
    acos();
    atan();
    sinh();
    cosh();
    tanh();
    asinh();
    exp();
    exp2();
    exp_m1();
    ln();
    log10();
    ln_1p();
    sqrt();
    cbrt();
    recip();
    abs();
    signum();
    floor();
    fract();
    powi(n: i32);
    powf(n: Self);
    atan2(x: Self);
    hypot(x: Self);
    mul_add(by: Self, and: Self);
    max(other: Self);
    min(other: Self);
    clamp(low: Self, high: Self);
    copysign(sign: Self);
}

/// A value, and its derivative in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dual {
    pub value: f64,
    pub tangent: f64,
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Dual { value, tangent: 0.0 }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual::made(self.value + other.value, self.tangent + other.tangent)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual::made(self.value - other.value, self.tangent - other.tangent)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let tangent = self.tangent * other.value + self.value * other.tangent;
        Dual::made(self.value * other.value, tangent)
    }
}

impl Dual {
    /// A number that came out somewhere.
    fn made(value: f64, tangent: f64) -> Self {
        LARGEST.fetch_max(value.abs().to_bits().max(tangent.abs().to_bits()), Relaxed);
        let off = f64::from_bits(ROUNDING.load(Relaxed));
        // a fraction of that, by multiples of the golden ratio: of no two in a row alike
        let part = (MADE.fetch_add(1, Relaxed) as f64 * 0.618_033_988_749_895).fract() - 0.5;
        Dual { value, tangent: tangent + tangent * off * part }
    }

    /// A function of this number: its value and its slope there.
    fn mapped(self, value: f64, slope: f64) -> Self {
        Dual::made(value, self.tangent * slope)
    }

    /// A function of two numbers: its value and its slopes there.
    fn joined(self, other: Self, value: f64, slopes: [f64; 2]) -> Self {
        Dual::made(value, self.tangent * slopes[0] + other.tangent * slopes[1])
    }
}

impl Number for Dual {
    fn value(self) -> f64 {
        self.value
    }
    fn total_cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value)
    }
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn sin(self) -> Self {
        self.mapped(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.mapped(self.value.cos(), -self.value.sin())
    }
    fn tan(self) -> Self {
        self.mapped(self.value.tan(), 1.0 + self.value.tan().powi(2))
    }
    fn asin(self) -> Self {
        self.mapped(self.value.asin(), 1.0 / (1.0 - self.value * self.value).sqrt())
    }
    fn acos(self) -> Self {
        self.mapped(self.value.acos(), -1.0 / (1.0 - self.value * self.value).sqrt())
    }
    fn atan(self) -> Self {
        self.mapped(self.value.atan(), 1.0 / (1.0 + self.value * self.value))
    }
    fn sinh(self) -> Self {
        self.mapped(self.value.sinh(), self.value.cosh())
    }
    fn cosh(self) -> Self {
        self.mapped(self.value.cosh(), self.value.sinh())
    }
    fn tanh(self) -> Self {
        self.mapped(self.value.tanh(), 1.0 - self.value.tanh().powi(2))
    }
    fn asinh(self) -> Self {
        self.mapped(self.value.asinh(), 1.0 / (1.0 + self.value * self.value).sqrt())
    }
    fn exp(self) -> Self {
        self.mapped(self.value.exp(), self.value.exp())
    }
    fn exp2(self) -> Self {
        self.mapped(self.value.exp2(), self.value.exp2() * std::f64::consts::LN_2)
    }
    fn exp_m1(self) -> Self {
        self.mapped(self.value.exp_m1(), self.value.exp())
    }
    fn ln(self) -> Self {
        self.mapped(self.value.ln(), 1.0 / self.value)
    }
    fn log10(self) -> Self {
        self.mapped(self.value.log10(), 1.0 / (self.value * std::f64::consts::LN_10))
    }
    fn ln_1p(self) -> Self {
        self.mapped(self.value.ln_1p(), 1.0 / (1.0 + self.value))
    }
    fn sqrt(self) -> Self {
        self.mapped(self.value.sqrt(), 0.5 / self.value.sqrt())
    }
    fn cbrt(self) -> Self {
        self.mapped(self.value.cbrt(), 1.0 / (3.0 * self.value.cbrt().powi(2)))
    }
    fn recip(self) -> Self {
        self.mapped(self.value.recip(), -self.value.powi(-2))
    }
    fn abs(self) -> Self {
        self.mapped(self.value.abs(), self.value.signum())
    }
    fn signum(self) -> Self {
        Dual::from(self.value.signum())
    }
    fn floor(self) -> Self {
        Dual::from(self.value.floor())
    }
    fn fract(self) -> Self {
        self.mapped(self.value.fract(), 1.0)
    }
    fn powi(self, n: i32) -> Self {
        self.mapped(self.value.powi(n), f64::from(n) * self.value.powi(n - 1))
    }
    fn powf(self, n: Self) -> Self {
        let power = self.value.powf(n.value);
        self.joined(n, power, [n.value * self.value.powf(n.value - 1.0), power * self.value.ln()])
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        self.joined(x, self.value.atan2(x.value), [x.value / square, -self.value / square])
    }
    fn hypot(self, x: Self) -> Self {
        let length = self.value.hypot(x.value);
        self.joined(x, length, [self.value / length, x.value / length])
    }
    fn mul_add(self, by: Self, and: Self) -> Self {
        self * by + and
    }
    fn max(self, other: Self) -> Self {
        if self.value >= other.value || other.value.is_nan() { self } else { other }
    }
    fn min(self, other: Self) -> Self {
        if self.value <= other.value || other.value.is_nan() { self } else { other }
    }
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    fn copysign(self, sign: Self) -> Self {
        self.mapped(self.value.copysign(sign.value), self.value.signum() * sign.value.signum())
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.joined(other, self.value / other.value, [1.0 / other.value, -self.value / (other.value * other.value)])
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        self.mapped(-self.value, -1.0)
    }
}

impl Add<f64> for Dual {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        self + Dual::from(other)
    }
}

impl Sub<f64> for Dual {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        self - Dual::from(other)
    }
}

impl Div<f64> for Dual {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        self / Dual::from(other)
    }
}

impl Mul<f64> for Dual {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        self * Dual::from(other)
    }
}

impl AddAssign for Dual {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl MulAssign for Dual {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl SubAssign for Dual {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl DivAssign for Dual {
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Dual::from(0.0), Add::add)
    }
}

impl<'a> Sum<&'a Dual> for Dual {
    fn sum<I: Iterator<Item = &'a Dual>>(all: I) -> Self {
        all.copied().sum()
    }
}

impl<'a> Product<&'a Dual> for Dual {
    fn product<I: Iterator<Item = &'a Dual>>(all: I) -> Self {
        all.copied().product()
    }
}

impl Product for Dual {
    fn product<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Dual::from(1.0), Mul::mul)
    }
}

impl PartialEq for Dual {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Dual {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl PartialEq<f64> for Dual {
    fn eq(&self, other: &f64) -> bool {
        self.value == *other
    }
}

impl PartialOrd<f64> for Dual {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.value.partial_cmp(other)
    }
}

/// The gradient of a function of a slice, a dual number for each element.
pub fn gradient(of: fn(&[Dual]) -> Dual, at: &[f64]) -> Vec<f64> {
    let direction = |k: usize| {
        let element = |(i, &value): (usize, &f64)| Dual { value, tangent: if i == k { 1.0 } else { 0.0 } };
        at.iter().enumerate().map(element).collect::<Vec<_>>()
    };
    (0..at.len()).map(|k| of(&direction(k)).tangent).collect()
}

/// Defines a module with a body `fn(&[T]) -> T`, its gradient in both modes, and `report`, which prints them and what is right.
#[macro_export]
macro_rules! body {
    ($name:ident, |$xs:ident| $body:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            use autodiff::{autodiff_forward, autodiff_reverse};
            use $crate::dual::{Number, gradient};

            fn body<T: Number>($xs: &[T]) -> T {
                $body
            }

            #[autodiff_reverse(reverse, Duplicated, Active)]
            #[autodiff_forward(forward, Dual, Dual)]
            fn primal(xs: &[f64]) -> f64 {
                body(xs)
            }

            pub fn report(inputs: &[f64]) {
                for count in [inputs.len(), inputs.len() - 1, 7, 2, 1, 0] {
                    let xs = &inputs[..count];
                    let right = gradient(body, xs);
                    let mut got = vec![0.0; count];
                    reverse(xs, &mut got, 1.0);
                    show("reverse", &got, &right);
                    let direction = |k: usize| (0..count).map(|i| f64::from(i == k)).collect::<Vec<_>>();
                    let got: Vec<f64> = (0..count).map(|k| forward(xs, &direction(k)).1).collect();
                    show("forward", &got, &right);
                }
            }

            fn show(mode: &str, got: &[f64], right: &[f64]) {
                let case = format!("{}, {} elements, {mode}", stringify!($name), got.len());
                println!(r#"{{"case": "{case}", "precision": "f64", "got": {got:?}, "right": {right:?}}}"#);
            }
        }
    };
}
