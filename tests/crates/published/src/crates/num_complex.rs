//! Arithmetic, polar form, powers, exponentials, roots, a Fourier transform

use crate::tried;
use num_complex::{Complex, Complex64};

const FOUR: [f64; 4] = [1.5, 0.5, -2.5, 0.75];

fn pairs(x: &[f64]) -> Vec<Complex64> {
    x.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])).collect()
}

fn fourier(x: &[Complex64]) -> Vec<Complex64> {
    if x.len() == 1 {
        return x.to_vec();
    }
    let [even, odd] = [0, 1].map(|first| fourier(&x.iter().copied().skip(first).step_by(2).collect::<Vec<_>>()));
    let turn = |k: usize| Complex::from_polar(1.0, -std::f64::consts::TAU * k as f64 / x.len() as f64);
    let half = x.len() / 2;
    (0..x.len()).map(|k| even[k % half] + turn(k) * odd[k % half]).collect()
}

tried! {
    product_and_quotient(x: FOUR) {
        let z = pairs(x);
        (z[0] * z[1]).re + (z[0] / z[1]).im
    };
    square_of_the_norm(x: FOUR) {
        pairs(x).iter().map(|z| (z * z.conj()).re).sum()
    } => x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    polar_form(x: FOUR) {
        pairs(x).iter().map(|z| z.to_polar()).map(|(r, angle)| r * angle).sum()
    };
    functions(x: FOUR) {
        let z = pairs(x);
        z[0].exp().re + z[1].sqrt().im + z[0].powi(3).re + z[1].ln().re + (z[0].sin() * z[1].tanh()).norm()
    };
    polynomial(x: FOUR) {
        let z = pairs(x);
        z.iter().fold(Complex64::ONE, |product, z| product * (Complex64::I - z)).norm_sqr()
    };
    sums_and_products(x: FOUR) {
        let z = pairs(x);
        z.iter().sum::<Complex64>().norm() + z.iter().product::<Complex64>().arg()
    };
    fourier_transform(x: [1.5, 0.5, -2.5, 0.75, 0.3, -1.0, 2.0, 0.1]) {
        fourier(&pairs(x)).iter().enumerate().map(|(k, z)| k as f64 * z.norm_sqr()).sum()
    };
}
