//! Values to check a function with, where nobody gives any: `./doit gradcheck`.

use super::random::Random;
use super::run::Outcome;
use super::{Numbers, Settings, Vec};
use std::boxed::Box;
use std::marker::PhantomData;
use std::string::String;

/// Where values come from: numbers in a range, slices of a length.
#[derive(Clone, Debug)]
pub struct Source {
    random: Random,
    seed: u64,
    length: usize,
    is_positive: bool,
    domain: Domain,
    ranges: Vec<Range>,
}

/// What the config says of an argument: between what its numbers are.
#[derive(Clone, Debug)]
pub struct Range {
    /// The argument's name.
    pub of: String,
    /// The ends.
    pub ends: (f64, f64),
}

/// What `#[domain(…)]` says of an argument.
#[derive(Clone, Copy, Debug, Default)]
pub struct Domain {
    /// The argument's name.
    pub of: &'static str,
    /// Between what its numbers are.
    pub range: Option<(f64, f64)>,
    /// How many values a slice, or a `Vec`, has.
    pub length: Option<usize>,
}

impl Source {
    /// Values for a seed, others at each attempt; slices of `length`, and only positive numbers if that is wanted.
    #[cfg(crategrad_gradcheck)]
    pub(super) fn new(seed: u64, attempt: u64, length: usize, is_positive: bool, ranges: Vec<Range>) -> Self {
        Self { random: Random::new(seed ^ attempt << 32), seed, length, is_positive, domain: Domain::default(), ranges }
    }

    /// From here on, values are those of an argument: as the config says it, or else its `domain`.
    fn begin(&mut self, domain: &Domain) {
        let range = self.ranges.iter().find(|range| range.of == domain.of).map(|range| range.ends);
        self.domain = Domain { range: range.or(domain.range), ..*domain };
    }

    /// The next number: of size 0.1 to 1.1, or in the range that the argument's `domain` gives.
    pub fn number(&mut self) -> f64 {
        if let Some((low, high)) = self.domain.range {
            return self.random.between(low, high);
        }
        let size = self.random.between(0.1, 1.1);
        if self.is_positive || self.random.word() & 1 == 0 {
            size
        } else {
            -size
        }
    }

    /// The next whole number: at least 1 and less than slices are long, or in the range that `domain` gives.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "they are small")]
    pub fn whole_number(&mut self) -> i64 {
        let (low, high) = self.domain.range.unwrap_or((1.0, self.length() as f64));
        self.random.between(low, high.max(low + 1.0)).floor() as i64
    }

    /// How many values a slice has.
    pub fn length(&self) -> usize {
        self.domain.length.unwrap_or(self.length)
    }
}

/// A value that `./doit gradcheck` can make.
///
/// It is there for numbers, `bool`, `char` and `String`, for arrays, tuples, `Vec`, `Box` and `Option` of what has it. For
/// a struct of your own derive it, together with [`Numbers`].
pub trait Generate: Sized {
    /// The next value.
    fn generate(from: &mut Source) -> Self;
}

impl Generate for f64 {
    fn generate(from: &mut Source) -> Self {
        from.number()
    }
}

impl Generate for f32 {
    #[expect(clippy::cast_possible_truncation, reason = "an `f32` takes what fits")]
    fn generate(from: &mut Source) -> Self {
        from.number() as f32
    }
}

macro_rules! whole_numbers {
    ($($ty:ty)*) => {
        $(impl Generate for $ty {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless, reason = "small")]
            fn generate(from: &mut Source) -> Self {
                from.whole_number() as Self
            }
        })*
    };
}

whole_numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl Generate for () {
    fn generate(_: &mut Source) -> Self {}
}

impl Generate for bool {
    fn generate(from: &mut Source) -> Self {
        from.random.word() & 1 == 0
    }
}

impl Generate for char {
    fn generate(_: &mut Source) -> Self {
        'x'
    }
}

impl Generate for String {
    fn generate(_: &mut Source) -> Self {
        "x".into()
    }
}

