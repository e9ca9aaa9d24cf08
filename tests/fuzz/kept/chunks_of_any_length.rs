// Loops over chunks: counted before they run, with what is kept in each run of either loop, and shorter chunks at the end.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = T::from(0.5);
    for (i, chunk) in xs.chunks(k % 3 + 2).enumerate() {
        let mut product = T::from(1.25);
        for x in chunk {
            product = product * *x + sum;
            sum = sum + (product * product).sin();
        }
        if i % 2 == 1 {
            sum = sum * T::from(0.75);
        }
    }
    for chunk in xs.chunks_exact(k % 4 + 1) {
        let mut most = chunk[0];
        for x in chunk {
            most = most * (*x).cos();
            sum = sum + most * sum;
        }
    }
    sum
}
