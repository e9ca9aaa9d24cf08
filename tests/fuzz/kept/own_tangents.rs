// What does not depend on the inputs, in vectors that grow and are swapped: in forward mode it was its own tangent.
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let roots: Vec<T> = xs.iter().filter(|x| **x > -9.0).map(|_| T::from((k as f64 + 1.3).sqrt())).collect();
    let mut grown: Vec<T> = Vec::new();
    let mut others = vec![T::from(k as f64 * 0.1); k + 1];
    for i in 0..xs.len() {
        if i % 2 == 0 {
            grown.push(T::from(i as f64 * 0.3 + 1.0));
        } else {
            std::mem::swap(&mut grown, &mut others);
        }
    }
    let weighed: T = grown.iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum();
    roots.iter().map(|&root| root * xs[0] + root).sum::<T>() + weighed + others.iter().copied().sum::<T>() * xs[0]
}
