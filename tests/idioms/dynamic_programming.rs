use crate::dual::Number;

pub fn paths_through_a_grid<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let mut table = vec![vec![T::from(0.0); n + 1]; n + 1];
    for i in 0..n {
        for j in 0..n {
            table[i + 1][j + 1] = table[i][j + 1] * 0.5 + table[i + 1][j] * 0.3 + xs[i] * xs[j];
        }
    }
    table[n][n]
}

pub fn edit_distance<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len();
    let mut prev = vec![T::from(0.0); n + 1];
    let mut cur = prev.clone();
    for i in 0..n {
        for j in 0..n {
            let sub = prev[j] + xs[i] * xs[j];
            let del = prev[j + 1] + 1.0;
            let ins = cur[j] + 1.5;
            let m = if sub < del { sub } else { del };
            cur[j + 1] = if m < ins { m } else { ins };
        }
        std::mem::swap(&mut prev, &mut cur);
    }
    prev[n]
}
