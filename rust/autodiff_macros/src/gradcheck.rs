//! `gradcheck!`: attributes in front of a call, and what compares the derivatives they name at that point.
//!
//! The code it writes knows types, which the macro does not: for the function and for each derivative a closure that
//! takes lists of numbers, puts them into copies of the arguments, and reads what comes out. What is compared, and how, is
//! then the business of `autodiff::check`, which knows lists of numbers only.

use crate::activity::{Activity, Mode};
use crate::attribute::{self, Request};
use crate::error::{error, Errors};
use crate::types;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, ToTokens};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprCall, ExprPath, Meta, MetaNameValue, Token};

/// What `autodiff::check` has for this code alone.
macro_rules! private {
    ($($tokens:tt)*) => {
        generated!(::autodiff::check::__private::$($tokens)*)
    };
}

/// A call of a function, and the derivatives to check there.
struct Checked {
    function: ExprPath,
    arguments: Vec<Argument>,
    derivatives: Vec<Derivative>,
    settings: Vec<MetaNameValue>,
}

/// An argument as the call gives it.
struct Argument {
    value: Expr,
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

fn parse(input: ParseStream<'_>) -> syn::Result<Checked> {
    let attributes = input.call(Attribute::parse_outer)?;
    let usage = "write the attributes as they stand above the function, and a call of it by its path: \
                 `#[autodiff_reverse(df, Duplicated, Active)] module::f(&x)`";
    let call: Expr = input.parse().map_err(|_| error(input.span(), "a call is missing here", usage))?;
    let (function, values) = match call {
        Expr::Call(ExprCall { func, args, .. }) => match *func {
            Expr::Path(path) => (path, args),
            other => return Err(error(other.span(), "the function's path is wanted here", usage)),
        },
        other => return Err(error(other.span(), "this is no call of a function by its path", usage)),
    };
    if !input.is_empty() {
        return Err(error(input.span(), "one call at a time", usage));
    }
    let mut errors = Errors::default();
    let mut arguments: Vec<Argument> = values.into_iter().map(Argument::new).collect();
    let (mut derivatives, mut settings) = (Vec::new(), Vec::new());
    for attribute in &attributes {
        match errors.take(read(attribute, &arguments)) {
            Some(Read::Derivative(derivative)) => derivatives.push(derivative),
            Some(Read::Settings(some)) => settings.extend(some),
            None => {}
        }
    }
    errors.finish()?;
    if derivatives.is_empty() {
        return Err(error(function.span(), "there is no derivative to check", usage));
    }
    for derivative in &derivatives {
        for (argument, activity) in arguments.iter_mut().zip(&derivative.arguments) {
            argument.moves |= *activity != Activity::Const;
        }
    }
    Ok(Checked { function, arguments, derivatives, settings })
}

/// What an attribute can be.
enum Read {
    Derivative(Derivative),
    Settings(Punctuated<MetaNameValue, Token![,]>),
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

fn read_settings(tokens: TokenStream) -> syn::Result<Punctuated<MetaNameValue, Token![,]>> {
    let settings = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(tokens)?;
    for setting in &settings {
        if !["tolerance", "seed", "most"].iter().any(|known| setting.path.is_ident(known)) {
            let message = format!("there is no setting `{}`", types::text(&setting.path));
            return Err(error(setting.path.span(), message, "there are `tolerance`, `seed` and `most`"));
        }
    }
    Ok(settings)
}

impl Argument {
    fn new(value: Expr) -> Self {
        let passing = match &value {
            Expr::Reference(reference) if reference.mutability.is_some() => Passing::Exclusive,
            Expr::Reference(_) => Passing::Shared,
            _ => Passing::Value,
        };
        Self { value, passing, moves: false }
    }

