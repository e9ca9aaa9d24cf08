// Enzyme unrolled a loop, and took the loops in its runs, which read the same memory as often, for one.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut product = xs[0];
    for &x in xs {
        for _ in [xs[0], x, x].iter() {
            let _rows: Vec<Vec<T>> = (0..2).map(|_| Vec::new()).collect();
            for (&y, _) in xs.iter().zip(xs.iter()) {
                product *= y;
            }
            'all: for i in 0..xs.len() {
                for _ in i + 1..xs.len() {
                    if k > 100 {
                        break 'all;
                    }
                }
            }
        }
    }
    product
}
