//! `gradcheck!`: attributes in front of a call, and what compares the derivatives they name at that point.
//!
//! The code it writes knows types, which the macro does not: for the function and for each derivative a closure that
//! takes lists of numbers, puts them into copies of the arguments, and reads what comes out ([`code`], [`shadows`]). What is
//! compared, and how, is then the business of `autodiff::check`, which knows lists of numbers only.
//!
//! [`register`] writes the same for a function that `./doit gradcheck` is to call with arguments that it makes.

/// What `autodiff::check` has for this code alone.
macro_rules! private {
    ($($tokens:tt)*) => {
        generated!(::autodiff::check::__private::$($tokens)*)
    };
}

mod code;
mod register;
mod shadows;

use crate::activity::{Activity, Mode};
use crate::attribute::{self, Request};
use crate::error::{error, Errors};
use crate::types;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, ToTokens};
pub use register::{call_of, domain, register};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprCall, ExprPath, Meta, MetaNameValue, Token};

/// A call of a function, and the derivatives to check there.
struct Checked {
    function: ExprPath,
    arguments: Vec<Argument>,
    derivatives: Vec<Derivative>,
    settings: TokenStream,
    values: Values,
}

/// Where the arguments come from, and so what is known of their types.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// Out of the call: the compiler refuses what is not made of numbers.
    Given,
    /// Out of a generator: what is not made of numbers is told when it runs.
    Made,
}

