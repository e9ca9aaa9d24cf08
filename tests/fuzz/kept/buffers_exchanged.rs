// Alias analysis takes what is chosen together by pairs: that the next run writes what this one reads it does not say.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let (mut a, mut b) = (vec![T::from(1.5); n + 1], vec![T::from(0.5); n + 1]);
    {
        let (mut p, mut c) = (&mut a[..], &mut b[..]);
        for &x in xs {
            for j in 0..n { c[j] = x * p[j]; }
            (p, c) = (c, p);
        }
    }
    let mut s = T::from(0.0);
    for (&x, &y) in a.iter().zip(&b) { s += x * y; }
    s
}
