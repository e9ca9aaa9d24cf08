// What a function that calls itself gave back is chosen by a `select`: Enzyme broke down.
#[inline(never)]
fn h<T: Number>(x: T, y: T, n: usize) -> T {
    if n == 0 { return T::from(0.6); }
    let r = h(x, T::from(0.25) - y, n - 1);
    match n % 3 { 0 => r, 1 if n % 2 == 0 => r, _ => y }
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    h(xs[0], xs[k % xs.len()], k + 3) * 2.0
}
