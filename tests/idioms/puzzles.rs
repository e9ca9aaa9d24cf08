use crate::dual::Number;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Number> std::ops::Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}
impl<T: Number> std::ops::Sub for Complex<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex { re: self.re - o.re, im: self.im - o.im }
    }
}
impl<T: Number> std::ops::Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}
impl<T: Number> std::ops::Div for Complex<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let norm = o.re * o.re + o.im * o.im;
        Complex { re: (self.re * o.re + self.im * o.im) / norm, im: (self.im * o.re - self.re * o.im) / norm }
    }
}

pub fn roots_all_at_once<T: Number>(xs: &[T], k: usize) -> T {
    let degree = xs.len().min(4);
    let polynomial = |z: Complex<T>| {
        xs[..degree].iter().fold(Complex { re: T::from(1.0), im: T::from(0.0) }, |sum, &c| {
            sum * z + Complex { re: c, im: T::from(0.0) }
        })
    };
    let seed = Complex { re: T::from(0.4), im: T::from(0.9) };
    let mut roots: Vec<Complex<T>> = std::iter::successors(Some(seed), |&z| Some(z * seed)).take(degree).collect();
    for _ in 0..=k {
        for i in 0..roots.len() {
            let others = roots.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &r)| roots[i] - r);
            let spread = others.reduce(|a, b| a * b).unwrap_or(Complex { re: T::from(1.0), im: T::from(0.0) });
            roots[i] = roots[i] - polynomial(roots[i]) / spread;
        }
    }
    roots.iter().map(|z| z.re * z.re + z.im * 0.5).sum()
}

pub fn escape_times<T: Number>(xs: &[T], k: usize) -> T {
    xs.iter()
        .map(|&x| {
            let c = Complex { re: x * 0.4, im: T::from(0.5) };
            let mut z = c;
            for step in 0..k + 5 {
                let squared = z.re * z.re + z.im * z.im;
                if squared > 4.0 {
                    return squared.ln().ln() * -1.0 + step as f64;
                }
                z = z * z + c;
            }
            z.re
        })
        .sum()
}

fn minor<T: Number>(rows: &[Vec<T>], without: usize) -> Vec<Vec<T>> {
    rows[1..]
        .iter()
        .map(|row| row.iter().enumerate().filter(|&(j, _)| j != without).map(|(_, &x)| x).collect())
        .collect()
}

fn determinant<T: Number>(rows: &[Vec<T>]) -> T {
    match rows {
        [] => T::from(1.0),
        [row] => row[0],
        _ => rows[0]
            .iter()
            .enumerate()
            .map(|(j, &x)| x * determinant(&minor(rows, j)) * if j % 2 == 0 { 1.0 } else { -1.0 })
            .sum(),
    }
}

pub fn determinant_by_minors<T: Number>(xs: &[T], k: usize) -> T {
    let n = (k + 1).min(3);
    let rows: Vec<Vec<T>> =
        (0..n).map(|i| (0..n).map(|j| xs[(i * n + j) % xs.len()] + 0.3 * (i * j) as f64).collect()).collect();
    determinant(&rows)
}

pub fn tour_by_masks<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len().min(5);
    let way = |a: usize, b: usize| (xs[a] - xs[b]) * (xs[a] - xs[b]) + 0.1 * (a + b) as f64;
    let mut best: HashMap<(u32, usize), T> = HashMap::new();
    best.insert((1, 0), T::from(0.0));
    for mask in 1u32..1 << n {
        for last in (0..n).filter(|&i| mask >> i & 1 == 1) {
            let Some(&so_far) = best.get(&(mask, last)) else { continue };
            for next in (0..n).filter(|&i| mask >> i & 1 == 0) {
                let total = so_far + way(last, next);
                best.entry((mask | 1 << next, next)).and_modify(|b| *b = b.min(total)).or_insert(total);
            }
        }
    }
    let full = (1 << n) - 1;
    (0..n).filter_map(|last| best.get(&(full, last)).map(|&b| b + way(last, 0))).reduce(T::min).unwrap()
}

