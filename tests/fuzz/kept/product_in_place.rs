// A product that takes the place of one of its factors: it was written anew in the reverse sweep, in the wrong order.
fn times<T: Number>(a: &[[T; 4]; 4], b: &[[T; 4]; 4]) -> [[T; 4]; 4] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum::<T>()))
}
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let x: [[T; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| xs[(4 * i + j) % xs.len()] * 0.5));
    let mut c = x;
    for _ in 0..k {
        c = times(&times(&x, &c), &x);
    }
    c[0][0]
}
