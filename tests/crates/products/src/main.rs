//! Products of dynamic matrices, and what is made of them: by what the processor can do, through a thread's scratch memory.

#[path = "../../published/src/tried.rs"]
mod tried;

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

mod of_ndarray {
    use super::{SIX, tried};
    use ndarray::{Array2, ArrayView2};

    tried! {
        matrix_times_matrix(x: SIX) {
            let a = ArrayView2::from_shape((2, 3), x).unwrap();
            a.dot(&a.t()).sum()
        } => (0..6).map(|i| 2.0 * (x[i % 3] + x[i % 3 + 3])).collect::<Vec<_>>();
        large_product(x: SIX) {
            let a = Array2::from_shape_fn((9, 9), |(i, j)| x[(i + 2 * j) % x.len()]);
            a.dot(&a).iter().map(|y| y.sin()).sum()
        };
    }
}

mod of_nalgebra {
    use super::{SIX, tried};
    use nalgebra::{DMatrix, DVector};

    fn square(x: &[f64], n: usize) -> DMatrix<f64> {
        DMatrix::from_fn(n, n, |i, j| x[(2 * i + j) % x.len()] + if i == j { 3.0 } else { 0.0 })
    }

    tried! {
        matrix_times_matrix(x: SIX) {
            let a = DMatrix::from_row_slice(2, 3, x);
            (&a * a.transpose()).sum()
        } => (0..6).map(|i| 2.0 * (x[i % 3] + x[i % 3 + 3])).collect::<Vec<_>>();
        large_product(x: SIX) {
            let a = square(x, 10);
            (&a * &a).map(|y| (y * 0.1).tanh()).sum()
        };
        solved_by_lu(x: SIX) {
            let b = DVector::from_fn(7, |i, _| x[i % x.len()]);
            square(x, 7).lu().solve(&b).unwrap().norm_squared()
        };
        solved_by_cholesky(x: SIX) {
            let a = square(x, 6);
            let b = DVector::from_fn(6, |i, _| (i as f64).cos());
            (&a * a.transpose()).cholesky().unwrap().solve(&b).norm_squared()
        };
        power_of_a_matrix(x: SIX) {
            (square(x, 17) * 0.1).pow(5).trace()
        };
    }
}

fn main() {
    of_ndarray::report();
    of_nalgebra::report();
}
