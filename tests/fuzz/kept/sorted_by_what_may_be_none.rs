// Enzyme broke down, choosing what to keep: right by a rung of the ladder, at level 0.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<(Option<u8>, T)> = (0..).zip(xs).map(|(at, &x)| ((at % 3 > 0).then_some(at), x)).collect();
    all.sort_unstable_by_key(|one| one.0);
    all.iter().enumerate().map(|(i, &(at, x))| x * x * (i + k) as f64 + x * f64::from(at.unwrap_or(7))).sum()
}
