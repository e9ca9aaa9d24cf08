//! What an argument is made of: the numbers that move.

use super::Vec;
use std::boxed::Box;
use std::string::String;

/// A number inside of a value.
#[derive(Debug)]
pub enum Number<'a> {
    /// An `f32`.
    Single(&'a mut f32),
    /// An `f64`.
    Double(&'a mut f64),
}

impl Number<'_> {
    /// The number.
    #[must_use]
    pub fn get(&self) -> f64 {
        match self {
            Self::Single(number) => f64::from(**number),
            Self::Double(number) => **number,
        }
    }

    /// Puts another in its place, as precisely as its type allows.
    #[expect(clippy::cast_possible_truncation, reason = "an `f32` takes what fits")]
    pub fn set(&mut self, to: f64) {
        match self {
            Self::Single(number) => **number = to as f32,
            Self::Double(number) => **number = to,
        }
    }
}

/// A value made of numbers, and of other things that stay as they are.
///
/// It is there for `f32` and `f64`, and for slices, arrays, tuples, `Vec`, `Box` and `Option` of what has it; integers,
/// `bool`, `char` and `String` hold no number that moves. For a struct of your own derive it, or write it:
///
/// ```
/// use autodiff::check::{Number, Numbers};
///
/// #[derive(Clone, Numbers)]
/// struct Spring {
///     stiffness: f64,
///     ends: [f32; 2],
///     turns: u32,
/// }
///
/// #[derive(Clone)]
/// struct Weight(f64, &'static str);
///
/// impl Numbers for Weight {
///     fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
///         self.0.visit(each);
///     }
/// }
///
/// let mut seen = Vec::new();
/// Spring { stiffness: 3.0, ends: [1.0, 2.0], turns: 5 }.visit(&mut |number| seen.push(number.get()));
/// Weight(7.0, "kg").visit(&mut |number| seen.push(number.get()));
/// assert_eq!(seen, [3.0, 1.0, 2.0, 7.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "gradcheck does not know which numbers a `{Self}` is made of",
    note = "for a struct of yours, `#[derive(Clone, autodiff::check::Numbers)]`",
    note = "an argument that is a reference is written as one, `&x` or `&mut x`; of a slice `x: &[f64]` that is `&x[..]`"
)]
pub trait Numbers {
    /// Shows each number once, in an order that depends on nothing but the value's shape.
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>));
}

impl Numbers for f32 {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        each(Number::Single(self));
    }
}

impl Numbers for f64 {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        each(Number::Double(self));
    }
}

impl<T: Numbers> Numbers for [T] {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        for element in self {
            element.visit(each);
        }
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        self.as_mut_slice().visit(each);
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        self.as_mut_slice().visit(each);
    }
}

impl<T: Numbers + ?Sized> Numbers for Box<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        self.as_mut().visit(each);
    }
}

impl<T: Numbers> Numbers for Option<T> {
    fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
        if let Some(value) = self {
            value.visit(each);
        }
    }
}

macro_rules! without_numbers {
    ($($ty:ty)*) => {
        $(impl Numbers for $ty {
            fn visit(&mut self, _: &mut dyn FnMut(Number<'_>)) {}
        })*
    };
}

without_numbers!(() bool char String i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Numbers),*> Numbers for ($($name,)*) {
            #[expect(non_snake_case, reason = "each is named for its type")]
            fn visit(&mut self, each: &mut dyn FnMut(Number<'_>)) {
                let ($($name,)*) = self;
                $($name.visit(each);)*
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

/// The numbers of a value, one after another.
pub fn numbers<T: Numbers + Clone>(of: &T) -> Vec<f64> {
    let mut numbers = Vec::new();
    of.clone().visit(&mut |number| numbers.push(number.get()));
    numbers
}

/// The value with these numbers in place of its own; zeros where they end.
pub fn with<T: Numbers + Clone>(value: &T, numbers: &[f64]) -> T {
    let mut copy = value.clone();
    let mut numbers = numbers.iter();
    copy.visit(&mut |mut number| number.set(numbers.next().copied().unwrap_or(0.0)));
    copy
}

/// Whether any number of the value is an `f32`.
pub fn is_single<T: Numbers + Clone>(value: &T) -> bool {
    let mut single = false;
    value.clone().visit(&mut |number| single |= matches!(number, Number::Single(_)));
    single
}
