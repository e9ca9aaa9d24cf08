//! Derivatives in reverse mode that check themselves as the program runs: a build with `verify` in its config.
//!
//! The body of such a derivative asks [`sites`] whether this call is to be checked. If so the function itself, and its
//! derivative in forward mode in a random direction, first run on copies of the arguments ([`copies`]); then the derivative
//! does what it ever does with what the user gave it; then [`compare`] holds one against the other.

mod compare;
mod copies;
mod sites;

pub use compare::{Seen, Shadow};
pub use copies::{
    borrowed, AnyMoving, AnyShared, AnySteady, KnownMoving, KnownShared, KnownSteady, Moving, Shared, Steady, Unknown,
};
pub use sites::{__crategrad_verify_wanted, Call};
