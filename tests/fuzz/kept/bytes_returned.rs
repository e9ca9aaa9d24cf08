
fn raw<T>(xs: &[T]) -> &[u8] { unsafe { std::slice::from_raw_parts(xs.as_ptr().cast::<u8>(), size_of_val(xs)) } }
#[inline(never)]
fn read<T: Number>(all: &[u8], k: usize) -> T {
    (0..all.len() / size_of::<T>()).map(|at| unsafe { all.as_ptr().cast::<T>().add(at).read_unaligned() } * (at + k) as f64).sum()
}

#[inline(never)]
fn bytes_of<T>(xs: &[T]) -> &[u8] { raw(xs) }
#[inline(never)]
fn copied(bytes: &[u8]) -> Vec<u8> { bytes.to_vec() }
pub fn body<T: Number>(xs: &[T], k: usize) -> T { let squares: Vec<T> = xs.iter().map(|&x| x * x).collect(); read::<T>(&copied(bytes_of(&squares)), k) }
