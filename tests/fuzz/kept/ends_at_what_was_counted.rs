// The ends of the inner loops were computed again of what the first loop had chosen last, for no known run of it.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let (above, below): (Vec<T>, Vec<T>) = xs.iter().partition(|x| **x > 1.0);
    let mut s = T::from(0.0);
    for i in 0..xs.len() {
        for j in 0..above.len() * 2 {
            s = s + (above[j / 2] * xs[i]).sin() * s.cos();
            s = s + 1.0;
        }
        for j in 0..below.len() + 3 {
            if j >= 3 {
                s = s + (below[j - 3] * xs[i]).sin() * s;
            }
        }
    }
    s
}
