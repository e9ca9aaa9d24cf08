// What no run of a loop wants was computed once before it, of infinity: reverse mode gave NaN for zero times that
// (repairs/unwanted.py); and of two places with the same product, one before a loop and one in it, LLVM made one.
const HOLES: [f64; 6] = [0.5, f64::NAN, 1.25, f64::INFINITY, -0.75, f64::NEG_INFINITY];
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let a = xs[0];
    let b = HOLES[k % 6];
    let pairs: Vec<(bool, T, u16)> = xs
        .repeat(2)
        .into_iter()
        .skip(k)
        .zip(0u16..)
        .map(|(x, at)| (at % 3 == 1, if b.is_finite() { a * b } else { x }, at))
        .collect();
    let mut sum = pairs.iter().filter(|one| one.0).map(|one| one.1).sum::<T>();
    for x in xs {
        if x.value() > 5.0 {
            sum = sum + (a * b).sqrt();
        }
        sum = sum + if x.value() > 7.0 { a * b } else { *x * *x };
    }
    sum
}
