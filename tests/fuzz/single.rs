//! Numbers of single precision: `f32` does not count with the literals of bodies, which are `f64`, so this is a type of its own.

#![allow(dead_code)] // nobody who takes this file in calls all of the functions

use crate::dual::Number;
use std::cmp::Ordering;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Single(pub f32);

pub fn rounded(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|&number| number as f32).collect()
}

impl Single {
    pub fn slice(numbers: &[f32]) -> &[Single] {
        // SAFETY: it is an `f32`, and nothing else (`repr(transparent)`).
        unsafe { std::mem::transmute(numbers) }
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident $assign:ident $name_assign:ident;)*) => {
        $(
            impl $operator for Single {
                type Output = Self;
                fn $name(self, other: Self) -> Self {
                    Single($operator::$name(self.0, other.0))
                }
            }
            impl $operator<f64> for Single {
                type Output = Self;
                fn $name(self, other: f64) -> Self {
                    Single($operator::$name(self.0, other as f32))
                }
            }
            impl $assign for Single {
                fn $name_assign(&mut self, other: Self) {
                    $assign::$name_assign(&mut self.0, other.0)
                }
            }
        )*
    };
}

operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
}

macro_rules! functions {
    ($($name:ident($($other:ident),*);)*) => {
        impl Number for Single {
            fn value(self) -> f64 {
                self.0 as f64
            }
            fn total_cmp(&self, other: &Self) -> Ordering {
                self.0.total_cmp(&other.0)
            }
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = self.0.sin_cos();
                (Single(sin), Single(cos))
            }
            fn powi(self, n: i32) -> Self {
                Single(self.0.powi(n))
            }
            $(fn $name(self, $($other: Self),*) -> Self {
                Single(f32::$name(self.0, $($other.0),*))
            })*
        }
    };
}

functions! {
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
    powf(n);
    atan2(x);
    hypot(x);
    mul_add(by, and);
    max(other);
    min(other);
    clamp(low, high);
    copysign(sign);
}

impl Neg for Single {
    type Output = Self;
    fn neg(self) -> Self {
        Single(-self.0)
    }
}

impl From<f64> for Single {
    fn from(number: f64) -> Self {
        Single(number as f32)
    }
}

impl PartialEq<f64> for Single {
    fn eq(&self, other: &f64) -> bool {
        self.0 == *other as f32
    }
}

impl PartialOrd<f64> for Single {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.0.partial_cmp(&(*other as f32))
    }
}

impl Sum for Single {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Single(all.map(|one| one.0).sum())
    }
}

impl<'a> Sum<&'a Single> for Single {
    fn sum<I: Iterator<Item = &'a Single>>(all: I) -> Self {
        Single(all.map(|one| one.0).sum())
    }
}

impl Product for Single {
    fn product<I: Iterator<Item = Self>>(all: I) -> Self {
        Single(all.map(|one| one.0).product())
    }
}

impl<'a> Product<&'a Single> for Single {
    fn product<I: Iterator<Item = &'a Single>>(all: I) -> Self {
        Single(all.map(|one| one.0).product())
    }
}
