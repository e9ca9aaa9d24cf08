// LLVM made one choice of where NaN gives way and of what is added to the larger: refused.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    if xs.is_empty() {
        return T::from(1.0);
    }
    let (a, b) = (xs[k % xs.len()], xs[(xs.len() * k) >> 3] * xs[0]);
    let larger = T::from(0.5).max(a * b) + T::from(0.5);
    let smaller = a.min(T::from(0.9)) - T::from(1.25);
    larger * smaller + b.exp().max(a).min(T::from(2.0)) + a
}
