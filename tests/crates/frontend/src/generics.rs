//! Types, constants and lifetimes as generics, used from this crate and defined in another.

use crate::report::{show, show_32};
use autodiff::*;
use shapes::{d_distance, d_horner, t_distance, t_horner};

#[autodiff_reverse(d_applied, Active, Const, Active)]
#[autodiff_forward(t_applied, Dual, Const, Dual)]
fn applied<F: Fn(f64) -> f64>(x: f64, f: F) -> f64 {
    f(x) * x
}

#[autodiff_reverse(d_mean, Duplicated, Active)]
#[autodiff_forward(t_mean, 2, Dual, Dual)]
fn mean<'a, T: Copy + Into<f64>, const N: usize>(x: &'a [T; N]) -> f64
where
    T: 'a,
{
    x.iter().map(|&x| x.into() * x.into()).sum::<f64>() / N as f64
}

struct Scaled<'a, const N: usize>(&'a [f64; N]);

impl<'a, const N: usize> Scaled<'a, N> {
    #[autodiff_reverse(d_dot, Const, Duplicated, Active)]
    fn dot<T: Copy + Into<f64>>(&self, x: &[T]) -> f64 {
        self.0.iter().zip(x).map(|(a, &x)| a * x.into()).sum()
    }

    #[autodiff_reverse(d_count, Active, Active)]
    fn count(x: f64) -> f64 {
        x * N as f64
    }
}

#[autodiff_reverse(d_by_value, Active, Const, Active)]
fn by_value<T: Copy + std::ops::Mul<Output = T>>(x: T, y: T) -> T {
    x * x * y
}

pub fn report() {
    let both = d_applied(0.5, |x| x.sin(), 1.0);
    show("d_applied sine", &[both.0, both.1], &[0.5 * 0.5_f64.sin(), 0.5 * 0.5_f64.cos() + 0.5_f64.sin()]);
    let both = d_applied(0.5, |x| x * x, 1.0);
    show("d_applied square", &[both.0, both.1], &[0.125, 0.75]);
    let both = t_applied(0.5, 2.0, |x| x * x);
    show("t_applied square", &[both.0, both.1], &[0.125, 1.5]);

    let mut dx = [0.0; 2];
    let value = d_mean(&[3.0, 4.0], &mut dx, 1.0);
    show("d_mean f64 2", &[value, dx[0], dx[1]], &[12.5, 3.0, 4.0]);
    let mut dx = [0.0_f32; 4];
    let value = d_mean(&[3.0, 4.0, 0.0, 1.0], &mut dx, 1.0);
    show_32("d_mean f32 4", &[&[value as f32], &dx[..]].concat(), &[6.5, 1.5, 2.0, 0.0, 0.5]);
    let lanes = t_mean(&[3.0, 4.0], &[1.0, 0.0], &[0.0, 2.0]);
    show("t_mean", &lanes, &[12.5, 3.0, 8.0]);

    let weights = [1.0, -2.0, 3.0];
    let mut dx = [0.0; 3];
    let value = Scaled(&weights).d_dot(&[0.5, 1.5, 2.5], &mut dx, 1.0);
    show("d_dot", &[&[value], &dx[..]].concat(), &[5.0, 1.0, -2.0, 3.0]);
    let both = Scaled::<7>::d_count(2.0, 1.0);
    show("d_count", &[both.0, both.1], &[14.0, 7.0]);

    let both = d_by_value(3.0_f64, 2.0, 1.0);
    show("d_by_value f64", &[both.0, both.1], &[18.0, 12.0]);
    let both = d_by_value(3.0_f32, 2.0, 1.0);
    show_32("d_by_value f32", &[both.0, both.1], &[18.0, 12.0]);

    let both = d_horner(2.0, &[3.0, 1.0, -4.0], 1.0);
    show("d_horner f64", &[both.0, both.1], &[10.0, 13.0]);
    let both = d_horner(2.0_f32, &[1.0, 0.0, 0.0, 0.0], 1.0);
    show_32("d_horner f32", &[both.0, both.1], &[8.0, 12.0]);
    let both = t_horner(2.0, 0.5, &[3.0, 1.0, -4.0]);
    show("t_horner", &[both.0, both.1], &[10.0, 6.5]);

    let (x, y, mut dx, mut dy) = ([1.0, 2.0], [0.5, 4.0], [0.0; 2], [0.0; 2]);
    let value = d_distance(&x, &mut dx, &y, &mut dy, 1.0);
    show("d_distance", &[&[value], &dx[..], &dy].concat(), &[4.25, 1.0, -4.0, -1.0, 4.0]);
    let both = t_distance(&x, &[1.0, 1.0], &y);
    show("t_distance", &[both.0, both.1], &[4.25, -3.0]);
}
