// As in rows_in_a_called_function.rs, of where the inner loop begins.
fn rows<T: Number>(x: T, n: usize) -> Vec<Vec<T>> {
    let row = |_| {
        let mut row = vec![x; 9];
        for j in (n % 5)..9 {
            row[j] = (row[j] * x + (j as f64)).sin();
        }
        row
    };
    (0..n % 4).map(row).collect()
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
