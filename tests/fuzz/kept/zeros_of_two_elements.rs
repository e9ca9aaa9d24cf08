// Of a `Vec` only the first element was known, by a reference to it, and that was made zero alone: even the value was wrong.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all = vec![(0usize, T::from(0.0), T::from(0.0)); 2];
    for (i, &x) in xs.iter().enumerate() {
        let (n, mean, square) = &mut all[(i + k) % 2];
        *n += 1;
        let d = x - *mean;
        *mean += d / *n as f64;
        *square += d * (x - *mean);
    }
    all.iter().map(|one| one.1 + if one.0 > 1 { (one.2 / (one.0 - 1) as f64).sqrt() } else { T::from(0.0) }).sum()
}
