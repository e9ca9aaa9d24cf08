//! Copies of arguments whose types the macro does not know: autoref finds out what can be done with them.

use crate::check::numbers::is_single;
use crate::check::{Numbers, Vec};
use std::any::type_name;
use std::borrow::{BorrowMut, ToOwned};
use std::clone::Clone;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

/// Why a call cannot be checked: an argument's type, and what is missing.
#[derive(Clone, Copy)]
pub struct Unknown {
    /// The type.
    pub of: &'static str,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Unknown {
    /// Of a raw pointer.
    pub const POINTER: Self = Self { of: "a raw pointer", why: "nobody knows how much it leads to" };

    fn new<T: ?Sized>(why: &'static str) -> Self {
        Self { of: type_name::<T>(), why }
    }
}

/// A copy.
pub struct Copied<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> Copied<T>
where
    T::Owned: BorrowMut<T>,
{
    /// What the function is given by reference.
    pub fn place(&mut self) -> &mut T {
        self.0.borrow_mut()
    }

    /// What the function is given by value.
    pub fn take(self) -> T
    where
        T: Sized,
    {
        let mut kept = ManuallyDrop::new(self);
        // SAFETY: it is neither used nor dropped again.
        unsafe { ptr::read(kept.place()) }
    }
}

impl<T: ToOwned + ?Sized> Copied<T>
where
    T::Owned: Numbers,
{
    /// The numbers, as they are now.
    pub fn numbers(&mut self) -> Vec<f64> {
        let mut found = Vec::new();
        self.0.visit(&mut |number| found.push(number.get()));
        found
    }
}

/// The copy of what cannot be copied: nobody goes on there.
pub struct NoCopy<T: ?Sized>(PhantomData<T>);

#[expect(clippy::unused_self, reason = "as `Copied` has it")]
impl<T: ?Sized> NoCopy<T> {
    /// Never called.
    pub fn place(&mut self) -> &mut T {
        unreachable!("it has no copy")
    }

    /// Never called.
    pub fn take(self) -> T
    where
        T: Sized,
    {
        unreachable!("it has no copy")
    }

    /// Nothing.
    pub fn numbers(&mut self) -> Vec<f64> {
        Vec::new()
    }
}

/// A reference that lives as long as the function wants.
///
/// # Safety
///
/// The function must be done with it before the value is used again, or gone.
pub unsafe fn borrowed<'a, T: ?Sized>(place: &mut T) -> &'a mut T {
    unsafe { &mut *ptr::from_mut(place) }
}

/// An argument, or a result, that moves.
pub struct Moving<'a, T: ?Sized>(pub &'a T);

/// For what is made of numbers.
pub trait KnownMoving<T: ToOwned + ?Sized> {
    /// Nothing.
    fn unknown(&self) -> Option<Unknown>;
    /// Its numbers.
    fn numbers(&self) -> Vec<f64>;
    /// Whether any of them is an `f32`.
    fn is_single(&self) -> bool;
    /// A copy with these numbers.
    fn with(&self, numbers: &[f64]) -> Copied<T>;
    /// A copy with its numbers moved by so many steps in a direction.
    fn moved(&self, direction: &[f64], steps: f64) -> Copied<T>;
}

/// For all others.
pub trait AnyMoving<T: ?Sized> {
    /// Why.
    fn unknown(&self) -> Option<Unknown>;
    /// None.
    fn numbers(&self) -> Vec<f64>;
    /// False.
    fn is_single(&self) -> bool;
    /// Never called.
    fn with(&self, numbers: &[f64]) -> NoCopy<T>;
    /// Never called.
    fn moved(&self, direction: &[f64], steps: f64) -> NoCopy<T>;
}

impl<T: ToOwned + ?Sized> KnownMoving<T> for Moving<'_, T>
where
    T::Owned: Numbers + Clone,
{
    fn unknown(&self) -> Option<Unknown> {
        None
    }

    fn numbers(&self) -> Vec<f64> {
        Copied::<T>(self.0.to_owned()).numbers()
    }

    fn is_single(&self) -> bool {
        is_single(&self.0.to_owned())
    }

    fn with(&self, numbers: &[f64]) -> Copied<T> {
        let mut numbers = numbers.iter();
        let mut copy = self.0.to_owned();
        copy.visit(&mut |mut number| number.set(numbers.next().copied().unwrap_or(0.0)));
        Copied(copy)
    }

    fn moved(&self, direction: &[f64], steps: f64) -> Copied<T> {
        let mut copy = self.0.to_owned();
        if steps != 0.0 {
            let mut direction = direction.iter();
            copy.visit(&mut |mut number| {
                let by = direction.next().copied().unwrap_or(0.0);
                number.set(number.get() + steps * by);
            });
        }
        Copied(copy)
    }
}

impl<T: ?Sized> AnyMoving<T> for &Moving<'_, T> {
    fn unknown(&self) -> Option<Unknown> {
        Some(Unknown::new::<T>("derive `Clone` and `autodiff::check::Numbers` for it, or let a bound say so"))
    }

    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    fn is_single(&self) -> bool {
        false
    }

    fn with(&self, _: &[f64]) -> NoCopy<T> {
        NoCopy(PhantomData)
    }

    fn moved(&self, _: &[f64], _: f64) -> NoCopy<T> {
        NoCopy(PhantomData)
    }
}

/// An argument that is `Const`, and that each run of the function needs for itself.
pub struct Steady<'a, T: ?Sized>(pub &'a T);

/// For what can be copied and then shares nothing with its copy.
pub trait KnownSteady<T: ToOwned + ?Sized> {
    /// Nothing.
    fn unknown(&self) -> Option<Unknown>;
    /// A copy.
    fn copy(&self) -> Copied<T>;
}

/// For all others.
pub trait AnySteady<T: ?Sized> {
    /// Why.
    fn unknown(&self) -> Option<Unknown>;
    /// Never called.
    fn copy(&self) -> NoCopy<T>;
}

impl<T: ToOwned + Sync + ?Sized> KnownSteady<T> for Steady<'_, T>
where
    T::Owned: BorrowMut<T>,
{
    fn unknown(&self) -> Option<Unknown> {
        None
    }

    fn copy(&self) -> Copied<T> {
        Copied(self.0.to_owned())
    }
}

impl<T: ?Sized> AnySteady<T> for &Steady<'_, T> {
    fn unknown(&self) -> Option<Unknown> {
        Some(Unknown::new::<T>("nothing says that it is `Clone` and `Sync`, so that copies share nothing"))
    }

    fn copy(&self) -> NoCopy<T> {
        NoCopy(PhantomData)
    }
}

/// What is `Const` and behind a shared reference: all runs of the function read it.
pub struct Shared<'a, T: ?Sized>(pub &'a T);

/// For what stays as it is; but for atomics and locks, which nobody can tell.
pub trait KnownShared {
    /// Nothing.
    fn unknown(&self) -> Option<Unknown>;
}

/// For all others.
pub trait AnyShared {
    /// Why.
    fn unknown(&self) -> Option<Unknown>;
}

impl<T: Sync + ?Sized> KnownShared for Shared<'_, T> {
    fn unknown(&self) -> Option<Unknown> {
        None
    }
}

impl<T: ?Sized> AnyShared for &Shared<'_, T> {
    fn unknown(&self) -> Option<Unknown> {
        Some(Unknown::new::<T>(
            "nothing says that it is `Sync`, so it may change when the function is called once more",
        ))
    }
}
