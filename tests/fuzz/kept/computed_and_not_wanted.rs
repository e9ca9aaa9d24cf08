// What LLVM computes before a branch or a loop that no run wants: reverse mode gave NaN for zero times an infinite slope
// (analyses/unwanted.py).
#[derive(Clone, Copy)]
enum Law<T> {
    Linear(T),
    Inverse(T),
    Flat,
}
fn rate<T: Number>(a: T, b: T) -> Option<T> {
    if b.value() == 0.0 {
        None
    } else {
        Some(a / b * 2.0)
    }
}
fn both<T: Number>(a: T, b: T, c: T) -> Option<T> {
    Some(rate(a, c)? + rate(b, c)?)
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let (a, none) = (xs[0], T::from(if k > 2 { 0.0 } else { 1.5 }) * xs[0]);
    let law = match k {
        0 => Law::Linear(a * none),
        1 | 2 => Law::Inverse(a / none),
        _ => Law::Flat,
    };
    let guarded = if none.value() != 0.0 { none } else { T::from(1.0) };
    let ratio = if none.value() != 0.0 { Some(a / none * 3.0) } else { None };
    let mut v = xs.to_vec();
    for step in 0..3 {
        let kinetic = v.iter().map(|x| *x * *x * 0.5).sum::<T>();
        for x in v.iter_mut() {
            if kinetic.value() > 50.0 {
                *x = *x * (T::from(1.0) - a * 0.01 / none * 2.0);
            } else {
                *x = *x + a * (step as f64 * 0.01);
            }
        }
    }
    let mut sum = if none.value() > 0.0 { a / none } else { a };
    for x in v {
        sum = sum + both(x, a, none).unwrap_or(x) + T::from(1.0) / guarded;
        sum = sum
            + match law {
                Law::Linear(m) => m * x,
                Law::Inverse(m) => m / x,
                Law::Flat => x,
            };
        if let Some(ratio) = ratio {
            sum = sum + ratio * x;
        }
        if x.value() > 50.0 {
            sum = sum + a / none * x + none.ln();
        }
    }
    sum
}
