// The keys of a map whose values are floats beside numbers are copied by themselves: it was refused for their sake.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: std::collections::BTreeMap<u32, (T, usize)> = std::collections::BTreeMap::new();
    for (i, &x) in xs.iter().enumerate() {
        let one = all.entry((i * (k + 2) % 5) as u32).or_insert((x, 0));
        one.0 = one.0 * x;
        one.1 += 1;
    }
    all.values().map(|(x, n)| *x * (n + 1) as f64).sum()
}
