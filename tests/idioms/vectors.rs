use crate::dual::Number;

/// A number that depends on every element, and on where it is.
fn weigh<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn reversed<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    v.reverse();
    let mut s = T::from(0.0);
    for (i, x) in v.iter().enumerate() {
        s += *x * xs[i] * (i as f64);
    }
    s
}

pub fn swap_retain<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        v.swap(0, 2);
    }
    v.retain(|x| *x > 0.0);
    weigh(&v)
}

pub fn remove_insert<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        let x = v.remove(1);
        v.insert(3, x * x);
        v.insert(0, x);
    }
    weigh(&v)
}

pub fn drained<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    let mut s = T::from(1.0);
    if v.len() > 4 {
        for x in v.drain(1..3) {
            s = s * x;
        }
    }
    for (i, x) in v.iter().enumerate() {
        s += *x * *x * (i as f64 + 1.0);
    }
    s
}

pub fn rotated<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    if v.len() > 3 {
        v.rotate_left(2);
    }
    weigh(&v)
}

pub fn push_pop<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = Vec::new();
    for x in xs {
        v.push(*x * 2.0);
        if *x < 0.0 {
            let a = v.pop().unwrap();
            v.push(a * a);
        }
    }
    weigh(&v)
}

pub fn extended<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v: Vec<T> = xs.iter().map(|x| *x * *x).collect();
    v.extend(xs.iter().map(|x| *x * 3.0));
    v.extend_from_slice(xs);
    v.truncate(20);
    v.into_iter().enumerate().map(|(i, x)| x * x * (i as f64)).sum()
}

pub fn in_place_nested<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    for _ in 0..3 {
        for i in 1..v.len() {
            v[i] = v[i] * 0.5 + v[i - 1] * v[i];
        }
    }
    v.iter().copied().sum()
}

pub fn replaced_in_loop<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    for k in 0..3 {
        let w: Vec<T> = v.iter().map(|x| *x * *x * 0.5 + (k as f64)).collect();
        v = w;
    }
    v.iter().copied().sum()
}

pub fn copy_within<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    if v.len() > 5 {
        v.copy_within(0..3, 2);
    }
    weigh(&v)
}

pub fn ping_pong<T: Number>(xs: &[T], _k: usize) -> T {
    let mut a = xs.to_vec();
    let mut b = vec![T::from(0.0); a.len()];
    for _ in 0..5 {
        for i in 0..a.len() {
            let l = if i > 0 { a[i - 1] } else { a[i] };
            b[i] = a[i] * 0.5 + l * a[i] * 0.1;
        }
        std::mem::swap(&mut a, &mut b);
    }
    a.iter().copied().sum()
}

pub fn concats<T: Number>(xs: &[T], _k: usize) -> T {
    let v = [xs, xs].concat();
    weigh(&v)
}

pub fn filtered<T: Number>(xs: &[T], _k: usize) -> T {
    let v: Vec<T> = xs.iter().filter(|x| **x > 0.0).map(|&x| x * x).collect();
    weigh(&v)
}

pub fn partitions<T: Number>(xs: &[T], _k: usize) -> T {
    let (a, b): (Vec<T>, Vec<T>) = xs.iter().partition(|x| **x > 1.0);
    weigh(&a) + weigh(&b) * 0.5
}

pub fn unzips<T: Number>(xs: &[T], _k: usize) -> T {
    let (a, b): (Vec<T>, Vec<T>) = xs.iter().map(|&x| (x * x, x * 2.0)).unzip();
    weigh(&a) + weigh(&b) * 0.5
}

pub fn groups<T: Number>(xs: &[T], _k: usize) -> T {
    let mut g: Vec<Vec<T>> = vec![Vec::new(); 3];
    for (i, &x) in xs.iter().enumerate() {
        g[i % 3].push(x * x);
    }
    g.iter().map(|v| weigh(v)).sum()
}

pub fn split_mut<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    let m = v.len() / 2;
    {
        let (a, b) = v.split_at_mut(m);
        for (p, q) in a.iter_mut().zip(b.iter_mut()) {
            let t = *p;
            *p = *q * t;
            *q = t + *q;
        }
    }
    v.iter().enumerate().map(|(i, &x)| x * (i as f64)).sum()
}

pub fn chunk_mut<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v = xs.to_vec();
    for c in v.chunks_mut(3) {
        let s: T = c.iter().copied().sum();
        for x in c {
            *x = *x * s;
        }
    }
    v.iter().copied().sum()
}

pub fn deduplicated<T: Number>(xs: &[T], _k: usize) -> T {
    let mut v: Vec<T> = xs.iter().flat_map(|&x| [x, x]).collect();
    v.dedup_by(|a, b| *a == *b);
    v.iter().enumerate().map(|(i, &x)| x * x * (i as f64)).sum()
}

pub fn prefix_sums<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = Vec::with_capacity(xs.len() + 1);
    p.push(T::from(0.0));
    for &x in xs {
        let l = *p.last().unwrap();
        p.push(l + x);
    }
    weigh(&p)
}

pub fn tuple_vec<T: Number>(xs: &[T], _k: usize) -> T {
    let v: Vec<(T, T)> = xs.windows(2).map(|w| (w[0], w[1])).collect();
    v.iter().map(|&(a, b)| a * b).sum::<T>() + v.first().map_or(T::from(0.0), |p| p.0)
}

pub fn borrowed_or_owned<T: Number>(xs: &[T], _k: usize) -> T {
    use std::borrow::Cow;
    let v: Cow<[T]> = if xs.len() > 5 { Cow::Owned(xs.iter().map(|&x| x * x).collect()) } else { Cow::Borrowed(xs) };
    v.iter().enumerate().map(|(i, &x)| x * x * (i as f64)).sum()
}
