//! Numbers with a derivative, by which bodies are checked that are written once for both.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub};

/// What the bodies count with: `f64`, or dual numbers.
pub trait Number:
    Copy
    + PartialOrd<f64>
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Add<f64, Output = Self>
    + AddAssign
    + MulAssign
    + Sum
    + From<f64>
{
}

impl Number for f64 {}
impl Number for Dual {}

/// A value, and its derivative in one direction.
#[derive(Clone, Copy)]
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
        Dual { value: self.value + other.value, tangent: self.tangent + other.tangent }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, tangent: self.tangent - other.tangent }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let tangent = self.tangent * other.value + self.value * other.tangent;
        Dual { value: self.value * other.value, tangent }
    }
}

impl Add<f64> for Dual {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        self + Dual::from(other)
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

impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Dual::from(0.0), Add::add)
    }
}

impl PartialEq for Dual {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Dual {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl PartialEq<f64> for Dual {
    fn eq(&self, other: &f64) -> bool {
        self.value == *other
    }
}

impl PartialOrd<f64> for Dual {
    fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
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
