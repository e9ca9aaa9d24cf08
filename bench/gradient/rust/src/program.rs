//! What all programs have in common.

/// How many directions the forward mode of many directions follows at once.
pub const WIDTH: usize = 8;

/// A function of some blocks of numbers, at the point where it is measured, with its derivatives.
pub trait Program {
    /// How many numbers there are in each block that is differentiated by.
    fn blocks(&self) -> Vec<usize>;

    /// The function's value.
    fn primal(&self) -> f64;

    /// The value; the gradient is added to the blocks.
    fn gradient(&self, adjoint: &mut [Vec<f64>]) -> f64;

    /// The gradient alone is added to the blocks.
    fn gradient_only(&self, adjoint: &mut [Vec<f64>]);

    /// The slope in one direction.
    fn slope(&self, direction: &[Vec<f64>]) -> f64;

    /// The slopes in [`WIDTH`] directions; each block has those of all directions one after another.
    fn slopes(&self, directions: &[Vec<f64>]) -> [f64; WIDTH];
}

/// Has a type be the program of a function of this module, with the derivatives of that one:
/// `program!(Type, |it| function[it.block, …](constant, …))`.
macro_rules! program {
    ($program:ty, |$it:ident| $function:ident[$($block:ident),+]($($constant:expr),*)) => {
        impl crate::program::Program for $program {
            fn blocks(&self) -> Vec<usize> {
                vec![$(self.$block.len()),+]
            }

            fn primal(&self) -> f64 {
                let $it = self;
                $function($(&$it.$block,)+ $($constant),*)
            }

            fn gradient(&self, adjoint: &mut [Vec<f64>]) -> f64 {
                let $it = self;
                let [$($block),+] = adjoint else { panic!("as many blocks as the function has") };
                gradient($(&$it.$block, $block,)+ $($constant,)* 1.0)
            }

            fn gradient_only(&self, adjoint: &mut [Vec<f64>]) {
                let $it = self;
                let [$($block),+] = adjoint else { panic!("as many blocks as the function has") };
                gradient_only($(&$it.$block, $block,)+ $($constant,)* 1.0);
            }

            fn slope(&self, direction: &[Vec<f64>]) -> f64 {
                let $it = self;
                let [$($block),+] = direction else { panic!("as many blocks as the function has") };
                slope($(&$it.$block, $block,)+ $($constant),*)
            }

            fn slopes(&self, directions: &[Vec<f64>]) -> [f64; crate::program::WIDTH] {
                let $it = self;
                let [$($block),+] = directions else { panic!("as many blocks as the function has") };
                slopes($(&$it.$block, $block,)+ $($constant),*)
            }
        }
    };
}
pub(crate) use program;
