//! `./doit gradcheck` calls a function with arguments of its own making: how each is made follows from its type.
//!
//! The attribute over a function leaves its attributes and header in a call of `autodiff::__gradcheck!`, which is nothing but
//! in a build for gradcheck: there it hands them to [`register`].

use super::{error, note_moving, read, types, Argument, Checked, Passing, Read, Values};
use crate::derivative::Derivative;
use crate::descriptor;
use crate::error::Errors;
use crate::types::Kind;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    parse_quote, Attribute, Expr, ExprRange, ExprRepeat, FnArg, GenericParam, Meta, MetaNameValue, Pat, Signature,
    Token, Type, TypeReference,
};

/// The call of `__gradcheck!` for a function that can be called without more knowledge: no method, not generic, safe.
pub fn call_of(derivative: &Derivative, attribute: &TokenStream) -> Option<TokenStream> {
    let primal = &derivative.primal;
    let is_generic = primal.generics.params.iter().any(|parameter| !matches!(parameter, GenericParam::Lifetime(_)));
    if primal.is_associated || is_generic || primal.unsafety.is_some() {
        return None;
    }
    let own = Ident::new(derivative.mode.attribute(), Span::call_site());
    let others = primal.attributes.iter().filter(|attribute| {
        ["cfg", "deprecated", "domain", "autodiff_forward", "autodiff_reverse"].contains(&&*last_word(attribute))
    });
    let name = &primal.name;
    let (names, types) = (derivative.arguments.iter().map(|a| &a.name), derivative.arguments.iter().map(|a| &a.ty));
    Some(generated!(::autodiff::__gradcheck! { #[#own(#attribute)] #(#others)* fn #name(#(#names: #types),*) }))
}

/// What `#[domain(…)]` says is for `register`: here it is only read, and left out.
pub fn domain(domains: TokenStream, item: &TokenStream) -> TokenStream {
    let words = ["autodiff_forward", "autodiff_reverse"];
    let follows = |input: ParseStream<'_>| -> syn::Result<Option<Span>> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()?;
        Ok(attributes.iter().find(|attribute| words.contains(&&*last_word(attribute))).map(Spanned::span))
    };
    let mut errors = Errors::default();
    errors.take(read_domains(domains));
    if let Ok(Some(span)) = follows.parse2(item.clone()) {
        errors.push(error(
            span,
            "`#[domain(…)]` stands above this attribute, which then does not see it",
            "put it below",
        ));
    }
    let errors = errors.finish().err().map(|errors| errors.to_compile_error());
    quote!(#item #errors)
}

/// A generator's entry for a function: what checks it at a point of the generator's choice.
pub fn register(tokens: TokenStream) -> TokenStream {
    let parsed = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_outer)?, input.parse::<Signature>()?));
    let Ok((attributes, signature)) = parsed.parse2(tokens) else { return TokenStream::new() };
    let Some(arguments) = arguments(&attributes, &signature) else { return TokenStream::new() };
    let derivatives: Vec<_> = attributes
        .iter()
        .filter_map(|attribute| match read(attribute, &arguments) {
            Ok(Read::Derivative(derivative)) => derivative.can_be_made(&signature).then_some(derivative),
            // The attribute itself tells what is wrong.
            _ => None,
        })
        .collect();
    let names: Vec<_> = derivatives.iter().map(|derivative| derivative.name.to_string()).collect();
    let mut checked = Checked {
        function: parse_path(&signature.ident),
        arguments,
        derivatives,
        settings: private!(settings(source)),
        values: Values::Made,
    };
    note_moving(&mut checked.arguments, &checked.derivatives);
    entry(&attributes, &signature.ident, &names, &checked)
}

