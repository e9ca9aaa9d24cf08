use crate::dual::Number;
use std::fmt;
use std::ops::{Add, Index, IndexMut, Mul, Sub};

#[derive(Clone, Debug, PartialEq)]
struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

impl<T: Number> Matrix<T> {
    fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, data: vec![T::default(); rows * cols] }
    }

    fn identity(n: usize) -> Self {
        let mut m = Matrix::zeros(n, n);
        for i in 0..n {
            m[(i, i)] = T::from(1.0);
        }
        m
    }

    fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                data.push(f(i, j));
            }
        }
        Matrix { rows, cols, data }
    }

    fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for j in 0..self.cols {
            self.data.swap(a * self.cols + j, b * self.cols + j);
        }
    }

    fn scale(&self, by: T) -> Self {
        Matrix { rows: self.rows, cols: self.cols, data: self.data.iter().map(|&v| v * by).collect() }
    }

    fn trace(&self) -> T {
        (0..self.rows.min(self.cols)).map(|i| self[(i, i)]).sum()
    }

    fn norm_one(&self) -> T {
        let mut largest = T::default();
        for j in 0..self.cols {
            let mut sum = T::default();
            for i in 0..self.rows {
                sum += self[(i, j)].abs();
            }
            if sum > largest {
                largest = sum;
            }
        }
        largest
    }

    fn mul_vec(&self, x: &[T]) -> Vec<T> {
        assert_eq!(self.cols, x.len());
        (0..self.rows).map(|i| dot(self.row(i), x)).collect()
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}

impl<T: Number> Mul for &Matrix<T> {
    type Output = Matrix<T>;
    fn mul(self, rhs: &Matrix<T>) -> Matrix<T> {
        assert_eq!(self.cols, rhs.rows, "dimension mismatch");
        let mut out = Matrix::zeros(self.rows, rhs.cols);
        for i in 0..self.rows {
            for p in 0..self.cols {
                let a = self[(i, p)];
                for j in 0..rhs.cols {
                    out[(i, j)] += a * rhs[(p, j)];
                }
            }
        }
        out
    }
}

impl<T: Number> Add for &Matrix<T> {
    type Output = Matrix<T>;
    fn add(self, rhs: &Matrix<T>) -> Matrix<T> {
        assert!(self.rows == rhs.rows && self.cols == rhs.cols);
        let data = self.data.iter().zip(&rhs.data).map(|(&a, &b)| a + b).collect();
        Matrix { rows: self.rows, cols: self.cols, data }
    }
}

impl<T: Number> Sub for &Matrix<T> {
    type Output = Matrix<T>;
    fn sub(self, rhs: &Matrix<T>) -> Matrix<T> {
        assert!(self.rows == rhs.rows && self.cols == rhs.cols);
        let data = self.data.iter().zip(&rhs.data).map(|(&a, &b)| a - b).collect();
        Matrix { rows: self.rows, cols: self.cols, data }
    }
}

fn dot<T: Number>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// y += alpha * x
fn axpy<T: Number>(alpha: T, x: &[T], y: &mut [T]) {
    for i in 0..y.len() {
        y[i] += alpha * x[i];
    }
}

fn cholesky_banachiewicz<T: Number>(a: &[Vec<T>]) -> Option<Vec<Vec<T>>> {
    let n = a.len();
    let mut l = vec![vec![T::from(0.0); n]; n];
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i][j];
            for p in 0..j {
                sum -= l[i][p] * l[j][p];
            }
            if i == j {
                if sum <= 0.0 {
                    return None;
                }
                l[i][i] = sum.sqrt();
            } else {
                l[i][j] = sum / l[j][j];
            }
        }
    }
    Some(l)
}

