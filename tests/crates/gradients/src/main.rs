//! Functions, their derivatives by Crategrad in three modes, and what those should be: a line of JSON for each.
//!
//! The first argument is the size of the inputs, 7 if there is none: in no build does the compiler know it.

#[macro_use]
mod case;
mod allocation;
mod arrays;
mod calls;
mod constants;
mod control_flow;
mod iterators;
mod linear_algebra;
mod outputs;
mod scalars;
mod single_precision;
mod slices;

fn main() {
    let size = std::env::args().nth(1).map_or(7, |size| size.parse().expect("the argument is a size"));
    let cases = [
        scalars::cases(size),
        slices::cases(size),
        outputs::cases(size),
        arrays::cases(size),
        constants::cases(size),
        calls::cases(size),
        iterators::cases(size),
        linear_algebra::cases(size),
        allocation::cases(size),
        control_flow::cases(size),
        single_precision::cases(size),
    ];
    for case in cases.iter().flatten() {
        case.report();
    }
}
