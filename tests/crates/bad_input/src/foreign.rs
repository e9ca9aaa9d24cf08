//! Functions of the C library's, and of ours that go by their names.

use crate::tried;
use std::ffi::c_int;
use std::hint::black_box;

#[allow(dead_code)]
unsafe extern "C" {
    fn cbrt(x: f64) -> f64;
    fn erf(x: f64) -> f64;
    fn frexp(x: f64, exponent: *mut c_int) -> f64;
    fn ldexp(x: f64, exponent: c_int) -> f64;
    fn getpid() -> c_int;
    fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
}

/// A function that Enzyme takes for the C library's, which has no derivative.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn time(x: f64) -> f64 {
    x * x
}

/// Two of which it knows another derivative.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn sinc(x: f64) -> f64 {
    x * x
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn cblas_ddot(count: c_int, x: &[f64; 2], _: c_int, y: &[f64; 2], _: c_int) -> f64 {
    3.0 * x.iter().zip(y).take(count as usize).map(|(x, y)| x * y).sum::<f64>()
}

tried! {
    root(x) { x * unsafe { cbrt(x) } } => x.cbrt() * x, 4.0 / 3.0 * x.cbrt();
    error(x) { unsafe { erf(x) } } => unsafe { erf(x) }, 2.0 / std::f64::consts::PI.sqrt() * (-x * x).exp();
    apart_and_together(x) { let mut k = 0; let m = unsafe { frexp(x * x, &mut k) }; unsafe { ldexp(m, k + 1) } }
        => 2.0 * x * x, 4.0 * x;
    of_integers(x) { if unsafe { getpid() } > 0 { x * x } else { x } } => x * x, 2.0 * x;
    copied(x) {
        let (from, mut to) = ([x, x * x], [0.0; 2]);
        unsafe { memcpy(to.as_mut_ptr().cast(), from.as_ptr().cast(), black_box(16)) };
        to[0] * to[1]
    } => x.powi(3), 3.0 * x * x;
    named_as_one_without_derivative(x) { time(x) } => x * x, 2.0 * x;
    named_as_one_with_another(x) { sinc(x) } => x * x, 2.0 * x;
    named_as_one_of_a_library(x) { cblas_ddot(2, &[x, 1.0], 1, &[x, x], 1) } => 3.0 * (x * x + x), 3.0 * (2.0 * x + 1.0);
}
