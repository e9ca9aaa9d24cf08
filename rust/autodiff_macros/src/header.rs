//! The header of the function that is differentiated: read, and refused where no derivative can follow.

use crate::activity::Mode;
use crate::error::{error, Errors};
use crate::impl_trait;
use crate::scope::{self, Scope};
use crate::types;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, ToTokens};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Abi, Attribute, FnArg, Generics, Pat, PatType, Receiver, ReturnType, Signature, Token, Type, Visibility};

/// The function that is differentiated, without its body: nothing here depends on it.
#[derive(Clone)]
pub struct Header {
    /// Its attributes, this one and those already expanded left out.
    pub attributes: Vec<Attribute>,
    /// Who may call it, and its derivative.
    pub visibility: Visibility,
    /// Whether calling it is `unsafe`.
    pub unsafety: Option<Token![unsafe]>,
    /// `extern "C"`.
    pub abi: Option<Abi>,
    /// Its name.
    pub name: Ident,
    /// Its generics as it declares them, without the types behind `impl Trait`.
    pub own_generics: Generics,
    /// All of its generics, by name.
    pub generics: Generics,
    /// Its arguments, the receiver first.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub output: Output,
    /// Whether it is called through `Self`.
    pub is_associated: bool,
}

/// An argument of the function that is differentiated.
#[derive(Clone)]
pub struct Argument {
    /// Its name, without `mut`; one of ours where there is a pattern.
    pub name: Ident,
    /// Its type, with a name for each `impl Trait` in it.
    pub ty: Type,
    /// Where it is written, for errors.
    pub span: Span,
    /// How a receiver is written: `&self`.
    pub receiver: Option<Receiver>,
}

/// What a function returns.
#[derive(Clone)]
pub enum Output {
    /// Nothing: no `->` in the header.
    Nothing,
    /// Nothing, written as `-> ()`; `std::autodiff` makes a difference here.
    Unit(Type),
    /// A value of this type.
    Value(Type),
}

/// A function as far as its body, and what follows.
struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: Option<TokenStream>,
}