pub fn cholesky_row_by_row_solve<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut a = vec![vec![T::from(0.0); n]; n];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = xs[i] * xs[j] * 0.3 + 1.0 / (1.0 + i.abs_diff(j) as f64);
        }
        a[i][i] += T::from(0.5 + k as f64);
    }
    let Some(l) = cholesky_banachiewicz(&a) else {
        return T::from(-1.0);
    };
    let b: Vec<T> = xs.iter().map(|x| x.cos()).collect();
    let mut y = vec![T::from(0.0); n];
    for i in 0..n {
        let mut sum = b[i];
        for j in 0..i {
            sum -= l[i][j] * y[j];
        }
        y[i] = sum / l[i][i];
    }
    let mut x = vec![T::from(0.0); n];
    for i in (0..n).rev() {
        let mut sum = y[i];
        for j in i + 1..n {
            sum -= l[j][i] * x[j];
        }
        x[i] = sum / l[i][i];
    }
    let mut energy = T::from(0.0);
    for i in 0..n {
        energy += x[i] * b[i];
    }
    energy
}

/// Right-looking, overwrites the lower triangle; the failing pivot on error.
fn cholesky_in_place<T: Number>(a: &mut Matrix<T>) -> Result<(), usize> {
    let n = a.rows;
    for k in 0..n {
        if a[(k, k)] <= 0.0 {
            return Err(k);
        }
        let pivot = a[(k, k)].sqrt();
        a[(k, k)] = pivot;
        for i in k + 1..n {
            a[(i, k)] /= pivot;
        }
        for j in k + 1..n {
            for i in j..n {
                let update = a[(i, k)] * a[(j, k)];
                a[(i, j)] -= update;
            }
        }
    }
    Ok(())
}

pub fn gp_evidence_with_growing_jitter<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let length_scale = 0.8 + 0.2 * k as f64;
    let gram = Matrix::from_fn(n, n, |i, j| {
        let d = (xs[i] - xs[j]) / length_scale;
        (d * d * -0.5).exp() - if i == j { 0.4 } else { 0.0 }
    });
    let mut jitter = 1e-3;
    let factor = loop {
        let mut trial = gram.clone();
        for i in 0..n {
            trial[(i, i)] += T::from(jitter);
        }
        match cholesky_in_place(&mut trial) {
            Ok(()) => break trial,
            Err(_) => jitter *= 8.0,
        }
    };
    let mut z: Vec<T> = xs.iter().enumerate().map(|(i, &x)| (x * 1.5).sin() + 0.1 * i as f64).collect();
    let mut log_det = T::from(0.0);
    for i in 0..n {
        for j in 0..i {
            let known = factor[(i, j)] * z[j];
            z[i] -= known;
        }
        z[i] /= factor[(i, i)];
        log_det += factor[(i, i)].ln();
    }
    -dot(&z, &z) * 0.5 - log_det - 0.5 * n as f64 * (2.0 * std::f64::consts::PI).ln()
}

struct Ldlt<T> {
    l: Vec<Vec<T>>,
    d: Vec<T>,
}

impl<T: Number> Ldlt<T> {
    fn new(a: &[Vec<T>]) -> Option<Self> {
        let n = a.len();
        let mut l = vec![vec![T::default(); n]; n];
        let mut d = vec![T::default(); n];
        for j in 0..n {
            let mut sum = a[j][j];
            for p in 0..j {
                sum -= l[j][p] * l[j][p] * d[p];
            }
            if sum.abs() < 1e-10 {
                return None;
            }
            d[j] = sum;
            l[j][j] = T::from(1.0);
            for i in j + 1..n {
                let mut sum = a[i][j];
                for p in 0..j {
                    sum -= l[i][p] * l[j][p] * d[p];
                }
                l[i][j] = sum / d[j];
            }
        }
        Some(Ldlt { l, d })
    }

    fn solve(&self, b: &[T]) -> Vec<T> {
        let n = b.len();
        let mut x = b.to_vec();
        for i in 0..n {
            for j in 0..i {
                x[i] = x[i] - self.l[i][j] * x[j];
            }
        }
        for i in 0..n {
            x[i] /= self.d[i];
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] = x[i] - self.l[j][i] * x[j];
            }
        }
        x
    }

    fn inertia(&self) -> (usize, usize) {
        let positive = self.d.iter().filter(|&&d| d > 0.0).count();
        (positive, self.d.len() - positive)
    }
}

