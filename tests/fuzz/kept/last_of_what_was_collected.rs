// One element or more: of the ways to the end the reverse sweep asked a branch after the loop, be the loop passed by or not.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut last = xs[k % xs.len()];
    for x in std::iter::successors(Some(xs[0]), |_| Some(T::from(0.25))).take(k % 6).collect::<Vec<T>>() {
        last = x;
    }
    last
}
