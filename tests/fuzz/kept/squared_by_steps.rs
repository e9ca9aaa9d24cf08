// LLVM took the first run out of the loop: whether there was another one was asked of what is undefined, and its tape freed.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = xs[k % xs.len()];
    let mut add = |x: T| sum = sum * 0.5 + x;
    for &x in xs {
        add(x * 0.75);
        add(x);
    }
    for _ in xs.iter().step_by(3) {
        if sum > 0.75 {
            sum = sum * sum;
        }
    }
    sum
}