pub fn ldlt_of_an_indefinite_matrix<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut a = vec![vec![T::default(); n]; n];
    for i in 0..n {
        a[i][i] = xs[i] * 2.0 + if i % 2 == 0 { 3.0 } else { -3.0 };
        for j in 0..i {
            let v = (xs[i] - xs[j]) * (0.4 / (i - j) as f64);
            a[i][j] = v;
            a[j][i] = v;
        }
    }
    let Some(factor) = Ldlt::new(&a) else { return T::default() };
    let mut b = vec![T::from(1.0); n];
    for _ in 0..=k.min(2) {
        b = factor.solve(&b);
    }
    let (positive, negative) = factor.inertia();
    let sum: T = b.iter().sum();
    sum * (1 + positive) as f64 - b[n - 1] * negative as f64
}

#[derive(Debug)]
enum LinalgError {
    Singular { column: usize },
    NotSquare(usize, usize),
}

impl fmt::Display for LinalgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinalgError::Singular { column } => write!(f, "matrix is singular at column {column}"),
            LinalgError::NotSquare(rows, cols) => write!(f, "matrix is {rows}x{cols}"),
        }
    }
}

struct Lu<T> {
    lu: Matrix<T>,
    perm: Vec<usize>,
    sign: f64,
}

fn lu_decompose<T: Number>(mut lu: Matrix<T>) -> Result<Lu<T>, LinalgError> {
    if lu.rows != lu.cols {
        return Err(LinalgError::NotSquare(lu.rows, lu.cols));
    }
    let n = lu.rows;
    let mut perm: Vec<usize> = (0..n).collect();
    let mut sign = 1.0;
    for k in 0..n {
        let mut p = k;
        let mut max = lu[(k, k)].abs();
        for i in k + 1..n {
            if lu[(i, k)].abs() > max {
                max = lu[(i, k)].abs();
                p = i;
            }
        }
        if max < 1e-12 {
            return Err(LinalgError::Singular { column: k });
        }
        if p != k {
            lu.swap_rows(p, k);
            perm.swap(p, k);
            sign = -sign;
        }
        for i in k + 1..n {
            let m = lu[(i, k)] / lu[(k, k)];
            lu[(i, k)] = m;
            for j in k + 1..n {
                let u = lu[(k, j)];
                lu[(i, j)] -= m * u;
            }
        }
    }
    Ok(Lu { lu, perm, sign })
}

impl<T: Number> Lu<T> {
    fn solve(&self, b: &[T]) -> Vec<T> {
        let n = self.perm.len();
        let mut x: Vec<T> = self.perm.iter().map(|&p| b[p]).collect();
        for i in 1..n {
            let mut s = x[i];
            for j in 0..i {
                s -= self.lu[(i, j)] * x[j];
            }
            x[i] = s;
        }
        for i in (0..n).rev() {
            let mut s = x[i];
            for j in (i + 1)..n {
                s -= self.lu[(i, j)] * x[j];
            }
            x[i] = s / self.lu[(i, i)];
        }
        x
    }

    fn determinant(&self) -> T {
        let mut det = T::from(self.sign);
        for i in 0..self.lu.rows {
            det *= self.lu[(i, i)];
        }
        det
    }
}

pub fn lu_with_row_exchanges_and_refinement<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let a = Matrix::from_fn(n, n, |i, j| (xs[(i * 2 + j) % n] * (0.7 + j as f64) + i as f64).sin() + xs[j] * 0.2);
    let lu = match lu_decompose(a.clone()) {
        Ok(lu) => lu,
        Err(error) => return T::from(error.to_string().len() as f64),
    };
    let b: Vec<T> = (0..n).map(|i| T::from(1.0 + (i % (k + 2)) as f64)).collect();
    let mut x = lu.solve(&b);
    for _ in 0..k {
        let ax = a.mul_vec(&x);
        let r: Vec<T> = b.iter().zip(&ax).map(|(&b, &ax)| b - ax).collect();
        let dx = lu.solve(&r);
        axpy(T::from(1.0), &dx, &mut x);
    }
    let norm = x.iter().map(|&v| v * v).sum::<T>();
    (norm + 1.0).ln() + lu.determinant().atan()
}

