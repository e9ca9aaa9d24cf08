//! Densities, distribution functions and their special functions

use crate::tried;
use statrs::distribution::{Beta, Continuous, ContinuousCDF, Exp, Gamma, LogNormal, Normal, StudentsT};
use statrs::function::erf::erf;
use statrs::function::gamma::{digamma, ln_gamma};
use statrs::statistics::Statistics;

const FOUR: [f64; 4] = [1.5, 0.5, 2.5, 0.75];

tried! {
    normal_density(x: [0.3, 0.5, 1.5]) {
        Normal::new(x[1], x[2]).unwrap().ln_pdf(x[0])
    } => {
        let z = (x[0] - x[1]) / x[2];
        [-z / x[2], z / x[2], (z * z - 1.0) / x[2]]
    };
    normal_distribution(x: [0.3, 0.5, 1.5]) {
        Normal::new(x[1], x[2]).unwrap().cdf(x[0])
    };
    logarithmic_normal_density(x: [0.3, 0.5, 1.5]) {
        LogNormal::new(x[1], x[2]).unwrap().pdf(x[0])
    };
    exponential_distribution(x: [0.3, 0.5]) {
        let distribution = Exp::new(x[1]).unwrap();
        distribution.pdf(x[0]) + distribution.cdf(x[0])
    };
    gamma_density(x: [2.3, 1.5, 0.7]) {
        Gamma::new(x[1], x[2]).unwrap().ln_pdf(x[0])
    };
    beta_density(x: [0.3, 1.5, 2.7]) {
        Beta::new(x[1], x[2]).unwrap().pdf(x[0])
    };
    students_density(x: [0.3, 1.5, 2.7, 5.0]) {
        StudentsT::new(x[1], x[2], x[3]).unwrap().ln_pdf(x[0])
    };
    logarithm_of_gamma(x: FOUR) {
        x.iter().map(|x| ln_gamma(*x)).sum()
    } => x.iter().map(|x| digamma(*x)).collect::<Vec<_>>();
    error_function(x: FOUR) {
        // An approximation, whose slope is 5e-11 off; of pieces, between whose ends these are.
        x.iter().map(|x| erf(0.8 * x)).sum()
    };
    mean_and_variance(x: FOUR) {
        x.mean() / x.std_dev()
    };
}
