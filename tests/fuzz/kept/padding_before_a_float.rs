// LLVM copies what is left of an element whose first words it has read: of padding and a float Enzyme took all for integers.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    let mut letters: Vec<(char, u8, T)> = (0..).zip(xs).map(|(i, &x)| ((b'a' + i * 5 % 7) as char, i, x)).collect();
    letters.sort_unstable_by_key(|r| (r.0, r.1));
    letters.iter().enumerate().map(|(i, r)| r.2 * r.2 * (i + usize::from(r.1)) as f64).sum()
}