pub fn householder_polynomial_least_squares<T: Number>(xs: &[T], k: usize) -> T {
    let m = xs.len();
    let n = (k + 1).min(m);
    let t: Vec<T> = (0..m).map(|i| xs[i].tanh() * 0.2 + i as f64 * 0.25).collect();
    let mut a = Matrix::zeros(m, n);
    for i in 0..m {
        let mut power = T::from(1.0);
        for j in 0..n {
            a[(i, j)] = power;
            power *= t[i];
        }
    }
    let mut b = xs.to_vec();
    for c in 0..n {
        let mut norm2 = T::default();
        for i in c..m {
            norm2 += a[(i, c)] * a[(i, c)];
        }
        let alpha = -norm2.sqrt().copysign(a[(c, c)]);
        let mut v: Vec<T> = (c..m).map(|i| a[(i, c)]).collect();
        v[0] -= alpha;
        let vtv = dot(&v, &v);
        for j in c..n {
            let mut s = T::default();
            for i in c..m {
                s += v[i - c] * a[(i, j)];
            }
            let tau = s * 2.0 / vtv;
            for i in c..m {
                a[(i, j)] -= tau * v[i - c];
            }
        }
        let tau = dot(&v, &b[c..]) * 2.0 / vtv;
        axpy(-tau, &v, &mut b[c..]);
    }
    let mut coef = vec![T::default(); n];
    for i in (0..n).rev() {
        let mut s = b[i];
        for j in i + 1..n {
            s -= a[(i, j)] * coef[j];
        }
        coef[i] = s / a[(i, i)];
    }
    let residual = b[n..].iter().map(|&r| r * r).sum::<T>();
    coef.iter().rev().fold(T::default(), |acc, &c| acc * 0.4 + c) + residual
}

/// Returns `(c, s, r)` with `c*a + s*b = r`.
fn givens<T: Number>(a: T, b: T) -> (T, T, T) {
    if b == 0.0 {
        (T::from(1.0), T::default(), a)
    } else if b.abs() > a.abs() {
        let t = a / b;
        let u = (t * t + 1.0).sqrt().copysign(b);
        let s = u.recip();
        (s * t, s, b * u)
    } else {
        let t = b / a;
        let u = (t * t + 1.0).sqrt().copysign(a);
        let c = u.recip();
        (c, c * t, a * u)
    }
}

pub fn givens_rotations_replayed<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut r = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => xs[i] + 2.0,
        d if d <= k + 1 => xs[(i + j) % n] * 0.5,
        _ => T::default(),
    });
    let mut rotations = Vec::new();
    for j in 0..n {
        for i in (j + 1..n).rev() {
            if r[(i, j)] == 0.0 {
                continue;
            }
            let (c, s, len) = givens(r[(i - 1, j)], r[(i, j)]);
            r[(i - 1, j)] = len;
            r[(i, j)] = T::default();
            for col in j + 1..n {
                let (top, bottom) = (r[(i - 1, col)], r[(i, col)]);
                r[(i - 1, col)] = c * top + s * bottom;
                r[(i, col)] = c * bottom - s * top;
            }
            rotations.push((i, c, s));
        }
    }
    let mut y: Vec<T> = (0..n).map(|i| T::from((i as f64 * 0.9).cos())).collect();
    for &(i, c, s) in &rotations {
        let (top, bottom) = (y[i - 1], y[i]);
        y[i - 1] = c * top + s * bottom;
        y[i] = c * bottom - s * top;
    }
    let mut log_abs_det = T::default();
    for i in (0..n).rev() {
        for j in i + 1..n {
            let used = r[(i, j)] * y[j];
            y[i] -= used;
        }
        y[i] /= r[(i, i)];
        log_abs_det += r[(i, i)].abs().ln();
    }
    y.iter().fold(log_abs_det, |acc, &v| acc + v * v * 0.1)
}

struct Eigen<T> {
    values: Vec<T>,
    vectors: Vec<Vec<T>>,
    sweeps: usize,
}

