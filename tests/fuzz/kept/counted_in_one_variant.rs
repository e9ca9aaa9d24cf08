// A word that is counted with where it is one variant's integer, and handed on where it may be another's float: moved as an integer.
#[derive(Clone, Copy)]
enum Pay<T> {
    Full(T, u32),
    Words(u64, u64),
    Unit,
}

fn first<T: Number>(xs: &[T], i: usize, k: usize) -> Pay<T> {
    match (i * 7 + k) % 3 {
        0 => Pay::Full(xs[i % xs.len()], i as u32),
        1 => Pay::Words(i as u64, k as u64),
        _ => Pay::Unit,
    }
}

#[inline(never)]
fn next<T: Number>(pay: Pay<T>, x: T) -> Pay<T> {
    match pay {
        Pay::Full(y, n) => Pay::Full(y * x, n + 1),
        other => other,
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut grid = [Pay::Unit; 3];
    for (i, &x) in xs.iter().enumerate() {
        grid[(i + k) % 3] = match grid[(i + 1) % 3] {
            Pay::Unit => first(xs, i, k),
            Pay::Words(a, b) => Pay::Words(a.max(b), i as u64),
            other => next(other, x),
        };
    }
    let value = |pay: &Pay<T>| match *pay {
        Pay::Full(x, n) => x * n as f64,
        Pay::Words(a, b) => T::from((a * 3 + b) as f64),
        Pay::Unit => T::from(0.25),
    };
    grid.iter().map(value).sum()
}