    /// What is kept of it: a copy, but for what stays as it is behind a reference.
    fn held(&self) -> TokenStream {
        let value = &self.value;
        if self.passing == Passing::Value || self.is_borrowed() {
            value.to_token_stream()
        } else {
            private!(own(#value))
        }
    }

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
        let message = format!("`{activity}` is for {wanted}, and `{}` is none", types::text(&self.value));
        Err(error(word.span(), message, help))
    }
}

impl Checked {
    fn generate(&self, action: &Ident) -> TokenStream {
        let held = self.locals("held");
        let values = self.arguments.iter().map(Argument::held);
        let name = types::text(&self.function);
        let at = self.lists(|index| self.arguments[index].moves.then(|| numbers(&held[index])), None);
        let places = self.arguments.iter().map(|argument| types::text(&argument.value));
        let (report, moving_result) = (local("report"), self.result_moves().then(|| local("result")));
        let template = moving_result.as_ref().map(|result| {
            let (prepared, call) = (self.prepared(None), self.call(&self.function, &[], None));
            generated!(let #result = { #prepared #call };)
        });
        let moving = held.iter().zip(&self.arguments).filter_map(|(held, argument)| argument.moves.then_some(held));
        let single = moving.chain(&moving_result).map(|value| private!(is_single(&#value)));
        let function = self.values();
        let derivatives = self.derivatives.iter().map(|derivative| self.derivative(derivative));
        let settings = self.settings.iter().map(|MetaNameValue { path, value, .. }| {
            if path.is_ident("tolerance") {
                generated!(#path: ::core::option::Option::Some(#value),)
            } else {
                generated!(#path: #value,)
            }
        });
        let (list, boxed, kind) = (private!(vec), private!(Box::new), private!(Function));
        generated! {{
            #(let #held = #values;)*
            #template
            let #report = #kind {
                name: #name,
                places: &[#(#places,)* "the result"],
                at: #at,
                is_single: false #(|| #single)*,
                values: #boxed(#function),
                derivatives: #list![#(#derivatives),*],
                settings: ::autodiff::check::Settings { #(#settings)* ..::core::default::Default::default() },
            }
            .#action();
            #report
        }}
    }

    /// A closure for what the function writes and returns at a point.
    fn values(&self) -> TokenStream {
        let point = local("point");
        let (prepared, call) = (self.prepared(Some(&point)), self.call(&self.function, &[], None));
        let value = self.result_moves().then(|| local("value"));
        let (result, pattern) = (value.as_ref().map(numbers), value.map_or_else(unused, Ident::into_token_stream));
        let copies = self.locals("copy");
        let values = self.lists(|index| self.arguments[index].is_output().then(|| numbers(&copies[index])), result);
        let vec = private!(Vec);
        generated!(|#point: &[#vec<f64>]| { #prepared let #pattern = #call; #values })
    }

    /// A derivative: what it is, and a closure for what it gives.
    fn derivative(&self, derivative: &Derivative) -> TokenStream {
        let Derivative { name, mode, width, arguments, .. } = derivative;
        let (is_reverse, name) = (*mode == Mode::Reverse, name.to_string());
        let result_moves = derivative.result_moves();
        let inputs = arguments.iter().map(|activity| *activity != Activity::Const);
        let is_output =
            |(argument, activity): (&Argument, &Activity)| argument.is_output() && *activity != Activity::Const;
        let outputs = self.arguments.iter().zip(arguments).map(is_output);
        let is_returned = |(argument, activity): (&Argument, &Activity)| argument.is_output() && !activity.is_only();
        let returned = self.arguments.iter().zip(arguments).map(is_returned);
        let returns_result = self.result_moves() && derivative.result.is_some_and(Activity::returns_primal);
        let evaluate = self.evaluate(derivative);
        let shares_seed = is_reverse && result_moves;
        let (kind, boxed) = (private!(Derivative), private!(Box::new));
        generated! {
            #kind {
                name: #name,
                is_reverse: #is_reverse,
                width: #width,
                shares_seed: #shares_seed,
                inputs: &[#(#inputs,)* false],
                outputs: &[#(#outputs,)* #result_moves],
                returned: &[#(#returned,)* #returns_result],
                evaluate: #boxed(#evaluate),
            }
        }
    }

    /// A closure for the values and the tangents, or adjoints, that a derivative gives.
    fn evaluate(&self, derivative: &Derivative) -> TokenStream {
        let (point, lanes) = (local("point"), local("lanes"));
        let prepared = self.prepared(Some(&point));
        let shadows: Vec<Shadows> =
            (0..self.arguments.len()).map(|index| Shadows::new(index, &self.arguments[index], derivative)).collect();
        let definitions = shadows.iter().flat_map(|shadows| &shadows.definitions);
        let place = self.arguments.len();
        let has_seed = derivative.mode == Mode::Reverse && derivative.result_moves();
        let result = local("result");
        let seed = has_seed.then(|| private!(with(&#result, &#lanes[0][#place])));
        let call = self.call(&derivative.path(&self.function), &shadows, seed);
        let is_unsafe = derivative.arguments.iter().any(|activity| activity.is_unsafe());
        let call = if is_unsafe { generated!(unsafe { #call }) } else { call };
        let pattern = derivative.pattern(self.result_moves());
        let copies = self.locals("copy");
        let value = self.result_moves() && derivative.result.is_some_and(Activity::returns_primal);
        let values = self.lists(
            |index| self.arguments[index].is_output().then(|| numbers(&copies[index])),
            value.then(|| numbers(&local("value"))),
        );
        let derived = (0..derivative.width).map(|lane| {
            let of_result =
                (derivative.mode == Mode::Forward && derivative.result_moves()).then(|| numbers(&tangent(lane)));
            self.lists(|index| shadows[index].derived.get(lane).cloned(), of_result)
        });
        let (list, vec, lists) = (private!(vec), private!(Vec), private!(Lists));
        generated! {
            |#point: &[#vec<f64>], #lanes: &[#lists]| {
                let _ = #lanes;
                #prepared
                #(#definitions)*
                let #pattern = #call;
                (#values, #list![#(#derived),*])
            }
        }
    }

    /// Copies of the arguments, those that move with the numbers of the point; as they were given where there is none.
    fn prepared(&self, point: Option<&Ident>) -> TokenStream {
        let (held, copies) = (self.locals("held"), self.locals("copy"));
        let copy = |(index, argument): (usize, &Argument)| {
            let (held, copy) = (&held[index], &copies[index]);
            let value = match point {
                _ if argument.is_borrowed() => return None,
                Some(point) if argument.moves => private!(with(&#held, &#point[#index])),
                _ => generated!(::core::clone::Clone::clone(&#held)),
            };
            let mutable = (argument.passing == Passing::Exclusive).then(|| generated!(mut));
            Some(generated!(let #mutable #copy = #value;))
        };
        self.arguments.iter().enumerate().filter_map(copy).collect()
    }

    /// A call with the copies and their shadows, and the seed.
    fn call(&self, function: &ExprPath, shadows: &[Shadows], seed: Option<TokenStream>) -> TokenStream {
        let (held, copies) = (self.locals("held"), self.locals("copy"));
        let mut passed = Vec::new();
        for (index, argument) in self.arguments.iter().enumerate() {
            let (held, copy) = (&held[index], &copies[index]);
            passed.push(match argument.passing {
                _ if argument.is_borrowed() => held.to_token_stream(),
                Passing::Value => copy.to_token_stream(),
                Passing::Shared => generated!(&#copy),
                Passing::Exclusive => generated!(&mut #copy),
            });
            passed.extend(shadows.get(index).into_iter().flat_map(|shadows| shadows.passed.iter().cloned()));
        }
        passed.extend(seed);
        generated!(#function(#(#passed),*))
    }

    /// One list of numbers for each argument and one for the result; empty ones where there is nothing.
    fn lists(&self, of: impl Fn(usize) -> Option<TokenStream>, result: Option<TokenStream>) -> TokenStream {
        let nothing = || private!(Vec::new());
        let lists = (0..self.arguments.len()).map(|index| of(index).unwrap_or_else(nothing));
        let result = result.unwrap_or_else(nothing);
        let list = private!(vec);
        generated!(#list![#(#lists,)* #result])
    }

    fn result_moves(&self) -> bool {
        self.derivatives.iter().any(Derivative::result_moves)
    }

    fn locals(&self, what: &str) -> Vec<Ident> {
        (0..self.arguments.len()).map(|index| local(&format!("{what}_{index}"))).collect()
    }
}

/// The shadows of an argument: how they are made, how they are passed, and what the derivative leaves of each lane.
#[derive(Default)]
struct Shadows {
    definitions: Vec<TokenStream>,
    passed: Vec<TokenStream>,
    derived: Vec<TokenStream>,
}

impl Shadows {
    fn new(index: usize, argument: &Argument, derivative: &Derivative) -> Self {
        match derivative.arguments[index] {
            Activity::Const => Self::default(),
            Activity::Active => Self { derived: vec![numbers(&adjoint(index))], ..Self::default() },
            activity if activity.is_batched() && derivative.width > 1 => {
                Self::batched(index, argument, derivative.width)
            }
            activity => Self::of_each_lane(index, argument, activity, derivative.width),
        }
    }

    fn of_each_lane(index: usize, argument: &Argument, activity: Activity, width: usize) -> Self {
        let is_reverse = matches!(activity, Activity::Duplicated | Activity::DuplicatedOnly);
        let (held, lanes) = (local(&format!("held_{index}")), local("lanes"));
        let mut shadows = Self::default();
        for lane in 0..width {
            let shadow = local(&format!("shadow_{index}_{lane}"));
            let start = private!(with(&#held, &#lanes[#lane][#index]));
            let (mutable, reference) = match argument.passing {
                Passing::Value => (None, None),
                Passing::Shared if !is_reverse => (None, Some(generated!(&))),
                _ => (Some(generated!(mut)), Some(generated!(&mut))),
            };
            shadows.definitions.push(generated!(let #mutable #shadow = #start;));
            shadows.passed.push(generated!(#reference #shadow));
            if is_reverse || argument.is_output() {
                shadows.derived.push(numbers(&shadow));
            }
        }
        shadows
    }

    /// One slice for all lanes.
    fn batched(index: usize, argument: &Argument, width: usize) -> Self {
        let (held, lanes) = (local(&format!("held_{index}")), local("lanes"));
        let shadow = local(&format!("shadow_{index}"));
        let parts = (0..width).map(|lane| private!(with(&#held, &#lanes[#lane][#index])));
        let is_exclusive = argument.passing == Passing::Exclusive;
        let mutable = is_exclusive.then(|| generated!(mut));
        let all = numbers(&shadow);
        let lane = |lane: usize| private!(lane(&#all, #lane, #width));
        Self {
            definitions: vec![generated!(let #mutable #shadow = [#(&#parts[..]),*].concat();)],
            passed: vec![generated!(&#mutable #shadow)],
            derived: if is_exclusive { (0..width).map(lane).collect() } else { Vec::new() },
        }
    }
}

impl Derivative {
    /// The function's path with the derivative's name as its last word.
    fn path(&self, function: &ExprPath) -> ExprPath {
        let mut path = function.clone();
        if let Some(last) = path.path.segments.last_mut() {
            last.ident = self.name.clone();
        }
        path
    }

    /// What takes apart what the derivative returns; the function's value is there, wanted or not.
    fn pattern(&self, wants_value: bool) -> TokenStream {
        let returns_value = self.result.is_some_and(Activity::returns_primal);
        let value = returns_value.then(|| if wants_value { local("value").into_token_stream() } else { unused() });
        let parts: Vec<TokenStream> = match self.mode {
            Mode::Forward if self.result_moves() => {
                value.into_iter().chain((0..self.width).map(|lane| tangent(lane).into_token_stream())).collect()
            }
            Mode::Forward => value.into_iter().collect(),
            Mode::Reverse => {
                let active = |(_, activity): &(usize, &Activity)| **activity == Activity::Active;
                let adjoints = self
                    .arguments
                    .iter()
                    .enumerate()
                    .filter(active)
                    .map(|(index, _)| adjoint(index).into_token_stream());
                value.into_iter().chain(adjoints).collect()
            }
        };
        match parts.as_slice() {
            [] => unused(),
            [only] => only.clone(),
            lanes if self.mode == Mode::Forward && self.width > 1 => generated!([#(#lanes),*]),
            parts => generated!((#(#parts),*)),
        }
    }
}

fn numbers(value: &Ident) -> TokenStream {
    private!(numbers(&#value))
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