fn jacobi_eigen<T: Number>(mut a: Vec<Vec<T>>, max_sweeps: usize) -> Eigen<T> {
    let n = a.len();
    let mut v = vec![vec![T::default(); n]; n];
    for i in 0..n {
        v[i][i] = T::from(1.0);
    }
    let mut sweeps = 0;
    while sweeps < max_sweeps {
        let mut off = T::default();
        for p in 0..n {
            for q in p + 1..n {
                off += a[p][q] * a[p][q];
            }
        }
        if off < 1e-18 {
            break;
        }
        sweeps += 1;
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-13 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (a[p][q] * 2.0);
                let t = (theta.abs() + (theta * theta + 1.0).sqrt()).recip().copysign(theta);
                let c = (t * t + 1.0).sqrt().recip();
                let s = t * c;
                for i in 0..n {
                    let (aip, aiq) = (a[i][p], a[i][q]);
                    a[i][p] = c * aip - s * aiq;
                    a[i][q] = s * aip + c * aiq;
                }
                for i in 0..n {
                    let (api, aqi) = (a[p][i], a[q][i]);
                    a[p][i] = c * api - s * aqi;
                    a[q][i] = s * api + c * aqi;
                }
                for row in v.iter_mut() {
                    let (vp, vq) = (row[p], row[q]);
                    row[p] = c * vp - s * vq;
                    row[q] = s * vp + c * vq;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[j][j].partial_cmp(&a[i][i]).unwrap());
    Eigen {
        values: order.iter().map(|&i| a[i][i]).collect(),
        vectors: order.iter().map(|&i| v.iter().map(|row| row[i]).collect()).collect(),
        sweeps,
    }
}

pub fn jacobi_eigenpairs_explained_variance<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut a = vec![vec![T::default(); n]; n];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = xs[i] * xs[j] * (0.5 / (1.0 + i.abs_diff(j) as f64));
        }
        a[i][i] += T::from(i as f64 * 0.6);
    }
    let eigen = jacobi_eigen(a, 12);
    if eigen.sweeps == 12 {
        return T::from(0.0);
    }
    let kept = (k + 1).min(n);
    let total = eigen.values.iter().map(|&l| l.abs() + 0.1).sum::<T>();
    let mut explained = T::default();
    for (value, vector) in eigen.values.iter().zip(&eigen.vectors).take(kept) {
        let score = dot(vector, xs);
        explained += *value * score * score / total;
    }
    explained
}

/// QL with implicit shifts for a symmetric tridiagonal matrix; `e[i]` couples `i` and `i + 1`.
fn tqli<T: Number>(d: &mut [T], e: &mut [T]) -> Result<(), String> {
    let n = d.len();
    for l in 0..n {
        let mut iterations = 0;
        loop {
            let mut m = l;
            while m + 1 < n {
                let dd = d[m].abs() + d[m + 1].abs();
                if e[m].abs() <= dd * 1e-13 {
                    break;
                }
                m += 1;
            }
            if m == l {
                break;
            }
            iterations += 1;
            if iterations > 30 {
                return Err(format!("too many iterations for eigenvalue {l}"));
            }
            let mut g = (d[l + 1] - d[l]) / (e[l] * 2.0);
            let mut r = g.hypot(T::from(1.0));
            g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (T::from(1.0), T::from(1.0), T::from(0.0));
            for i in (l..m).rev() {
                let f = s * e[i];
                let b = c * e[i];
                r = f.hypot(g);
                e[i + 1] = r;
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + c * b * 2.0;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
            }
            d[l] -= p;
            e[l] = g;
            e[m] = T::from(0.0);
        }
    }
    Ok(())
}

pub fn tridiagonal_ql_spectral_gap<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut d: Vec<T> = (0..n).map(|i| xs[i] + (i * (k + 1)) as f64 * 0.3).collect();
    let mut e: Vec<T> = (0..n).map(|i| if i + 1 < n { xs[i] * xs[i + 1] * 0.4 + 0.3 } else { T::from(0.0) }).collect();
    if tqli(&mut d, &mut e).is_err() {
        return T::from(0.0);
    }
    d.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let gap = if n > 1 { d[1] - d[0] } else { d[0] };
    let beta = 0.5 + k as f64 * 0.25;
    let partition: T = d.iter().map(|&level| (-(level - d[0]) * beta).exp()).sum();
    gap - partition.ln() / beta + d[n - 1] * 0.1
}

