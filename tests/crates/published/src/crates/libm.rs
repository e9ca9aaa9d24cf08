//! C's mathematical functions, written in Rust

use crate::{refused, tried};

const FOUR: [f64; 4] = [1.5, 0.5, 2.5, 0.75];

tried! {
    arctangent(x: FOUR) {
        x.iter().map(|x| libm::atan(*x)).sum()
    } => x.iter().map(|x| 1.0 / (1.0 + x * x)).collect::<Vec<_>>();
    bessel_function(x: FOUR) {
        x.iter().map(|x| libm::j0(*x)).sum()
    };
    power(x: FOUR) {
        libm::pow(x[0], x[2])
    };
    error_function(x: FOUR) {
        x.iter().map(|x| libm::erf(*x)).sum()
    } => x.iter().map(|x| std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp()).collect::<Vec<_>>();
    exponential(x: FOUR) {
        x.iter().map(|x| libm::exp(*x)).sum()
    } => x.iter().map(|x| x.exp()).collect::<Vec<_>>();
    sine(x: FOUR) {
        x.iter().map(|x| libm::sin(*x)).sum()
    } => x.iter().map(|x| x.cos()).collect::<Vec<_>>();
    rounded(x: FOUR) {
        x.iter().map(|x| libm::floor(*x) * x + libm::fmax(*x, 1.0)).sum()
    } => x.iter().map(|x| x.floor() + f64::from(u8::from(*x > 1.0))).collect::<Vec<_>>();
    roots(x: FOUR) {
        x.iter().map(|x| libm::sqrt(*x) * libm::fabs(*x)).sum()
    } => x.iter().map(|x| 1.5 * x.sqrt()).collect::<Vec<_>>();
    logarithm(x: FOUR) {
        x.iter().map(|x| libm::log(*x)).sum()
    } => x.iter().map(|x| 1.0 / x).collect::<Vec<_>>();
}

refused! {
    gamma_function(x: FOUR) {
        x.iter().map(|x| libm::tgamma(*x)).sum() //~ the bits of an integer are taken for a float here, and a derivative with regard to what they were would be lost
    };
}
