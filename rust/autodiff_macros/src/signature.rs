//! The derivative as its users see it: attributes, documentation, arguments and what it returns.

use crate::activity::{Activity, Mode};
use crate::derivative::{Derivative, Differentiated, Returned};
use crate::error::listed;
use crate::header::{Header, Output};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Meta, Type};

/// clippy's own limit for the number of arguments.
const TOO_MANY_ARGUMENTS: usize = 7;

impl Derivative {
    /// The derivative as an item.
    pub fn generate(&self) -> TokenStream {
        let name = &self.name;
        let Header { visibility, unsafety, abi, generics, .. } = &self.primal;
        let visibility = located_at(visibility.to_token_stream(), name.span());
        let where_clause = &generics.where_clause;
        let attributes = self.primal.attributes.iter().filter_map(carried_over);
        let documentation = self.documentation();
        let parameters = self.parameters();
        let output = self.output();
        let body = self.body();
        // Only where it is needed: under a user's `#![forbid(clippy::all)]` an `allow` is an error.
        let complexity = (parameters.len() > TOO_MANY_ARGUMENTS)
            .then(|| generated!(#[allow(clippy::too_many_arguments, clippy::type_complexity)]));
        let foreign = abi.as_ref().map(|_| generated!(#[allow(improper_ctypes_definitions)]));
        let may_leave_out = self.arguments.iter().any(|argument| argument.activity.is_unsafe());
        let unsafety = unsafety.map_or(may_leave_out.then(|| generated!(unsafe)), |word| Some(word.to_token_stream()));
        // All of it at the name that the user gave it: where that is taken already, the compiler says it there.
        let item = generated_at! { name.span(),
            #[doc = #documentation]
            #(#attributes)*
            #complexity
            #foreign
            #visibility #unsafety #abi fn #name #generics(#(#parameters),*) #output #where_clause { #body }
        };
        match (self.mode, abi) {
            // `extern` functions cannot know their caller.
            (Mode::Reverse, None) => generated!(::autodiff::__knowing_its_caller! { #item }),
            _ => item,
        }
    }

    fn parameters(&self) -> Vec<TokenStream> {
        let mut parameters = Vec::new();
        for Differentiated { name, ty, receiver, shadows, shadow_ty, .. } in &self.arguments {
            parameters.push(receiver.as_ref().map_or_else(|| generated!(#name: #ty), ToTokens::to_token_stream));
            parameters.extend(shadows.iter().map(|shadow| generated!(#shadow: #shadow_ty)));
        }
        if let Some(Returned { ty, seed: Some(seed), .. }) = &self.result {
            parameters.push(generated!(#seed: #ty));
        }
        parameters
    }

    /// `-> …`, or nothing.
    fn output(&self) -> TokenStream {
        let mut parts: Vec<TokenStream> = self.active().map(|argument| argument.ty.to_token_stream()).collect();
        let activity = self.result.as_ref().map_or(Activity::Const, |result| result.activity);
        match (&self.primal.output, self.mode) {
            (Output::Nothing, _) => {}
            (Output::Unit(_), _) if parts.is_empty() => {}
            (Output::Value(ty), Mode::Forward) => parts.push(self.moved(ty, activity)),
            (Output::Value(_), Mode::Reverse) if !activity.returns_primal() => {}
            // With `-> ()` too: `std::autodiff` returns `((), f64)` then, and so do we.
            (Output::Unit(ty) | Output::Value(ty), _) => parts.insert(0, ty.to_token_stream()),
        }
        match parts.as_slice() {
            [] => TokenStream::new(),
            [only] => generated!(-> #only),
            parts => generated!(-> (#(#parts),*)),
        }
    }

    /// What forward mode returns for a result: the result, unless it is not wanted, and its tangents.
    fn moved(&self, ty: &Type, activity: Activity) -> TokenStream {
        match (activity, self.width) {
            (Activity::Const, _) | (Activity::DualOnly | Activity::DualvOnly, 1) => ty.to_token_stream(),
            (Activity::DualOnly | Activity::DualvOnly, width) => generated!([#ty; #width]),
            (_, 1) => generated!((#ty, #ty)),
            (_, width) => {
                let length = width + 1;
                generated!([#ty; #length])
            }
        }
    }

    fn documentation(&self) -> String {
        let primal = &self.primal.name;
        let link = if self.primal.is_associated { format!("Self::{primal}") } else { format!("fn@{primal}") };
        let mut lines = vec![format!("Derivative of [`{primal}`]({link}) in {} mode.", self.mode), String::new()];
        for argument in self.arguments.iter().filter(|argument| !argument.shadows.is_empty()) {
            let name = &argument.name;
            let what = match self.mode {
                Mode::Reverse => {
                    format!("shadow of `{name}`: the derivative by `{name}` is added to it")
                }
                Mode::Forward => format!("how `{name}` moves"),
            };
            lines.push(format!("- {}: {what}", listed(&argument.shadows)));
        }
        if let Some(seed) = self.seed() {
            lines.push(format!("- `{seed}`: the seed, a factor of every derivative"));
        }
        lines.extend(self.documentation_of_what_is_returned());
        if self.arguments.iter().any(|argument| argument.activity.is_unsafe()) {
            lines.extend(["", "# Safety", ""].map(Into::into));
            lines.push(format!("What `{primal}` writes behind an `…Only` argument may be left out."));
        }
        lines.extend(
            ["", "# Panics", "", "In a build without Crategrad, and if a shadow is not as long as its slice."]
                .map(Into::into),
        );
        lines.join("\n")
    }

    fn documentation_of_what_is_returned(&self) -> Vec<String> {
        let mut returned = Vec::new();
        if let Some(result) = &self.result {
            if result.activity.returns_primal() {
                returned.push(format!("the result of `{}`", self.primal.name));
            }
            match (self.mode, result.activity, self.width) {
                (Mode::Reverse, ..) | (_, Activity::Const, _) => {}
                (_, _, 1) => returned.push("its derivative in that direction".into()),
                (_, _, width) => returned.push(format!("its derivatives in those {width} directions")),
            }
        }
        returned.extend(self.active().map(|argument| format!("the derivative by `{}`", argument.name)));
        if returned.is_empty() {
            return Vec::new();
        }
        vec![String::new(), format!("Returns {}.", returned.join(", "))]
    }
}

/// The tokens, meaning what they meant, and shown at another place.
fn located_at(tokens: TokenStream, place: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = token {
            token = Group::new(group.delimiter(), located_at(group.stream(), place)).into();
        }
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}

/// What an attribute of the primal is on its derivative: those that decide whether it is there, which warnings are
/// wanted and what users are told hold for both. Like `std::autodiff`, any `inline` becomes `inline(never)`.
fn carried_over(attribute: &Attribute) -> Option<TokenStream> {
    let is = |name: &&str| attribute.path().is_ident(name);
    let is_hidden = matches!(&attribute.meta, Meta::List(list) if is(&"doc") && list.tokens.to_string() == "hidden");
    if is(&"inline") {
        Some(generated!(#[inline(never)]))
    } else if is_hidden || ["cfg", "allow", "warn", "deny", "forbid", "deprecated"].iter().any(is) {
        Some(attribute.to_token_stream())
    } else {
        None
    }
}
