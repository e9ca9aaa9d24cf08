//! Functions that no derivative reaches, of all kinds, beside one that is differentiated.
use autodiff::*;
use std::collections::BTreeMap;
use std::hint::black_box;

#[autodiff_reverse(d_energy, Duplicated, Active)]
fn energy(x: &[f64]) -> f64 {
    x.windows(2).map(|w| shared(w[0], w[1])).sum()
}

/// Of the derivative and of `mixed`.
#[inline(never)]
fn shared(x: f64, y: f64) -> f64 {
    (x - y) * (x - y)
}

/// Calls what a derivative reaches, and is not reached itself.
#[inline(never)]
fn mixed(x: &[f64]) -> f64 {
    x.iter().map(|y| shared(*y, x[0])).sum()
}

#[inline(never)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[inline(never)]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[inline(never)]
fn matrix_product(a: &[[f64; 8]; 8], b: &[[f64; 8]; 8]) -> [[f64; 8]; 8] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..8).map(|k| a[i][k] * b[k][j]).sum()))
}

#[inline(never)]
fn at(x: &[f64], i: usize, j: usize) -> f64 {
    x[i] - x[j]
}

#[inline(never)]
fn fibonacci(n: u64) -> u64 {
    if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        String::from("shape")
    }
}

struct Circle(f64);
struct Rectangle {
    width: f64,
    height: f64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0 * self.0
    }
}

impl Shape for Rectangle {
    fn area(&self) -> f64 {
        self.width * self.height
    }
    fn name(&self) -> String {
        format!("{} by {}", self.width, self.height)
    }
}

#[inline(never)]
fn areas(shapes: &[Box<dyn Shape>]) -> (f64, String) {
    (shapes.iter().map(|shape| shape.area()).sum(), shapes.iter().map(|shape| shape.name()).collect())
}

#[inline(never)]
fn largest<T: PartialOrd + Copy>(x: &[T]) -> Option<T> {
    x.iter().copied().reduce(|x, y| if x < y { y } else { x })
}

#[inline(never)]
fn composed(f: &dyn Fn(u32) -> u32, times: u32) -> u32 {
    (0..times).fold(1, |x, _| f(x))
}

#[inline(never)]
fn words(text: &str) -> BTreeMap<&str, usize> {
    let mut count = BTreeMap::new();
    for word in text.split_whitespace() {
        *count.entry(word).or_default() += 1;
    }
    count
}

#[inline(never)]
fn sorted(x: &[f64]) -> Vec<f64> {
    let mut x = x.to_vec();
    x.sort_by(f64::total_cmp);
    x
}

/// What LLVM's interprocedural passes are for: a reference to be promoted, a number that is always the same, one not used.
#[inline(never)]
fn scaled(x: &f64, by: f64, _unused: u32) -> f64 {
    *x * by
}

#[inline(never)]
fn packed(x: [f32; 2], choose: Option<f32>) -> [f32; 2] {
    [x[0] + choose.unwrap_or(x[1]), x[1]]
}

#[inline(never)]
fn parsed(text: &str) -> Result<Vec<i64>, std::num::ParseIntError> {
    text.split(',').map(|number| number.trim().parse()).collect()
}

#[inline(never)]
fn collatz(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[inline(never)]
fn weekday(day: u32) -> &'static str {
    match day % 7 {
        0 => "Monday",
        1 => "Tuesday",
        2 => "Wednesday",
        3 => "Thursday",
        4 => "Friday",
        5 => "Saturday",
        _ => "Sunday",
    }
}

#[inline(never)]
fn gradient_step(x: &mut [f64]) {
    let mut dx = vec![0.0; x.len()];
    d_energy(x, &mut dx, 1.0);
    for (x, dx) in x.iter_mut().zip(dx) {
        *x -= 0.1 * dx;
    }
}

/// All of them: what `bench/bystanders.py` takes the time of.
#[inline(never)]
fn work(n: usize) -> f64 {
    let x: Vec<f64> = (0..n + 200).map(|i| ((i * 37 % 101) as f64).sqrt()).collect();
    let mut y = vec![1.0; n + 200];
    saxpy(n as f32, &[0.5; 200], &mut y);
    let a = std::array::from_fn(|i| std::array::from_fn(|j| (i * j + n) as f64));
    let shapes: [Box<dyn Shape>; 2] =
        [Box::new(Circle(n as f64)), Box::new(Rectangle { width: 1.0, height: n as f64 })];
    let (area, names) = areas(&shapes);
    let floats = dot(&x, &x) + mixed(&x) + matrix_product(&a, &a)[n % 8][7] + at(&x, n, n + 1) + sorted(&x)[n];
    let integers = fibonacci(n as u64 % 3 + 12) as u32 + composed(&|k| k / 3 + n as u32, 4) + collatz(n as u64 + 26);
    let single = packed([n as f32, 2.0], (n > 3).then_some(1.0))[0] + largest(&y).unwrap_or_default();
    let read = parsed("1, 2, 3").map_or(0, |numbers| numbers.len()) + words("to be or not to be").len();
    let texts = names.len() + weekday(n as u32).len() + read;
    floats
        + area
        + scaled(&x[n], 3.0, 1)
        + largest(&x).unwrap_or_default()
        + f64::from(single)
        + (integers as usize + texts) as f64
}

fn main() {
    let times = black_box(std::env::args().nth(1).and_then(|times| times.parse().ok()).unwrap_or(1));
    if times == 0 {
        let mut x = [1.0, 2.0, 4.0];
        gradient_step(black_box(&mut x));
        black_box(x);
    }
    println!("{}", (0..times).map(|n| work(n % 400)).sum::<f64>());
}
