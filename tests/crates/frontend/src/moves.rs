//! Words that are moved: two `f32` in one, the payload of an enum that is a float in one arm only.

use crate::report::show_as;
use autodiff::{autodiff_forward, autodiff_reverse};

#[inline(never)]
fn twice(pairs: &[[f32; 2]], to: &mut [[f32; 2]]) {
    for (n, pair) in pairs.iter().enumerate() {
        to[2 * n] = *pair;
        to[2 * n + 1] = *pair;
    }
}

#[inline(never)]
fn weigh(pairs: &[[f32; 2]]) -> f32 {
    pairs.iter().map(|pair| pair[0] * pair[0] + 3.0 * pair[1]).sum()
}

#[autodiff_reverse(d_twice, Duplicated, Duplicated, Active)]
fn copied(pairs: &[[f32; 2]], to: &mut [[f32; 2]]) -> f32 {
    twice(pairs, to);
    weigh(to)
}

/// Both widths in one tree: what a word carries is to be known by the function in which it is moved.
#[autodiff_reverse(d_mixed, Duplicated, Duplicated, Duplicated, Duplicated, Active)]
fn mixed(pairs: &[[f32; 2]], to: &mut [[f32; 2]], singles: &[f64], reversed: &mut [f64]) -> f64 {
    twice(pairs, to);
    reversed.copy_from_slice(singles);
    reversed.reverse();
    let both: f64 = reversed.iter().zip(singles).map(|(a, b)| a * b * b).sum();
    f64::from(weigh(to)) + both
}

#[inline(never)]
fn single(x: f32, n: u32) -> Result<f32, u32> {
    if n.is_multiple_of(3) { Err(2 * n) } else { Ok(x * x) }
}

#[autodiff_reverse(d_result_32, Active, Const, Active)]
#[autodiff_forward(t_result_32, Dual, Const, Dual)]
fn result_32(x: f32, n: u32) -> f32 {
    (0..n).map(|n| single(x + n as f32, n).unwrap_or_else(|e| e as f32 * x)).sum()
}

#[inline(never)]
fn double(x: f64, n: i64) -> Result<f64, i64> {
    if n % 3 == 0 { Err(2 * n) } else { Ok(x * x) }
}

#[autodiff_reverse(d_result_64, Active, Const, Active)]
#[autodiff_forward(t_result_64, Dual, Const, Dual)]
fn result_64(x: f64, n: i64) -> f64 {
    (0..n).map(|n| double(x + n as f64, n).unwrap_or_else(|e| e as f64 * x)).sum()
}

#[inline(never)]
fn valid(held: &[Result<f32, u32>], x: f32) -> f32 {
    held.iter().flatten().map(|value| value * x).sum()
}

#[inline(never)]
fn replace_first(held: &mut [Result<f32, u32>], x: f32) {
    held[0] = Ok(x * x);
}

#[autodiff_reverse(d_constants_on_the_stack, Active, Const, Active)]
#[autodiff_forward(t_constants_on_the_stack, Dual, Const, Dual)]
fn constants_on_the_stack(x: f32, n: u32) -> f32 {
    let mut held = [Ok(-1.0), if n == 7 { Ok(-2.5) } else { Err(8) }];
    replace_first(&mut held, x);
    valid(&held, x)
}

#[autodiff_reverse(d_constants_in_a_vec, Active, Const, Active)]
#[autodiff_forward(t_constants_in_a_vec, Dual, Const, Dual)]
fn constants_in_a_vec(x: f32, n: u32) -> f32 {
    let held = Vec::from([if n == 7 { Ok(2.5) } else { Err(9) }, if n == 7 { Ok(1.25) } else { Err(10) }]);
    valid(&held, x)
}

#[inline(never)]
fn of_boxed(pair: &Box<[f32; 2]>, n: usize) -> f32 {
    pair[n & 1] * pair[1]
}

#[autodiff_reverse(d_constants_in_a_box, Active, Const, Active)]
#[autodiff_forward(t_constants_in_a_box, Dual, Const, Dual)]
fn constants_in_a_box(x: f32, n: usize) -> f32 {
    let mut pair = Box::new(if n > 1 { [1.25, 2.5] } else { [3.5, 1.0] });
    if n > 7 {
        pair[n & 1] = x;
    }
    of_boxed(&pair, n) * x
}

pub fn report() {
    let show = |precision: &str, what: &str, got: &[f64], right: &[f64]| show_as(precision, "move ", what, got, right);
    let pairs = [[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let slope = [[4.0, 6.0], [12.0, 6.0], [20.0, 6.0]];

    let (mut d_pairs, mut to, mut d_to) = ([[0.0; 2]; 3], [[0.0; 2]; 6], [[0.0; 2]; 6]);
    d_twice(&pairs, &mut d_pairs, &mut to, &mut d_to, 1.0);
    show("f32", "pairs copied twice", &d_pairs.as_flattened().map_to_f64(), slope.as_flattened());

    let singles = [0.5, 1.5, 2.5, 3.5];
    let (mut d_pairs, mut d_singles) = ([[0.0; 2]; 3], [0.0; 4]);
    let (mut d_to, mut reversed, mut d_reversed) = ([[0.0; 2]; 6], [0.0; 4], [0.0; 4]);
    d_mixed(&pairs, &mut d_pairs, &mut to, &mut d_to, &singles, &mut d_singles, &mut reversed, &mut d_reversed, 1.0);
    show("f32", "both widths, pairs", &d_pairs.as_flattened().map_to_f64(), slope.as_flattened());
    let right: Vec<f64> = (0..4).map(|n| singles[3 - n].powi(2) + 2.0 * singles[n] * singles[3 - n]).collect();
    show("f64", "both widths, reversed", &d_singles, &right);

    let slope = |x: f64| (0..7).map(move |n| 2.0 * f64::from(n) + if n % 3 == 0 { 0.0 } else { 2.0 * x });
    let right: f64 = slope(1.5).sum();
    show("f32", "Result<f32, u32>, reverse", &[f64::from(d_result_32(1.5, 7, 1.0).1)], &[right]);
    show("f32", "Result<f32, u32>, forward", &[f64::from(t_result_32(1.5, 1.0, 7).1)], &[right]);
    show("f64", "Result<f64, i64>, reverse", &[d_result_64(1.5, 7, 1.0).1], &[right]);
    show("f64", "Result<f64, i64>, forward", &[t_result_64(1.5, 1.0, 7).1], &[right]);

    let got = [d_constants_on_the_stack(1.5, 7, 1.0).1, t_constants_on_the_stack(1.5, 1.0, 7).1];
    show("f32", "constant payloads on the stack", &got.map_to_f64(), &[4.25, 4.25]);
    let got = [d_constants_in_a_vec(1.5, 7, 1.0).1, t_constants_in_a_vec(1.5, 1.0, 7).1];
    show("f32", "constant payloads in a Vec", &got.map_to_f64(), &[3.75, 3.75]);
    let got = [d_constants_in_a_box(1.5, 7, 1.0).1, t_constants_in_a_box(1.5, 1.0, 7).1];
    show("f32", "constants in a Box", &got.map_to_f64(), &[6.25, 6.25]);
}

trait MapToF64 {
    fn map_to_f64(&self) -> Vec<f64>;
}

impl MapToF64 for [f32] {
    fn map_to_f64(&self) -> Vec<f64> {
        self.iter().copied().map(f64::from).collect()
    }
}
