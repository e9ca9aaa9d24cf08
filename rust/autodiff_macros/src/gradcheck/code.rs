//! The closures, and what is said of them.

use super::shadows::Shadows;
use super::{adjoint, local, tangent, unused, Argument, Checked, Derivative, Passing, Values};
use crate::activity::{Activity, Mode};
use crate::types;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use std::slice;
use syn::ExprPath;

impl Checked {
    /// A block whose value is that of `action`, a method of `autodiff::check`'s `Function`.
    pub fn generate(&self, action: &Ident) -> TokenStream {
        let held = self.locals("held");
        let kept = self.arguments.iter().map(|argument| &argument.held);
        let known_arguments = self.refusals(&held, |index| &self.arguments[index].text);
        let result = self.result_moves().then(|| local("result"));
        let known_result = result.as_ref().map(|result| self.refusals(slice::from_ref(result), |_| "the result"));
        let template = result.as_ref().map(|result| {
            let (prepared, call) = (self.prepared(None), self.call(&self.function, &[], None));
            generated!(let #result = { #prepared #call };)
        });
        let (report, function) = (local("report"), self.function());
        generated! {{
            #(let #held = #kept;)*
            #known_arguments
            #template
            #known_result
            let #report = #function.#action();
            #report
        }}
    }

    /// `Function { … }`, where the arguments and the result are held.
    fn function(&self) -> TokenStream {
        let held = self.locals("held");
        let Self { settings, values: kind, .. } = self;
        let name = types::text(&self.function);
        let places = self.arguments.iter().map(|argument| &argument.text);
        let at = self.lists(|index| self.arguments[index].moves.then(|| kind.numbers(&held[index])), None);
        let moving = held.iter().zip(&self.arguments).filter(|(_, argument)| argument.moves).map(|(held, _)| held);
        let result = self.result_moves().then(|| local("result"));
        let singles = moving.chain(&result).map(|value| kind.is_single(value));
        let values = self.values();
        let derivatives = self.derivatives.iter().map(|derivative| self.derivative(derivative));
        let (list, boxed, function) = (private!(vec), private!(Box::new), private!(Function));
        generated! {
            #function {
                name: #name,
                places: &[#(#places,)* "the result"],
                at: #at,
                is_single: false #(|| #singles)*,
                values: #boxed(#values),
                derivatives: #list![#(#derivatives),*],
                settings: #settings,
            }
        }
    }

    /// Ends it where the numbers of a value that was made are not known.
    fn refusals<'a>(&self, values: &[Ident], name: impl Fn(usize) -> &'a str) -> TokenStream {
        if self.values == Values::Given {
            return TokenStream::new();
        }
        let names = (0..values.len()).map(name);
        let unknown = private!(Outcome::Unknown);
        let leaf = private!(Leaf);
        generated!(#(if !(&#leaf(&#values)).is_known() {
            return #unknown(#names);
        })*)
    }

    /// A closure for what the function writes and returns at a point.
    fn values(&self) -> TokenStream {
        let point = local("point");
        let (prepared, call) = (self.prepared(Some(&point)), self.call(&self.function, &[], None));
        let value = self.result_moves().then(|| local("value"));
        let (result, pattern) = (
            value.as_ref().map(|value| self.values.numbers(value)),
            value.map_or_else(unused, Ident::into_token_stream),
        );
        let copies = self.locals("copy");
        let values =
            self.lists(|index| self.arguments[index].is_output().then(|| self.values.numbers(&copies[index])), result);
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
        let shadow = |(index, argument)| Shadows::new(index, argument, derivative, self.values);
        let shadows: Vec<Shadows> = self.arguments.iter().enumerate().map(shadow).collect();
        let definitions = shadows.iter().flat_map(|shadows| &shadows.definitions);
        let call = self.call_of(derivative, &shadows);
        let pattern = derivative.pattern(self.result_moves());
        let values = self.returned(derivative);
        let is_forward = derivative.mode == Mode::Forward && derivative.result_moves();
        let derived = (0..derivative.width).map(|lane| {
            let of_result = is_forward.then(|| self.values.numbers(&tangent(lane)));
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

    /// The derivative's call, with shadows and seed.
    fn call_of(&self, derivative: &Derivative, shadows: &[Shadows]) -> TokenStream {
        let (lanes, place) = (local("lanes"), self.arguments.len());
        let has_seed = derivative.mode == Mode::Reverse && derivative.result_moves();
        let seed = has_seed.then(|| self.values.with(&local("result"), &generated!(&#lanes[0][#place])));
        let call = self.call(&derivative.path(&self.function), shadows, seed);
        let is_unsafe = derivative.arguments.iter().any(|activity| activity.is_unsafe());
        if is_unsafe {
            generated!(unsafe { #call })
        } else {
            call
        }
    }

    /// The lists of what the derivative returns as the function's values.
    fn returned(&self, derivative: &Derivative) -> TokenStream {
        let copies = self.locals("copy");
        let has_value = self.result_moves() && derivative.result.is_some_and(Activity::returns_primal);
        self.lists(
            |index| self.arguments[index].is_output().then(|| self.values.numbers(&copies[index])),
            has_value.then(|| self.values.numbers(&local("value"))),
        )
    }

    /// Copies of the arguments, those that move with the numbers of the point; as they were given where there is none.
    fn prepared(&self, point: Option<&Ident>) -> TokenStream {
        let (held, copies) = (self.locals("held"), self.locals("copy"));
        let copy = |(index, argument): (usize, &Argument)| {
            let (held, copy) = (&held[index], &copies[index]);
            let value = match point {
                _ if argument.is_borrowed() => return None,
                Some(point) if argument.moves => self.values.with(held, &generated!(&#point[#index])),
                _ => self.values.copy(held),
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
                _ if argument.is_borrowed() && self.values == Values::Given => held.to_token_stream(),
                _ if argument.is_borrowed() => generated!(&#held),
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
