// The tape of a loop that will not run was asked for by a size that goes below zero, of which it was said that it does not: the program died.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = xs[0];
    for _ in 0..9 {
        let most = xs.windows(3).map(|w| w[0] - w[1] * w[2]).max_by(|a, b| a.partial_cmp(b).unwrap());
        sum += most.unwrap_or(sum.sin());
    }
    sum
}
