// At level 0 the loop around the search is made two, and where that ended was asked for no known run of the outer one.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut t = T::from(1.0);
    let mut v = xs.to_vec();
    for n in 0..v.len() {
        match xs.iter().position(|x| *x > v[n]) {
            Some(i) => {
                t += v[i] * t;
            }
            None => {
                v[n] = t * 0.5;
            }
        }
    }
    t
}
