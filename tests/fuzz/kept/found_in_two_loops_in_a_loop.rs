// The same in a loop around both: there is nothing to be seen of it in what Enzyme makes.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut t = T::from(1.0);
    for j in 0..xs.len() {
        let mut y = T::from(0.3);
        'o: for n in 0..xs.len() {
            for i in j..xs.len() {
                let z = xs[n] * xs[i] * t;
                if z > T::from(0.6) {
                    y = z;
                    break 'o;
                }
            }
        }
        t = t * 0.5 + (y * y * t).tanh();
    }
    t
}