pub fn permanent_by_permutations<T: Number>(xs: &[T], k: usize) -> T {
    fn swap_all<T: Number>(order: &mut Vec<usize>, from: usize, visit: &mut dyn FnMut(&[usize])) {
        if from == order.len() {
            return visit(order);
        }
        for i in from..order.len() {
            order.swap(from, i);
            swap_all::<T>(order, from + 1, visit);
            order.swap(from, i);
        }
    }
    let n = (k + 1).min(3);
    let mut sum = T::from(0.0);
    swap_all::<T>(&mut (0..n).collect(), 0, &mut |order| {
        sum += order.iter().enumerate().map(|(i, &j)| xs[(i + 2 * j) % xs.len()] * (1.0 + i as f64)).product::<T>();
    });
    sum
}

struct Parser<'a, T> {
    rest: Peekable<Chars<'a>>,
    variables: &'a BTreeMap<char, T>,
}

impl<T: Number> Parser<'_, T> {
    fn sum(&mut self) -> Option<T> {
        let mut value = self.product()?;
        while let Some(sign) = self.rest.next_if(|c| matches!(c, '+' | '-')) {
            let next = self.product()?;
            if sign == '+' { value += next } else { value -= next }
        }
        Some(value)
    }
    fn product(&mut self) -> Option<T> {
        let mut value = self.atom()?;
        while self.rest.next_if_eq(&'*').is_some() {
            value *= self.atom()?;
        }
        Some(value)
    }
    fn atom(&mut self) -> Option<T> {
        match self.rest.next()? {
            '(' => {
                let inner = self.sum()?;
                self.rest.next_if_eq(&')').map(|_| inner)
            }
            digit @ '0'..='9' => Some(T::from(f64::from(digit.to_digit(10)?))),
            name => self.variables.get(&name).copied(),
        }
    }
}

pub fn formulas_read_by_characters<T: Number>(xs: &[T], k: usize) -> T {
    let variables: BTreeMap<char, T> = ('a'..).zip(xs.iter().copied()).collect();
    let formulas = ["a*a+3*(a-2)", "b*(a+b)", "a*z", "(c+1)*(c-a", "f*f-e"];
    formulas
        .iter()
        .take(k + 3)
        .filter_map(|text| Parser { rest: text.chars().peekable(), variables: &variables }.sum())
        .sum()
}

pub fn sandpile_topples<T: Number>(xs: &[T], k: usize) -> T {
    let mut heights: Vec<T> = xs.iter().map(|&x| x.abs() * 2.0).collect();
    for _ in 0..k + 2 {
        let steep: BTreeSet<usize> = (0..heights.len()).filter(|&i| heights[i] > 1.5).collect();
        if steep.is_empty() {
            break;
        }
        for &i in &steep {
            let moved = heights[i] * 0.4;
            heights[i] -= moved;
            for j in [i.wrapping_sub(1), i + 1] {
                if let Some(height) = heights.get_mut(j) {
                    *height += moved * 0.5;
                }
            }
        }
    }
    heights.iter().map(|&h| h * h).sum()
}

pub fn votes_resampled<T: Number>(xs: &[T], k: usize) -> T {
    let weights: Vec<T> = xs.iter().map(|&x| (x * 0.5).exp()).collect();
    let total: T = weights.iter().sum();
    let bounds: Vec<f64> = weights
        .iter()
        .scan(0.0, |sum, &w| {
            *sum += (w / total).value();
            Some(*sum)
        })
        .collect();
    let chosen =
        (0..k + 4).map(|i| bounds.partition_point(|&b| b < (i as f64 + 0.5) / (k as f64 + 4.0)).min(xs.len() - 1));
    let mut counts = vec![0u32; xs.len()];
    chosen.for_each(|i| counts[i] += 1);
    counts
        .iter()
        .zip(&weights)
        .zip(xs)
        .filter(|((count, _), _)| **count > 0)
        .map(|((&count, &w), &x)| w / total * x * f64::from(count))
        .sum()
}
