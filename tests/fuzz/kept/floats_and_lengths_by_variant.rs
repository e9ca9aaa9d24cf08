// The words of `Row` were phis: a float of `One` with a capacity of `Many`, and nobody knew of which variant a word was.
enum Row<T> {
    Empty,
    One(T),
    Few([T; 3], usize),
    Many(Vec<T>),
}

impl<T: Number> Row<T> {
    fn push(self, x: T) -> Self {
        match self {
            Row::Empty => Row::One(x),
            Row::One(y) => Row::Few([y, x, T::from(0.0)], 2),
            Row::Few(mut all, n) if n < 3 => {
                all[n] = x;
                Row::Few(all, n + 1)
            }
            Row::Few(all, _) => {
                let mut all = all.to_vec();
                all.push(x);
                Row::Many(all)
            }
            Row::Many(mut all) => {
                if all.len() < 9 {
                    all.push(x);
                }
                Row::Many(all)
            }
        }
    }

    fn total(&self) -> T {
        match self {
            Row::Empty => T::from(0.25),
            Row::One(x) => *x,
            Row::Few(all, n) => all[..*n].iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum(),
            Row::Many(all) => all.iter().fold(T::from(0.5), |sum, &x| sum * 0.5 + x),
        }
    }
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    xs.iter().copied().fold(Row::Empty, |row, x| row.push(x * x)).total() * xs[k % xs.len()]
}
