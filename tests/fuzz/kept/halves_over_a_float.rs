// Two types in one memory to Enzyme; on the next rung of the ladder it knew nothing of what `e` is copied to, and copied no adjoint.
#[derive(Clone, Copy)]
enum Either<T> {
    Float(T),
    Halves(u32, u32),
}

#[inline(never)]
fn next<T: Number>(e: Either<T>, x: T) -> Either<T> {
    match e {
        Either::Float(y) if y > x => Either::Halves(1, 2),
        Either::Float(y) => Either::Float(y * x),
        Either::Halves(a, b) => Either::Float(x * a as f64 + b as f64),
    }
}

pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    let mut e = Either::Float(xs[0]);
    for &x in xs {
        e = next(e, x);
    }
    match e {
        Either::Float(y) => y * y,
        Either::Halves(a, _) => T::from(a as f64),
    }
}
