//! What a derivative in reverse mode checks itself by, in a build that asks for it: statements before and after its own.
//!
//! Before: the function runs on copies of the arguments, and so does its derivative in forward mode, with arguments that move
//! in a random direction. After: what both say is compared. Numbers are `autodiff::check::verify`'s business, and types are
//! found out by autoref; here is only said which argument is what.

use crate::activity::{Activity, Mode};
use crate::body::local;
use crate::derivative::{Derivative, Differentiated, Returned};
use crate::descriptor;
use crate::header::Output;
use crate::types::{self, Kind};
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Type, TypeReference};

/// What `autodiff::check` has for this code alone.
macro_rules! verify {
    ($($tokens:tt)*) => {
        generated!(::autodiff::check::verify::$($tokens)*)
    };
}

/// How the function takes an argument.
#[derive(Clone, Copy, PartialEq)]
enum Passing {
    Value,
    Shared,
    Exclusive,
    Pointer,
}

impl Derivative {
    /// Statements for before and after the derivative's own; none in forward mode.
    pub fn verification(&self) -> Option<[TokenStream; 2]> {
        (self.mode == Mode::Reverse).then(|| [self.before(), self.after()])
    }

    fn before(&self) -> TokenStream {
        let (name, path) = (self.name.to_string(), format!("::{}", descriptor::bare(&self.primal.name)));
        let of_seed = self.seed().map(|seed| {
            let moving = verify!(Moving);
            generated!((&#moving(&#seed)).unknown())
        });
        let unknown = self.arguments.iter().map(Differentiated::unknown).chain(of_seed);
        let places = self.arguments.iter().map(|argument| {
            let (name, shadow) = (argument.name.to_string(), argument.shadow());
            generated!((#name, #shadow))
        });
        let of_result = if self.seed().is_some() { verify!(Shadow::ByValue) } else { verify!(Shadow::Nothing) };
        let (imports, seen) = (imports(), self.seen());
        let (call, wanted, kept) = (verify!(Call), verify!(__crategrad_verify_wanted), verify!(Seen));
        generated! {
            let __crategrad_unknown = { #imports [#(#unknown),*] };
            let __crategrad_call = #call {
                derivative: #name,
                function: ::core::concat!(::core::module_path!(), #path),
                place: ::core::panic::Location::caller(),
                places: const { &[#(#places,)* ("the result", #of_result)] },
                unknown: &__crategrad_unknown,
            };
            let __crategrad_is_checked = #wanted(&__crategrad_call);
            // Nothing to drop, and nothing to run where no call is checked.
            let mut __crategrad_seen = const { ::core::mem::MaybeUninit::<#kept>::uninit() };
            if __crategrad_is_checked {
                __crategrad_seen.write({ #imports #seen });
            }
        }
    }

    fn after(&self) -> TokenStream {
        let values = self.locals("value");
        let arguments = || self.arguments.iter().zip(&values);
        let adjoint = |lane| list(arguments().map(|(argument, value)| argument.adjoint(value, lane)), None);
        let found = (0..self.width).map(adjoint);
        let written = arguments().map(|(argument, value)| {
            let is_wanted = argument.is_output() && !argument.activity.is_only();
            is_wanted.then(|| numbers(&generated!(&*#value)))
        });
        let result = self.result.as_ref().filter(|result| result.activity.returns_primal());
        let returned = list(written, result.map(|result| in_place(&result.ty, &local(format_args!("result")))));
        let imports = imports();
        generated! {
            if __crategrad_is_checked {
                #imports
                let (__crategrad_found, __crategrad_returned) = ([#(#found),*], #returned);
                let __crategrad_seen = unsafe { __crategrad_seen.assume_init_read() };
                __crategrad_seen.compare(&__crategrad_call, &__crategrad_found, &__crategrad_returned);
            }
        }
    }

    /// An expression for all that is known beforehand.
    fn seen(&self) -> TokenStream {
        let (directions, tangents) = (self.locals("direction"), self.locals("tangent"));
        let moving = || self.arguments.iter().zip(directions.iter().zip(&tangents)).filter(|(a, _)| a.moves());
        let moves = moving().map(|(argument, (direction, tangent))| {
            let place = argument.probe();
            generated! {
                let mut #tangent = #place.with(&__crategrad_directions.next(&#place.numbers()));
                let #direction = #tangent.numbers();
            }
        });
        let singles = moving().map(|(argument, _)| argument.probe());
        let seeds = (0..self.width).map(|lane| self.seeds(lane));
        let direction = self.arguments.iter().zip(&directions);
        let direction = list(direction.map(|(a, direction)| a.moves().then(|| generated!(#direction.clone()))), None);
        let moved = self.arguments.iter().zip(&tangents);
        let moved = moved.map(|(argument, tangent)| argument.is_output().then(|| generated!(#tangent.numbers())));
        let of_result = self.seed().map(|_| numbers(&generated!(&__crategrad_forward_tangent)));
        let moved = list(moved, of_result);
        let (forward, function, seen, vec) =
            (self.forward(), self.function(), verify!(Seen::new), generated!(::autodiff::check::__private::vec));
        generated! {
            let mut __crategrad_directions = __crategrad_call.directions();
            #(#moves)*
            let __crategrad_is_single = false #(|| #singles.is_single())*;
            let __crategrad_seeds = #vec![#(#seeds),*];
            #forward
            let __crategrad_tangents = #moved;
            let __crategrad_at = #function;
            #seen(__crategrad_is_single, __crategrad_seeds, #direction, __crategrad_tangents, &__crategrad_at)
        }
    }

    /// An expression for what is in the shadows of a lane, and for the seed.
    fn seeds(&self, lane: usize) -> TokenStream {
        let shadow = |argument: &Differentiated| {
            let shadow = argument.shadows.get(lane).filter(|_| argument.passing() != Passing::Pointer)?;
            Some(numbers(&generated!(&*#shadow)))
        };
        list(self.arguments.iter().map(shadow), self.seed().map(|seed| numbers(&generated!(&#seed))))
    }

    /// A closure for what the function writes and returns, so many steps away.
    fn function(&self) -> TokenStream {
        let (copies, directions) = (self.locals("copy"), self.locals("direction"));
        let arguments = || self.arguments.iter().zip(copies.iter().zip(&directions));
        let copied = arguments().map(|(argument, (copy, direction))| {
            argument.copy(copy, &generated!(&#direction), &generated!(__crategrad_steps))
        });
        let passed = arguments().map(|(argument, (copy, _))| argument.passed(copy));
        let written =
            arguments().map(|(argument, (copy, _))| argument.is_output().then(|| generated!(#copy.numbers())));
        let has_value = matches!(self.primal.output, Output::Value(_));
        let values = list(written, has_value.then(|| numbers(&generated!(&__crategrad_value))));
        let (primal, deprecated) = (self.primal_path(), self.allowing_deprecated());
        let call = generated!(unsafe { #primal(#(#passed),*) });
        let call = if has_value { generated!(let __crategrad_value = #call;) } else { generated!(#call;) };
        generated!(|__crategrad_steps: f64| { #(#copied)* #deprecated #call #values })
    }

    /// Statements after which forward mode has run, and the tangent of the result is there.
    fn forward(&self) -> TokenStream {
        let mut forward = self.in_forward_mode();
        let descriptor = descriptor::expression(&forward);
        let (copies, tangents) = (self.locals("copy"), self.locals("tangent"));
        let mut given = Vec::new();
        for (index, argument) in forward.arguments.iter_mut().enumerate() {
            let (copy, tangent, ty) = (&copies[index], &tangents[index], &argument.ty);
            let (value, shadow) =
                (local(format_args!("forward_{index}")), local(format_args!("forward_shadow_{index}")));
            let (copied, passed) = (argument.copy(copy, &generated!(&[]), &generated!(0.0)), argument.passed(copy));
            given.push(generated!(#copied let #value: #ty = unsafe { #passed };));
            if argument.moves() {
                let passed = argument.passed(tangent);
                given.push(generated!(let #shadow: #ty = unsafe { #passed };));
                argument.shadows = vec![shadow];
            }
            argument.name = value;
        }
        let body = forward.calling(&descriptor, None, None);
        let pattern = match (&forward.primal.output, &forward.result) {
            (Output::Value(_), Some(Returned { activity: Activity::Const, .. })) => generated!(_),
            (Output::Value(_), _) => generated!((_, __crategrad_forward_tangent)),
            _ => generated!(()),
        };
        generated!(let #pattern = { #(#given)* #body };)
    }

    /// The derivative of the same function, of the same arguments, in forward mode.
    fn in_forward_mode(&self) -> Self {
        let mut forward = Self { mode: Mode::Forward, width: 1, ..self.clone() };
        for argument in &mut forward.arguments {
            argument.activity = argument.activity.in_forward_mode();
            argument.shadow_ty = argument.ty.clone();
        }
        if let Some(result) = &mut forward.result {
            result.activity = result.activity.in_forward_mode();
            result.seed = None;
        }
        forward
    }
}

impl Differentiated {
    fn passing(&self) -> Passing {
        match types::kind(&self.ty) {
            Kind::Reference(TypeReference { mutability: None, .. }) => Passing::Shared,
            Kind::Reference(_) => Passing::Exclusive,
            Kind::Pointer => Passing::Pointer,
            _ => Passing::Value,
        }
    }

    fn moves(&self) -> bool {
        self.activity != Activity::Const && self.passing() != Passing::Pointer
    }

    /// Whether numbers that the function writes there move.
    fn is_output(&self) -> bool {
        self.moves() && self.passing() == Passing::Exclusive
    }

    /// Whether the user's own reference is what all runs are given.
    fn is_shared(&self) -> bool {
        !self.moves() && self.passing() == Passing::Shared
    }

    fn shadow(&self) -> TokenStream {
        match self.passing() {
            _ if !self.moves() => verify!(Shadow::Nothing),
            Passing::Shared => verify!(Shadow::Added),
            Passing::Exclusive => verify!(Shadow::Used),
            Passing::Value | Passing::Pointer => verify!(Shadow::ByValue),
        }
    }

    /// The argument, in the guise in which autoref finds out what it can be asked.
    fn probe(&self) -> TokenStream {
        let name = &self.name;
        let of = if self.passing() == Passing::Value { generated!(&#name) } else { generated!(&*#name) };
        let kind = match (self.moves(), self.is_shared()) {
            (true, _) => verify!(Moving),
            (_, true) => verify!(Shared),
            _ => verify!(Steady),
        };
        generated!((&#kind(#of)))
    }

    /// An expression for why the call cannot be checked because of this argument, if so.
    fn unknown(&self) -> TokenStream {
        if self.passing() == Passing::Pointer {
            let pointer = verify!(Unknown::POINTER);
            return generated!(::core::option::Option::Some(#pointer));
        }
        let probe = self.probe();
        generated!(#probe.unknown())
    }

    /// A statement that makes a copy, where the function is given one: so many steps away, if it moves.
    fn copy(&self, copy: &Ident, direction: &TokenStream, steps: &TokenStream) -> Option<TokenStream> {
        if self.is_shared() || self.passing() == Passing::Pointer {
            return None;
        }
        let probe = self.probe();
        let mutable = (self.passing() != Passing::Value).then(|| generated!(mut));
        let made = if self.moves() { generated!(moved(#direction, #steps)) } else { generated!(copy()) };
        Some(generated!(let #mutable #copy = #probe.#made;))
    }

    /// An expression for what the function is given, inside `unsafe`.
    fn passed(&self, copy: &Ident) -> TokenStream {
        let borrowed = verify!(borrowed);
        match self.passing() {
            _ if self.is_shared() => self.name.to_token_stream(),
            Passing::Pointer => self.name.to_token_stream(),
            Passing::Value => generated!(#copy.take()),
            Passing::Shared => generated!(&*#borrowed(#copy.place())),
            Passing::Exclusive => generated!(#borrowed(#copy.place())),
        }
    }

    /// An expression for the adjoint's numbers once the derivative has run, if it has one.
    fn adjoint(&self, value: &Ident, lane: usize) -> Option<TokenStream> {
        match self.passing() {
            _ if !self.moves() => None,
            Passing::Value => Some(in_place(&self.ty, &local(format_args!("{value}_adjoint")))),
            _ => {
                let shadow = local(format_args!("{value}_shadow_{lane}"));
                Some(numbers(&generated!(&*#shadow)))
            }
        }
    }
}

/// A list for each argument, and one for the result; empty ones where there is nothing.
fn list(of_arguments: impl Iterator<Item = Option<TokenStream>>, of_result: Option<TokenStream>) -> TokenStream {
    let nothing = || generated!(::autodiff::check::__private::Vec::new());
    let lists = of_arguments.map(|numbers| numbers.unwrap_or_else(nothing));
    let of_result = of_result.unwrap_or_else(nothing);
    generated!(::autodiff::check::__private::vec![#(#lists,)* #of_result])
}

/// An expression for the numbers behind a reference; none where they are not known.
fn numbers(of: &TokenStream) -> TokenStream {
    let moving = verify!(Moving);
    generated!((&#moving(#of)).numbers())
}

/// The same for what the derivative has left in a place.
fn in_place(ty: &Type, place: &Ident) -> TokenStream {
    numbers(&if types::is_float(ty) { generated!(&#place) } else { generated!(unsafe { #place.assume_init_ref() }) })
}

/// The traits among which autoref chooses.
fn imports() -> TokenStream {
    let verify = generated!(::autodiff::check::verify);
    generated! {
        #[allow(unused_imports)]
        use #verify::{AnyMoving as _, AnyShared as _, AnySteady as _, KnownMoving as _, KnownShared as _, KnownSteady as _};
    }
}
