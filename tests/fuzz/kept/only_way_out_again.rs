// LLVM makes two loops of one; the return that is never made was asked for once, before both, and how often the inner one
// ran was kept too seldom.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut v = xs.to_vec();
    let mut sum = T::from(1.0);
    for n in (0..v.len()).rev() {
        if n % 2 == k % 2 {
            v[n] = T::from(0.5);
        } else {
            sum += v[n] * v[n];
        }
    }
    sum
}