/// Characteristic polynomial and its derivative at `x`, and how many eigenvalues lie below.
fn sturm_sequence<T: Number>(d: &[T], e2: &[T], x: T) -> (T, T, usize) {
    let (mut p0, mut dp0) = (T::from(1.0), T::from(0.0));
    let (mut p1, mut dp1) = (d[0] - x, T::from(-1.0));
    let mut changes = usize::from(p1 < 0.0);
    for i in 1..d.len() {
        let p2 = (d[i] - x) * p1 - e2[i - 1] * p0;
        let dp2 = (d[i] - x) * dp1 - p1 - e2[i - 1] * dp0;
        if (p2 < 0.0) != (p1 < 0.0) {
            changes += 1;
        }
        (p0, dp0, p1, dp1) = (p1, dp1, p2, dp2);
    }
    (p1, dp1, changes)
}

pub fn sturm_bisection_then_newton<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let d = xs.to_vec();
    let e: Vec<T> = (1..n).map(|i| (xs[i] - xs[i - 1]) * 0.3 + 0.5).collect();
    let e2: Vec<T> = e.iter().map(|&e| e * e).collect();
    // Gershgorin
    let (mut low, mut high) = (d[0], d[0]);
    for i in 0..n {
        let left = if i > 0 { e[i - 1].abs() } else { T::from(0.0) };
        let right = if i + 1 < n { e[i].abs() } else { T::from(0.0) };
        low = low.min(d[i] - left - right);
        high = high.max(d[i] + left + right);
    }
    let wanted = k.min(n - 1);
    for _ in 0..7 {
        let mid = (low + high) * 0.5;
        let (_, _, below) = sturm_sequence(&d, &e2, mid);
        if below > wanted { high = mid } else { low = mid }
    }
    let mut x = (low + high) * 0.5;
    let mut iterations = 0;
    while iterations < 12 {
        let (p, dp, _) = sturm_sequence(&d, &e2, x);
        if dp.abs() < 1e-14 {
            break;
        }
        let step = p / dp;
        x -= step;
        if step.abs() < 1e-12 {
            break;
        }
        iterations += 1;
    }
    x
}

pub fn singular_values_two_by_two<T: Number>(xs: &[T], k: usize) -> T {
    let (mut a, mut b, mut c, mut d) = (T::from(1.0), T::from(0.2), T::from(-0.1), T::from(0.9));
    for (i, &x) in xs.iter().enumerate() {
        let (sin, cos) = (x * (1.0 + 0.1 * (i + k) as f64)).sin_cos();
        let stretch = x * 0.2 + 1.1;
        let (p, q, r, s) = (cos * stretch, -sin * stretch, sin, cos);
        (a, b, c, d) = (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s);
    }
    let e = (a + d) * 0.5;
    let f = (a - d) * 0.5;
    let g = (c + b) * 0.5;
    let h = (c - b) * 0.5;
    let q = e.hypot(h);
    let r = f.hypot(g);
    let (s1, s2) = (q + r, (q - r).abs());
    let a1 = g.atan2(f);
    let a2 = h.atan2(e);
    let theta = (a2 - a1) * 0.5;
    let phi = (a2 + a1) * 0.5;
    let condition = if s2 > 1e-9 { (s1 / s2).ln() } else { T::from(0.0) };
    condition + (theta * 2.0).cos() * 0.3 + (phi * 2.0).sin() * s1
}

/// Padé (3,3) with scaling and squaring.
fn expm<T: Number>(a: &Matrix<T>) -> Result<Matrix<T>, LinalgError> {
    let n = a.rows;
    let mut squarings = 0;
    let mut norm = a.norm_one().value();
    while norm > 0.5 {
        norm /= 2.0;
        squarings += 1;
    }
    let a = a.scale(T::from(0.5f64.powi(squarings)));
    let a2 = &a * &a;
    let identity = Matrix::identity(n);
    let even = &identity.scale(T::from(120.0)) + &a2.scale(T::from(12.0));
    let odd = &a * &(&identity.scale(T::from(60.0)) + &a2);
    let lu = lu_decompose(&even - &odd)?;
    let numerator = &even + &odd;
    let mut result = Matrix::zeros(n, n);
    for j in 0..n {
        let column: Vec<T> = (0..n).map(|i| numerator[(i, j)]).collect();
        for (i, v) in lu.solve(&column).into_iter().enumerate() {
            result[(i, j)] = v;
        }
    }
    for _ in 0..squarings {
        result = &result * &result;
    }
    Ok(result)
}

