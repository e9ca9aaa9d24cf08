// What `peek` has not found was multiplied with ahead, and the derivative by the other factor was zero times what is undefined.
pub fn body<T: Number>(xs: &[T], _k: usize) -> T {
    let first = xs[0];
    let mut last = first;
    let mut some = xs.iter().copied().peekable();
    while let Some(_) = some.next() {
        if let Some(&x) = some.peek() {
            last = first * x;
        }
    }
    xs[0] + last * 0.75
}
