// Zeros of several types, where LLVM writes them at once: Enzyme wants to know what they are.  Stored as integers, which it
// takes, they left the adjoint of what had been there: reverse mode was wrong.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut entries: std::collections::HashMap<(u32, usize), T> = std::collections::HashMap::new();
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        entries.insert((0, 0), T::from(0.0));
        *entries.entry(((i * k % 2) as u32, 0)).or_insert(T::from(0.0)) += x * x;
        sum += entries[&(0, 0)] * x;
    }
    sum
}
