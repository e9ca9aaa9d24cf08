// At level 0 LLVM froze the pointer, and Enzyme took away the shadow that the first number was to be added to.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    for (x, y) in xs.iter().zip(xs) {}
    xs[k % xs.len()] * xs.iter().copied().sum::<T>()
}
