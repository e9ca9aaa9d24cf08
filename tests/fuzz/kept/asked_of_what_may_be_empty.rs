// What is read in the second condition was read in the reverse sweep where the first had been true, too.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs[k % xs.len()];
    let found: Vec<T> = if x < T::from(1.25) { Vec::new() } else { xs.to_vec() };
    let first = if x < T::from(1.25) { x } else if found[0] > T::from(0.5) { x * x } else { T::from(1.0) };
    let both: Vec<T> = xs.iter().copied().flat_map(|y| [x, y]).collect();
    first + both.iter().copied().sum::<T>()
}
