use crate::dual::Number;
use std::cmp::Ordering;

/// A number that depends on every element, and on where it is.
fn weighed<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn merge_sort<T: Number>(xs: &[T], _k: usize) -> T {
    fn sorted<T: Number>(xs: &[T]) -> Vec<T> {
        if xs.len() < 2 {
            return xs.to_vec();
        }
        let (left, right) = xs.split_at(xs.len() / 2);
        let (left, right) = (sorted(left), sorted(right));
        let (mut i, mut j) = (0, 0);
        let mut merged = Vec::with_capacity(xs.len());
        while i < left.len() && j < right.len() {
            if left[i] <= right[j] {
                merged.push(left[i]);
                i += 1;
            } else {
                merged.push(right[j]);
                j += 1;
            }
        }
        merged.extend_from_slice(&left[i..]);
        merged.extend_from_slice(&right[j..]);
        merged
    }
    weighed(&sorted(xs))
}

pub fn quick_sort<T: Number>(xs: &[T], _k: usize) -> T {
    fn sort<T: Number>(xs: &mut [T]) {
        let Some(last) = xs.len().checked_sub(1) else { return };
        let mut store = 0;
        for i in 0..last {
            if xs[i] < xs[last] {
                xs.swap(i, store);
                store += 1;
            }
        }
        xs.swap(store, last);
        let (left, right) = xs.split_at_mut(store);
        sort(left);
        sort(&mut right[1..]);
    }
    let mut numbers = xs.to_vec();
    sort(&mut numbers);
    weighed(&numbers)
}

pub fn insertion_sort<T: Number>(xs: &[T], _k: usize) -> T {
    let mut numbers = xs.to_vec();
    for i in 1..numbers.len() {
        let mut j = i;
        while j > 0 && numbers[j - 1] > numbers[j] {
            numbers.swap(j - 1, j);
            j -= 1;
        }
    }
    weighed(&numbers)
}

pub fn order_of_indices<T: Number>(xs: &[T], _k: usize) -> T {
    let mut order: Vec<usize> = (0..xs.len()).collect();
    order.sort_by(|&i, &j| xs[j].partial_cmp(&xs[i]).unwrap_or(Ordering::Equal));
    order.iter().enumerate().map(|(rank, &i)| xs[i] * xs[i] * rank as f64).sum::<T>() + xs[order[0]]
}

pub fn records_sorted<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Debug)]
    struct Record<T> {
        group: u8,
        score: T,
    }
    let mut records: Vec<Record<T>> =
        xs.iter().enumerate().map(|(i, &score)| Record { group: (i % 3) as u8, score }).collect();
    records.sort_by(|a, b| a.group.cmp(&b.group).then_with(|| b.score.total_cmp(&a.score)));
    records.iter().enumerate().map(|(i, r)| r.score * r.score * (i + usize::from(r.group)) as f64).sum()
}

pub fn median_by_selection<T: Number>(xs: &[T], _k: usize) -> T {
    let mut numbers = xs.to_vec();
    let middle = numbers.len() / 2;
    let (low, &mut median, _) = numbers.select_nth_unstable_by(middle, |a, b| a.partial_cmp(b).unwrap());
    median * median + low.iter().map(|&x| x * median).sum::<T>()
}

pub fn inserted_in_order<T: Number>(xs: &[T], _k: usize) -> T {
    let mut sorted: Vec<T> = Vec::new();
    for &x in xs {
        let at = sorted.binary_search_by(|probe| probe.partial_cmp(&x).unwrap()).unwrap_or_else(|at| at);
        sorted.insert(at, x);
    }
    weighed(&sorted)
}

pub fn top_k<T: Number>(xs: &[T], k: usize) -> T {
    let mut numbers = xs.to_vec();
    numbers.sort_unstable_by(|a, b| b.total_cmp(a));
    numbers.truncate(k + 1);
    numbers.iter().product::<T>() + weighed(&numbers)
}

pub fn keys_sorted_by_integers<T: Number>(xs: &[T], _k: usize) -> T {
    let mut pairs: Vec<(usize, T)> = xs.iter().enumerate().map(|(i, &x)| (i * 7 % 5, x)).collect();
    pairs.sort_by_key(|pair| pair.0);
    pairs.iter().enumerate().map(|(i, &(key, x))| x * x * (i + key) as f64).sum()
}
