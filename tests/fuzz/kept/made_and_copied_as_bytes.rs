// A Vec of floats that another function has made, and a third one copies as bytes: its type says what it keeps.
#[inline(never)]
fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[inline(never)]
fn made<T: Number>(xs: &[T], k: usize) -> Vec<T> { xs.iter().map(|&x| x * x + k as f64).collect() }
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let all = made(xs, k);
    let all = copied(unsafe { std::slice::from_raw_parts(all.as_ptr().cast::<u8>(), size_of_val(&all[..])) });
    (0..xs.len()).map(|at| unsafe { all.as_ptr().cast::<T>().add(at).read_unaligned() } * (at + k) as f64).sum()
}
