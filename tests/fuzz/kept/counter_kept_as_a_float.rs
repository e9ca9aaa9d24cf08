// The place of a float or of where there was none: LLVM counts in the bits of a float.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let sum = xs.iter().copied().enumerate().map(|(n, x)| if k % 2 == 0 { Ok(x) } else { Err(n) }).sum::<Result<T, usize>>();
    let x = sum.unwrap_or_else(|n| xs[n % xs.len()]);
    x * x * xs[0]
}
