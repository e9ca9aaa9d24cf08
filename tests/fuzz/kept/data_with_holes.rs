// Of `if hole.is_nan() { sum } else { sum + x * hole }` LLVM computes the product first: its adjoint was zero times NaN.
const HOLES: [f64; 4] = [0.5, f64::NAN, 1.25, f64::INFINITY];
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let (mut sum, mut squares) = (xs[0], T::from(1.0));
    for (&x, hole) in xs.iter().zip(HOLES.iter().cycle().skip(k)) {
        if hole.is_finite() {
            let product = x * *hole;
            sum += product;
            squares += product * product;
        }
    }
    sum * 0.5 + squares
}
