// A map keeps floats that its `Vec`s lead to by pointers to bytes: its keys were not told from them where a node of it splits.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: std::collections::BTreeMap<usize, Vec<T>> = Default::default();
    for (n, &x) in xs.iter().enumerate() {
        all.entry(n % 3).or_default().push(x);
    }
    xs[k % xs.len()] * all.values().map(|of| of.iter().copied().sum::<T>() * of.len() as f64).sum::<T>()
}
