//! The programs, each with its derivatives.

mod brusselator;
mod bundle;
mod fft;
mod gmm;
mod kalman;
mod kinematics;
mod lstm;
mod mlp;
mod nbody;
mod option;
mod rk4;
mod softmax;
mod spmv;

use crate::numbers::Numbers;
use crate::program::Program;

/// The program of that name, of these sizes.
pub fn open(name: &str, sizes: &[usize]) -> Box<dyn Program> {
    let numbers = &mut Numbers::new(1);
    match name {
        "brusselator" => Box::new(brusselator::Brusselator::new(sizes, numbers)),
        "bundle" => Box::new(bundle::Bundle::new(sizes, numbers)),
        "fft" => Box::new(fft::Spectrum::new(sizes, numbers)),
        "gmm" => Box::new(gmm::Mixture::new(sizes, numbers)),
        "kalman" => Box::new(kalman::Filter::new(sizes, numbers)),
        "kinematics" => Box::new(kinematics::Hand::new(sizes, numbers)),
        "lstm" => Box::new(lstm::Memory::new(sizes, numbers)),
        "mlp" => Box::new(mlp::Perceptron::new(sizes, numbers)),
        "nbody" => Box::new(nbody::Bodies::new(sizes, numbers)),
        "option" => Box::new(option::Price::new(sizes, numbers)),
        "rk4" => Box::new(rk4::Fit::new(sizes, numbers)),
        "softmax" => Box::new(softmax::Softmax::new(sizes, numbers)),
        "spmv" => Box::new(spmv::Powers::new(sizes, numbers)),
        _ => panic!("there is no program `{name}`"),
    }
}
