use crate::dual::Number;
use std::borrow::Cow;
use std::iter;

struct Fibonacci<T> {
    now: T,
    next: T,
}

impl<T: Number> Iterator for Fibonacci<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let new = self.now + self.next * 0.5;
        Some(std::mem::replace(&mut self.now, std::mem::replace(&mut self.next, new)))
    }
}

pub fn own_iterator_with_limits<T: Number>(xs: &[T], k: usize) -> T {
    let series = Fibonacci { now: xs[0], next: xs[xs.len() - 1] };
    series.step_by(2).take(k + 4).zip(xs.iter().cycle()).map(|(a, &b)| a * b).sum()
}

struct Windowed<'a, T> {
    of: &'a [T],
    size: usize,
}

impl<'a, T: Number> Iterator for Windowed<'a, T> {
    type Item = (T, &'a [T]);
    fn next(&mut self) -> Option<Self::Item> {
        let (window, _) = self.of.split_at_checked(self.size)?;
        self.of = &self.of[1..];
        Some((window.iter().sum::<T>() / self.size as f64, window))
    }
}

pub fn deviations_in_windows<T: Number>(xs: &[T], k: usize) -> T {
    let size = (k + 1).min(xs.len());
    Windowed { of: xs, size }
        .map(|(mean, window)| (window.iter().map(|&x| (x - mean) * (x - mean)).sum::<T>() + 0.01).sqrt() + mean)
        .fold(T::from(0.0), |worst, deviation| worst.max(deviation) + deviation * 0.1)
}

pub fn unfolded_logistic_map<T: Number>(xs: &[T], k: usize) -> T {
    let rate = xs[0] * 0.3 + 3.0;
    let orbit = iter::successors(Some(T::from(0.4)), |&x| (x > 0.05).then(|| rate * x * (-x + 1.0)));
    orbit.skip(k).take(6).enumerate().map(|(i, x)| x * xs[i % xs.len()]).sum()
}

pub fn sums_of_chunks_by_a_closure<T: Number>(xs: &[T], k: usize) -> T {
    let mut rest = xs;
    let mut carried = T::from(1.0);
    let chunks = iter::from_fn(move || {
        let take = (k + 1).min(rest.len());
        if take == 0 {
            return None;
        }
        let (head, tail) = rest.split_at(take);
        rest = tail;
        carried = carried * 0.5 + head.iter().sum::<T>();
        Some(carried)
    });
    chunks.map(|c| c * c).sum()
}

pub fn merged_streams<T: Number>(xs: &[T], _k: usize) -> T {
    let mut up: Vec<T> = xs.iter().map(|&x| x * x).collect();
    let mut down: Vec<T> = xs.iter().map(|&x| x.exp() * 0.5).collect();
    up.sort_by(|a, b| a.total_cmp(b));
    down.sort_by(|a, b| a.total_cmp(b));
    let (mut up, mut down) = (up.into_iter().peekable(), down.into_iter().peekable());
    let merged = iter::from_fn(|| match (up.peek(), down.peek()) {
        (Some(a), Some(b)) if a <= b => up.next(),
        (_, Some(_)) => down.next(),
        _ => up.next(),
    });
    merged.enumerate().map(|(i, x)| x / (i as f64 + 1.0)).sum()
}

pub fn runs_of_one_sign<T: Number>(xs: &[T], _k: usize) -> T {
    xs.chunk_by(|a, b| (*a > 0.0) == (*b > 0.0)).map(|run| run.iter().sum::<T>()).map(|sum| sum * sum * sum).sum()
}

fn padded<T: Number>(xs: &[T], to: usize) -> Cow<'_, [T]> {
    if xs.len() >= to {
        Cow::Borrowed(xs)
    } else {
        let mut longer = xs.to_vec();
        longer.resize(to, xs[xs.len() - 1] * 0.5);
        Cow::Owned(longer)
    }
}

pub fn padded_where_short<T: Number>(xs: &[T], k: usize) -> T {
    let padded = padded(xs, k + 4);
    let (pairs, rest) = padded.as_chunks::<2>();
    pairs.iter().map(|[a, b]| *a * *b).chain(rest.iter().copied()).map(|x| x.sin()).sum()
}

pub fn differences_of_differences<T: Number>(xs: &[T], k: usize) -> T {
    let mut levels = vec![xs.to_vec()];
    while let Some(last) = levels.last()
        && last.len() > 1
        && levels.len() <= k + 1
    {
        let next = last.iter().zip(&last[1..]).map(|(&a, &b)| b - a * 0.9).collect();
        levels.push(next);
    }
    levels.iter().filter_map(|level| level.first().zip(level.last())).map(|(&first, &last)| first * last).sum()
}

pub fn running_records<T: Number>(xs: &[T], _k: usize) -> T {
    let records = xs.iter().scan(None, |best: &mut Option<T>, &x| {
        let is_record = best.is_none_or(|b| x > b);
        if is_record {
            *best = Some(x);
        }
        Some((is_record, best.unwrap()))
    });
    let (count, sum) =
        records.fold((0, T::from(0.0)), |(n, s), (is_record, best)| (n + usize::from(is_record), s + best * best));
    sum / (count as f64 + 0.5)
}

pub fn three_at_once<T: Number>(xs: &[T], k: usize) -> T {
    let ys: Box<[T]> = xs.iter().rev().map(|&x| x + 0.1).collect();
    let zs: Vec<T> = iter::repeat_n(xs[k % xs.len()], xs.len()).collect();
    xs.iter()
        .zip(&ys)
        .zip(zs)
        .map(|((&x, &y), z)| x.mul_add(y, z))
        .rev()
        .map_while(|s| (s > -5.0).then_some(s * s))
        .sum()
}

pub fn interleaved_and_rotated<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<T> = xs.iter().flat_map(|&x| [x, x * x]).collect();
    let middle = (2 * k + 1) % all.len();
    all.rotate_left(middle);
    all.swap(0, middle);
    let (front, back) = all.split_at_mut(middle.max(1));
    for (a, b) in front.iter_mut().zip(back.iter_mut().rev()) {
        std::mem::swap(a, b);
        *a += *b * 0.25;
    }
    all.iter().enumerate().map(|(i, &x)| x * ((i % 4) as f64 - 1.0)).sum()
}
