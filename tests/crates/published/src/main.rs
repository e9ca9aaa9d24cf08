//! Published crates inside of differentiated functions: a line of JSON for each function, with what is right.
//!
//! With the feature `refused` it is those that are refused, and nothing else: `//~` says in which words.

#![cfg_attr(feature = "refused", allow(unused))]

mod crates;
mod tried;

fn main() {
    crates::report();
}
