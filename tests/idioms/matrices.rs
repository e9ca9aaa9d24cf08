use crate::dual::Number;
use std::ops::{Add, Index, IndexMut, Mul};

/// A dense matrix, row by row.
#[derive(Clone)]
struct Matrix<T> {
    columns: usize,
    elements: Vec<T>,
}

impl<T: Number> Matrix<T> {
    fn from_fn(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Self {
        let elements = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| element(i, j)).collect();
        Matrix { columns, elements }
    }

    fn identity(n: usize) -> Self {
        Matrix::from_fn(n, n, |i, j| T::from(if i == j { 1.0 } else { 0.0 }))
    }

    fn rows(&self) -> usize {
        self.elements.len() / self.columns
    }

    fn row(&self, i: usize) -> &[T] {
        &self.elements[i * self.columns..(i + 1) * self.columns]
    }

    fn transposed(&self) -> Self {
        Matrix::from_fn(self.columns, self.rows(), |i, j| self[(j, i)])
    }

    fn trace(&self) -> T {
        (0..self.columns).map(|i| self[(i, i)]).sum()
    }

    fn apply(&self, v: &[T]) -> Vec<T> {
        (0..self.rows()).map(|i| dot(self.row(i), v)).collect()
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for j in 0..self.columns {
            self.elements.swap(a * self.columns + j, b * self.columns + j);
        }
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.elements[i * self.columns + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.elements[i * self.columns + j]
    }
}

impl<T: Number> Mul for &Matrix<T> {
    type Output = Matrix<T>;
    fn mul(self, other: Self) -> Matrix<T> {
        Matrix::from_fn(self.rows(), other.columns, |i, j| {
            (0..self.columns).map(|k| self[(i, k)] * other[(k, j)]).sum()
        })
    }
}

impl<T: Number> Add for Matrix<T> {
    type Output = Matrix<T>;
    fn add(mut self, other: Self) -> Matrix<T> {
        for (a, b) in self.elements.iter_mut().zip(other.elements) {
            *a += b;
        }
        self
    }
}

fn dot<T: Number>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// A matrix of these numbers whose diagonal outweighs the rest.
fn dominant<T: Number>(xs: &[T]) -> Matrix<T> {
    let n = xs.len();
    Matrix::from_fn(n, n, |i, j| if i == j { xs[i] * xs[i] + 3.0 + n as f64 } else { xs[(2 * i + j) % n] * 0.4 })
}

/// A symmetric positive definite one.
fn positive<T: Number>(xs: &[T]) -> Matrix<T> {
    let a = dominant(xs);
    &a * &a.transposed()
}

pub fn trace_of_a_product<T: Number>(xs: &[T], _k: usize) -> T {
    let a = dominant(xs);
    (&a * &a.transposed()).trace() * 0.1
}

pub fn sum_of_powers<T: Number>(xs: &[T], k: usize) -> T {
    let a = Matrix::from_fn(xs.len(), xs.len(), |i, j| xs[(i + j) % xs.len()] * 0.2);
    let mut power = Matrix::identity(xs.len());
    let mut sum = Matrix::identity(xs.len());
    for _ in 0..=k {
        power = &power * &a;
        sum = sum + power.clone();
    }
    sum.elements.iter().sum()
}

pub fn log_determinant_by_lu<T: Number>(xs: &[T], _k: usize) -> T {
    let mut a = dominant(xs);
    let n = a.columns;
    let mut log_determinant = T::from(0.0);
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[(i, c)].abs().partial_cmp(&a[(j, c)].abs()).unwrap()).unwrap();
        if pivot != c {
            a.swap_rows(pivot, c);
        }
        log_determinant += a[(c, c)].abs().ln();
        for i in c + 1..n {
            let factor = a[(i, c)] / a[(c, c)];
            for j in c..n {
                let above = a[(c, j)];
                a[(i, j)] -= factor * above;
            }
        }
    }
    log_determinant
}

