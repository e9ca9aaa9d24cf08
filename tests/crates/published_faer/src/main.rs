//! As `published`, of a crate that takes minutes to compile by itself.

#![cfg_attr(feature = "refused", allow(unused))]

mod crates;
#[path = "../../published/src/tried.rs"]
mod tried;

fn main() {
    crates::report();
}
