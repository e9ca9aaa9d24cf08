// Nodes of a tree are joined: where a node lies among its siblings is two bytes, moved and counted with where floats come later.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut tree = std::collections::BTreeMap::new();
    for (i, &x) in xs.iter().chain(xs).enumerate() { tree.insert((i * 7 + k) % 19, x * 1.5); }
    let mut sum = T::from(0.0);
    for i in 0..k + 4 { if let Some(x) = tree.remove(&i) { sum += x * x * (i as f64 + 1.0); } }
    sum + tree.values().map(|&x| x.sin()).sum::<T>()
}