/// An argument as the call gives it.
struct Argument {
    /// As it is shown.
    text: String,
    /// An expression for what is kept of it.
    held: TokenStream,
    passing: Passing,
    /// Whether it moves in any of the derivatives.
    moves: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Passing {
    Value,
    Shared,
    Exclusive,
}

struct Derivative {
    name: Ident,
    mode: Mode,
    width: usize,
    arguments: Vec<Activity>,
    result: Option<Activity>,
}

/// The check as an expression; `action` is what is done with it.
pub fn expand(call: TokenStream, action: &str) -> TokenStream {
    match parse.parse2(call) {
        Ok(checked) => checked.generate(&Ident::new(action, Span::call_site())),
        Err(errors) => errors.to_compile_error(),
    }
}

const USAGE: &str = "write the attributes as they stand above the function, and a call of it by its path: \
                     `#[autodiff_reverse(df, Duplicated, Active)] module::f(&x)`";

fn parse(input: ParseStream<'_>) -> syn::Result<Checked> {
    let attributes = input.call(Attribute::parse_outer)?;
    let call: Expr = input.parse().map_err(|_| error(input.span(), "a call is missing here", USAGE))?;
    let (function, values) = match call {
        Expr::Call(ExprCall { func, args, .. }) => match *func {
            Expr::Path(path) => (path, args),
            other => return Err(error(other.span(), "the function's path is wanted here", USAGE)),
        },
        other => return Err(error(other.span(), "this is no call of a function by its path", USAGE)),
    };
    if !input.is_empty() {
        return Err(error(input.span(), "one call at a time", USAGE));
    }
    let mut errors = Errors::default();
    let mut arguments: Vec<Argument> = values.iter().map(Argument::given).collect();
    let (mut derivatives, mut settings) = (Vec::new(), TokenStream::new());
    for attribute in &attributes {
        match errors.take(read(attribute, &arguments)) {
            Some(Read::Derivative(derivative)) => derivatives.push(derivative),
            Some(Read::Settings(some)) => settings.extend(some),
            None => {}
        }
    }
    errors.finish()?;
    if derivatives.is_empty() {
        return Err(error(function.span(), "there is no derivative to check", USAGE));
    }
    note_moving(&mut arguments, &derivatives);
    for (argument, value) in arguments.iter_mut().zip(&values) {
        argument.hold(value);
    }
    let settings = generated!(::autodiff::check::Settings { #settings ..::core::default::Default::default() });
    Ok(Checked { function, arguments, derivatives, settings, values: Values::Given })
}

fn note_moving(arguments: &mut [Argument], derivatives: &[Derivative]) {
    for derivative in derivatives {
        for (argument, activity) in arguments.iter_mut().zip(&derivative.arguments) {
            argument.moves |= *activity != Activity::Const;
        }
    }
}

/// What an attribute can be.
enum Read {
    Derivative(Derivative),
    Settings(TokenStream),
}

fn read(attribute: &Attribute, arguments: &[Argument]) -> syn::Result<Read> {
    let Meta::List(list) = &attribute.meta else {
        return Err(error(attribute.span(), "expected an attribute with arguments", "`#[autodiff_reverse(df, …)]`"));
    };
    let word = list.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let mode = match word.as_str() {
        "autodiff_reverse" => Mode::Reverse,
        "autodiff_forward" => Mode::Forward,
        "check" => return read_settings(list.tokens.clone()).map(Read::Settings),
        _ => {
            let help = "valid here: `autodiff_reverse`, `autodiff_forward` and `check`";
            return Err(error(list.path.span(), format!("unknown attribute `{word}`"), help));
        }
    };
    Derivative::new(attribute::parse(mode, list.tokens.clone())?, arguments).map(Read::Derivative)
}

/// Fields of `Settings`.
fn read_settings(tokens: TokenStream) -> syn::Result<TokenStream> {
    let settings = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(tokens)?;
    let field = |MetaNameValue { path, value, .. }: &MetaNameValue| match types::text(path).as_str() {
        "tolerance" => Ok(generated!(#path: ::core::option::Option::Some(#value),)),
        "seed" | "most" => Ok(generated!(#path: #value,)),
        other => {
            let message = format!("there is no setting `{other}`");
            Err(error(path.span(), message, "there are `tolerance`, `seed` and `most`"))
        }
    };
    settings.iter().map(field).collect()
}

impl Values {
    /// An expression for the list of a value's numbers.
    fn numbers(self, of: &Ident) -> TokenStream {
        match self {
            Self::Given => private!(numbers(&#of)),
            Self::Made => generated!((&::autodiff::check::__private::Leaf(&#of)).numbers()),
        }
    }

    /// An expression for the value with other numbers.
    fn with(self, value: &Ident, numbers: &TokenStream) -> TokenStream {
        match self {
            Self::Given => private!(with(&#value, #numbers)),
            Self::Made => generated!((&::autodiff::check::__private::Leaf(&#value)).with(#numbers)),
        }
    }

    /// An expression for a copy of the value.
    fn copy(self, of: &Ident) -> TokenStream {
        match self {
            Self::Given => generated!(::core::clone::Clone::clone(&#of)),
            Self::Made => generated!((&::autodiff::check::__private::Leaf(&#of)).copy()),
        }
    }

    /// An expression for whether the value has any `f32`.
    fn is_single(self, value: &Ident) -> TokenStream {
        match self {
            Self::Given => private!(is_single(&#value)),
            Self::Made => generated!((&::autodiff::check::__private::Leaf(&#value)).is_single()),
        }
    }
}

impl Argument {
    /// As a call has it; what is kept of it comes later.
    fn given(value: &Expr) -> Self {
        let passing = match value {
            Expr::Reference(reference) if reference.mutability.is_some() => Passing::Exclusive,
            Expr::Reference(_) => Passing::Shared,
            _ => Passing::Value,
        };
        Self { text: types::text(value), held: TokenStream::new(), passing, moves: false }
    }

    /// Keeps a copy of what it is, but for what stays as it is behind a reference.
    fn hold(&mut self, value: &Expr) {
        let is_kept_as_it_is = self.passing == Passing::Value || self.is_borrowed();
        self.held = if is_kept_as_it_is { value.to_token_stream() } else { private!(own(#value)) };
    }

    /// Whether all calls share what is behind the reference.
    fn is_borrowed(&self) -> bool {
        self.passing == Passing::Shared && !self.moves
    }

    /// Whether the function may write numbers there.
    fn is_output(&self) -> bool {
        self.passing == Passing::Exclusive && self.moves
    }
}

impl Derivative {
    fn new(request: Request, arguments: &[Argument]) -> syn::Result<Self> {
        let Request { mode, name, width, activities } = request;
        if activities.len() != arguments.len() && activities.len() != arguments.len() + 1 {
            let message =
                format!("`{name}` has {} activities, and the call {} arguments", activities.len(), arguments.len());
            return Err(error(
                name.span(),
                message,
                "one activity for each argument, and one for the result if there is one",
            ));
        }
        let mut errors = Errors::default();
        let mut found = Vec::new();
        for (index, word) in activities.iter().enumerate() {
            let activity = Activity::of_place(word, mode, index == arguments.len()).and_then(|activity| {
                arguments.get(index).map_or(Ok(()), |argument| argument.fits(activity, word))?;
                Ok(activity)
            });
            found.extend(errors.take(activity));
        }
        errors.finish()?;
        let result = (found.len() > arguments.len()).then(|| found.pop()).flatten();
        Ok(Self { name, mode, width, arguments: found, result })
    }

    fn result_moves(&self) -> bool {
        self.result.is_some_and(|activity| activity != Activity::Const)
    }
}

impl Argument {
    /// References are told from values by how they are written.
    fn fits(&self, activity: Activity, word: &Ident) -> syn::Result<()> {
        let is_reference = self.passing != Passing::Value;
        let (wanted, help) = match activity {
            Activity::Duplicated | Activity::DuplicatedOnly if !is_reference => {
                ("a reference", "write `&x` or `&mut x`")
            }
            Activity::Active if is_reference => ("a value", "a reference can be `Duplicated` or `Const`"),
            _ => return Ok(()),
        };
        let message = format!("`{activity}` is for {wanted}, and `{}` is none", self.text);
        Err(error(word.span(), message, help))
    }
}

fn adjoint(index: usize) -> Ident {
    local(&format!("adjoint_{index}"))
}

fn tangent(lane: usize) -> Ident {
    local(&format!("tangent_{lane}"))
}

/// A pattern for what is not looked at.
fn unused() -> TokenStream {
    generated!(_)
}

/// A name that no token of the user can mean.
fn local(name: &str) -> Ident {
    format_ident!("__crategrad_{name}", span = Span::mixed_site())
}
