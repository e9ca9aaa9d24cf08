//! Functions that call others, or themselves.

use crate::case::{Case, Precision, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

/// The Lennard-Jones energy of particles on a line.
#[autodiff_reverse(d_particles, Duplicated, Active)]
#[autodiff_forward(t_particles, Dual, Dual)]
#[autodiff_forward(t8_particles, 8, Dual, Dual)]
fn particles(x: &[f64]) -> f64 {
    (1..x.len()).map(|i| energy_among(x[i], &x[..i])).sum()
}

#[inline(never)]
fn energy_among(x: f64, others: &[f64]) -> f64 {
    others.iter().map(|other| pair_energy(x - other)).sum()
}

#[inline(never)]
fn pair_energy(distance: f64) -> f64 {
    let attraction = 1.0 / distance.powi(6);
    attraction * attraction - 2.0 * attraction
}

fn particles_gradient(x: &[f64]) -> Vec<f64> {
    let force = |i: usize, j: usize| 12.0 * ((x[i] - x[j]).powi(-7) - (x[i] - x[j]).powi(-13));
    (0..x.len()).map(|i| (0..x.len()).filter(|j| *j != i).map(|j| force(i, j)).sum()).collect()
}

/// The Chebyshev polynomial of this degree, by its definition.
#[autodiff_reverse(d_chebyshev, Active, Const, Active)]
#[autodiff_forward(t_chebyshev, Dual, Const, Dual)]
#[autodiff_forward(t8_chebyshev, 8, Dual, Const, Dual)]
fn chebyshev(x: f64, degree: usize) -> f64 {
    match degree {
        0 => 1.0,
        1 => x,
        _ => 2.0 * x * chebyshev(x, degree - 1) - chebyshev(x, degree - 2),
    }
}

fn chebyshev_slope(x: f64, degree: usize) -> f64 {
    let (angle, degree) = (x.acos(), degree as f64);
    degree * (degree * angle).sin() / angle.sin()
}

/// As the size is no argument of it, the degree comes from the command line too.
fn degree() -> usize {
    6 + std::env::args().count()
}

pub fn cases(size: usize) -> Vec<Case> {
    let places = samples(size, 0.0..0.25, 0.45).iter().enumerate().map(|(i, shift)| i as f64 + shift).collect();
    vec![
        of_a_slice!(particles(x), d_particles, t_particles, t8_particles, places, particles_gradient),
        Case {
            name: "chebyshev",
            precision: Precision::F64,
            at: samples(1, 0.1..0.9, 0.55),
            primal: |x| vec![chebyshev(x[0], degree())],
            reverse: |x, weights| {
                let (value, dx) = d_chebyshev(x[0], degree(), weights[0]);
                (vec![value], vec![dx])
            },
            forward: |x, u| {
                let (value, tangent) = t_chebyshev(x[0], u[0], degree());
                (vec![value], vec![tangent])
            },
            forward_8: |x, [a, b, c, d, e, f, g, h]| {
                let [value, tangents @ ..] =
                    t8_chebyshev(x[0], a[0], b[0], c[0], d[0], e[0], f[0], g[0], h[0], degree());
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| vec![vec![chebyshev_slope(x[0], degree())]],
        },
    ]
}
