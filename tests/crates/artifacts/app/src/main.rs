//! Derivatives of the library, of a generic one of the library for a type of this crate, and of this crate's own.
#![no_main]

use autodiff::*;
use physics::{Law, d_energy, d_stretched, energy};

struct Square;

impl Law for Square {
    fn energy(stretch: f64) -> f64 {
        stretch * stretch
    }
}

#[autodiff_forward(t_own, Dual, Dual)]
fn own(x: f64) -> f64 {
    energy(&[x, 2.0 * x], 3.0)
}

#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, _arguments: *const *const u8) -> i32 {
    let factor = if cfg!(feature = "doubled") { 2.0 } else { 1.0 };
    let x = f64::from(count) + 0.5;
    let mut dx = [0.0];
    d_energy(&[x], &mut dx, 2.0, 1.0);
    let right = dx == [2.0 * x]
        && d_stretched::<Square>(x, 1.0) == (factor * x * x, factor * 2.0 * x)
        && t_own(x, 1.0) == (7.5 * x * x, 15.0 * x);
    i32::from(!right)
}
