// What is written to a text byte by byte and read back is a number for who moves bytes: it is moved as the float that it is.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let v = T::written_and_read(xs);
    v.iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0) * x).sum()
}
