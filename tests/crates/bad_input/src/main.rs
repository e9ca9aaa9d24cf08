//! Functions that no derivative was meant for and that have one all the same: a line of JSON for each, with what is right.
//!
//! What is refused of their kind is in `../refused`.

mod bits;
mod cells;
mod foreign;
mod locks;
mod memory;
mod outside;
mod processor;
mod recursion;
mod statics;

/// Functions of a number, each differentiated in both modes; behind the arrow what it is, and its slope.
#[macro_export]
macro_rules! tried {
    ($($name:ident($x:ident) $body:block => $value:expr, $slope:expr;)*) => {
        $(mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[autodiff::autodiff_reverse(reverse, Active, Active)]
            #[autodiff::autodiff_forward(forward, Dual, Dual)]
            #[allow(static_mut_refs)]
            pub fn primal($x: f64) -> f64 $body

            pub fn right($x: f64) -> [f64; 4] {
                let (value, slope) = ($value, $slope);
                [value, slope, value, slope]
            }
        })*

        pub fn report() {
            $(for x in std::hint::black_box([1.5, 0.75, 2.25]) {
                let (reverse, forward) = ($name::reverse(x, 1.0), $name::forward(x, 1.0));
                let (got, right) = ([reverse.0, reverse.1, forward.0, forward.1], $name::right(x));
                let case = concat!(module_path!(), "::", stringify!($name));
                println!(r#"{{"case": "{case} {x}", "precision": "f64", "got": {got:?}, "right": {right:?}}}"#);
            })*
        }
    };
}

fn main() {
    bits::report();
    cells::report();
    foreign::report();
    locks::report();
    memory::report();
    outside::report();
    processor::report();
    recursion::report();
    statics::report();
}
