// The loop of the adapters is left in two ways, of which one leaves another loop, too: whether the vector is empty was asked where that was
// not known.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut t = xs[0];
    for &x in xs {
        t = t * x;
        let _found: Vec<T> = xs.iter().enumerate().filter(|(n, _)| n % 2 == 0).take(k).map(|_| xs[k % xs.len()]).collect();
    }
    t
}