pub fn matrix_exponential_pade_of_a_generator<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len().clamp(2, 4);
    let mut q = Matrix::zeros(n, n);
    for i in 0..n {
        let mut total = T::default();
        for j in 0..n {
            if i != j {
                let rate = (xs[(i * n + j) % xs.len()] * 0.5).exp() * 0.6;
                q[(i, j)] = rate;
                total += rate;
            }
        }
        q[(i, i)] = -total;
    }
    let Ok(p) = expm(&q.scale(T::from(0.3 * (k + 1) as f64))) else {
        return T::default();
    };
    let mut entropy = T::default();
    for j in 0..n {
        entropy -= p[(0, j)] * p[(0, j)].ln();
    }
    entropy + p.trace()
}

pub fn bicgstab_on_convection_diffusion<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let peclet = 0.2 + 0.1 * k as f64;
    let apply = |v: &[T]| -> Vec<T> {
        let mut out = vec![T::default(); n];
        for i in 0..n {
            let left = if i > 0 { v[i - 1] } else { T::default() };
            let right = if i + 1 < n { v[i + 1] } else { T::default() };
            let speed = xs[i] * peclet;
            out[i] = v[i] * 2.5 - left * (speed + 1.0) - right * (-speed + 1.0);
        }
        out
    };
    let b: Vec<T> = (0..n).map(|i| xs[i] * xs[i] + 0.2).collect();
    let mut x = vec![T::default(); n];
    let mut r = b.clone();
    let r_hat = r.clone();
    let (mut rho, mut alpha, mut omega) = (T::from(1.0), T::from(1.0), T::from(1.0));
    let mut v = vec![T::default(); n];
    let mut p = vec![T::default(); n];
    for _iter in 0..2 * n {
        let rho_new = dot(&r_hat, &r);
        if rho_new.abs() < 1e-12 {
            break;
        }
        let beta = (rho_new / rho) * (alpha / omega);
        rho = rho_new;
        for i in 0..n {
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        }
        v = apply(&p);
        alpha = rho / dot(&r_hat, &v);
        axpy(alpha, &p, &mut x);
        let mut s = r.clone();
        axpy(-alpha, &v, &mut s);
        if dot(&s, &s) < 1e-18 {
            break;
        }
        let t = apply(&s);
        omega = dot(&t, &s) / dot(&t, &t);
        axpy(omega, &s, &mut x);
        for i in 0..n {
            r[i] = s[i] - omega * t[i];
        }
        if dot(&r, &r) < 1e-18 {
            break;
        }
    }
    dot(&x, &b) / n as f64
}

pub fn gmres_with_givens_least_squares<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let m = n.min(k + 2);
    let a =
        Matrix::from_fn(n, n, |i, j| if i == j { xs[i] * 0.5 + 3.0 } else { (xs[j] * (i as f64 + 1.0)).sin() * 0.3 });
    let b: Vec<T> = xs.iter().map(|&x| x + 0.5).collect();
    let beta = dot(&b, &b).sqrt();
    let mut basis: Vec<Vec<T>> = vec![b.iter().map(|&v| v / beta).collect()];
    let mut h = vec![vec![T::default(); m]; m + 1];
    let mut rotations: Vec<(T, T)> = Vec::with_capacity(m);
    let mut g = vec![T::default(); m + 1];
    g[0] = beta;
    let mut used = 0;
    for j in 0..m {
        let mut w = a.mul_vec(&basis[j]);
        for i in 0..=j {
            h[i][j] = dot(&w, &basis[i]);
            axpy(-h[i][j], &basis[i], &mut w);
        }
        let norm2 = dot(&w, &w);
        let happy = norm2 < 1e-22;
        if !happy {
            h[j + 1][j] = norm2.sqrt();
            basis.push(w.iter().map(|&v| v / h[j + 1][j]).collect());
        }
        for (i, &(c, s)) in rotations.iter().enumerate() {
            let (top, bottom) = (h[i][j], h[i + 1][j]);
            h[i][j] = c * top + s * bottom;
            h[i + 1][j] = c * bottom - s * top;
        }
        let (c, s, r) = givens(h[j][j], h[j + 1][j]);
        rotations.push((c, s));
        h[j][j] = r;
        h[j + 1][j] = T::default();
        g[j + 1] = -s * g[j];
        g[j] = c * g[j];
        used = j + 1;
        if happy || g[j + 1].abs() < 1e-10 {
            break;
        }
    }
    let mut y = vec![T::default(); used];
    for i in (0..used).rev() {
        let mut s = g[i];
        for j in i + 1..used {
            s -= h[i][j] * y[j];
        }
        y[i] = s / h[i][i];
    }
    let mut x = vec![T::default(); n];
    for (c, v) in y.iter().zip(&basis) {
        axpy(*c, v, &mut x);
    }
    x.iter().enumerate().map(|(i, &v)| v * v * (1.0 + 0.2 * i as f64)).sum::<T>() + g[used].abs()
}

