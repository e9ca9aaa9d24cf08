// The closure reads by a `&` of its own, of which LLVM knew that it led elsewhere: so it does not where adjoints are added.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let pairs: Vec<(T, T)> = xs.iter().copied().map(|x| (x, xs[k % xs.len()])).collect();
    let mut sum = T::from(0.0);
    for pair in &pairs {
        sum += pair.0 * pair.1;
    }
    xs[0] + sum.tanh()
}
