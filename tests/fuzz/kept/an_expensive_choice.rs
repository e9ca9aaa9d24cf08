// Of a logarithm in a branch the passes that Enzyme runs first made a choice, whatever it costs: one such thing is allowed by itself
// (`-speculate-one-expensive-inst` in enzyme_driver.py).  Reverse mode gave NaN.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let z = T::from(if k > 2 { 0.0 } else { 1.5 }) * xs[0];
    let some = |x: T, otherwise: f64| if z.value() > 0.0 { x } else { T::from(otherwise) };
    xs.iter().map(|x| *x * some(z, 1.0).ln() + some(z * z, 4.0).sqrt()).sum::<T>()
}
