//! Functions whose derivatives keep much, each beside one that is the same and keeps nothing, as `./doit perf` advises.
//! The program calls the derivative of one for so many numbers, `bench NAME N`; it fails where a gradient is wrong.
#![no_main]

use autodiff::*;
use core::ffi::{CStr, c_char};
use core::hint::black_box;

#[autodiff_reverse(d_raw, Duplicated, Duplicated, Const)]
fn raw(x: *const f64, y: *mut f64, n: usize) {
    for i in 0..n {
        unsafe {
            let value = *x.add(i); // raw: read
            *y.add(i) = value.sin() * value; // raw: write
        }
    }
}

#[autodiff_reverse(d_slices, Duplicated, Duplicated)]
fn slices(x: &[f64], y: &mut [f64]) {
    for (x, y) in x.iter().zip(y) {
        *y = x.sin() * x;
    }
}

struct Two {
    x: Vec<f64>,
    y: Vec<f64>,
}

#[autodiff_reverse(d_fields, Duplicated)]
fn fields(two: &mut Two) {
    for i in 0..two.x.len() {
        let value = two.x[i]; // fields: read
        two.y[i] = value.sin() * value; // fields: write
    }
}

#[autodiff_reverse(d_fields_apart, Duplicated)]
fn fields_apart(two: &mut Two) {
    slices(&two.x, &mut two.y);
}

#[autodiff_reverse(d_halves, Duplicated)]
fn halves(x: &mut [f64]) {
    let half = x.len() / 2;
    let (x, y) = x.split_at_mut(half);
    for (x, y) in x.iter().zip(y) {
        let value = *x; // halves: read
        *y = value.sin() * value; // halves: write
    }
}

#[autodiff_reverse(d_halves_apart, Duplicated)]
fn halves_apart(x: &mut [f64]) {
    let half = x.len() / 2;
    let (x, y) = x.split_at_mut(half);
    slices(x, y);
}

#[autodiff_reverse(d_in_place, Duplicated, Duplicated)]
fn in_place(x: &mut [f64], y: &mut [f64]) {
    for value in &mut *x {
        let before = *value; // in_place: read
        *value = before.sin() * before; // in_place: write
    }
    y.copy_from_slice(x);
}

#[autodiff_reverse(d_product, Duplicated, Active)]
fn product(x: &[f64]) -> f64 {
    let mut product = 1.0;
    for x in x {
        product *= 1.0 + 0.001 * x; // product: read
    }
    product
}

#[autodiff_reverse(d_decay, Duplicated, Active)]
fn decay(x: &[f64]) -> f64 {
    let mut level = 1.0;
    for x in x {
        level = 0.5 * level + x.sin();
    }
    level
}

#[autodiff_reverse(d_triangle, Duplicated, Active)]
fn triangle(x: &[f64]) -> f64 {
    let mut level = 0.1;
    for i in 0..x.len() {
        for j in 0..i {
            level = (level * x[j]).sin(); // triangle: read
        }
    }
    level
}

#[autodiff_reverse(d_until, Active, Active)]
fn until(end: f64) -> f64 {
    let (mut level, mut value) = (0.0, 0.5 * end);
    while level < end {
        value = (1.0 + 0.1 * value).sin(); // until: read
        level += 0.5 + 0.5 * value;
    }
    value
}

#[inline(never)]
fn step(x: &mut [f64]) {
    for value in x {
        *value = value.sin() * *value; // step: read
    }
}

#[autodiff_reverse(d_steps, Duplicated, Const)]
fn steps(x: &mut [f64], n: usize) {
    for _ in 0..n {
        step(x); // steps: read
    }
}

#[autodiff_reverse(d_depth, Duplicated, Const, Active)]
fn depth(x: &[f64], n: usize) -> f64 {
    if n == 0 { x[0] } else { (depth(x, n - 1) * x[n % 4]).sin() }
}

#[autodiff_reverse(d_rows, Duplicated, Active)]
fn rows(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        let row: Vec<f64> = x[..i].iter().map(|x| x.sin()).collect(); // rows: write
        sum += row.iter().map(|x| x * x).sum::<f64>(); // rows: read
    }
    sum
}

