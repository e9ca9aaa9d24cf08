// The payload is counted from what is in memory: the address is an argument, and debug info says that it is no float.
#[derive(Clone, Copy)]
enum Shape<T> { Empty, One(T), Two(T, T), Counted(usize, T) }
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut v = vec![Shape::One(xs[0]); k % 4 + 2];
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let at = i % v.len();
        if let Shape::One(y) = v[at] { sum += y * x; }
        v[at] = if i % 3 != 1 { Shape::One(x * x) } else { Shape::Counted((k + i) << 61, x) };
        if let Shape::Counted(n, y) = v[at] { sum += y * ((n >> 61) as f64); }
    }
    sum
}