impl<T: Generate> Generate for Vec<T> {
    fn generate(from: &mut Source) -> Self {
        (0..from.length()).map(|_| T::generate(from)).collect()
    }
}

impl<T: Generate, const N: usize> Generate for [T; N] {
    fn generate(from: &mut Source) -> Self {
        std::array::from_fn(|_| T::generate(from))
    }
}

impl<T: Generate> Generate for Box<T> {
    fn generate(from: &mut Source) -> Self {
        Box::new(T::generate(from))
    }
}

impl<T: Generate> Generate for Option<T> {
    fn generate(from: &mut Source) -> Self {
        Some(T::generate(from))
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Generate),*> Generate for ($($name,)*) {
            fn generate(from: &mut Source) -> Self {
                ($($name::generate(from),)*)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

/// The settings of a check with values from there.
pub fn settings(source: &Source) -> Settings {
    Settings { seed: source.seed, ..Settings::default() }
}

/// Makes a value of a type, if such a value can be made: autoref picks the trait.
pub struct Maker<T>(PhantomData<T>);

impl<T> Maker<T> {
    /// For the type.
    #[expect(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

/// For types that can be made.
pub trait KnownMaker<T> {
    /// A value.
    fn make(&self, source: &mut Source, domain: &Domain) -> Option<T>;
}

/// For all others.
pub trait AnyMaker<T> {
    /// None.
    fn make(&self, source: &mut Source, domain: &Domain) -> Option<T>;
}

impl<T: Generate> KnownMaker<T> for Maker<T> {
    fn make(&self, source: &mut Source, domain: &Domain) -> Option<T> {
        source.begin(domain);
        Some(T::generate(source))
    }
}

impl<T> AnyMaker<T> for &Maker<T> {
    fn make(&self, _: &mut Source, _: &Domain) -> Option<T> {
        None
    }
}

/// A value of which it is not said whether its numbers are known: autoref picks the trait.
pub struct Leaf<'a, T>(pub &'a T);

/// For values made of numbers.
pub trait KnownLeaf<T> {
    /// True.
    fn is_known(&self) -> bool;
    /// See `numbers`.
    fn numbers(&self) -> Vec<f64>;
    /// See `with`.
    fn with(&self, numbers: &[f64]) -> T;
    /// A copy.
    fn copy(&self) -> T;
    /// See `is_single`.
    fn is_single(&self) -> bool;
}

/// For all others: nobody goes on where `is_known` is false.
pub trait AnyLeaf<T> {
    /// False.
    fn is_known(&self) -> bool;
    /// Nothing.
    fn numbers(&self) -> Vec<f64>;
    /// Never called.
    fn with(&self, numbers: &[f64]) -> T;
    /// Never called.
    fn copy(&self) -> T;
    /// False.
    fn is_single(&self) -> bool;
}

impl<T: Numbers + Clone> KnownLeaf<T> for Leaf<'_, T> {
    fn is_known(&self) -> bool {
        true
    }

    fn numbers(&self) -> Vec<f64> {
        super::numbers::numbers(self.0)
    }

    fn with(&self, numbers: &[f64]) -> T {
        super::numbers::with(self.0, numbers)
    }

    fn copy(&self) -> T {
        self.0.clone()
    }

    fn is_single(&self) -> bool {
        super::numbers::is_single(self.0)
    }
}

impl<T> AnyLeaf<T> for &Leaf<'_, T> {
    fn is_known(&self) -> bool {
        false
    }

    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    fn with(&self, _: &[f64]) -> T {
        unreachable!("its numbers are not known")
    }

    fn copy(&self) -> T {
        unreachable!("it is not known how it is copied")
    }

    fn is_single(&self) -> bool {
        false
    }
}

/// A function that `./doit gradcheck` can call.
pub struct Entry {
    /// Its path.
    pub function: &'static str,
    /// Where it stands.
    pub place: &'static str,
    /// The names of its derivatives.
    pub derivatives: &'static [&'static str],
    /// The names of its arguments.
    pub arguments: &'static [&'static str],
    /// Checks them at a point.
    pub check: fn(&mut Source) -> Outcome,
}