pub fn levinson_durbin_reflections<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let order = (k + 2).min(n);
    let mut r = vec![T::default(); order + 1];
    for lag in 0..=order {
        for i in lag..n {
            r[lag] += xs[i] * xs[i - lag];
        }
        r[lag] = r[lag] * 0.97f64.powi(lag as i32);
    }
    r[0] += T::from(1e-2);
    let mut a = vec![T::default(); order + 1];
    a[0] = T::from(1.0);
    let mut error = r[0];
    let mut gain = T::default();
    for m in 1..=order {
        let mut acc = r[m];
        for j in 1..m {
            acc += a[j] * r[m - j];
        }
        let reflection = -acc / error;
        let (mut i, mut j) = (1, m - 1);
        while i < j {
            let (ai, aj) = (a[i], a[j]);
            a[i] = ai + reflection * aj;
            a[j] = aj + reflection * ai;
            i += 1;
            j -= 1;
        }
        if i == j {
            a[i] = a[i] + reflection * a[i];
        }
        a[m] = reflection;
        error *= T::from(1.0) - reflection * reflection;
        gain += (T::from(1.0) - reflection * reflection).ln();
    }
    a[1..].iter().sum::<T>() + error.ln() - gain * 0.5
}

pub fn faddeev_leverrier_inverse<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len().min(4);
    let a = Matrix::from_fn(n, n, |i, j| xs[(i + j * 3 + k) % xs.len()] * 0.6 + if i == j { 1.5 } else { 0.0 });
    let mut coefficients = vec![T::from(1.0)];
    let mut m = Matrix::identity(n);
    let mut previous = m.clone();
    for step in 1..=n {
        let am = &a * &m;
        let c = -am.trace() / step as f64;
        coefficients.push(c);
        previous = m;
        m = &am + &Matrix::identity(n).scale(c);
    }
    let constant = coefficients[n];
    if constant.abs() < 1e-9 {
        return constant;
    }
    let inverse = previous.scale(-constant.recip());
    let at_half = coefficients.iter().fold(T::default(), |acc, &c| acc * 0.5 + c);
    inverse.data.iter().map(|&v| v * v).sum::<T>().sqrt() + at_half
}

pub fn sherman_morrison_streaming_regression<T: Number>(xs: &[T], k: usize) -> T {
    const P: usize = 3;
    let forget = 1.0 - 0.02 * k as f64;
    let mut inv = vec![vec![T::default(); P]; P];
    for i in 0..P {
        inv[i][i] = T::from(2.0);
    }
    let mut w = [T::default(); P];
    let mut loss = T::default();
    for t in 0..xs.len() {
        let previous = if t > 0 { xs[t - 1] } else { T::default() };
        let phi = [T::from(1.0), previous, T::from((t as f64 * 0.8).sin())];
        let mut gain = [T::default(); P];
        let mut denominator = T::from(forget);
        for i in 0..P {
            for j in 0..P {
                gain[i] += inv[i][j] * phi[j];
            }
            denominator += phi[i] * gain[i];
        }
        let mut error = xs[t];
        for i in 0..P {
            error -= w[i] * phi[i];
        }
        for i in 0..P {
            w[i] += gain[i] * error / denominator;
        }
        for i in 0..P {
            for j in 0..P {
                inv[i][j] = (inv[i][j] - gain[i] * gain[j] / denominator) / forget;
            }
        }
        loss += error * error / denominator;
    }
    loss + w.iter().map(|&w| w * w).sum::<T>()
}
