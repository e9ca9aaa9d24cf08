//! Derivatives of Rust functions by Enzyme, on a stock compiler.
//!
//! The attributes are those of `std::autodiff`, down to the headers that they generate: code moves between the two by
//! changing one `use`.
//!
//! ```
//! use autodiff::autodiff_reverse;
//!
//! #[autodiff_reverse(d_energy, Duplicated, Active)]
//! fn energy(x: &[f64]) -> f64 {
//!     x.iter().map(|x| x * x).sum()
//! }
//!
//! let x = [1.0, 2.0];
//! let mut gradient = [0.0; 2];
//! if autodiff::available() {
//!     assert_eq!(d_energy(&x, &mut gradient, 1.0), 5.0);
//!     assert_eq!(gradient, [2.0, 4.0]);
//! }
//! ```
//!
//! The function stays as it is. The derivative is a second function beside it, under the name that the attribute
//! gives it and as visible as the first. Cargo alone compiles it to a panic, which says how to build a program where
//! it computes something; [`available`] tells the two builds apart.
//!
//! # Modes
//!
//! [`autodiff_forward`] answers "how does everything move if the arguments move like this?" and costs about as much
//! as the function, for each direction. [`autodiff_reverse`] answers "how does this result depend on each argument?"
//! and costs a few times the function, for all arguments together. One function may have any number of either.
//!
//! # Activities
//!
//! After the name, an attribute lists one activity for each argument and one for the result, if there is one.
//!
//! | activity | of | mode | in the derivative |
//! |---|---|---|---|
//! | `Const` | anything | both | as it is: not differentiated |
//! | `Dual` | values, `&T`, `&mut T`, pointers | forward | followed by its tangent `bx_0`, of the same type; with a width *n*, by `bx_0` … |
//! | `Dual` | result `T` | forward | `(T, T)`: the result and its tangent; with a width *n* > 1 `[T; n + 1]` |
//! | `DualOnly` | the same | forward | the result is not returned: `T`, `[T; n]`; for an argument the derivative is `unsafe` |
//! | `Dualv`, `DualvOnly` | `&[T]`, `&mut [T]` | forward | as `Dual`, `DualOnly`; one slice `bx_0` holds all tangents, one after another |
//! | `Active` | values | reverse | its adjoint is returned, after the result and those of earlier arguments |
//! | `Active` | result `T` | reverse | the last argument `dret: T` is its seed; the result is returned as before |
//! | `ActiveOnly` | result `T` | reverse | the same, and the result is not returned |
//! | `Duplicated` | `&T`, `&mut T`, pointers | reverse | followed by its shadow `dx_0: &mut T`, to which its adjoint is **added** |
//! | `DuplicatedOnly` | the same | reverse | the same; the derivative is `unsafe`, as it may leave out what the function writes there |
//!
//! Values are `f32`, `f64`, and tuples, arrays and structs of numbers. `docs/frontend.md` beside this crate has an
//! example of each.
//!
//! # Functions
//!
//! Functions anywhere: methods and associated functions, of traits too; generic over types, constants and lifetimes;
//! `unsafe`, `const` and `extern "C"`. A derivative may itself be called by a function that is differentiated. Whatever
//! is not supported is an error at the word that is the cause, and never a derivative that is wrong.
#![no_std]

#[cfg(any(feature = "check", crategrad_gradcheck, crategrad_verify))]
extern crate std;

#[cfg(any(feature = "check", crategrad_gradcheck, crategrad_verify))]
pub mod check;
pub mod tape;

/// Generates a derivative in forward mode: `#[autodiff_forward(name, [width,] activities…)]`.
///
/// `name` is the derivative's name, `width` the number of directions that are followed at once (1 if left out), and
/// the activities, `Dual`, `DualOnly`, `Dualv`, `DualvOnly` or `Const`, belong to the arguments in their order and then
/// to the result. A function that returns nothing (`-> ()` included) takes none for its result.
///
/// The derivative takes what the function takes. Each `Dual` argument `x` is followed by `width` arguments `bx_0`,
/// `bx_1` … of the same type, the tangents: how `x` moves. Tangents behind `&mut` are overwritten by those of what
/// the function writes.
///
/// It returns
///
/// - what the function returns, if that is `Const` or nothing;
/// - `(T, T)`, the result and its tangent, if it is `Dual`;
/// - `[T; width + 1]`, the result and its tangents, if it is `Dual` and the width is 2 or more;
/// - `T`, `[T; width]`, without the result, if it is `DualOnly` or `DualvOnly`.
///
/// ```
/// use autodiff::autodiff_forward;
///
/// #[autodiff_forward(d_area, Dual, Const, Dual)]
/// #[autodiff_forward(d_area_2, 2, Dual, Dual, Dual)]
/// fn area(width: f64, height: f64) -> f64 {
///     width * height
/// }
///
/// if autodiff::available() {
///     assert_eq!(d_area(3.0, 1.0, 5.0), (15.0, 5.0));
///     assert_eq!(d_area_2(3.0, 1.0, 0.0, 5.0, 0.0, 1.0), [15.0, 5.0, 3.0]);
/// }
/// ```
///
/// # Panics
///
/// The derivative panics in a build without Crategrad, and if a `Dual` argument is a slice and one of its tangents
/// has another length.
///
/// # Errors
///
/// Whatever is not supported, or contradicts the function, is a compile error at the word that is the cause.
pub use autodiff_macros::autodiff_forward;

