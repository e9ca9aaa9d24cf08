// A float that is read from a text is a constant; std puts it together of bits.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = T::from(0.0);
    for (word, &x) in "0.5 2 -1.25 x 3e-1".split(' ').zip(xs) {
        if let Ok(number) = word.parse::<f64>() { sum += x * x * number; } else { sum += x; }
    }
    sum
}
