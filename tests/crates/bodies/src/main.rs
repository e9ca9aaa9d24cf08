//! Derivatives of what Rust programs do in a function's body, and what they should be: a line of JSON for each.
//!
//! A body is generic over the number; what is right is what it gives for dual numbers.

mod dual;

mod carried;
mod growth;
#[cfg(feature = "loops")]
mod loops;
mod statics;
mod vectors;

fn main() {
    carried::report();
    growth::report();
    #[cfg(feature = "loops")]
    loops::report();
    statics::report();
    vectors::report();
}
