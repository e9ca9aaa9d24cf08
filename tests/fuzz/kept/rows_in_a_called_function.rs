// Where the inner loop ends was read once more when all was over: of n, which the caller had written to by then.
fn rows<T: Number>(x: T, n: usize) -> Vec<Vec<T>> {
    (0..n % 4).map(|_| vec![x; n % 9]).collect()
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut t = xs[0];
    for (n, &x) in xs.iter().enumerate() {
        for row in rows(t, n) {
            for p in row {
                t = (t + p * x).sin();
            }
        }
        for row in rows(x * t, n + 3) {
            for p in row {
                t = (t * p + x).cos();
            }
        }
    }
    t
}
