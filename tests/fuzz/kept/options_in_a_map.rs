// As a hash map grows its elements are moved word by word, and what says which variant one is has a word of its own.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut map: std::collections::HashMap<usize, Option<T>> = std::collections::HashMap::new();
    for (i, &x) in xs.iter().chain(xs).enumerate() {
        map.insert(i, ((i + k) % 2 == 0).then_some(x * x));
    }
    (0..map.len()).filter_map(|i| map[&i]).sum()
}
