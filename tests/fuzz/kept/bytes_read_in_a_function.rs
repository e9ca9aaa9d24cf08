// As a function that copies bytes, which it finds behind a reference that it is given.
struct Text<'a> { bytes: &'a [u8], at: usize }
#[inline(never)]
fn next(text: &mut Text, n: usize) -> Vec<u8> {
    let found = text.bytes[text.at..][..n].to_vec();
    text.at += n;
    found
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut text = Text { bytes: unsafe { std::slice::from_raw_parts(xs.as_ptr().cast::<u8>(), size_of_val(xs)) }, at: 0 };
    let mut t = T::from(0.5);
    for _ in xs {
        let one = next(&mut text, size_of::<T>());
        t = t * 0.5 + unsafe { one.as_ptr().cast::<T>().read_unaligned() } * (k as f64);
    }
    t
}
