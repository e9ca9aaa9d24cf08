use crate::dual::Number;

/// A number that depends on every element, and on where it is.
fn weigh<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn sorted<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    weigh(&v)
}

pub fn bubble<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    for i in 0..v.len() {
        for j in 1..v.len() - i {
            if v[j - 1] > v[j] {
                v.swap(j - 1, j);
            }
        }
    }
    weigh(&v)
}

pub fn sort_unstable<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    v.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap());
    weigh(&v)
}

pub fn sort_pairs<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v: Vec<(T, usize)> = xs.iter().copied().enumerate().map(|(i, x)| (x, i)).collect();
    v.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
    v.iter().map(|&(x, i)| x * x * (i as f64)).sum()
}

pub fn argmax<T: Number>(xs: &[T], _k: usize) -> T {
    let mut b = 0;
    for i in 1..xs.len() {
        if xs[i] > xs[b] {
            b = i;
        }
    }
    if xs.is_empty() { T::from(0.0) } else { xs[b] * xs[b] }
}

pub fn max_by<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().max_by(|a, b| a.partial_cmp(b).unwrap()).map_or(T::from(0.0), |&x| x * x)
}
