// A function of bytes copied those of floats as integers: in reverse mode the gradient was zero without a word.
#[inline(never)]
fn copied(bytes: &[u8]) -> Box<[u8]> {
    bytes.into()
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let all = copied(unsafe { std::slice::from_raw_parts(xs.as_ptr().cast::<u8>(), size_of_val(xs)) });
    (0..xs.len()).map(|at| unsafe { all.as_ptr().cast::<T>().add(at).read_unaligned() } * (at + k) as f64).sum()
}
