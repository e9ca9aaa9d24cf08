//! Values of more than one number: tuples, arrays, structs, aliases.

use crate::report::{show, show_32};
use autodiff::*;

#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Copy)]
struct Sample {
    weights: [f64; 3],
    count: u32,
    at: Point,
}

type Real = f64;

#[autodiff_reverse(d_rotated, Active, Active, Active)]
#[autodiff_forward(t_rotated, Dual, Dual, Dual)]
#[autodiff_forward(t_rotated_2, 2, Dual, Const, DualOnly)]
fn rotated(p: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    Point { x: cos * p.x - sin * p.y, y: sin * p.x + cos * p.y }
}

#[autodiff_reverse(d_weighted, Active, Active)]
#[autodiff_forward(t_weighted, Dual, Dual)]
fn weighted(s: Sample) -> f64 {
    s.weights.iter().sum::<f64>() * f64::from(s.count) * s.at.x * s.at.y
}

#[autodiff_reverse(d_swapped, Active, Active)]
#[autodiff_forward(t_swapped, Dual, Dual)]
fn swapped(pair: (f64, f64)) -> (f64, f64) {
    (pair.1 * pair.1, pair.0 * pair.1)
}

#[autodiff_reverse(d_mixed, Active, Active)]
#[autodiff_forward(t_mixed, Dual, Dual)]
fn mixed(pair: (f32, f64)) -> f64 {
    f64::from(pair.0) * pair.1
}

#[autodiff_reverse(d_squared, Active, Active)]
#[autodiff_forward(t_squared, Dual, Dual)]
#[autodiff_forward(t_squared_2, 2, Dual, Dual)]
fn squared(x: [f64; 4]) -> [f64; 4] {
    x.map(|x| x * x)
}

#[autodiff_reverse(d_alias, Active, Active)]
#[autodiff_forward(t_alias, 2, Dual, Dual)]
fn alias(x: Real) -> Real {
    x.exp()
}

#[autodiff_forward(t_owned, Dual, Const, Dual)]
fn owned(x: Vec<f64>, y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[autodiff_reverse(d_three_32, Active, Active)]
#[autodiff_forward(t_three_32, Dual, Dual)]
fn three_32(x: [f32; 3]) -> f32 {
    x[0] * x[1] * x[2]
}

pub fn report() {
    let (sin, cos) = 0.3_f64.sin_cos();
    let p = Point { x: 2.0, y: 3.0 };
    let image = [cos * 2.0 - sin * 3.0, sin * 2.0 + cos * 3.0];
    let (value, by_p, by_angle) = d_rotated(p, 0.3, Point { x: 1.0, y: 10.0 });
    show(
        "d_rotated",
        &[value.x, value.y, by_p.x, by_p.y, by_angle],
        &[image[0], image[1], cos + 10.0 * sin, -sin + 10.0 * cos, -image[1] + 10.0 * image[0]],
    );
    let (value, moved) = t_rotated(p, Point { x: 1.0, y: 0.0 }, 0.3, 2.0);
    show(
        "t_rotated",
        &[value.x, value.y, moved.x, moved.y],
        &[image[0], image[1], cos - 2.0 * image[1], sin + 2.0 * image[0]],
    );
    let lanes = t_rotated_2(p, Point { x: 1.0, y: 0.0 }, Point { x: 0.0, y: 1.0 }, 0.3);
    show("t_rotated_2", &[lanes[0].x, lanes[0].y, lanes[1].x, lanes[1].y], &[cos, sin, -sin, cos]);

    let sample = Sample { weights: [0.5, 1.0, 1.5], count: 2, at: p };
    let (value, adjoint) = d_weighted(sample, 1.0);
    show(
        "d_weighted",
        &[&[value], &adjoint.weights[..], &[adjoint.at.x, adjoint.at.y, f64::from(adjoint.count)]].concat(),
        &[36.0, 12.0, 12.0, 12.0, 18.0, 12.0, 0.0],
    );
    let direction = Sample { weights: [1.0, 0.0, 0.0], count: 0, at: Point { x: 0.0, y: 1.0 } };
    let both = t_weighted(sample, direction);
    show("t_weighted", &[both.0, both.1], &[36.0, 24.0]);

    let (value, adjoint) = d_swapped((2.0, 3.0), (1.0, 10.0));
    show("d_swapped", &[value.0, value.1, adjoint.0, adjoint.1], &[9.0, 6.0, 30.0, 26.0]);
    let (value, moved) = t_swapped((2.0, 3.0), (1.0, 0.5));
    show("t_swapped", &[value.0, value.1, moved.0, moved.1], &[9.0, 6.0, 3.0, 4.0]);
    let (value, adjoint) = d_mixed((2.0, 3.0), 1.0);
    show("d_mixed", &[value, f64::from(adjoint.0), adjoint.1], &[6.0, 3.0, 2.0]);
    let both = t_mixed((2.0, 3.0), (1.0, 1.0));
    show("t_mixed", &[both.0, both.1], &[6.0, 5.0]);

    let x = [1.0, 2.0, 3.0, 4.0];
    let (value, adjoint) = d_squared(x, [1.0, 0.5, 0.0, 2.0]);
    show("d_squared", &[value, adjoint].concat(), &[1.0, 4.0, 9.0, 16.0, 2.0, 2.0, 0.0, 16.0]);
    let (value, moved) = t_squared(x, [1.0, 0.5, 0.0, 2.0]);
    show("t_squared", &[value, moved].concat(), &[1.0, 4.0, 9.0, 16.0, 2.0, 2.0, 0.0, 16.0]);
    let lanes = t_squared_2(x, [1.0; 4], [0.0, 0.0, 0.0, 1.0]);
    show("t_squared_2", lanes[1..].as_flattened(), &[2.0, 4.0, 6.0, 8.0, 0.0, 0.0, 0.0, 8.0]);

    let both = d_alias(0.5, 1.0);
    show("d_alias", &[both.0, both.1], &[0.5_f64.exp(); 2]);
    show("t_alias", &t_alias(0.0, 1.0, 2.0), &[1.0, 1.0, 2.0]);
    let both = t_owned(vec![1.0, 2.0], vec![1.0, 0.5], &[3.0, 4.0]);
    show("t_owned", &[both.0, both.1], &[11.0, 5.0]);
    let (value, adjoint) = d_three_32([2.0, 3.0, 4.0], 1.0);
    show_32("d_three_32", &[&[value], &adjoint[..]].concat(), &[24.0, 12.0, 8.0, 6.0]);
    let both = t_three_32([2.0, 3.0, 4.0], [1.0, 0.0, 1.0]);
    show_32("t_three_32", &[both.0, both.1], &[24.0, 18.0]);
}
