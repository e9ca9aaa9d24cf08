// What `resize` allocates where it grows was freed at once, and what it grew out of once more in the reverse sweep.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = T::from(0.0);
    for &x in xs {
        let mut v = xs.to_vec();
        v.resize(2 + k % 5, x * x);
        sum += v[0] * v[1];
    }
    sum
}
