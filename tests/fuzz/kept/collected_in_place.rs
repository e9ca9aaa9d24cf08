// Integers that were read again in the reverse sweep from where floats had been written: std collects in the memory it reads.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let places: Vec<usize> = (0..xs.len() + k).map(|i| (i * 7 + k) % xs.len()).collect();
    let squares: Vec<T> = places.into_iter().map(|i| xs[i] * xs[i]).collect();
    let counted: Vec<(T, u32, u32)> = squares.iter().enumerate().map(|(i, &x)| (x, i as u32, 1)).collect();
    let weighed: Vec<(T, T)> = counted.into_iter().map(|(x, i, n)| (x * (i + n) as f64, x)).collect();
    weighed.iter().map(|&(x, y)| x * y).sum()
}
