//! Functions generic over `Float`, `Num`, `FromPrimitive`; at `f64`, and at `f32` in the midst

use crate::tried;
use num_traits::{AsPrimitive, Float, FloatConst, FromPrimitive, Num, NumAssign, Pow, clamp};

const FOUR: [f64; 4] = [1.5, 0.5, 2.5, 0.75];

fn horner<T: Num + Copy>(coefficients: &[T], x: T) -> T {
    coefficients.iter().rev().fold(T::zero(), |sum, &c| sum * x + c)
}

fn root_by_newton<T: Float>(x: T) -> T {
    let two = T::one() + T::one();
    let mut root = x;
    while (root * root - x).abs() > x * T::epsilon() * two {
        root = (root + x / root) / two;
    }
    root
}

fn softmax<T: Float + NumAssign>(x: &[T]) -> Vec<T> {
    let top = x.iter().copied().fold(T::neg_infinity(), T::max);
    let mut weights: Vec<T> = x.iter().map(|&x| (x - top).exp()).collect();
    let sum = weights.iter().fold(T::zero(), |sum, &w| sum + w);
    weights.iter_mut().for_each(|w| *w /= sum);
    weights
}

fn gaussian<T: Float + FloatConst + FromPrimitive>(x: T, mean: T, deviation: T) -> T {
    let z = (x - mean) / deviation;
    (-z * z * T::from_f64(0.5).unwrap()).exp() / (deviation * (T::TAU()).sqrt())
}

tried! {
    horners_scheme(x: FOUR) {
        horner(x, 1.5)
    } => (0..4).map(|i| 1.5_f64.powi(i)).collect::<Vec<_>>();
    newtons_root(x: FOUR) {
        x.iter().map(|&x| root_by_newton(x)).sum()
    } => x.iter().map(|x| 0.5 / x.sqrt()).collect::<Vec<_>>();
    softmax_of_floats(x: FOUR) {
        softmax(x)[1]
    } => {
        let s = softmax(x);
        (0..4).map(|i| s[1] * (f64::from(i == 1) - s[i])).collect::<Vec<_>>()
    };
    density(x: [0.3, 0.5, 1.5]) {
        gaussian(x[0], x[1], x[2])
    };
    functions_of_float(x: FOUR) {
        fn all<T: Float>(x: T) -> T {
            let (sine, cosine) = x.sin_cos();
            x.powi(3) + x.powf(x) + x.tanh() * x.ln_1p() + sine * cosine + x.hypot(x.recip()) + x.mul_add(x, x).cbrt()
        }
        x.iter().map(|&x| all(x)).sum()
    };
    clamped_and_raised(x: FOUR) {
        x.iter().map(|&x| clamp(x, 0.6, 2.0) * Pow::pow(x, 2_i32)).sum()
    } => x.iter().map(|&x| if x < 0.6 { 1.2 * x } else if x > 2.0 { 4.0 * x } else { 3.0 * x * x }).collect::<Vec<_>>();
    by_way_of_singles(x: [1.5, 0.5]) {
        let a: f32 = x[0].as_();
        let b = f32::from_f64(x[1]).unwrap();
        f64::from(horner(&[a, b], 2.0))
    } => [1.0, 2.0];
    counted_by_integers(x: FOUR) {
        let n: f64 = x.len().as_();
        x.iter().enumerate().map(|(i, x)| x * x * f64::from_usize(i).unwrap() / n).sum()
    } => x.iter().enumerate().map(|(i, x)| x * i as f64 / 2.0).collect::<Vec<_>>();
}
