//! Every activity and width, on slices, references, pointers and scalars.

use crate::report::show;
use autodiff::*;

const X: [f64; 3] = [0.3, -1.2, 2.5];
const Y: [f64; 3] = [1.1, 0.7, -0.4];

/// Scales `y` by `x` in place, and returns the product of sums of squares.
#[autodiff_reverse(d_shadow_only, DuplicatedOnly, DuplicatedOnly, Active)]
#[autodiff_reverse(d_seed_only, Duplicated, Duplicated, ActiveOnly)]
#[autodiff_reverse(d_wide, 2, Duplicated, Duplicated, Const)]
#[autodiff_reverse(d_wide_seed, 3, Duplicated, Const, Active)]
#[autodiff_reverse(d_wide_only, 2, DuplicatedOnly, Const, ActiveOnly)]
#[autodiff_forward(t_shadow_only, DualOnly, Dual, Dual)]
#[autodiff_forward(t_tangent_only, Dual, Const, DualOnly)]
#[autodiff_forward(t_tangents_only, 2, Dual, Const, DualOnly)]
#[autodiff_forward(t_v, 2, Dualv, Dualv, Dual)]
#[autodiff_forward(t_v_only, 2, DualvOnly, Const, DualvOnly)]
#[autodiff_forward(t_v_one, Dualv, Const, Dualv)]
#[autodiff_forward(t_16, 16, Dual, Const, Dual)]
fn scaled(x: &[f64], y: &mut [f64]) -> f64 {
    let mut squares = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        *y *= *x;
        squares.0 += x * x;
        squares.1 += *y * *y;
    }
    squares.0 * squares.1
}

/// The square of the first product that is large, which is written to `y`, and of what came before.
#[autodiff_reverse(d_found, Duplicated, Const, Active)]
fn found(x: &[f64], y: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for &x in x {
        for y in &mut *y {
            sum += x * *y;
            if x * *y > 0.5 {
                *y *= x;
                return sum * sum + *y * *y;
            }
        }
    }
    sum
}

const SOURCES: [Source; 3] = [Source::Data(1), Source::Parameter(2), Source::Literal(0.6)];

enum Source {
    Data(usize),
    Parameter(usize),
    Literal(f64),
}

/// A sum of squares, each read from where its source says; of all three LLVM makes one load.
#[autodiff_reverse(d_sources, Duplicated, Const, Const, Active)]
#[autodiff_forward(t_sources, Dual, Const, Const, Dual)]
fn sources(x: &[f64], data: &[f64], all: &[Source]) -> f64 {
    let mut sum = 0.0;
    for source in all {
        let one = match source {
            Source::Data(i) => data[*i],
            Source::Parameter(i) => x[*i],
            Source::Literal(value) => *value,
        };
        sum += one * one;
    }
    sum
}

/// Sums of squares: of `x`, and of `x * y`.
fn squares() -> (f64, f64) {
    (X.iter().map(|x| x * x).sum(), (0..3).map(|i| (X[i] * Y[i]).powi(2)).sum())
}

