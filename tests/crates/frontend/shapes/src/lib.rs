//! A library that defines differentiated functions; who calls their derivatives is another crate.
#![no_std]
use autodiff::*;
use core::ops::{Add, Mul};

/// Compiled here.
#[autodiff_reverse(d_distance, Duplicated, Duplicated, Active)]
#[autodiff_forward(t_distance, Dual, Const, Dual)]
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// Compiled where it is used, for each type that it is used with.
#[autodiff_reverse(d_horner, Active, Const, Active)]
#[autodiff_forward(t_horner, Dual, Const, Dual)]
pub fn horner<T, const N: usize>(x: T, coefficients: &[T; N]) -> T
where
    T: Copy + Add<Output = T> + Mul<Output = T>,
{
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = sum * x + coefficient;
    }
    sum
}

/// A shape with parameters of its own.
pub trait Shape {
    #[autodiff_reverse(d_area, Duplicated, Active, Active)]
    #[autodiff_forward(t_area, Dual, Dual, Dual)]
    fn area(&self, scale: f64) -> f64;

    #[autodiff_reverse(d_volume, Const, Active, Active, Active)]
    fn volume(&self, scale: f64, height: f64) -> f64 {
        self.area(scale) * height
    }

    #[autodiff_reverse(d_square, Active, Active)]
    fn square(x: f64) -> f64
    where
        Self: Sized,
    {
        x * x
    }
}

pub struct Rectangle<T> {
    pub width: T,
    pub height: T,
}

impl Shape for Rectangle<f64> {
    fn area(&self, scale: f64) -> f64 {
        self.width * self.height * scale * scale
    }
}
