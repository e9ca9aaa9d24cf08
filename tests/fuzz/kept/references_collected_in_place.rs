// Where numbers were collected from, references were stored, and taken for numbers; and a number's bits came to an adjoint.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let places: Vec<usize> = (0..xs.len()).collect();
    let references: Vec<&T> = places.into_iter().map(|i| &xs[i]).collect();
    let hashes: Vec<u64> = (0..xs.len() as u64).map(|i| (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let chosen: Vec<T> = hashes.into_iter().map(|hash| xs[hash as usize % xs.len()] * (k + 1) as f64).collect();
    references.iter().map(|x| **x).sum::<T>() + chosen.iter().map(|&x| x * x).sum::<T>()
}
