// Where the iterator is in each run of the loop that `continue` makes was computed again by the count of another run.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let few = [xs[0], xs[k % xs.len()], xs[xs.len() - 1]];
    let mut sum = xs[0] * 0.5;
    let mut slots: [Option<(T, bool, u16)>; 3] = [None; 3];
    for (n, &x) in few.iter().enumerate() {
        let at = n * (k % 3 + 1) % 3;
        if let Some((one, on, m)) = slots[at].take() {
            sum += one * 1.5;
            if on {
                slots[(at + 1) % 3] = Some((one, false, m + 1));
            }
        } else {
            slots[at] = Some((x, sum > 1.5, n as u16));
        }
    }
    sum + slots.iter().flatten().map(|one| one.0 * one.2 as f64).sum::<T>()
}
