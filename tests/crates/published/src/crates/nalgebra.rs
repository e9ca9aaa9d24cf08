//! Vectors, rotations and quaternions, small and dynamic matrices; determinants, inverses, LU, Cholesky, QR, symmetric eigenvalues

use crate::{refused, tried};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x2, Matrix4, Rotation3, UnitQuaternion, Vector3};

/// A matrix that is far from singular.
fn dominant(x: &[f64], n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| if i == j { 4.0 + x[i] } else { x[(i + 2 * j) % x.len()] })
}

/// Numbers as the columns of a matrix.
fn columns(x: &[f64]) -> Matrix3<f64> {
    Matrix3::new(x[0], x[3], x[6], x[1], x[4], x[7], x[2], x[5], x[8])
}

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];
const NINE: [f64; 9] = [2.5, -0.5, 1.5, 0.75, 3.0, 0.3, -0.2, 1.1, 4.0];

tried! {
    dot_of_vectors(x: SIX) {
        Vector3::from_row_slice(&x[..3]).dot(&Vector3::from_row_slice(&x[3..]))
    } => [&x[3..], &x[..3]].concat();
    cross_product_and_norm(x: SIX) {
        let (a, b) = (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
        a.cross(&b).norm() + (a - 2.0 * b).normalize().x
    };
    angle_between_vectors(x: SIX) {
        Vector3::new(x[0], x[1], x[2]).angle(&Vector3::new(x[3], x[4], x[5]))
    };
    rotation_by_euler_angles(x: SIX) {
        let turned = Rotation3::from_euler_angles(x[0], x[1], x[2]) * Vector3::new(x[3], x[4], x[5]);
        turned.x + 2.0 * turned.y + 3.0 * turned.z
    };
    rotation_by_a_quaternion(x: SIX) {
        let turned = UnitQuaternion::from_scaled_axis(Vector3::new(x[0], x[1], x[2])) * Vector3::new(x[3], x[4], x[5]);
        turned.x + 2.0 * turned.y + 3.0 * turned.z
    };
    determinant_of_a_small_matrix(x: NINE) {
        columns(x).determinant()
    } => (columns(x).determinant() * columns(x).try_inverse().unwrap().transpose()).iter().copied().collect::<Vec<_>>();
    lu_of_a_small_matrix(x: NINE) {
        columns(x).lu().solve(&Vector3::new(1.0, 2.0, 3.0)).unwrap().sum()
    } => {
        let solution = columns(x).lu().solve(&Vector3::new(1.0, 2.0, 3.0)).unwrap();
        let adjoint = columns(x).transpose().lu().solve(&Vector3::repeat(1.0)).unwrap();
        (-adjoint * solution.transpose()).iter().copied().collect::<Vec<_>>()
    };
    inverse_of_four_by_four(x: [0.5, 0.3, -0.7, 0.2]) {
        let a = Matrix4::from_diagonal_element(3.0) + Matrix4::from_fn(|i, j| x[(i + 2 * j) % 4] * x[j]);
        a.try_inverse().unwrap().trace()
    };
    lu_of_a_dynamic_matrix(x: SIX) {
        let n = x.len();
        dominant(x, n).lu().solve(&DVector::from_column_slice(x)).unwrap().norm()
    };
    determinant_of_a_dynamic_matrix(x: SIX) {
        dominant(x, x.len()).determinant().ln()
    };
    inverse_of_a_dynamic_matrix(x: SIX) {
        dominant(x, x.len()).try_inverse().unwrap().sum()
    };
    cholesky_of_a_small_matrix(x: SIX) {
        let b = Matrix3x2::new(x[0], x[1], x[2], x[3], x[4], x[5]);
        let a = b * b.transpose() + Matrix3::identity();
        let root = a.cholesky().unwrap();
        root.solve(&Vector3::new(1.0, 2.0, 3.0)).sum() + root.determinant().ln()
    };
    cholesky_of_a_dynamic_matrix(x: SIX) {
        let a = DMatrix::from_fn(6, 6, |i, j| 0.3 * x[i] * x[j] + if i == j { 2.0 } else { 0.0 });
        let root = a.cholesky().unwrap();
        root.solve(&DVector::from_column_slice(x)).sum() + root.determinant().ln()
    };
    qr_of_a_dynamic_matrix(x: SIX) {
        dominant(x, x.len()).qr().solve(&DVector::from_column_slice(x)).unwrap().sum()
    };
    eigenvalues_of_a_symmetric_matrix(x: SIX) {
        let a = Matrix3::new(x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5]);
        a.symmetric_eigenvalues().max()
    };
    product_of_small_matrices(x: NINE) {
        let a = columns(x);
        (a * a * a.transpose()).trace()
    };
    rows_and_columns(x: SIX) {
        let a = DMatrix::from_column_slice(3, 2, x);
        let columns: f64 = a.column_iter().map(|column| column.norm()).sum();
        columns + a.row_sum()[0] * a.row_mean()[1]
    };
    views_and_assignments(x: NINE) {
        let mut a = DMatrix::from_column_slice(3, 3, x);
        let row = a.row(0) * 2.0;
        a.set_row(2, &row);
        a.view_mut((0, 0), (2, 2)).fill_diagonal(x[1]);
        a.swap_columns(0, 1);
        a.norm_squared() + a[(2, 1)]
    };
    quadratic_form(x: SIX) {
        let v = DVector::from_column_slice(x);
        let a = DMatrix::from_fn(x.len(), x.len(), |i, j| 1.0 / (1 + i + j) as f64);
        (v.transpose() * a * v)[0]
    } => {
        let a = DMatrix::from_fn(x.len(), x.len(), |i, j| 1.0 / (1 + i + j) as f64);
        (2.0 * a * DVector::from_column_slice(x)).iter().copied().collect::<Vec<_>>()
    };
    componentwise(x: SIX) {
        let v = DVector::from_column_slice(x);
        let w = v.map(f64::exp).component_mul(&v);
        w.norm_squared() + v.iter().zip(w.iter()).map(|(v, w)| v * w).sum::<f64>()
    };
    product_of_dynamic_matrices(x: SIX) {
        let a = dominant(x, 4);
        (&a * &a).trace()
    };
    least_squares(x: SIX) {
        let a = DMatrix::from_fn(x.len(), 3, |i, j| (i as f64 / 5.0).powi(j as i32));
        let b = DVector::from_column_slice(x);
        let fit = (a.transpose() * &a).cholesky().unwrap().solve(&(a.transpose() * &b));
        (b - a * fit).norm_squared()
    };
}

refused! {
    small_matrix_made_of_a_slice(x: NINE) {
        Matrix3::from_column_slice(x).determinant() //~ a copy of elements that hold floats beside other things, as many as the program says, would be taken for one of them
    };
}
