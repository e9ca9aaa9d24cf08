//! Arrays of a fixed size, behind references.

use crate::case::{Case, Precision, samples};
use autodiff::{autodiff_forward, autodiff_reverse};

type Matrix = [[f64; 3]; 3];

#[autodiff_reverse(d_determinant, Duplicated, Active)]
#[autodiff_forward(t_determinant, Dual, Dual)]
#[autodiff_forward(t8_determinant, 8, Dual, Dual)]
fn determinant(m: &Matrix) -> f64 {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

/// The cofactors.
fn determinant_gradient(m: &Matrix) -> Vec<f64> {
    let cofactor = |i: usize, j: usize| {
        let ([i1, i2], [j1, j2]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
        m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1]
    };
    (0..9).map(|k| cofactor(k / 3, k % 3)).collect()
}

fn matrix(x: &[f64]) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| x[3 * i + j]))
}

/// Radius, inclination and azimuth to coordinates.
#[autodiff_reverse(d_cartesian, Duplicated, Duplicated)]
#[autodiff_forward(t_cartesian, Dual, Dual)]
#[autodiff_forward(t8_cartesian, 8, Dual, Dual)]
fn cartesian(spherical: &[f64; 3], to: &mut [f64; 3]) {
    let [radius, inclination, azimuth] = *spherical;
    *to = [
        radius * inclination.sin() * azimuth.cos(),
        radius * inclination.sin() * azimuth.sin(),
        radius * inclination.cos(),
    ];
}

fn cartesian_jacobian(x: &[f64]) -> Vec<Vec<f64>> {
    let r = x[0];
    let ((s, c), (sin, cos)) = (x[1].sin_cos(), x[2].sin_cos());
    vec![vec![s * cos, r * c * cos, -r * s * sin], vec![s * sin, r * c * sin, r * s * cos], vec![c, -r * s, 0.0]]
}

fn triple(x: &[f64]) -> [f64; 3] {
    x.try_into().unwrap()
}

pub fn cases(_size: usize) -> Vec<Case> {
    vec![
        Case {
            name: "determinant",
            precision: Precision::F64,
            at: samples(9, -1.0..1.0, 0.8),
            primal: |x| vec![determinant(&matrix(x))],
            reverse: |x, weights| {
                let mut dx = Matrix::default();
                let value = d_determinant(&matrix(x), &mut dx, weights[0]);
                (vec![value], dx.as_flattened().to_vec())
            },
            forward: |x, u| {
                let (value, tangent) = t_determinant(&matrix(x), &matrix(u));
                (vec![value], vec![tangent])
            },
            forward_8: |x, directions| {
                let [a, b, c, d, e, f, g, h] = &directions.each_ref().map(|u| matrix(u));
                let [value, tangents @ ..] = t8_determinant(&matrix(x), a, b, c, d, e, f, g, h);
                (vec![value], tangents.map(|tangent| vec![tangent]))
            },
            jacobian: |x| vec![determinant_gradient(&matrix(x))],
        },
        Case {
            name: "cartesian",
            precision: Precision::F64,
            at: samples(3, 0.5..1.5, 0.9),
            primal: |x| {
                let mut to = [0.0; 3];
                cartesian(&triple(x), &mut to);
                to.to_vec()
            },
            reverse: |x, weights| {
                let (mut dx, mut to, mut dto) = ([0.0; 3], [0.0; 3], triple(weights));
                d_cartesian(&triple(x), &mut dx, &mut to, &mut dto);
                (to.to_vec(), dx.to_vec())
            },
            forward: |x, u| {
                let (mut to, mut tangent) = ([0.0; 3], [0.0; 3]);
                t_cartesian(&triple(x), &triple(u), &mut to, &mut tangent);
                (to.to_vec(), tangent.to_vec())
            },
            forward_8: |x, directions| {
                let [a, b, c, d, e, f, g, h] = &directions.each_ref().map(|u| triple(u));
                let (mut to, mut tangents) = ([0.0; 3], [[0.0; 3]; 8]);
                let [i, j, k, l, m, n, o, p] = &mut tangents;
                t8_cartesian(&triple(x), a, b, c, d, e, f, g, h, &mut to, i, j, k, l, m, n, o, p);
                (to.to_vec(), tangents.map(|tangent| tangent.to_vec()))
            },
            jacobian: cartesian_jacobian,
        },
    ]
}
