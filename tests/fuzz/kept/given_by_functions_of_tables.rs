// As in looked_up_or_computed.rs, by functions: one that looks a number up, and one that is given the table.
const PAIRS: [(f64, f64); 3] = [(0.5, 2.0), (1.25, -1.0), (-2.0, 0.75)];
static TABLE: [f64; 4] = [0.5, 1.25, -2.0, 3.5];

#[inline(never)]
fn pair(i: usize) -> (f64, f64) {
    PAIRS[i % 3]
}

#[inline(never)]
fn mixed<T: Number>(x: T, i: usize) -> (T, T) {
    if i % 2 == 0 {
        return (x, x * x);
    }
    let (a, b) = pair(i);
    (T::from(a), T::from(b))
}

#[inline(never)]
fn every_other<T: Number>(table: &[f64], xs: &[T]) -> Vec<T> {
    xs.iter().enumerate().map(|(i, &x)| if i % 2 == 0 { x * xs[0] } else { T::from(table[i % table.len()]) }).collect()
}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let by_pairs = xs.iter().enumerate().map(|(i, &x)| {
        let (a, b) = mixed(x, i + k);
        a * b * xs[0] + a
    });
    by_pairs.sum::<T>() + every_other(&TABLE, xs).iter().zip(xs).map(|(&w, &x)| w * w * x).sum::<T>()
}