/// Reads the function below an attribute.
pub fn parse(mode: Mode, item: TokenStream) -> syn::Result<Header> {
    let Function { attributes, visibility, mut signature, body } =
        (|input: ParseStream<'_>| split(mode, input)).parse2(item)?;
    let own_generics = signature.generics.clone();
    impl_trait::name_all(&mut signature);
    let mut errors = Errors::default();
    errors.take(validate(&attributes, &signature));
    let is_associated = errors.take(is_associated(&signature, body)).unwrap_or_default();
    let borrows_self = signature.receiver().is_some_and(|receiver| matches!(&*receiver.ty, Type::Reference(_)));
    let inputs = signature.inputs.iter().enumerate();
    let arguments = inputs.filter_map(|(index, input)| errors.take(argument(index, input))).collect();
    let output = errors.take(output(&signature.output, borrows_self));
    errors.finish()?;
    Ok(Header {
        attributes,
        visibility,
        unsafety: signature.unsafety,
        abi: signature.abi,
        name: signature.ident,
        own_generics,
        generics: signature.generics,
        arguments,
        output: output.expect("checked by `finish`"),
        is_associated,
    })
}

/// Everything before the body, which stays unread: its syntax may be newer than this macro.
fn split(mode: Mode, input: ParseStream<'_>) -> syn::Result<Function> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility = input.parse()?;
    if input.peek(syn::Ident::peek_any) && input.fork().parse::<Ident>().is_ok_and(|word| word == "default") {
        input.parse::<Ident>()?;
    }
    if !is_function(&input.fork()) {
        return Err(error(
            input.span(),
            format!("`#[{}]` differentiates functions, and this is none", mode.attribute()),
            "put it on a function: `fn f(x: &[f64]) -> f64 { … }`",
        ));
    }
    let signature = input.parse()?;
    let body = if input.peek(Token![;]) {
        input.parse::<Token![;]>()?;
        None
    } else {
        Some(input.parse()?)
    };
    Ok(Function { attributes, visibility, signature, body })
}

/// Whether `fn` follows, after whatever may qualify a function.
fn is_function(input: ParseStream<'_>) -> bool {
    while !input.peek(Token![fn]) {
        let qualifies = match input.parse::<TokenTree>() {
            Ok(TokenTree::Ident(word)) => {
                ["default", "const", "async", "safe", "unsafe", "extern"].iter().any(|known| word == known)
            }
            Ok(TokenTree::Literal(_)) => true, // the "C" of `extern "C"`
            _ => false,
        };
        if !qualifies {
            return false;
        }
    }
    true
}

fn validate(attributes: &[Attribute], signature: &Signature) -> syn::Result<()> {
    let mut errors = Errors::default();
    let mut refuse = |token: Option<Span>, what: &str| {
        if let Some(span) = token {
            let help = "differentiate a plain function that this one calls";
            errors.push(error(span, format!("{what} cannot be differentiated"), help));
        }
    };
    refuse(signature.asyncness.map(|token| token.span), "an `async` function");
    refuse(signature.variadic.as_ref().map(|variadic| variadic.dots.spans[0]), "a variadic function");
    let target_feature = attributes.iter().find(|attribute| attribute.path().is_ident("target_feature"));
    refuse(target_feature.map(|attribute| attribute.path().span()), "a function with target features");
    errors.finish()
}

/// Whether the derivative reaches the function through `Self`.
fn is_associated(signature: &Signature, body: Option<TokenStream>) -> syn::Result<bool> {
    if signature.receiver().is_some() || has_word(signature.to_token_stream(), "Self") {
        return Ok(true);
    }
    match (scope::of(&signature.ident), body) {
        (Some(Scope::Foreign), _) => Err(error(
            signature.ident.span(),
            "a foreign function has no body that could be differentiated",
            "differentiate a function that calls it, if its bitcode is in the program",
        )),
        (Some(scope), _) => Ok(scope == Scope::Associated),
        (None, None) => Ok(true),
        (None, Some(body)) => Ok(has_word(body, "Self")),
    }
}

fn argument(index: usize, input: &FnArg) -> syn::Result<Argument> {
    let attributes = match input {
        FnArg::Receiver(receiver) => &receiver.attrs,
        FnArg::Typed(input) => &input.attrs,
    };
    if let Some(attribute) = attributes.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        return Err(error(
            attribute.path().span(),
            "an argument under `cfg` cannot have an activity",
            "write the function twice, each under its own `cfg`",
        ));
    }
    Ok(match input {
        FnArg::Receiver(receiver) => {
            let receiver = without_mut(receiver);
            let name = Ident::new("self", receiver.self_token.span);
            Argument { span: name.span(), name, ty: (*receiver.ty).clone(), receiver: Some(receiver) }
        }
        FnArg::Typed(PatType { pat, ty, .. }) => {
            let (name, span) = match &**pat {
                Pat::Ident(pattern) => (pattern.ident.clone(), pattern.ident.span()),
                pattern => (format_ident!("arg{index}", span = pattern.span()), pattern.span()),
            };
            Argument { name, ty: (**ty).clone(), span, receiver: None }
        }
    })
}

/// `self` for `mut self`: whether the function changes its own copy is no part of the derivative's header.
fn without_mut(receiver: &Receiver) -> Receiver {
    let mutability = receiver.reference.as_ref().and(receiver.mutability);
    Receiver { attrs: Vec::new(), mutability, ..receiver.clone() }
}

fn output(output: &ReturnType, borrows_self: bool) -> syn::Result<Output> {
    let ty = match output {
        ReturnType::Default => return Ok(Output::Nothing),
        ReturnType::Type(_, ty) => &**ty,
    };
    if types::is_unit(ty) {
        return Ok(Output::Unit(ty.clone()));
    }
    if let Type::Never(never) = types::bare(ty) {
        return Err(error(
            never.span(),
            "a function that never returns has no derivative",
            "give it a result, or let it return nothing",
        ));
    }
    if let Some(span) = impl_trait::find(ty) {
        return Err(error(
            span,
            "a result of a type without a name has no derivative",
            "name the type, or hand results out through a `&mut` argument",
        ));
    }
    match types::elided_lifetime(ty) {
        Some(span) if !borrows_self => Err(error(
            span,
            "the derivative has more references, so the result's lifetime is not clear there",
            "name the lifetime, here and at the argument it comes from",
        )),
        _ => Ok(Output::Value(ty.clone())),
    }
}

fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        _ => false,
    })
}