/// Generates a derivative in reverse mode: `#[autodiff_reverse(name, [width,] activities…)]`.
///
/// `name` is the derivative's name, `width` the number of adjoints that are followed at once (1 if left out), and the
/// activities, `Active`, `Duplicated`, `DuplicatedOnly` or `Const`, belong to the arguments in their order and then to
/// the result: `Active`, `ActiveOnly` or `Const`. A function that returns nothing (`-> ()` included) takes none for it.
///
/// The derivative takes what the function takes. Each `Duplicated` argument `x: &T` or `x: &mut T` is followed by its
/// shadow `dx_0: &mut T` (with a width *n*, shadows `dx_0` to `dx_{n-1}`): the adjoint of what the function reads is *added* there, so start from zeros; the shadow of
/// what it writes is the seed, and is zero afterwards. An `Active` result `T` adds a last argument `dret: T`, its
/// seed: with 1.0 the adjoints are the derivatives of the result.
///
/// It returns what the function returns, unless that is `ActiveOnly`, and the adjoints of its `Active` arguments `x`, `y`, in one tuple `(ret, dx,
/// dy)`; just `ret` if there are none, just `dx` or `(dx, dy)` if the function returns nothing. One that says `-> ()`
/// counts as returning something here, as in `std::autodiff`: `((), dx)`.
///
/// ```
/// use autodiff::autodiff_reverse;
///
/// #[autodiff_reverse(d_scaled, Active, Duplicated, Active)]
/// fn scaled(by: f64, x: &[f64; 2]) -> f64 {
///     by * (x[0] + x[1])
/// }
///
/// let mut dx = [0.0; 2];
/// if autodiff::available() {
///     assert_eq!(d_scaled(3.0, &[4.0, 5.0], &mut dx, 1.0), (27.0, 9.0));
///     assert_eq!(dx, [3.0, 3.0]);
/// }
/// ```
///
/// # Panics
///
/// The derivative panics in a build without Crategrad, and if a `Duplicated` argument is a slice and its shadow has
/// another length.
///
/// # Errors
///
/// Whatever is not supported, or contradicts the function, is a compile error at the word that is the cause.
pub use autodiff_macros::autodiff_reverse;

/// Compares derivatives with differences, and with each other, at a point; panics with what is wrong.
///
/// It takes attributes as they stand above the function, one or several, and a call of that function by its path, with
/// references written as such. A method is called by its path, too: `Spring::energy(&spring, 0.5)`. What is given is
/// copied, and stays as it is. The derivatives are called by their names, so ones written by hand can be checked.
///
/// - Each derivative is held against central differences, number by number and along a random direction; what it
///   returns as the function's own values against these.
/// - Reverse mode is held against forward mode: ⟨w, J·t⟩ = ⟨Jᵀ·w, t⟩ for random w and t.
/// - Several directions at once are held against one, if both are there for the same activities.
///
/// It gives a [`check::Report`] with the kinks that were met; [`try_gradcheck!`] hands out one with mismatches, too,
/// instead of panicking. `#[check(tolerance = 1e-4, seed = 7, most = 16)]` sets some or all of [`check::Settings`].
///
/// Arguments that move, and the result, are [`check::Numbers`] and `Clone`. What is behind `Const` references stays
/// untouched; other constants are `Clone`.
///
/// ```
/// use autodiff::{check::Numbers, gradcheck, try_gradcheck};
///
/// #[derive(Clone, Numbers)]
/// struct Spring {
///     stiffness: f64,
///     length: f64,
/// }
///
/// fn energy(spring: &Spring, x: f64) -> f64 {
///     0.5 * spring.stiffness * (x - spring.length).powi(2)
/// }
///
/// fn d_energy(spring: &Spring, d_spring: &mut Spring, x: f64, seed: f64) -> (f64, f64) {
///     let stretch = x - spring.length;
///     d_spring.stiffness += seed * 0.5 * stretch * stretch;
///     d_spring.length -= seed * spring.stiffness * stretch;
///     (energy(spring, x), seed * spring.stiffness * stretch)
/// }
///
/// let spring = Spring { stiffness: 3.0, length: 0.5 };
/// gradcheck!(#[autodiff_reverse(d_energy, Duplicated, Active, Active)] energy(&spring, 2.0));
///
/// fn t_energy(spring: &Spring, x: f64, t: f64) -> (f64, f64) {
///     (energy(spring, x), t * spring.stiffness * x)
/// }
///
/// let found = try_gradcheck!(#[autodiff_forward(t_energy, Const, Dual, Dual)] energy(&spring, 2.0));
/// assert_eq!(found.unwrap_err().mismatches[0].got, 6.0);
/// ```
///
/// # Panics
///
/// If anything is wrong, with the report; and as the derivative does in a build without Crategrad.
#[cfg(any(feature = "check", crategrad_gradcheck, crategrad_verify))]
pub use autodiff_macros::gradcheck;

