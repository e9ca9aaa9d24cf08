// A constant that is stored where floats are is made by a call, whose branch may not be taken: the value was lost with it.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs[k % xs.len()];
    let (mut t, floor) = (x, (x + x).floor());
    if floor > 1.25 {
        let all = (0..k % 7).map(|_| T::from(1.1)).collect::<Vec<T>>();
        for _ in all {
            t *= T::from(0.5).tanh();
        }
    }
    t + x * 0.5 + floor * 0.75
}
