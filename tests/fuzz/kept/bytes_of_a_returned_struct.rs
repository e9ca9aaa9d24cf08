
fn raw<T>(xs: &[T]) -> &[u8] { unsafe { std::slice::from_raw_parts(xs.as_ptr().cast::<u8>(), size_of_val(xs)) } }
#[inline(never)]
fn read<T: Number>(all: &[u8], k: usize) -> T {
    (0..all.len() / size_of::<T>()).map(|at| unsafe { all.as_ptr().cast::<T>().add(at).read_unaligned() } * (at + k) as f64).sum()
}

struct View<'a> { bytes: &'a [u8], n: usize, m: usize }
#[inline(never)]
fn view<T>(xs: &[T], m: usize) -> View<'_> { View { bytes: raw(xs), n: size_of_val(xs), m } }
#[inline(never)]
fn copied(v: &View) -> Vec<u8> { v.bytes[..v.n].to_vec() }
pub fn body<T: Number>(xs: &[T], k: usize) -> T { let squares: Vec<T> = xs.iter().map(|&x| x * x).collect(); let v = view(&squares, k); read::<T>(&copied(&v), v.m) }
