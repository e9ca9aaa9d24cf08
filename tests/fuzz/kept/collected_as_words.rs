// `collect` is made for the floats that it reads, too: what it copies was taken for integers, by the `u64` that they are collected as.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let words = T::collected_as_words(xs);
    words.iter().zip(xs).map(|(&w, &x)| w * x).sum::<T>()
}
