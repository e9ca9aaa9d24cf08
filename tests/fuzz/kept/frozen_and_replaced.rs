// At level 0 adjoints went to where `left` led after the call, and beyond the end of the gradient.
#[inline(never)]
fn product<'a, T: Number>(left: &mut &'a [T]) -> T {
    let all = *left;
    for (x, y) in all.iter().zip(all) {}
    let product = all.iter().copied().reduce(|x, y| x * y.sin()).unwrap_or(T::from(1.1));
    *left = &all[1..];
    product
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut left = xs;
    let mut t = T::from(1.0);
    while !left.is_empty() {
        t += product(&mut left) * xs[k % xs.len()];
    }
    t
}