/// [`gradcheck!`] that returns `Result<Report, Report>`: an `Err` where anything is wrong.
#[cfg(any(feature = "check", crategrad_gradcheck, crategrad_verify))]
pub use autodiff_macros::try_gradcheck;

/// Says what `./doit gradcheck` gives the arguments of a function; it stands below the attributes of its derivatives.
///
/// For each argument a range for its numbers, or a constant; for slices `[range; length]`, if the length matters:
///
/// ```
/// use autodiff::{autodiff_reverse, domain};
///
/// #[autodiff_reverse(d_rate, Duplicated, Const, Active, Active)]
/// #[domain(table = [0.0..1.0; 9], rows = 3, temperature = 250.0..350.0)]
/// fn rate(table: &[f64], rows: usize, temperature: f64) -> f64 {
///     table.chunks(rows).map(|row| (row[0] / temperature).exp()).sum()
/// }
/// ```
///
/// Without it numbers are of size 0.1 to 1.1 and of either sign, slices of one length, and whole numbers less than that.
pub use autodiff_macros::domain;

/// Says that a function has no derivative: a derivative calls it as it stands, and nothing in it is looked at.
///
/// For what talks to the outside, or what Enzyme refuses, of which no derivative is wanted: what it returns counts as
/// constant, and so does what it writes. It returns no more than fits into registers: numbers, a pair of them, a reference.
/// It is never inlined.
///
/// ```
/// use autodiff::{autodiff_reverse, inactive};
///
/// #[inactive]
/// fn report(step: usize, value: f64) {
///     eprintln!("{step}: {value}");
/// }
///
/// #[autodiff_reverse(d_sum, Duplicated, Active)]
/// fn sum(x: &[f64]) -> f64 {
///     let mut sum = 0.0;
///     for (step, x) in x.iter().enumerate() {
///         sum += x * x;
///         report(step, sum);
///     }
///     sum
/// }
/// # sum(&[1.0]);
/// ```
///
/// # Errors
///
/// A compile error on what is no function, and on one that is `const`, `async` or `#[inline]`; the pipeline refuses one whose
/// result is returned through memory.
pub use autodiff_macros::inactive;

/// Whether this build goes through the Crategrad pipeline: if not, calling a derivative panics.
///
/// It is known at compile time, so whatever stands under `if autodiff::available()` costs nothing elsewhere.
#[must_use]
pub const fn available() -> bool {
    cfg!(crategrad)
}

/// What the generated code calls; nothing here is for users.
#[doc(hidden)]
pub mod __private {
    #[cfg(crategrad_gradcheck)]
    pub use autodiff_macros::__register;
    use core::ops::Deref;

    #[cfg(crategrad)]
    unsafe extern "C" {
        /// Marks a derivative: the pipeline replaces each call by Enzyme's derivative of `primal`.
        ///
        /// `descriptor` is a line of JSON that ends with a NUL; it says what the pointers after `primal` are.
        pub fn __crategrad_placeholder_v2(descriptor: *const u8, primal: *const (), ...);

        /// Marks the function that calls it as inactive; the pipeline takes the call out.
        #[cfg(not(crategrad_slice))]
        pub fn __crategrad_inactive_v1();
    }

    /// Marks the function that mentions it as inactive.
    #[cfg(crategrad_slice)]
    pub extern "C" fn __crategrad_inactive_v1() {}

