use crate::dual::Number;
use std::collections::BTreeMap;

struct Model<T> {
    parameters: Vec<T>,
    forms: Vec<Box<dyn Fn(&[T], f64) -> T>>,
}

impl<T: Number> Model<T> {
    fn new(parameters: Vec<T>) -> Self {
        Model { parameters, forms: Vec::new() }
    }
    fn with(mut self, form: impl Fn(&[T], f64) -> T + 'static) -> Self {
        self.forms.push(Box::new(form));
        self
    }
    fn at(&self, time: f64) -> T {
        self.forms.iter().map(|form| form(&self.parameters, time)).sum()
    }
    fn residuals<'a>(&'a self, data: &'a [(f64, f64)]) -> impl Iterator<Item = T> + 'a {
        data.iter().map(move |&(time, value)| self.at(time) - value)
    }
}

const DATA: [(f64, f64); 5] = [(0.0, 1.0), (0.5, 0.7), (1.0, 0.2), (1.5, -0.3), (2.0, -0.4)];

pub fn sum_of_squared_residuals<T: Number>(xs: &[T], k: usize) -> T {
    let slope = k as f64 * 0.1;
    let model = Model::new(xs.to_vec())
        .with(|p, t| p[0] * (-p[p.len() - 1] * p[p.len() - 1] * t).exp())
        .with(move |p, t| p[p.len() / 2] * (slope * t))
        .with(|p, t| p.iter().map(|&p| (p * t).sin()).sum::<T>() * 0.1);
    model.residuals(&DATA).map(|r| r * r).sum()
}

pub fn gauss_newton_steps<T: Number>(xs: &[T], k: usize) -> T {
    let (mut a, mut b) = (xs[0] * 0.1 + 1.0, T::from(0.5));
    for _ in 0..=k {
        let [mut aa, mut ab, mut bb, mut ga, mut gb] = [T::default(); 5];
        for (i, &(t, y)) in DATA.iter().enumerate() {
            let weight = xs[i % xs.len()].abs() + 0.5;
            let e = (b * -t).exp();
            let (r, da, db) = (a * e - y, e, a * e * -t);
            aa += da * da * weight;
            ab += da * db * weight;
            bb += db * db * weight;
            ga += da * r * weight;
            gb += db * r * weight;
        }
        let (aa, bb) = (aa + 0.1, bb + 0.1);
        let determinant = aa * bb - ab * ab;
        (a, b) = (a - (bb * ga - ab * gb) / determinant, b - (aa * gb - ab * ga) / determinant);
    }
    a * a + b
}

pub fn gaussian_process_mean<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let kernel = |a: T, b: T| (-(a - b) * (a - b) * 0.5).exp();
    let mut lower: Vec<Vec<T>> = Vec::with_capacity(n);
    for i in 0..n {
        let mut row = Vec::with_capacity(i + 1);
        for j in 0..=i {
            let noise = if i == j { 0.3 } else { 0.0 };
            let done: T = (0..j).map(|m| row[m] * if i == j { row[m] } else { lower[j][m] }).sum();
            let rest: T = kernel(xs[i], xs[j]) + noise - done;
            row.push(if i == j { rest.sqrt() } else { rest / lower[j][j] });
        }
        lower.push(row);
    }
    let mut alpha: Vec<T> = (0..n).map(|i| (xs[i] * 1.3).sin()).collect();
    for i in 0..n {
        let (before, rest) = alpha.split_at_mut(i);
        rest[0] = (rest[0] - before.iter().zip(&lower[i]).map(|(&a, &l)| a * l).sum::<T>()) / lower[i][i];
    }
    for i in (0..n).rev() {
        let after: T = (i + 1..n).map(|j| lower[j][i] * alpha[j]).sum();
        alpha[i] = (alpha[i] - after) / lower[i][i];
    }
    let at = T::from(0.2 * k as f64);
    alpha.iter().zip(xs).map(|(&a, &x)| a * kernel(x, at)).sum()
}

pub fn lasso_by_shrinking<T: Number>(xs: &[T], k: usize) -> T {
    let shrunk = |z: T, by: f64| match z {
        z if z > by => z - by,
        z if z < -by => z + by,
        _ => T::from(0.0),
    };
    let mut weights = vec![T::from(0.1); 3];
    for sweep in 0..k + 2 {
        let which = sweep % weights.len();
        let old = std::mem::take(&mut weights[which]);
        let column = |row: usize, j: usize| ((row * 3 + j * 7) as f64).cos();
        let gradient: T = xs
            .iter()
            .enumerate()
            .map(|(row, &y)| {
                let made: T = weights.iter().enumerate().map(|(j, &w)| w * column(row, j)).sum();
                (y - made) * column(row, which)
            })
            .sum();
        weights[which] = shrunk(gradient * 0.2 + old * 0.3, 0.05);
    }
    weights.iter().enumerate().map(|(i, &w)| w * w * (i as f64 + 1.0)).sum()
}

pub fn groups_with_their_own_means<T: Number>(xs: &[T], k: usize) -> T {
    let mut groups: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    for (i, &x) in xs.iter().enumerate() {
        groups.entry((i * 5 + k) % 3).or_default().push(x);
    }
    let overall: T = xs.iter().sum::<T>() / xs.len() as f64;
    groups
        .values()
        .map(|members| {
            let mean = members.iter().sum::<T>() / members.len() as f64;
            let within: T = members.iter().map(|&x| (x - mean) * (x - mean)).sum();
            (mean - overall) * (mean - overall) * members.len() as f64 + within * 0.5
        })
        .sum()
}
