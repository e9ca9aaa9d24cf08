// At level 0 the branch by which the outer loop was left was told by the inner one, of no known run.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut v = xs.to_vec();
    let mut t = T::from(1.0);
    for n in 0..v.len() {
        if xs.iter().all(|x24| n % 2 == 0) {
            v[n] = T::from(0.5);
        } else {
            t += v[n];
        }
    }
    t
}
