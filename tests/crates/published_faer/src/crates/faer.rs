//! Matrices made, viewed, transposed, added, scaled, zipped, their columns and diagonals; products, norms, LU, Cholesky

use crate::{refused, tried};
use faer::prelude::*;
use faer::{Mat, MatRef, Scale, unzip, zip};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

/// A matrix that is far from singular.
fn dominant(x: &[f64], n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| if i == j { 4.0 + x[i] } else { x[(i + 2 * j) % x.len()] })
}

/// The sum of what is at its places, by a weight for each.
fn weighed(a: MatRef<f64>) -> f64 {
    a.col_iter().zip(1..).map(|(column, weight)| f64::from(weight) * column.iter().sum::<f64>()).sum()
}

tried! {
    view_of_a_slice(x: SIX) {
        let a = MatRef::from_column_major_slice(x, 2, 3);
        a[(1, 1)] * a[(0, 2)] + weighed(a.transpose())
    } => [1.0, 2.0, 1.0, 2.0 + x[4], 1.0 + x[3], 2.0];
    made_of_a_function(x: SIX) {
        weighed(dominant(x, 3).as_ref()).powi(2)
    };
    product_by_loops(x: SIX) {
        let a = dominant(x, 4);
        let b = Mat::from_fn(4, 4, |i, j| (0..4).map(|k| a[(i, k)] * a[(k, j)]).sum::<f64>());
        weighed(b.as_ref())
    };
    sum_of_matrices(x: SIX) {
        let a = dominant(x, 3);
        let b = Scale(x[0]) * &a + a.transpose();
        weighed((&b - &a).as_ref()).sin()
    };
    zipped(x: SIX) {
        let a = dominant(x, 3);
        let mut b = a.transpose().to_owned();
        zip!(&mut b, &a).for_each(|unzip!(b, a)| *b *= a.sin());
        weighed(b.as_ref())
    };
    mapped(x: SIX) {
        let a = dominant(x, 3);
        weighed(zip!(&a).map(|unzip!(a)| a.exp()).as_ref()).ln()
    };
    columns_and_diagonals(x: SIX) {
        let a = dominant(x, 4);
        let diagonal: f64 = a.diagonal().column_vector().iter().product();
        diagonal + a.col(1).iter().map(|y| y.sin()).sum::<f64>()
    };
    by_parts(x: SIX) {
        let mut a = dominant(x, 4);
        a.submatrix_mut(1, 1, 2, 2).fill(x[5]);
        let (left, right) = a.as_ref().split_at_col(2);
        weighed(left) * weighed(right)
    };
}

refused! {
    product(x: SIX) {
        let a = MatRef::from_column_major_slice(x, 2, 3);
        weighed((a * a.transpose()).as_ref()) //~ inline assembly cannot be differentiated
    };
    norm(x: SIX) {
        dominant(x, 3).norm_l2() //~ inline assembly cannot be differentiated
    };
    solved_by_lu(x: SIX) {
        let y = dominant(x, 6).partial_piv_lu().solve(&faer::Col::from_fn(6, |i| x[i])); //~ inline assembly cannot be differentiated
        y[0] + 2.0 * y[5]
    };
    solved_by_cholesky(x: SIX) {
        let a = Mat::from_fn(4, 4, |i, j| 0.3 * x[i] * x[j] + if i == j { 2.0 } else { 0.0 });
        let y = a.llt(faer::Side::Lower).unwrap().solve(&faer::Col::from_fn(4, |i| x[i])); //~ a static that may hold floats, and is written here or may be, cannot be differentiated
        y[0] + 2.0 * y[3]
    };
}
