// The constant is stored as the integer that its bits are, as a part of an element that is copied: to the adjoints, too.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let mut all: Vec<(T, bool, usize)> = vec![(T::from(1e3), false, n); n];
    for (i, &x) in xs.iter().enumerate() {
        all[(i + k) % n].0 = x;
    }
    all.iter().map(|one| one.0).sum()
}
