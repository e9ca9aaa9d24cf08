//! Numbers in, a number out.

use crate::case::{Case, Precision, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_wave, Active, Active)]
#[autodiff_forward(t_wave, Dual, Dual)]
#[autodiff_forward(t8_wave, 8, Dual, Dual)]
fn wave(x: f64) -> f64 {
    x.sin() * (-x * x).exp() + (1.0 + x * x).ln() / x.sqrt()
}

fn wave_slope(x: f64) -> f64 {
    let bell = (-x * x).exp();
    let square = 1.0 + x * x;
    (x.cos() - 2.0 * x * x.sin()) * bell + 2.0 * x.sqrt() / square - square.ln() / (2.0 * x.powf(1.5))
}

#[autodiff_reverse(d_surface, Active, Active, Active, Active)]
#[autodiff_forward(t_surface, Dual, Dual, Dual, Dual)]
#[autodiff_forward(t8_surface, 8, Dual, Dual, Dual, Dual)]
fn surface(x: f64, y: f64, z: f64) -> f64 {
    x.powf(y) * z.tanh() + y.atan2(x) + (x * z).cbrt()
}

fn surface_gradient(x: f64, y: f64, z: f64) -> Vec<f64> {
    let square = x * x + y * y;
    let root = 3.0 * (x * z).powf(2.0 / 3.0);
    vec![
        y * x.powf(y - 1.0) * z.tanh() - y / square + z / root,
        x.powf(y) * x.ln() * z.tanh() + x / square,
        x.powf(y) / z.cosh().powi(2) + x / root,
    ]
}

pub fn cases(_size: usize) -> Vec<Case> {
    vec![
        Case {
            name: "wave",
            precision: Precision::F64,
            at: samples(1, 0.5..1.5, 0.3),
            primal: |x| vec![wave(x[0])],
            reverse: |x, weights| {
                let (value, dx) = d_wave(x[0], weights[0]);
                (vec![value], vec![dx])
            },
            forward: |x, u| {
                let (value, tangent) = t_wave(x[0], u[0]);
                (vec![value], vec![tangent])
            },
            forward_8: |x, [a, b, c, d, e, f, g, h]| {
                let [value, tangents @ ..] = t8_wave(x[0], a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0]);
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| vec![vec![wave_slope(x[0])]],
        },
        Case {
            name: "surface",
            precision: Precision::F64,
            at: samples(3, 0.5..1.5, 0.7),
            primal: |x| vec![surface(x[0], x[1], x[2])],
            reverse: |x, weights| {
                let (value, dx, dy, dz) = d_surface(x[0], x[1], x[2], weights[0]);
                (vec![value], vec![dx, dy, dz])
            },
            forward: |x, u| {
                let (value, tangent) = t_surface(x[0], u[0], x[1], u[1], x[2], u[2]);
                (vec![value], vec![tangent])
            },
            #[rustfmt::skip] // an argument's directions stay on its line
            forward_8: |x, [a, b, c, d, e, f, g, h]| {
                let [value, tangents @ ..] = t8_surface(
                    x[0], a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0],
                    x[1], a[1], b[1], c[1], d[1], e[1], f[1], g[1], h[1],
                    x[2], a[2], b[2], c[2], d[2], e[2], f[2], g[2], h[2],
                );
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| vec![surface_gradient(x[0], x[1], x[2])],
        },
    ]
}
