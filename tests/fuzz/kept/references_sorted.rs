// Sorted as integers in places: what was read as one, and becomes a reference, was taken for a number and refused.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<&T> = xs.iter().collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut s = T::from(0.0);
    for (i, w) in all.windows(2).enumerate() {
        s += (*w[1] - *w[0]) * (*w[1] * *w[0]).sin() * (i + 1) as f64;
    }
    s
}
