//! Whether a derivative is right: [`gradcheck!`](crate::gradcheck) holds it against central differences, reverse mode
//! against forward, and many directions at once against one.
//!
//! ```
//! use autodiff::*;
//!
//! #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
//! #[autodiff_forward(t_energy, Dual, Const, Dual)]
//! fn energy(x: &[f64], stiffness: f64) -> f64 {
//!     x.iter().map(|x| 0.5 * stiffness * x * x).sum()
//! }
//!
//! if autodiff::available() {
//!     gradcheck! {
//!         #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
//!         #[autodiff_forward(t_energy, Dual, Const, Dual)]
//!         energy(&[1.0, -2.0, 0.5], 3.0)
//!     };
//! }
//! ```
//!
//! `docs/check.md` says what is compared, how, and what the messages mean.

mod differences;
mod generate;
#[cfg(crategrad_gradcheck)]
mod harness;
mod numbers;
mod random;
mod report;
mod run;
#[cfg(crategrad_verify)]
#[doc(hidden)]
pub mod verify;

pub use autodiff_macros::{Generate, Numbers};
pub use generate::{Generate, Source};
pub use numbers::{Number, Numbers};
pub use report::{Against, Comparison, Kink, Place, Report};
use std::vec::Vec;

/// What can be set about a check: `#[check(tolerance = 1e-4)]` in front of the call.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// By how much two numbers may differ, relative to the larger; beside what differences are not known to.
    /// 10⁻⁶ if nothing is said, 10⁻³ where an `f32` is among the arguments or results.
    pub tolerance: Option<f64>,
    /// Of random directions and weights.
    pub seed: u64,
    /// So many numbers of the arguments, and of the results, are taken one by one, chosen at random where there are
    /// more; all together they are always checked.
    pub most: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: None, seed: 1, most: 64 }
    }
}

/// What the code that `gradcheck!` generates is made of; nothing here is for users.
#[doc(hidden)]
pub mod __private {
    pub use super::generate::{settings, AnyLeaf, AnyMaker, Domain, Entry, KnownLeaf, KnownMaker, Leaf, Maker, Source};
    pub use super::numbers::{is_single, numbers, with};
    pub use super::run::{Derivative, Evaluated, Function, Lists, Outcome};
    use std::borrow::ToOwned;
    pub use std::boxed::Box;
    pub use std::string::String;
    pub use std::vec;
    pub use std::vec::Vec;

    /// A copy to keep of what is behind a reference.
    pub fn own<T: ToOwned + ?Sized>(value: &T) -> T::Owned {
        value.to_owned()
    }

    /// The numbers of one direction where those of all directions lie one after another.
    pub fn lane(all: &[f64], lane: usize, width: usize) -> Vec<f64> {
        let length = all.len() / width;
        all[lane * length..][..length].to_vec()
    }
}
