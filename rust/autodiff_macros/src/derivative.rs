//! The derivative before it is written: what the attribute asks for, held against the function.

use crate::activity::{Activity, Mode};
use crate::attribute::Request;
use crate::error::{error, Errors};
use crate::header::{Argument, Header, Output};
use crate::types::{self, Kind};
use proc_macro2::{Ident, Span};
use quote::format_ident;
use std::iter::once;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Receiver, Type};

/// A derivative whose request fits its function.
#[derive(Clone)]
pub struct Derivative {
    /// Its name.
    pub name: Ident,
    /// The mode of differentiation.
    pub mode: Mode,
    /// How many tangents or adjoints are propagated at once.
    pub width: usize,
    /// The function that is differentiated.
    pub primal: Header,
    /// The arguments of that function, each with its activity.
    pub arguments: Vec<Differentiated>,
    /// Its result, unless it returns nothing.
    pub result: Option<Returned>,
}

/// An argument with its activity.
#[derive(Clone)]
pub struct Differentiated {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
    /// How it is written if it is a receiver.
    pub receiver: Option<Receiver>,
    /// What the derivative does with it.
    pub activity: Activity,
    /// The arguments of the derivative that follow it, its shadows or tangents.
    pub shadows: Vec<Ident>,
    /// The type of each of those.
    pub shadow_ty: Type,
}

/// A result with its activity.
#[derive(Clone)]
pub struct Returned {
    /// Its type.
    pub ty: Type,
    /// What the derivative does with it.
    pub activity: Activity,
    /// The argument of the derivative that seeds it: reverse mode, if it is active.
    pub seed: Option<Ident>,
}

impl Derivative {
    /// Holds the request against the function.
    pub fn new(request: Request, mut primal: Header) -> syn::Result<Self> {
        check_count(&request, &primal)?;
        let Request { mode, name, width, activities } = request;
        let mut errors = Errors::default();
        let mut words = activities.iter();
        let arguments = std::mem::take(&mut primal.arguments)
            .into_iter()
            .zip(words.by_ref())
            .filter_map(|(argument, word)| errors.take(Differentiated::new(argument, word, mode, width)))
            .collect();
        let result = match (&primal.output, words.next()) {
            (Output::Value(ty), Some(word)) => errors.take(Returned::new(ty, word, mode, width)),
            _ => None,
        };
        errors.finish()?;
        let derivative = Self { name, mode, width, primal, arguments, result };
        derivative.check_names()?;
        Ok(derivative)
    }

    /// No shadow may have the name of one of the function's own arguments, and no two arguments the same.
    fn check_names(&self) -> syn::Result<()> {
        let mut errors = Errors::default();
        let names: Vec<_> = self.parameter_names().collect();
        for Differentiated { name, .. } in &self.arguments {
            if names.iter().filter(|other| **other == name).count() > 1 {
                errors.push(error(
                    name.span(),
                    format!("the derivative `{}` has an argument `{name}` of its own", self.name),
                    "give this argument another name",
                ));
            }
        }
        if self.name == self.primal.name {
            errors.push(error(
                self.name.span(),
                format!("`{}` is the function that is differentiated", self.name),
                "give the derivative another name",
            ));
        }
        errors.finish()
    }

    /// The names of all arguments of the derivative.
    pub fn parameter_names(&self) -> impl Iterator<Item = &Ident> {
        self.arguments.iter().flat_map(|argument| once(&argument.name).chain(&argument.shadows)).chain(self.seed())
    }

    /// The argument of the derivative that seeds the result.
    pub fn seed(&self) -> Option<&Ident> {
        self.result.as_ref()?.seed.as_ref()
    }

    /// The arguments whose adjoint is returned.
    pub fn active(&self) -> impl Iterator<Item = &Differentiated> {
        self.arguments.iter().filter(|argument| argument.activity == Activity::Active)
    }
}

impl Differentiated {
    fn new(argument: Argument, word: &Ident, mode: Mode, width: usize) -> syn::Result<Self> {
        let Argument { mut name, ty, receiver, .. } = argument;
        let activity = Activity::of_argument(word, mode, width, &name, &ty)?;
        if receiver.is_none() {
            // Shown where the user wrote the argument, but a token of the macro: lints about names (`_unused` is used)
            // leave those alone. The locals of the body are `mixed_site` names, so the two cannot be confused.
            name.set_span(Span::call_site().located_at(name.span()));
        }
        let (prefix, count, shadow_ty) = match activity {
            Activity::Duplicated | Activity::DuplicatedOnly => ("d", width, types::mutable(&ty)),
            Activity::Dual | Activity::DualOnly => ("b", width, ty.clone()),
            Activity::Dualv | Activity::DualvOnly => ("b", 1, ty.clone()),
            Activity::Const | Activity::Active | Activity::ActiveOnly => ("", 0, ty.clone()),
        };
        let span = Span::call_site().located_at(name.span());
        let shadow = |lane| format_ident!("{prefix}{}_{lane}", name.unraw(), span = span);
        let shadows = (0..count).map(shadow).collect();
        Ok(Self { name, ty, receiver, activity, shadows, shadow_ty })
    }

    /// Whether nothing happens when it is dropped, as far as the type's tokens tell.
    pub fn is_plain(&self) -> bool {
        !matches!(types::kind(&self.ty), Kind::Owner | Kind::Other)
    }
}

impl Returned {
    fn new(ty: &Type, word: &Ident, mode: Mode, width: usize) -> syn::Result<Self> {
        let activity = Activity::of_result(word, mode, width, ty)?;
        let span = Span::call_site().located_at(ty.span());
        let is_seeded = matches!(activity, Activity::Active | Activity::ActiveOnly);
        let seed = is_seeded.then(|| Ident::new("dret", span));
        Ok(Self { ty: ty.clone(), activity, seed })
    }
}

/// One activity per argument, and one for the result if there is one.
fn check_count(request: &Request, primal: &Header) -> syn::Result<()> {
    let found = request.activities.len();
    let result = match &primal.output {
        Output::Value(ty) => Some(ty),
        Output::Nothing | Output::Unit(_) => None,
    };
    let expected = primal.arguments.len() + usize::from(result.is_some());
    let (span, why) = match (request.activities.get(expected), primal.arguments.get(found), result) {
        (Some(surplus), _, None) if found == expected + 1 => {
            (surplus.span(), "this one would be for the result, but nothing is returned".to_string())
        }
        (Some(surplus), _, _) => (surplus.span(), "this one is too many".to_string()),
        (None, Some(argument), _) => (argument.span, format!("the one for `{}` is missing", argument.name)),
        (None, None, Some(ty)) if found < expected => (ty.span(), "the one for the result is missing".to_string()),
        _ => return Ok(()),
    };
    let mut takers: Vec<_> = primal.arguments.iter().map(|argument| format!("`{}`", argument.name)).collect();
    takers.extend(result.map(|_| "the result".to_string()));
    let help = match takers.pop() {
        None => format!("`{}` takes and returns nothing, so `{}` takes none", primal.name, request.name),
        Some(only) if takers.is_empty() => format!("list one activity, for {only}"),
        Some(last) => format!("list one activity each, for {} and {last}", takers.join(", ")),
    };
    let noun = if expected == 1 { "activity" } else { "activities" };
    let message = format!("`{}`: expected {expected} {noun}, found {found}: {why}", request.name);
    Err(error(span, message, help))
}