#[autodiff_reverse(d_flow, Duplicated, Active)]
fn flow(x: &[f64]) -> f64 {
    let mut state = x.to_vec();
    let mut speed = vec![0.0; x.len()];
    for _ in 0..x.len() {
        let (left, right) = speed.split_at_mut(state.len() / 2);
        for i in 0..left.len() {
            left[i] = state[i].sin();
        }
        right.copy_from_slice(&state[left.len()..]);
        for (s, v) in state.iter_mut().zip(&speed) { // flow: end
            *s += v;
        }
    }
    state.iter().map(|s| s * s).sum()
}

#[autodiff_forward(t_slices, Dual, Dual)]
fn forwards(x: &[f64], y: &mut [f64]) {
    slices(x, y);
}

unsafe extern "C" {
    fn atoi(text: *const c_char) -> i32;
}

const MOST: usize = 1000;
const WEIGHTS: [f64; MOST] = [0.25; MOST];

#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(_argc: i32, argv: *const *const c_char) -> i32 {
    let (name, n) = unsafe { (CStr::from_ptr(*argv.add(1)), atoi(*argv.add(2)) as usize) };
    let mut x: [f64; MOST] = core::array::from_fn(|i| 0.3 + 0.0005 * i as f64);
    let right = x.map(|x| 0.25 * (x.cos() * x + x.sin()));
    let (mut dx, mut y, mut dy) = ([0.0; MOST], [0.0; MOST], WEIGHTS);
    match name.to_bytes() {
        b"raw" => d_raw(x.as_ptr(), dx.as_mut_ptr(), y.as_mut_ptr(), dy.as_mut_ptr(), n),
        b"slices" => d_slices(&x[..n], &mut dx[..n], &mut y[..n], &mut dy[..n]),
        b"in_place" => d_in_place(&mut x[..n], &mut dx[..n], &mut y[..n], &mut dy[..n]),
        b"fields" => on_two(d_fields, &x[..n], &mut dx[..n]),
        b"fields_apart" => on_two(d_fields_apart, &x[..n], &mut dx[..n]),
        b"halves" => on_halves(d_halves, &mut x[..2 * n], &mut dx[..2 * n]),
        b"halves_apart" => on_halves(d_halves_apart, &mut x[..2 * n], &mut dx[..2 * n]),
        other => return others(other, &mut x, &mut dx, n),
    }
    i32::from(!dx[..n].iter().zip(&right).all(|(dx, right)| (dx - right).abs() <= 1e-14))
}

fn on_two(derivative: fn(&mut Two, &mut Two), x: &[f64], dx: &mut [f64]) {
    let mut two = Two { x: x.to_vec(), y: vec![0.0; x.len()] };
    let mut shadow = Two { x: vec![0.0; x.len()], y: WEIGHTS[..x.len()].to_vec() };
    derivative(&mut two, &mut shadow);
    dx.copy_from_slice(&shadow.x);
}

fn on_halves(derivative: fn(&mut [f64], &mut [f64]), x: &mut [f64], dx: &mut [f64]) {
    let half = x.len() / 2;
    dx[half..].copy_from_slice(&WEIGHTS[..half]);
    derivative(x, dx);
}

/// Those of which nothing but their memory is looked at here.
fn others(name: &[u8], x: &mut [f64], dx: &mut [f64], n: usize) -> i32 {
    match name {
        b"product" => drop(black_box(d_product(&x[..n], &mut dx[..n], 1.0))),
        b"decay" => drop(black_box(d_decay(&x[..n], &mut dx[..n], 1.0))),
        b"triangle" => drop(black_box(d_triangle(&x[..n], &mut dx[..n], 1.0))),
        b"until" => drop(black_box(d_until(n as f64, 1.0))),
        b"depth" => drop(black_box(d_depth(x, dx, n, 1.0))),
        b"rows" => drop(black_box(d_rows(&x[..n], &mut dx[..n], 1.0))),
        b"flow" => drop(black_box(d_flow(&x[..n], &mut dx[..n], 1.0))),
        b"steps" => d_steps(&mut x[..8], &mut dx[..8], n),
        _ => t_slices(&x[..n], &dx[..n], &mut [0.0; MOST], &mut [0.0; MOST]),
    }
    0
}
