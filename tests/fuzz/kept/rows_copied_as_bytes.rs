// As what is made and copied as bytes, behind a reference to one of several Vecs.
#[inline(never)]
fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
fn one<T: Number>(all: &Vec<T>) -> Box<[u8]> { copied(unsafe { std::slice::from_raw_parts(all.as_ptr().cast::<u8>(), size_of_val(&all[..])) }) }
#[inline(never)]
fn read<T: Number>(all: &[u8], k: usize) -> T {
    (0..all.len() / size_of::<T>()).map(|at| unsafe { all.as_ptr().cast::<T>().add(at).read_unaligned() } * (at + k) as f64).sum()
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let rows: Vec<Vec<T>> = xs.chunks(2).map(|of| of.to_vec()).collect();
    rows.iter().map(|row| read::<T>(&one(row), k)).sum()
}
