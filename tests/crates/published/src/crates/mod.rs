//! A module for each crate, by its name.

mod arrayvec;
mod glam;
mod indexmap;
mod itertools;
mod libm;
mod nalgebra;
mod ndarray;
mod num_complex;
mod num_traits;
mod ode_solvers;
mod ordered_float;
mod petgraph;
mod rand;
mod rayon;
mod smallvec;
mod splines;
mod statrs;

#[cfg(not(feature = "refused"))]
pub fn report() {
    arrayvec::report();
    glam::report();
    indexmap::report();
    itertools::report();
    libm::report();
    nalgebra::report();
    ndarray::report();
    num_complex::report();
    num_traits::report();
    ode_solvers::report();
    ordered_float::report();
    petgraph::report();
    rand::report();
    rand::report_of_likelihood();
    rayon::report();
    smallvec::report();
    splines::report();
    statrs::report();
}

#[cfg(feature = "refused")]
pub fn report() {
    nalgebra::report_of_refused();
    ndarray::report_of_refused();
    smallvec::report_of_refused();
    splines::report_of_refused();
}