    /// Calls the derivative that `ask` asks for where it is: beside the program, and the linker joins them.
    ///
    /// `ask` captures nothing. The function that calls it has a name that nothing else has, whatever generics are around; with
    /// `.crategrad` after it, that is the derivative's. Only in assembly can a name be made of another.
    #[cfg(crategrad_slice)]
    #[inline(always)]
    pub fn ask_apart<A: Fn(&[*const (); N]), const N: usize>(_: A, pointers: [*const (); N]) -> Asked<A, N> {
        let derivative: extern "C" fn(&[*const (); N]);
        unsafe {
            #[cfg(target_arch = "x86_64")]
            core::arch::asm!(
                "lea {derivative}, [rip + {ask}.crategrad]",
                derivative = out(reg) derivative, ask = sym __crategrad_ask::<A, N>,
                options(pure, nomem, nostack, preserves_flags)
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::asm!(
                "adrp {derivative}, {ask}.crategrad",
                "add {derivative}, {derivative}, :lo12:{ask}.crategrad",
                derivative = out(reg) derivative, ask = sym __crategrad_ask::<A, N>,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        derivative(&pointers);
        Asked(core::marker::PhantomData)
    }

    #[cfg(crategrad_slice)]
    extern "C" fn __crategrad_ask<A: Fn(&[*const (); N]), const N: usize>(pointers: &[*const (); N]) {
        const { assert!(size_of::<A>() == 0) };
        // A value of a type without content is anywhere.
        let ask = unsafe { core::ptr::NonNull::<A>::dangling().as_ref() };
        ask(pointers);
    }

    /// A derivative that was called.
    #[cfg(crategrad_slice)]
    pub struct Asked<A, const N: usize>(core::marker::PhantomData<A>);

    #[cfg(crategrad_slice)]
    impl<A: Fn(&[*const (); N]), const N: usize> Asked<A, N> {
        /// The place of the function's value, from which it is read.
        ///
        /// Where nobody needs what is read, LLVM takes this out. Where it stays, the object has a symbol by the name of the
        /// derivative with `.wanted` after it: if no object of the program has it, the value need not be computed.
        #[inline(always)]
        pub fn value<T>(&self, mut place: *const T) -> *const T {
            unsafe {
                core::arch::asm!(
                    ".weak {ask}.crategrad.wanted",
                    ".hidden {ask}.crategrad.wanted",
                    ".set {ask}.crategrad.wanted, 1",
                    "/* {place} */",
                    ask = sym __crategrad_ask::<A, N>, place = inout(reg) place,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            place
        }
    }

    /// A derivative that was called.
    #[cfg(not(crategrad_slice))]
    pub struct Asked;

    #[cfg(not(crategrad_slice))]
    impl Asked {
        /// The place of the function's value, from which it is read: where nobody needs that, LLVM sees it.
        #[inline(always)]
        pub fn value<T>(&self, place: *const T) -> *const T {
            place
        }
    }

    /// The body of a derivative in a build without the pipeline.
    #[cold]
    #[track_caller]
    pub fn not_built(derivative: &str, primal: &str) -> ! {
        unimplemented!(
            "the derivative `{derivative}` of `{primal}` exists only in a Crategrad build: \
             `./doit build crate=<dir>`, where <dir> is the directory of this program's Cargo.toml"
        )
    }

    /// Two values whose lengths are compared, if they are slices in some guise: autoref picks the trait.
    pub struct Lengths<'a, P: ?Sized, S: ?Sized>(pub &'a P, pub &'a S);

    /// What is read as a slice: `Vec<T>`, `Box<[T]>`, `&[T]` …
    pub trait SliceLength {
        fn lengths(&self) -> Option<(usize, usize)>;
    }

    /// Anything else.
    pub trait AnyLength {
        fn lengths(&self) -> Option<(usize, usize)>;
    }

    impl<P, S, T> SliceLength for Lengths<'_, P, S>
    where
        P: Deref<Target = [T]> + ?Sized,
        S: Deref<Target = [T]> + ?Sized,
    {
        #[inline(always)]
        fn lengths(&self) -> Option<(usize, usize)> {
            Some((self.0.len(), self.1.len()))
        }
    }

    impl<P: ?Sized, S: ?Sized> AnyLength for &Lengths<'_, P, S> {
        #[inline(always)]
        fn lengths(&self) -> Option<(usize, usize)> {
            None
        }
    }

    /// Panics if a shadow is not as long as the slice it belongs to, or not `lanes` times as long.
    #[inline(always)]
    #[track_caller]
    pub fn check_lengths(derivative: &str, name: &str, shadow: &str, lanes: usize, lengths: Option<(usize, usize)>) {
        if let Some((length, shadow_length)) = lengths {
            if length.checked_mul(lanes) != Some(shadow_length) {
                length_mismatch(derivative, name, shadow, lanes, length, shadow_length);
            }
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn length_mismatch(
        derivative: &str,
        name: &str,
        shadow: &str,
        lanes: usize,
        length: usize,
        shadow_length: usize,
    ) -> ! {
        if lanes == 1 {
            panic!(
                "derivative `{derivative}`: `{name}` has length {length}, but its shadow `{shadow}` has length \
                 {shadow_length}"
            )
        }
        panic!(
            "derivative `{derivative}`: `{name}` has length {length} and {lanes} tangents, but their slice `{shadow}` has \
             length {shadow_length}"
        )
    }
}

/// Tells `./doit gradcheck` of a function, in a build for it: then, and only then, does this become anything.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad_gradcheck)]
macro_rules! __gradcheck {
    ($($function:tt)*) => {
        $crate::__private::__register! { $($function)* }
    };
}

/// Tells `./doit gradcheck` of a function, in a build for it: then, and only then, does this become anything.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad_gradcheck))]
macro_rules! __gradcheck {
    ($($function:tt)*) => {};
}

/// What a derivative checks itself by, in a build that wants it: then, and only then, does this become anything.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad_verify)]
macro_rules! __verify {
    ($($code:tt)*) => { $($code)* };
}

/// What a derivative checks itself by, in a build that wants it: then, and only then, does this become anything.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad_verify))]
macro_rules! __verify {
    ($($code:tt)*) => {};
}

/// A derivative that knows who called it, in a build where it tells of it; as it is otherwise.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad_verify)]
macro_rules! __knowing_its_caller {
    ($($derivative:tt)*) => { #[track_caller] $($derivative)* };
}

/// A derivative that knows who called it, in a build where it tells of it; as it is otherwise.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad_verify))]
macro_rules! __knowing_its_caller {
    ($($derivative:tt)*) => { $($derivative)* };
}

/// Asks for a derivative: by the placeholder.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad_slice))]
macro_rules! __ask {
    ({ $($shim:tt)* } $descriptor:expr, $primal:expr, [$($pointer:expr),*], $numbers:tt) => {{
        $($shim)*
        unsafe { $crate::__private::__crategrad_placeholder_v2($descriptor, $primal, $($pointer),*) }
        $crate::__private::Asked
    }};
}

/// Asks for a derivative: by the placeholder, in a function of its own, whose name the pipeline can give to the derivative.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad_slice)]
macro_rules! __ask {
    ({ $($shim:tt)* } $descriptor:expr, $primal:expr, [$($pointer:expr),*], [$($number:expr),*]) => {
        $crate::__private::ask_apart(
            |_pointers| {
                $($shim)*
                unsafe {
                    // It stays undefined in the object, where nobody calls it.
                    ::core::arch::asm!(
                        ".weak {}", sym $crate::__private::__crategrad_placeholder_v2,
                        options(nomem, nostack, preserves_flags)
                    );
                    $crate::__private::__crategrad_placeholder_v2($descriptor, $primal, $(_pointers[$number]),*)
                }
            },
            [$($pointer as *const ()),*],
        )
    };
}

/// Picks the derivative's body for this build; here and not in the user's crate, which need not know of the cfg.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad)]
macro_rules! __body {
    ($without_crategrad:tt $with_crategrad:tt) => {
        $with_crategrad
    };
}

/// Picks the derivative's body for this build; here and not in the user's crate, which need not know of the cfg.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad))]
macro_rules! __body {
    ($without_crategrad:tt $with_crategrad:tt) => {
        $without_crategrad
    };
}

/// Marks the function that it stands in as inactive, in a build that knows what that is.
#[doc(hidden)]
#[macro_export]
#[cfg(all(crategrad, not(crategrad_slice)))]
macro_rules! __inactive {
    () => {
        unsafe { $crate::__private::__crategrad_inactive_v1() }
    };
}

/// Marks the function that it stands in as inactive, by a comment in its machine code.
#[doc(hidden)]
#[macro_export]
#[cfg(crategrad_slice)]
macro_rules! __inactive {
    () => {
        unsafe {
            ::core::arch::asm!(
                "/* {} */", sym $crate::__private::__crategrad_inactive_v1,
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}

/// Marks the function that it stands in as inactive, in a build that knows what that is.
#[doc(hidden)]
#[macro_export]
#[cfg(not(crategrad))]
macro_rules! __inactive {
    () => {};
}
