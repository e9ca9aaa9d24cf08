use crate::dual::Number;

pub fn option_state<T: Number>(xs: &[T], _k: usize) -> T {
    let mut last: Option<T> = None;
    let mut s = T::from(0.0);
    for &x in xs {
        if let Some(l) = last {
            s += l * x;
        }
        last = if x > 0.0 { Some(x * x) } else { None };
    }
    s
}

pub fn early_return<T: Number>(xs: &[T], _k: usize) -> T {
    fn inner<T: Number>(xs: &[T]) -> Option<T> {
        let mut s = T::from(0.0);
        for &x in xs {
            if x > 4.0 {
                return None;
            }
            s += x * x;
        }
        Some(s)
    }
    match inner(xs) {
        Some(s) => s * s,
        None => xs[0] * xs[0],
    }
}

pub fn result_chain<T: Number>(xs: &[T], _k: usize) -> T {
    fn check<T: Number>(x: T) -> Result<T, String> {
        if x > 100.0 { Err("big".to_string()) } else { Ok(x * x) }
    }
    fn all<T: Number>(xs: &[T]) -> Result<T, String> {
        let mut s = T::from(0.0);
        for &x in xs {
            s += check(x)?;
        }
        Ok(s)
    }
    all(xs).unwrap_or(T::from(-1.0))
}

pub fn nested_opt<T: Number>(xs: &[T], _k: usize) -> T {
    let a = xs.first().copied();
    let b = xs.get(1).copied();
    a.and_then(|a| b.map(|b| a * b * 2.0)).or(a).unwrap_or(T::from(1.0))
}

pub fn carried_option<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p: Option<T> = None;
    let mut s = T::from(1.0);
    for &x in xs {
        p = match p {
            Some(q) if x > 1.0 => Some(q),
            _ => Some(x * s),
        };
        s = s * 0.7 + p.unwrap() * x;
    }
    s
}

pub fn slice_patterns<T: Number>(xs: &[T], _k: usize) -> T {
    match xs {
        [] => T::from(0.0),
        [a] => *a * *a,
        [a, b] => *a * *b,
        [a, .., z] => *a * *z * 2.0,
    }
}
