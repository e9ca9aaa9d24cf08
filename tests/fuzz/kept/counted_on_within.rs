// The loop within counts on what the one around goes by: merged into one, it was taken to meet its end, and passes it.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    let mut t = xs[0];
    let mut i = 0;
    while i < xs.len() {
        i += 1;
        t = t * 0.9;
        for _ in xs {
            i += 1;
        }
    }
    t
}
