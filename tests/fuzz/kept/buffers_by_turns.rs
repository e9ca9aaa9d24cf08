// Alias analysis takes what is chosen together by pairs: that the next run writes what this one reads it does not say.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut rows: [Vec<T>; 2] = [vec![T::from(0.75); n + 1], vec![T::from(0.5); n + 1]];
    for (i, &x) in xs.iter().enumerate() {
        let [r0, r1] = &mut rows;
        let (p, c) = if i % 2 == 0 { (r0, r1) } else { (r1, r0) };
        for j in 0..n { c[j + 1] = x * p[j + 1]; }
    }
    let mut s = T::from(0.0);
    for &x in &rows[n % 2] { s += x; }
    s
}
