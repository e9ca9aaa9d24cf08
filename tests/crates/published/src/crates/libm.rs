//! C's mathematical functions, written in Rust

use crate::tried;

const FOUR: [f64; 4] = [1.5, 0.5, 2.5, 0.75];

tried! {
    arctangent(x: FOUR) {
        x.iter().map(|x| libm::atan(*x)).sum()
    } => x.iter().map(|x| 1.0 / (1.0 + x * x)).collect::<Vec<_>>();
    bessel_function(x: FOUR) {
        x.iter().map(|x| libm::j0(*x)).sum()
    } => x.iter().map(|x| -libm::j1(*x)).collect::<Vec<_>>();
    power(x: FOUR) {
        libm::pow(x[0], x[2])
    } => [x[2] * x[0].powf(x[2] - 1.0), 0.0, x[0].powf(x[2]) * x[0].ln(), 0.0];
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
    gamma_function(x: FOUR) {
        x.iter().map(|x| libm::tgamma(*x)).sum()
    };
    logarithm_of_gamma_function(x: FOUR) {
        x.iter().map(|x| libm::lgamma(*x)).sum()
    };
    sine_and_cosine(x: FOUR) {
        x.iter().map(|x| libm::sincos(*x)).map(|(sine, cosine)| sine * cosine).sum()
    } => x.iter().map(|x| (2.0 * x).cos()).collect::<Vec<_>>();
}
