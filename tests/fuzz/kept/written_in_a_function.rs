// What is written to a text in a function of its own, number by number, lost its derivatives, in forward mode too.
#[inline(never)]
fn write<T: Number>(text: &mut Vec<u8>, x: &T) {
    text.extend_from_slice(unsafe { std::slice::from_raw_parts((x as *const T).cast::<u8>(), size_of::<T>()) });
}
#[inline(never)]
fn read<T: Number>(text: &[u8], at: usize) -> T {
    assert!((at + 1) * size_of::<T>() <= text.len());
    unsafe { text.as_ptr().cast::<T>().add(at).read_unaligned() }
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut text = Vec::new();
    for x in xs {
        write(&mut text, x);
    }
    (0..xs.len()).map(|at| read::<T>(&text, at) * (at + k) as f64).sum()
}