pub fn solved_by_elimination<T: Number>(xs: &[T], _k: usize) -> T {
    let mut a = dominant(xs);
    let mut b = xs.to_vec();
    let n = b.len();
    for c in 0..n {
        for i in c + 1..n {
            let factor = a[(i, c)] / a[(c, c)];
            for j in c..n {
                a[(i, j)] = a[(i, j)] - factor * a[(c, j)];
            }
            b[i] = b[i] - factor * b[c];
        }
    }
    let mut solution = vec![T::from(0.0); n];
    for i in (0..n).rev() {
        let known: T = (i + 1..n).map(|j| a[(i, j)] * solution[j]).sum();
        solution[i] = (b[i] - known) / a[(i, i)];
    }
    dot(&solution, xs)
}

fn cholesky<T: Number>(a: &Matrix<T>) -> Option<Matrix<T>> {
    let n = a.columns;
    let mut l = Matrix::from_fn(n, n, |_, _| T::from(0.0));
    for i in 0..n {
        for j in 0..=i {
            let sum: T = (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum();
            let rest = a[(i, j)] - sum;
            l[(i, j)] = if i == j {
                if rest <= 0.0 {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / l[(j, j)]
            };
        }
    }
    Some(l)
}

pub fn log_determinant_by_cholesky<T: Number>(xs: &[T], _k: usize) -> T {
    match cholesky(&positive(xs)) {
        Some(l) => (0..l.columns).map(|i| l[(i, i)].ln() * 2.0).sum(),
        None => T::from(f64::NAN),
    }
}

pub fn gaussian_log_density<T: Number>(xs: &[T], _k: usize) -> T {
    let l = cholesky(&positive(xs)).expect("positive definite");
    let mut whitened: Vec<T> = Vec::with_capacity(xs.len());
    for (i, &x) in xs.iter().enumerate() {
        let known = dot(&l.row(i)[..i], &whitened);
        whitened.push((x - known) / l[(i, i)]);
    }
    let squares: T = whitened.iter().map(|&w| w * w).sum();
    let scale: T = (0..xs.len()).map(|i| l[(i, i)].ln()).sum();
    squares * -0.5 - scale
}

pub fn power_iteration<T: Number>(xs: &[T], k: usize) -> T {
    let a = positive(xs);
    let mut v = vec![T::from(1.0); xs.len()];
    for _ in 0..k + 3 {
        let w = a.apply(&v);
        let length = dot(&w, &w).sqrt();
        v = w.into_iter().map(|w| w / length).collect();
    }
    dot(&a.apply(&v), &v)
}

pub fn gram_schmidt<T: Number>(xs: &[T], _k: usize) -> T {
    let a = dominant(xs);
    let mut basis: Vec<Vec<T>> = Vec::new();
    let mut product = T::from(1.0);
    for i in 0..a.rows() {
        let mut v = a.row(i).to_vec();
        for b in &basis {
            let along = dot(&v, b);
            v.iter_mut().zip(b).for_each(|(v, &b)| *v -= along * b);
        }
        let length = dot(&v, &v).sqrt();
        product *= length * 0.2;
        basis.push(v.iter().map(|&v| v / length).collect());
    }
    product + basis[0][0]
}

pub fn thomas_algorithm<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let (lower, upper) = (T::from(-1.0), T::from(-0.5));
    let mut c = vec![T::from(0.0); n];
    let mut d = vec![T::from(0.0); n];
    for i in 0..n {
        let (before, known) = if i > 0 { (c[i - 1], d[i - 1]) } else { Default::default() };
        let pivot = xs[i] * xs[i] + 2.0 - lower * before;
        c[i] = upper / pivot;
        d[i] = (xs[i] - lower * known) / pivot;
    }
    for i in (0..n - 1).rev() {
        d[i] = d[i] - c[i] * d[i + 1];
    }
    d.iter().map(|&d| d * d).sum()
}

pub fn jacobi_sweeps<T: Number>(xs: &[T], k: usize) -> T {
    let a = dominant(xs);
    let n = xs.len();
    let mut x = vec![T::from(0.0); n];
    for _ in 0..k + 2 {
        x = (0..n)
            .map(|i| {
                let others: T = (0..n).filter(|&j| j != i).map(|j| a[(i, j)] * x[j]).sum();
                (xs[i] - others) / a[(i, i)]
            })
            .collect();
    }
    x.iter().sum()
}

pub fn gauss_seidel_in_place<T: Number>(xs: &[T], k: usize) -> T {
    let a = dominant(xs);
    let mut x = vec![T::from(0.5); xs.len()];
    for _ in 0..k + 2 {
        for i in 0..x.len() {
            let mut rest = xs[i];
            for j in 0..x.len() {
                if i != j {
                    rest -= a[(i, j)] * x[j];
                }
            }
            x[i] = rest / a[(i, i)];
        }
    }
    dot(&x, xs)
}

pub fn conjugate_gradient<T: Number>(xs: &[T], k: usize) -> T {
    let a = positive(xs);
    let mut x = vec![T::from(0.0); xs.len()];
    let mut residual: Vec<T> = xs.iter().map(|&x| x + 2.0).collect();
    let mut direction = residual.clone();
    let mut norm = dot(&residual, &residual);
    for _ in 0..k.min(xs.len()) {
        let image = a.apply(&direction);
        let alpha = norm / dot(&direction, &image);
        for i in 0..x.len() {
            x[i] += alpha * direction[i];
            residual[i] -= alpha * image[i];
        }
        let next = dot(&residual, &residual);
        let beta = next / norm;
        norm = next;
        for (d, &r) in direction.iter_mut().zip(&residual) {
            *d = r + beta * *d;
        }
    }
    x.iter().map(|&x| x * x).sum::<T>() + norm * 0.01
}

pub fn gauss_jordan_inverse<T: Number>(xs: &[T], _k: usize) -> T {
    let mut a = dominant(xs);
    let n = a.columns;
    let mut inverse = Matrix::<T>::identity(n);
    for c in 0..n {
        let pivot = a[(c, c)];
        for j in 0..n {
            a[(c, j)] /= pivot;
            inverse[(c, j)] /= pivot;
        }
        for i in (0..n).filter(|&i| i != c) {
            let factor = a[(i, c)];
            for j in 0..n {
                let (above, beside) = (a[(c, j)], inverse[(c, j)]);
                a[(i, j)] -= factor * above;
                inverse[(i, j)] -= factor * beside;
            }
        }
    }
    inverse.elements.iter().map(|&e| e * e).sum::<T>() * 10.0
}

pub fn least_squares_line<T: Number>(xs: &[T], _k: usize) -> T {
    let design = Matrix::from_fn(xs.len() + 1, 2, |i, j| if j == 0 { T::from(1.0) } else { T::from(i as f64 * 0.5) });
    let target: Vec<T> = xs.iter().copied().chain([T::from(0.3)]).collect();
    let (normal, right) = (&design.transposed() * &design, design.transposed().apply(&target));
    let determinant = normal[(0, 0)] * normal[(1, 1)] - normal[(0, 1)] * normal[(1, 0)];
    let slope = (normal[(0, 0)] * right[1] - normal[(1, 0)] * right[0]) / determinant;
    let offset = (normal[(1, 1)] * right[0] - normal[(0, 1)] * right[1]) / determinant;
    slope * slope + offset * 0.5
}

pub fn exponential_of_a_matrix<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len().min(4);
    let a = Matrix::from_fn(n, n, |i, j| xs[(i * 2 + j) % xs.len()] * 0.3);
    let (sum, _) = (1..8).fold((Matrix::identity(n), Matrix::identity(n)), |(sum, term), order| {
        let mut next = &term * &a;
        next.elements.iter_mut().for_each(|e| *e = *e / f64::from(order));
        (sum + next.clone(), next)
    });
    sum.trace()
}
