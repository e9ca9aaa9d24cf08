// LLVM led past the header of the loop in `flat_map`, into its midst: Enzyme saw no loop.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    let mut sum = xs[0];
    let mut twice = xs.iter().chain(xs).filter(|_| T::from(0.5) < xs[0]).flat_map(|&x| [x, x]).map(|x| x * 2.0);
    if let Some(first) = twice.next() {
        sum = sum * 0.5 + first;
        for x in twice {
            sum = sum * 0.5 + x;
        }
    }
    sum
}
