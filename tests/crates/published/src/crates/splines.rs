//! Steps, lines, cosines, Catmull and Rom's, Bézier's; sampled at and by what is differentiated

use crate::{refused, tried};
use splines::{Interpolation, Key, Spline};

const SIX: [f64; 6] = [1.5, -0.5, 2.5, 0.75, -1.0, 0.3];

/// A spline through the numbers, at 0, 1, 2 …
fn through(x: &[f64], by: impl Fn(f64) -> Interpolation<f64, f64>) -> Spline<f64, f64> {
    Spline::from_vec(x.iter().enumerate().map(|(i, &x)| Key::new(i as f64, x, by(x))).collect())
}

tried! {
    linear(x: SIX) {
        through(x, |_| Interpolation::Linear).sample(1.25).unwrap()
    } => [0.0, 0.75, 0.25, 0.0, 0.0, 0.0];
    at_what_is_differentiated(x: [1.25, 3.5]) {
        let spline = through(&SIX, |_| Interpolation::Linear);
        spline.sample(x[0]).unwrap() * spline.sample(x[1]).unwrap()
    } => [3.0 * -0.125, 0.25 * -1.75];
    cosine(x: SIX) {
        let spline = through(x, |_| Interpolation::Cosine);
        spline.sample(1.25).unwrap() * spline.sample(x[2]).unwrap()
    };
    catmull_rom(x: SIX) {
        let spline = through(x, |_| Interpolation::CatmullRom);
        (10..40).map(|i| spline.sample(f64::from(i) / 10.0).unwrap().powi(2)).sum()
    };
    bezier(x: SIX) {
        through(x, |x| Interpolation::Bezier(x * 0.5 + 1.0)).sample(2.3).unwrap()
    };
    clamped(x: SIX) {
        let spline = through(x, |_| Interpolation::Step(0.5));
        spline.clamped_sample(9.0).unwrap() * spline.clamped_sample(-1.0).unwrap() + spline.sample(2.7).unwrap()
    } => [x[5], 0.0, 0.0, 1.0, 0.0, x[0]];
}

refused! {
    with_a_key_more(x: SIX) {
        let mut spline = through(&x[..4], |_| Interpolation::Linear);
        spline.add(Key::new(1.5, x[4] * x[5], Interpolation::Cosine)); //~ a word that may hold floats is moved as an integer here, and their derivatives would be lost
        spline.sample(1.4).unwrap() * spline.sample(1.7).unwrap()
    };
}
