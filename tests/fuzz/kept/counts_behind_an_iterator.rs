// What an iterator counts lies behind what it goes over: its type was not known, as what lies first has one of its own.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs[k % xs.len()];
    let mut sum = T::from(0.0);
    for (y, i) in std::iter::once(x).flat_map(|x| [x * x, x * 0.5]).skip(k % 2).zip(0..k + 2) {
        sum = sum + y * (i as f64 + 1.0);
    }
    sum
}
