//! Bundle adjustment: how far what cameras saw of points is from where these are.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;
use std::array::from_fn;

/// An axis times the angle, a shift, the focal length, two radial distortions.
const CAMERA: usize = 9;

pub struct Bundle {
    cameras: Vec<f64>,
    points: Vec<f64>,
    weights: Vec<f64>,
    /// Which camera saw which point.
    seen: Vec<[usize; 2]>,
    /// Where it saw that: two numbers each.
    features: Vec<f64>,
}

impl Bundle {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[cameras, points, observations] = sizes else { panic!("bundle: cameras, points, observations") };
        let mut of_cameras = Vec::new();
        for _ in 0..cameras {
            of_cameras.extend(numbers.many(5, -0.3, 0.3));
            of_cameras.push(numbers.between(4.0, 6.0));
            of_cameras.push(numbers.between(0.8, 1.2));
            of_cameras.extend(numbers.many(2, -0.1, 0.1));
        }
        Self {
            cameras: of_cameras,
            points: numbers.many(3 * points, -1.0, 1.0),
            weights: numbers.many(observations, 0.5, 1.5),
            seen: (0..observations).map(|_| [numbers.below(cameras), numbers.below(points)]).collect(),
            features: numbers.many(2 * observations, -0.3, 0.3),
        }
    }
}

program!(Bundle, |it| misfit[cameras, points, weights](&it.seen, &it.features));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Duplicated, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Duplicated, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Dual, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Dualv, Const, Const, DualOnly)]
fn misfit(cameras: &[f64], points: &[f64], weights: &[f64], seen: &[[usize; 2]], features: &[f64]) -> f64 {
    let mut sum = 0.0;
    for ((weight, &[camera, point]), feature) in weights.iter().zip(seen).zip(features.chunks_exact(2)) {
        let [u, v] = projected(&cameras[camera * CAMERA..][..CAMERA], &points[point * 3..][..3]);
        let (off_u, off_v) = (weight * (u - feature[0]), weight * (v - feature[1]));
        let off_weight = 1.0 - weight * weight;
        sum += 0.5 * (off_u * off_u + off_v * off_v + off_weight * off_weight);
    }
    sum
}

fn projected(camera: &[f64], point: &[f64]) -> [f64; 2] {
    let &[ax, ay, az, right, down, away, focal, k1, k2] = camera else { panic!("a camera is of nine numbers") };
    let [x, y, z] = rotated([point[0], point[1], point[2]], [ax, ay, az]);
    let (u, v) = ((x + right) / (z + away), (y + down) / (z + away));
    let squared = u * u + v * v;
    let scale = focal * (1.0 + squared * (k1 + squared * k2));
    [scale * u, scale * v]
}

/// Rodrigues' formula.
fn rotated(p: [f64; 3], axis: [f64; 3]) -> [f64; 3] {
    let squared = dot(axis, axis);
    if squared < 1e-20 {
        let turned = cross(axis, p);
        return from_fn(|i| p[i] + turned[i]);
    }
    let angle = squared.sqrt();
    let (sin, cos) = (angle.sin(), angle.cos());
    let unit = axis.map(|a| a / angle);
    let (turned, along) = (cross(unit, p), dot(unit, p) * (1.0 - cos));
    from_fn(|i| p[i] * cos + turned[i] * sin + unit[i] * along)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
