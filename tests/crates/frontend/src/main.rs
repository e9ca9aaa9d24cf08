//! Derivatives of functions of every form, and what they should be: a line of JSON for each.
//!
//! Everything but `beyond` is also accepted by `std::autodiff`.

mod report;

mod activities;
mod beyond;
mod generics;
mod headers;
mod kinds;
mod methods;
mod moves;
#[cfg(feature = "pointers")]
mod pointers;
mod rustc;
mod second_order;
mod sixty;
mod values;

fn main() {
    match std::env::args().nth(1).as_deref() {
        None => {
            activities::report();
            beyond::report();
            generics::report();
            headers::report();
            kinds::report();
            methods::report();
            moves::report();
            #[cfg(feature = "pointers")]
            pointers::report();
            rustc::report();
            second_order::report();
            sixty::report();
            values::report();
        }
        Some(mistake) => activities::mistake(mistake),
    }
}
