use crate::dual::Number;
use std::iter;

/// Pairs of neighbours, the last one with the first.
struct Ring<'a, T> {
    numbers: &'a [T],
    at: usize,
}

impl<T: Copy> Iterator for Ring<'_, T> {
    type Item = (T, T);
    fn next(&mut self) -> Option<(T, T)> {
        let first = *self.numbers.get(self.at)?;
        self.at += 1;
        Some((first, self.numbers[self.at % self.numbers.len()]))
    }
}

pub fn iterator_of_our_own<T: Number>(xs: &[T], _k: usize) -> T {
    Ring { numbers: xs, at: 0 }.map(|(a, b)| a * b + a).sum()
}

pub fn zipped_three_ways<T: Number>(xs: &[T], _k: usize) -> T {
    let weights = (1..).map(f64::from);
    xs.iter().zip(xs.iter().rev()).zip(weights).map(|((&a, &b), w)| a * b * b * w).sum()
}

pub fn chunks_and_remainders<T: Number>(xs: &[T], _k: usize) -> T {
    let chunks = xs.chunks_exact(4);
    let rest: T = chunks.remainder().iter().product();
    chunks.map(|c| c[0] * c[1] - c[2] * c[3]).sum::<T>() + rest
}

pub fn every_k_th<T: Number>(xs: &[T], k: usize) -> T {
    let forwards: T = xs.iter().step_by(k + 1).map(|&x| x * x).sum();
    let backwards: T = xs.iter().rev().step_by(k + 1).copied().sum();
    forwards * backwards
}

pub fn taken_while_and_skipped_while<T: Number>(xs: &[T], _k: usize) -> T {
    let head: T = xs.iter().take_while(|&&x| x < 1.5).map(|&x| x * x).sum();
    let tail: T = xs.iter().skip_while(|&&x| x < 1.5).copied().sum();
    let mapped: T = xs.iter().map_while(|&x| (x > -1.0).then(|| x.exp())).sum();
    head * tail + mapped
}

pub fn from_fn_with_state<T: Number>(xs: &[T], k: usize) -> T {
    let (mut a, mut b) = (xs[0], xs[xs.len() - 1]);
    let fibonacci = iter::from_fn(|| {
        (a, b) = (b, a * 0.5 + b);
        Some(a)
    });
    fibonacci.take(k + 4).map(|x| x * x).sum()
}

pub fn running_products<T: Number>(xs: &[T], _k: usize) -> T {
    let products: Vec<T> = xs
        .iter()
        .scan(T::from(1.0), |product, &x| {
            *product *= x + 0.5;
            Some(*product)
        })
        .collect();
    products.iter().zip(products.iter().skip(1)).map(|(&a, &b)| b - a).sum::<T>() + products[0]
}

pub fn minimum_and_maximum_by_key<T: Number>(xs: &[T], _k: usize) -> T {
    let by_square = |a: &&T, b: &&T| (**a * **a).partial_cmp(&(**b * **b)).unwrap();
    let nearest = xs.iter().min_by(by_square).unwrap();
    let (at, farthest) = xs.iter().enumerate().max_by(|a, b| by_square(&a.1, &b.1)).unwrap();
    *nearest * *farthest + *farthest * at as f64
}

pub fn nested_pairs<T: Number>(xs: &[T], _k: usize) -> T {
    let pairs = xs.iter().enumerate().flat_map(|(i, &a)| xs[i + 1..].iter().map(move |&b| (a, b)));
    pairs.filter(|(a, b)| a < b).map(|(a, b)| (b - a) * a).sum::<T>() + xs[0]
}

pub fn dynamic_iterators<T: Number>(xs: &[T], k: usize) -> T {
    fn chosen<'a, T: Number>(xs: &'a [T], k: usize) -> Box<dyn Iterator<Item = T> + 'a> {
        if k % 2 == 0 { Box::new(xs.iter().copied()) } else { Box::new(xs.iter().rev().map(|&x| x * 2.0)) }
    }
    chosen(xs, k).chain(chosen(xs, k + 1)).enumerate().map(|(i, x)| x * x * i as f64).sum()
}

pub fn grouped_runs<T: Number>(xs: &[T], _k: usize) -> T {
    xs.chunk_by(|a, b| a < b).map(|run| run.iter().sum::<T>() * run[0]).sum()
}

pub fn split_by_a_predicate<T: Number>(xs: &[T], _k: usize) -> T {
    xs.split(|x| *x < 0.0).filter(|part| !part.is_empty()).map(|part| part.iter().product::<T>()).sum()
}

pub fn arrays_from_functions<T: Number>(xs: &[T], k: usize) -> T {
    let powers: [T; 4] = std::array::from_fn(|i| xs[k % xs.len()].powi(i as i32));
    let [a, b, c, d] = powers.map(|p| p * 0.5 + 1.0);
    a * b + c * d
}

pub fn double_ended<T: Number>(xs: &[T], _k: usize) -> T {
    let mut rest = xs.iter();
    let mut total = T::from(0.0);
    while let Some(&first) = rest.next() {
        match rest.next_back() {
            Some(&last) => total += first * last,
            None => total += first * first,
        }
    }
    total
}
