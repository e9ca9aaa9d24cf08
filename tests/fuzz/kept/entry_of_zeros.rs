// What begins as zeros is filled beside its key, at the number of an element that nobody knows.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sums: std::collections::HashMap<usize, [T; 3]> = std::collections::HashMap::new();
    for (i, &x) in xs.iter().enumerate() {
        sums.entry(i % 3).or_insert([T::from(0.0); 3])[(i + k) % 2] += x * x;
    }
    (0..3).filter_map(|key| sums.get(&key)).map(|sums| sums[0] * sums[1] + sums[2] + sums[0]).sum()
}
