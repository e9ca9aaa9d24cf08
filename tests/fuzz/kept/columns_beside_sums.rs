// Addresses in loops of which neither comes before the other were subtracted, and LLVM could not order their counters.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let first = xs[0];
    let mut t = xs[k % xs.len()];
    for &x in xs {
        let most = k % 4 + 1;
        let mut rows: Vec<Vec<T>> = (0..most).map(|n| (0..most).map(|j| if j == n { T::from(3.0) + xs.get(k.saturating_sub(3)).copied().unwrap_or((0..=k % 5).rev().map(|_| first).sum::<T>()) } else { (xs.iter().copied().map(|y| y).sum::<T>() * (j as f64)).tanh() }).collect()).collect();
        for i in 0..most {
            for j in i + 1..most {
                let by = rows[j][i] / (rows[i][i].abs() + 0.5);
                for k in i..most {
                    let t = rows[i][k];
                    rows[j][k] -= by * t;
                }
            }
        }
        t += rows[most - 1][most - 1] * x;
    }
    t
}
