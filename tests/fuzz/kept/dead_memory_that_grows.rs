// Nobody wants what is in `right`, so Enzyme took what it grows into for constant, and its content for an adjoint.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let t = xs[0];
    for _ in 0..2 * k % 4 {
        let (left, mut right): (Vec<T>, Vec<T>) = xs.iter().map(|x| (*x, t)).unzip();
        right.extend(left);
    }
    t * 0.5
}
