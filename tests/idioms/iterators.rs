use crate::dual::Number;

pub fn best_of_iter<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().map(|&x| x * x - x * 2.0).fold(T::from(f64::NEG_INFINITY), |a, b| if a > b { a } else { b })
}

pub fn successors<T: Number>(xs: &[T], _k: usize) -> T {
    let k = xs.first().copied().unwrap_or(T::from(0.3));
    std::iter::successors(Some(k * 0.1), |&y| if y > 5.0 { None } else { Some(y * 1.5 + 0.2) })
        .take(20)
        .map(|y| y * y)
        .sum()
}

pub fn peekable<T: Number>(xs: &[T], _k: usize) -> T {
    let mut it = xs.iter().peekable();
    let mut s = T::from(0.0);
    while let Some(&x) = it.next() {
        if let Some(&&y) = it.peek() {
            s += x * y;
        } else {
            s += x;
        }
    }
    s
}

pub fn take_skip<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().skip(2).take(5).map(|&x| x * x).sum::<T>() + xs.iter().last().map_or(T::from(0.0), |&x| x * x)
}

pub fn chain_rev<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().chain(xs.iter().rev()).enumerate().map(|(i, &x)| x * x * (i as f64)).sum()
}

pub fn flat_map<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().flat_map(|&x| [x, x * x, x * 2.0]).enumerate().map(|(i, x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn try_fold<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .try_fold(T::from(1.0), |s, &x| if x > 4.0 { None } else { Some(s * 0.5 + x * x) })
        .unwrap_or(T::from(-1.0))
}

pub fn scan_state<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .scan(T::from(1.0), |s, &x| {
            *s = *s * 0.5 + x;
            Some(*s * *s)
        })
        .sum()
}

pub fn filter_map_fold<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().filter_map(|&x| if x > 0.0 { Some(x * x) } else { None }).fold(T::from(1.0), |a, b| a * b + b * 0.3)
}

pub fn find_first<T: Number>(xs: &[T], _k: usize) -> T {
    let i = xs.iter().position(|x| *x > 2.0);
    match i {
        Some(i) => xs[i] * xs[i] * (i as f64),
        None => xs.iter().copied().sum(),
    }
}

pub fn horner<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().rev().fold(T::from(0.0), |s, &c| s * 0.7 + c * c)
}
