// Of all that is kept by `retain` flags were read again where floats had been written by then.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut pairs: Vec<(T, bool)> = xs.iter().enumerate().map(|(i, &x)| (x, (i + k) % 2 == 1)).collect();
    pairs.retain(|pair| pair.0 > -1.0);
    let all: Vec<T> = pairs.into_iter().map(|(x, flag)| if flag { x * x } else { x }).collect();
    all.iter().enumerate().map(|(i, &x)| x * (i + 1) as f64).sum()
}
