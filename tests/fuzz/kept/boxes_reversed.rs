// Of two boxes that are swapped LLVM reads one as an integer: what it leads to had no derivative, and it was refused.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut all: Vec<Box<T>> = xs.iter().copied().map(Box::new).collect();
    all.reverse();
    if let Some(one) = all.get_mut(k % xs.len()) {
        **one = **one * xs[0];
    }
    all.iter().fold(T::from(0.5), |sum, x| sum * 0.5 + **x * **x)
}
