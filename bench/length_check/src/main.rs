//! What comparing lengths costs a gradient of 1,000 elements: `./doit run crate=bench/length_check`.
//!
//! The same function twice: over a slice, whose shadow's length is compared, and over a pointer and a length, where
//! nothing is. Interleaved rounds of one run; the same derivative against itself shows the noise.

use autodiff::*;
use std::hint::black_box;
use std::time::Instant;

const ELEMENTS: usize = 1_000;
const ROUNDS: usize = 401;
const CALLS: usize = 2_000;

#[autodiff_reverse(d_checked, Duplicated, Active)]
fn checked(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x * x).sum()
}

#[autodiff_reverse(d_unchecked, Duplicated, Const, Active)]
unsafe fn unchecked(x: *const f64, length: usize) -> f64 {
    unsafe { std::slice::from_raw_parts(x, length) }.iter().map(|x| x * x * x).sum()
}

fn nanoseconds(mut call: impl FnMut() -> f64) -> f64 {
    let begin = Instant::now();
    for _ in 0..CALLS {
        black_box(call());
    }
    begin.elapsed().as_nanos() as f64 / CALLS as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let (x, mut dx) = (vec![0.5; ELEMENTS], vec![0.0; ELEMENTS]);
    let mut rounds = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        rounds[0].push(nanoseconds(|| d_checked(black_box(&x), &mut dx, 1.0)));
        rounds[1].push(nanoseconds(|| unsafe { d_unchecked(black_box(x.as_ptr()), dx.as_mut_ptr(), ELEMENTS, 1.0) }));
        rounds[2].push(nanoseconds(|| d_checked(black_box(&x), &mut dx, 1.0)));
    }
    let [first, without, again] = rounds.map(median);
    println!("with the check {first:.1} ns, without {without:.1} ns: {:+.2} %", 100.0 * (first / without - 1.0));
    println!("the same against itself: {:+.2} %", 100.0 * (again / first - 1.0));
}
