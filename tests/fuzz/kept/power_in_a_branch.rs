// Enzyme's own passes made a choice of the branch, once a call in it was of no use: zero times the slope of what was not chosen was NaN.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut y = xs[0] * 0.5;
    for &x in xs.iter() {
        y = if k % 2 == 0 && x > 1.1 { (x.abs() + 0.4).powf(T::from(0.5).tanh()) } else { y };
    }
    y * 0.5
}