fn entry(attributes: &[Attribute], name: &Ident, derivatives: &[String], checked: &Checked) -> TokenStream {
    let kept = attributes.iter().filter(|attribute| last_word(attribute) == "cfg");
    let deprecated = attributes.iter().any(|attribute| last_word(attribute) == "deprecated");
    let deprecated = deprecated.then(|| generated!(#[allow(deprecated)]));
    let body = checked.sampled();
    let (path, place) = (format!("::{}", descriptor::bare(name)), name.span().unwrap());
    let place = format!("{}:{}:{}", place.file(), place.line(), place.column());
    let (entry, source, outcome) = (private!(Entry), private!(Source), private!(Outcome));
    let arguments = checked.arguments.iter().map(|argument| &argument.text);
    generated! {
        #(#kept)*
        #deprecated
        const _: () = {
            fn check(source: &mut #source) -> #outcome {
                #body
            }
            #[used]
            #[unsafe(link_section = "crategrad_gradcheck")]
            static ENTRY: &#entry = &#entry {
                function: ::core::concat!(::core::module_path!(), #path),
                place: #place,
                derivatives: &[#(#derivatives),*],
                arguments: &[#(#arguments),*],
                check,
            };
        };
    }
}

impl super::Derivative {
    /// Whether all it takes can be put together: slices one after another, of what is known to be copied.
    fn can_be_made(&self, signature: &Signature) -> bool {
        let is_plain = |input: &FnArg| match input {
            FnArg::Typed(input) => types::is_slice_of_floats(&input.ty),
            FnArg::Receiver(_) => false,
        };
        let mut inputs = self.arguments.iter().zip(&signature.inputs);
        self.width == 1 || inputs.all(|(activity, input)| !activity.is_batched() || is_plain(input))
    }
}

impl Checked {
    /// The body of a function that makes the arguments from `source`, and checks the derivatives there.
    fn sampled(&self) -> TokenStream {
        let checked = self.generate(&Ident::new("sampled", Span::call_site()));
        generated! {
            #[allow(unused_imports)]
            use ::autodiff::check::__private::{AnyLeaf as _, AnyMaker as _, KnownLeaf as _, KnownMaker as _};
            #checked
        }
    }
}

/// The arguments, if all of their types can be said outside of the header.
fn arguments(attributes: &[Attribute], signature: &Signature) -> Option<Vec<Argument>> {
    let domains: Vec<Domain> = attributes
        .iter()
        .filter(|attribute| last_word(attribute) == "domain")
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) => read_domains(list.tokens.clone()).ok(),
            _ => None,
        })
        .flatten()
        .collect();
    let argument = |input: &FnArg| {
        let FnArg::Typed(input) = input else { return None };
        let Pat::Ident(name) = &*input.pat else { return None };
        let name = descriptor::bare(&name.ident);
        let domain = domains.iter().find(|domain| domain.of == name);
        made(&name, &input.ty, domain)
    };
    signature.inputs.iter().map(argument).collect()
}

fn made(name: &str, ty: &Type, domain: Option<&Domain>) -> Option<Argument> {
    let (passing, owned) = match types::kind(ty) {
        Kind::Reference(TypeReference { mutability, elem, .. }) => {
            let passing = if mutability.is_some() { Passing::Exclusive } else { Passing::Shared };
            (passing, owned(elem))
        }
        Kind::Pointer | Kind::Function => return None,
        _ => (Passing::Value, ty.clone()),
    };
    let is_closed = owned.to_token_stream().into_iter().all(is_closed);
    let domain = Domain::expression(name, domain);
    let maker = private!(Maker);
    let outcome = private!(Outcome);
    let held = generated! {
        match (&#maker::<#owned>::new()).make(source, &#domain) {
            ::core::option::Option::Some(value) => value,
            ::core::option::Option::None => return #outcome::Unknown(#name),
        }
    };
    is_closed.then(|| Argument { text: name.into(), held, passing, moves: false })
}

/// A type that can be kept, for one behind a reference.
fn owned(behind: &Type) -> Type {
    match types::bare(behind) {
        Type::Slice(slice) => {
            let element = &slice.elem;
            parse_quote!(::autodiff::check::__private::Vec<#element>)
        }
        Type::Path(path) if path.path.is_ident("str") => parse_quote!(::autodiff::check::__private::String),
        other => other.clone(),
    }
}

/// Whether a type's token neither borrows nor leaves anything open, such as the length of a slice.
fn is_closed(token: TokenTree) -> bool {
    let is_semicolon = |token: TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ';');
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            group.stream().into_iter().any(is_semicolon) && group.stream().into_iter().all(is_closed)
        }
        TokenTree::Punct(sign) => !['&', '\'', '*'].contains(&sign.as_char()),
        TokenTree::Ident(word) => !["impl", "dyn", "Self", "fn"].iter().any(|open| word == open),
        TokenTree::Group(group) => group.stream().into_iter().all(is_closed),
        TokenTree::Literal(_) => true,
    }
}

/// `x = 0.1..2.0`, `n = 3`, `x = [0.1..2.0; 9]`: between what an argument's numbers are, and how many a slice has.
struct Domain {
    of: String,
    low: TokenStream,
    high: TokenStream,
    length: Option<TokenStream>,
}

fn read_domains(tokens: TokenStream) -> syn::Result<Vec<Domain>> {
    let domains = Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(tokens)?;
    domains.iter().map(|MetaNameValue { path, value, .. }| Domain::read(types::text(path), value)).collect()
}

impl Domain {
    fn read(of: String, value: &Expr) -> syn::Result<Self> {
        match value {
            Expr::Repeat(ExprRepeat { expr, len, .. }) => {
                Ok(Self { length: Some(len.to_token_stream()), ..Self::read(of, expr)? })
            }
            Expr::Range(ExprRange { start: Some(start), end: Some(end), .. }) => {
                Ok(Self { of, low: start.to_token_stream(), high: end.to_token_stream(), length: None })
            }
            Expr::Range(_) => Err(error(value.span(), "a range with two ends is wanted here", "`x = 0.1..2.0`")),
            constant => {
                Ok(Self { of, low: constant.to_token_stream(), high: constant.to_token_stream(), length: None })
            }
        }
    }

    /// What is said of an argument; nothing but its name, where there is no domain.
    fn expression(of: &str, domain: Option<&Self>) -> TokenStream {
        let none = || generated!(::core::option::Option::None);
        let range = domain.map_or_else(none, |Self { low, high, .. }| {
            generated!(::core::option::Option::Some(((#low) as f64, (#high) as f64)))
        });
        let length = domain.and_then(|domain| domain.length.as_ref());
        let length = length.map_or_else(none, |length| generated!(::core::option::Option::Some(#length)));
        let domain = private!(Domain);
        generated!(#domain { of: #of, range: #range, length: #length })
    }
}

fn parse_path(name: &Ident) -> syn::ExprPath {
    parse_quote!(#name)
}

fn last_word(attribute: &Attribute) -> String {
    attribute.path().segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}