/// The derivatives of `scaled` by `x` and by the old `y`.
fn closed() -> ([f64; 3], [f64; 3]) {
    let (a, b) = squares();
    let by_x = std::array::from_fn(|i| 2.0 * X[i] * b + a * 2.0 * X[i] * Y[i] * Y[i]);
    let by_y = std::array::from_fn(|i| a * 2.0 * X[i] * X[i] * Y[i]);
    (by_x, by_y)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[autodiff_reverse(d_pointers, Duplicated, Duplicated, Const)]
#[autodiff_forward(t_pointers, Dual, Dual, Const)]
#[autodiff_forward(t_pointers_2, 2, Dual, Dual, Const)]
unsafe fn pointers(x: *const f64, y: *mut f64, n: usize) {
    unsafe {
        for i in 0..n {
            *y.add(i) = (*x.add(i)).sin();
        }
    }
}

#[autodiff_reverse(d_scalar_only, Active, ActiveOnly)]
#[autodiff_reverse(d_constant, Const, Const)]
#[autodiff_forward(t_scalar_only, Dual, DualOnly)]
#[autodiff_forward(t_scalars_only, 3, Dual, DualOnly)]
#[autodiff_forward(t_constant, Dual, Const)]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[autodiff_reverse(d_two_only, Active, Active, ActiveOnly)]
#[autodiff_reverse(d_second, Const, Active, ActiveOnly)]
fn power(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[autodiff_reverse(d_cell, Duplicated, Active)]
#[autodiff_forward(t_cell, Dual, Dual)]
fn cell(x: &f64) -> f64 {
    x.exp()
}

#[autodiff_reverse(d_vec, Duplicated, Active)]
#[autodiff_forward(t_vec, Dual, Dual)]
#[allow(clippy::ptr_arg)]
fn vec(x: &Vec<f64>) -> f64 {
    x.iter().map(|x| x * x).sum()
}

#[autodiff_reverse(d_nothing, Active, Duplicated)]
fn nothing(x: f64, to: &mut f64) {
    *to = x * x;
}

#[autodiff_reverse(d_unit, Active, Duplicated)]
#[allow(clippy::unused_unit)]
fn unit(x: f64, to: &mut f64) -> () {
    *to = x * x;
}

pub fn report_reverse() {
    let (by_x, by_y) = closed();
    let (a, b) = squares();
    let (mut y, mut dx, mut dy) = (Y, [0.0; 3], [0.0; 3]);
    let value = unsafe { d_shadow_only(&X, &mut dx, &mut y, &mut dy, 1.0) };
    show("d_shadow_only", &[&[value], &dx[..], &dy].concat(), &[&[a * b], &by_x[..], &by_y].concat());

    let (mut y, mut dx, mut dy) = (Y, [1.0; 3], [0.0; 3]);
    d_seed_only(&X, &mut dx, &mut y, &mut dy, 2.0);
    let right: Vec<f64> = by_x.iter().map(|d| 1.0 + 2.0 * d).chain(by_y.map(|d| 2.0 * d)).collect();
    show("d_seed_only", &[dx, dy].concat(), &right);

    // The seeds are the shadows of what is written.
    let (mut y, mut dx, mut dy) = (Y, [[0.0; 3]; 2], [[1.0, 0.0, 0.0], [0.0, 2.0, 0.5]]);
    let [dx_0, dx_1] = &mut dx;
    let [dy_0, dy_1] = &mut dy;
    d_wide(&X, dx_0, dx_1, &mut y, dy_0, dy_1);
    let seeds = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.5]];
    let right = seeds
        .map(|seed| [std::array::from_fn(|i| seed[i] * Y[i]), std::array::from_fn::<f64, 3, _>(|i| seed[i] * X[i])]);
    show(
        "d_wide",
        &[dx[0], dy[0], dx[1], dy[1]].concat(),
        &right.iter().flatten().copied().collect::<Vec<_>>().concat(),
    );

    let (mut y, mut dx) = (Y, [[0.0; 3]; 3]);
    let [dx_0, dx_1, dx_2] = &mut dx;
    let value = d_wide_seed(&X, dx_0, dx_1, dx_2, &mut y, 1.0);
    show("d_wide_seed", &[&[value], dx.as_flattened()].concat(), &[&[a * b], [by_x; 3].as_flattened()].concat());

    let (mut y, mut dx) = (Y, [[0.0; 3]; 2]);
    let [dx_0, dx_1] = &mut dx;
    unsafe { d_wide_only(&X, dx_0, dx_1, &mut y, 3.0) };
    show("d_wide_only", dx.as_flattened(), &[by_x; 2].as_flattened().iter().map(|d| 3.0 * d).collect::<Vec<_>>());

    // `x[2] * y[0]` is large, and the first that is.
    let (mut y, mut dx) = (Y, [0.0; 3]);
    let value = d_found(&X, &mut dx, &mut y, 1.0);
    let (of_all, large) = (Y.iter().sum::<f64>(), X[2] * Y[0]);
    let sum = (X[0] + X[1]) * of_all + large;
    let by_sum = [of_all, of_all, Y[0]].map(|by_x| 2.0 * sum * by_x);
    let right = [sum * sum + large * large, by_sum[0], by_sum[1], by_sum[2] + 2.0 * large * Y[0]];
    show("d_found", &[&[value], &dx[..]].concat(), &right);

    let mut dx = [0.0; 3];
    let value = d_sources(&X, &mut dx, &Y, &SOURCES, 1.0);
    let right = Y[1] * Y[1] + X[2] * X[2] + 0.36;
    show("d_sources", &[&[value], &dx[..]].concat(), &[right, 0.0, 0.0, 2.0 * X[2]]);

    let (mut y, mut dx, mut dy) = ([0.0; 3], [0.0; 3], [1.0, 2.0, 3.0]);
    unsafe { d_pointers(X.as_ptr(), dx.as_mut_ptr(), y.as_mut_ptr(), dy.as_mut_ptr(), 3) };
    let right = std::array::from_fn::<f64, 3, _>(|i| (i + 1) as f64 * X[i].cos());
    show("d_pointers", &[y, dx].concat(), &[X.map(f64::sin), right].concat());

    show("d_scalar_only", &[d_scalar_only(0.7, 2.0)], &[2.0 * 0.7_f64.cos()]);
    show("d_constant", &[d_constant(0.7)], &[0.7_f64.sin()]);
    let (by_base, by_exponent) = (1.5 * 2.0_f64.powf(0.5), 2.0_f64.powf(1.5) * 2.0_f64.ln());
    let both = d_two_only(2.0, 1.5, 1.0);
    show("d_two_only", &[both.0, both.1], &[by_base, by_exponent]);
    show("d_second", &[d_second(2.0, 1.5, 1.0)], &[by_exponent]);

    let mut dx = 0.5;
    let value = d_cell(&0.3, &mut dx, 1.0);
    show("d_cell", &[value, dx], &[0.3_f64.exp(), 0.5 + 0.3_f64.exp()]);

    let mut dx = vec![0.0; 3];
    let value = d_vec(&X.to_vec(), &mut dx, 1.0);
    show("d_vec", &[&[value], &dx[..]].concat(), &[&[a], &X.map(|x| 2.0 * x)[..]].concat());

    let (mut to, mut seed) = (0.0, 1.0);
    let dx = d_nothing(3.0, &mut to, &mut seed);
    show("d_nothing", &[dx, to, seed], &[6.0, 9.0, 0.0]);
    let (mut to, mut seed) = (0.0, 1.0);
    let ((), dx) = d_unit(3.0, &mut to, &mut seed);
    show("d_unit", &[dx, to, seed], &[6.0, 9.0, 0.0]);
}

