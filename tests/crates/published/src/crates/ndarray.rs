//! Products, sums along axes, `mapv`, `Zip`, slices, windows, statistics, broadcasting

use crate::{refused, tried};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, aview1, s};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

/// The numbers as two rows.
fn rows(x: &[f64]) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape((2, 3), x).unwrap()
}

tried! {
    dot_of_vectors(x: SIX) {
        aview1(&x[..3]).dot(&aview1(&x[3..]))
    } => [&x[3..], &x[..3]].concat();
    matrix_times_vector(x: SIX) {
        rows(x).dot(&Array1::linspace(1.0, 2.0, 3)).mapv(f64::sin).sum()
    };
    sums_along_an_axis(x: SIX) {
        rows(x).sum_axis(Axis(0)).mapv(|s| s * s).sum()
    } => (0..6).map(|i| 2.0 * (x[i % 3] + x[i % 3 + 3])).collect::<Vec<_>>();
    mapped(x: SIX) {
        ArrayView1::from(x).mapv(|x| x.exp() * x).sum()
    } => x.iter().map(|x| x.exp() * (1.0 + x)).collect::<Vec<_>>();
    zipped(x: SIX) {
        let mut products = Array1::zeros(3);
        Zip::from(&mut products).and(&aview1(&x[..3])).and(&aview1(&x[3..])).for_each(|p, a, b| *p = a * b * b);
        products.sum()
    } => (0..6).map(|i| if i < 3 { x[i + 3] * x[i + 3] } else { 2.0 * x[i - 3] * x[i] }).collect::<Vec<_>>();
    folded(x: SIX) {
        Zip::from(&rows(x)).and(&Array2::from_elem((2, 3), 0.5)).fold(1.0, |sum, x, y| sum * 0.5 + x * x * y)
    };
    sliced(x: SIX) {
        let a = ArrayView1::from(x);
        (&a.slice(s![..;2]) * &a.slice(s![1..;2])).sum() + a.slice(s![..;-1]).dot(&a)
    };
    windows(x: SIX) {
        ArrayView1::from(x).windows(3).into_iter().map(|w| w[0] * w[1] - w[2].powi(2)).sum()
    };
    mean_and_deviation(x: SIX) {
        let a = ArrayView1::from(x);
        a.mean().unwrap() / a.std(1.0)
    };
    matrix_times_matrix(x: SIX) {
        let a = rows(x);
        a.dot(&a.t()).sum()
    };
    large_product(x: SIX) {
        let a = Array2::from_shape_fn((9, 9), |(i, j)| x[(i + 2 * j) % x.len()]);
        a.dot(&a).sum()
    };
}

refused! {
    broadcast(x: SIX) {
        let a = rows(x);
        let centred = &a - &a.mean_axis(Axis(0)).unwrap(); //~ what is copied here may begin amid an element that has a float, and would be taken for what lies at its beginning
        (&centred * &centred * 3.0 + 1.0).sum()
    };
}
