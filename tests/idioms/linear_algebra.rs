use crate::dual::Number;

pub fn fixed_matrix_product<T: Number>(xs: &[T], _k: usize) -> T {
    let m = [[1.0, 2.0, 0.5], [0.2, 1.5, -1.0], [0.3, 0.7, 2.0]];
    let mut y = [T::from(1.0), T::from(2.0), T::from(3.0)];
    for &x in xs {
        let mut z = [T::from(0.0); 3];
        for i in 0..3 {
            for j in 0..3 {
                z[i] += y[j] * x * m[i][j] * 0.3;
            }
        }
        y = z;
    }
    y[0] + y[1] * y[2]
}

pub fn matmul_vec<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let a: Vec<Vec<T>> = (0..n).map(|i| (0..n).map(|j| xs[(i + j) % n] * (i as f64 + 1.0)).collect()).collect();
    let mut y = vec![T::from(1.0); n];
    for _ in 0..2 {
        y = a.iter().map(|r| r.iter().zip(&y).map(|(&p, &q)| p * q * 0.05).sum()).collect();
    }
    y.iter().copied().sum()
}

pub fn sparse_mv<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let rows: Vec<Vec<(usize, f64)>> = (0..n).map(|i| vec![(i, 2.0), ((i + 1) % n, -0.5)]).collect();
    rows.iter().zip(xs).map(|(r, &x)| r.iter().map(|&(j, a)| xs[j] * a).sum::<T>() * x).sum()
}

pub fn forward_and_backward_sweep<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let mut c = vec![T::from(0.0); n];
    let mut d = vec![T::from(0.0); n];
    for i in 0..n {
        if i == 0 {
            c[0] = xs[0] * 0.25;
            d[0] = xs[0];
        } else {
            c[i] = xs[i] * 0.2 + c[i - 1] * 0.1;
            d[i] = xs[i] + d[i - 1] * c[i - 1];
        }
    }
    let mut x = T::from(0.0);
    for i in (0..n).rev() {
        x = d[i] + c[i] * -x;
    }
    x
}

pub fn indirect_index<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let idx: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n.max(1)).collect();
    idx.iter().enumerate().map(|(i, &k)| xs[k] * xs[i]).sum()
}