pub fn report() {
    report_reverse();
    let (by_x, by_y) = closed();
    let (a, b) = squares();
    let (v, w) = ([1.0, -0.5, 0.25], [0.0, 3.0, 1.0]);

    let (mut y, mut by) = (Y, w);
    let both = unsafe { t_shadow_only(&X, &v, &mut y, &mut by) };
    show("t_shadow_only", &[both.0, both.1], &[a * b, dot(&by_x, &v) + dot(&by_y, &w)]);
    let mut y = Y;
    show("t_tangent_only", &[t_tangent_only(&X, &v, &mut y)], &[dot(&by_x, &v)]);
    let mut y = Y;
    show("t_tangents_only", &t_tangents_only(&X, &v, &w, &mut y), &[dot(&by_x, &v), dot(&by_x, &w)]);

    let (mut y, mut by) = (Y, [[0.0; 3], w]);
    let lanes = t_v(&X, [v, w].as_flattened(), &mut y, by.as_flattened_mut());
    let of_y = |v: &[f64], w: &[f64]| std::array::from_fn::<f64, 3, _>(|i| v[i] * Y[i] + X[i] * w[i]);
    show(
        "t_v",
        &[&lanes, by.as_flattened()].concat(),
        &[
            &[a * b, dot(&by_x, &v), dot(&by_x, &w) + dot(&by_y, &w)],
            [of_y(&v, &[0.0; 3]), of_y(&w, &w)].as_flattened(),
        ]
        .concat(),
    );
    let mut y = Y;
    let lanes = t_v_only(&X, [v, w].as_flattened(), &mut y);
    show("t_v_only", &lanes, &[dot(&by_x, &v), dot(&by_x, &w)]);
    let mut y = Y;
    let both = t_v_one(&X, &v, &mut y);
    show("t_v_one", &[both.0, both.1], &[a * b, dot(&by_x, &v)]);
    let e: [[f64; 3]; 16] = std::array::from_fn(|k| std::array::from_fn(|i| ((k + 2 * i) as f64).sin()));
    let mut y = Y;
    let lanes = t_16(
        &X, &e[0], &e[1], &e[2], &e[3], &e[4], &e[5], &e[6], &e[7], &e[8], &e[9], &e[10], &e[11], &e[12], &e[13],
        &e[14], &e[15], &mut y,
    );
    let right: Vec<f64> = std::iter::once(a * b).chain(e.iter().map(|e| dot(&by_x, e))).collect();
    show("t_16", &lanes, &right);

    let (mut y, mut by) = ([0.0; 3], [9.0; 3]);
    let (value, tangent) = t_sources(&X, &v, &Y, &SOURCES);
    show("t_sources", &[value, tangent], &[Y[1] * Y[1] + X[2] * X[2] + 0.36, 2.0 * X[2] * v[2]]);

    unsafe { t_pointers(X.as_ptr(), v.as_ptr(), y.as_mut_ptr(), by.as_mut_ptr(), 3) };
    let moved = |v: [f64; 3]| std::array::from_fn::<f64, 3, _>(|i| v[i] * X[i].cos());
    show("t_pointers", &[y, by].concat(), &[X.map(f64::sin), moved(v)].concat());
    let (mut y, mut by) = ([0.0; 3], [[0.0; 3]; 2]);
    let [by_0, by_1] = &mut by;
    unsafe {
        t_pointers_2(X.as_ptr(), v.as_ptr(), w.as_ptr(), y.as_mut_ptr(), by_0.as_mut_ptr(), by_1.as_mut_ptr(), 3);
    }
    show("t_pointers_2", by.as_flattened(), &[moved(v), moved(w)].concat());

    show("t_scalar_only", &[t_scalar_only(0.7, 2.0)], &[2.0 * 0.7_f64.cos()]);
    let cos = 0.7_f64.cos();
    show("t_scalars_only", &t_scalars_only(0.7, 1.0, 2.0, 3.0), &[cos, 2.0 * cos, 3.0 * cos]);
    show("t_constant", &[t_constant(0.7, 1.0)], &[0.7_f64.sin()]);
    let both = t_cell(&0.3, &2.0);
    show("t_cell", &[both.0, both.1], &[0.3_f64.exp(), 2.0 * 0.3_f64.exp()]);
    let both = t_vec(&X.to_vec(), &v.to_vec());
    show("t_vec", &[both.0, both.1], &[a, 2.0 * dot(&X, &v)]);
}

/// Calls a derivative with a shadow of another length.
pub fn mistake(which: &str) {
    let mut y = Y;
    match which {
        "slice" => drop(d_wide_seed(&X, &mut [0.0; 3], &mut [0.0; 2], &mut [0.0; 3], &mut y, 1.0)),
        "vec" => drop(d_vec(&vec![1.0; 3], &mut vec![0.0; 4], 1.0)),
        "tangents" => drop(t_v(&X, &[0.0; 5], &mut y, &mut [0.0; 6])),
        _ => panic!("no such mistake"),
    }
}
