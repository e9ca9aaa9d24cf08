//! The header of the function that is differentiated: read, and refused where a derivative cannot follow yet.

use crate::activity::Mode;
use crate::error::{error, Errors};
use crate::types;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, GenericParam, Generics, Pat, ReturnType, Signature, Token, Type, Visibility};

/// The function that is differentiated, without its body: nothing here depends on it.
pub struct Header {
    /// Its attributes, this one and those already expanded left out.
    pub attributes: Vec<Attribute>,
    /// Who may call it, and its derivative.
    pub visibility: Visibility,
    /// Its name.
    pub name: Ident,
    /// Its generics: lifetimes only.
    pub generics: Generics,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// What it returns.
    pub output: Output,
}

/// An argument of the function that is differentiated.
pub struct Argument {
    /// Its name, without `mut`.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

/// What a function returns.
pub enum Output {
    /// Nothing: no `->` in the header.
    Nothing,
    /// Nothing, written as `-> ()`; `std::autodiff` makes a difference here.
    Unit(Type),
    /// A value of this type.
    Value(Type),
}

/// Reads the function below an attribute.
pub fn parse(mode: Mode, item: TokenStream) -> syn::Result<Header> {
    let (attributes, visibility, signature) = (|input: ParseStream<'_>| split(mode, input)).parse2(item)?;
    validate(&attributes, &signature)?;
    let mut errors = Errors::default();
    let arguments = signature.inputs.iter().filter_map(|input| errors.take(argument(input))).collect();
    let output = errors.take(output(&signature.output));
    errors.finish()?;
    Ok(Header {
        attributes,
        visibility,
        name: signature.ident,
        generics: signature.generics,
        arguments,
        output: output.expect("checked by `finish`"),
    })
}

/// Everything before the body, which stays unread: its syntax may be newer than this macro.
fn split(mode: Mode, input: ParseStream<'_>) -> syn::Result<(Vec<Attribute>, Visibility, Signature)> {
    let attributes = input.call(Attribute::parse_outer)?;
    let visibility = input.parse()?;
    if !is_function(&input.fork()) {
        return Err(error(
            input.span(),
            format!("`#[{}]` differentiates functions, and this is none", mode.attribute()),
            "put it on a free function: `fn f(x: &[f64]) -> f64 { … }`",
        ));
    }
    let signature = input.parse()?;
    if input.peek(Token![;]) {
        return Err(error(
            input.span(),
            "a function without a body has no derivative",
            "differentiate the function that implements it",
        ));
    }
    input.parse::<TokenStream>()?;
    Ok((attributes, visibility, signature))
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
    let mut refuse = |token: Option<Span>, what: &str, help: &str| {
        if let Some(span) = token {
            errors.push(error(span, format!("{what} cannot be differentiated yet"), help));
        }
    };
    let plain = "differentiate a plain function that this one calls";
    refuse(signature.constness.map(|token| token.span), "a `const` function", plain);
    refuse(signature.asyncness.map(|token| token.span), "an `async` function", plain);
    refuse(signature.unsafety.map(|token| token.span), "an `unsafe` function", plain);
    refuse(signature.abi.as_ref().map(|abi| abi.extern_token.span), "an `extern` function", plain);
    refuse(signature.variadic.as_ref().map(|variadic| variadic.dots.spans[0]), "a variadic function", plain);
    let target_feature = attributes.iter().find(|attribute| attribute.path().is_ident("target_feature"));
    refuse(target_feature.map(|attribute| attribute.path().span()), "a function with target features", plain);
    for parameter in &signature.generics.params {
        let wrap = "only lifetimes can be generic: differentiate a function with concrete types that calls this one";
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(ty) => {
                refuse(Some(ty.ident.span()), "a function with generic types", wrap);
            }
            GenericParam::Const(constant) => {
                refuse(Some(constant.ident.span()), "a function with generic constants", wrap);
            }
        }
    }
    let clause = signature.generics.where_clause.as_ref();
    refuse(
        clause.map(|clause| clause.where_token.span),
        "a function with a `where` clause",
        "bounds of lifetimes can stand in the list: `<'a, 'b: 'a>`",
    );
    if signature.ident == crate::body::SHIM {
        refuse(Some(signature.ident.span()), "a function of this name", "the derivative uses it: choose another");
    }
    // Whether the function stands in an `impl` cannot be seen, but the word gives it away.
    let own_type = find_word(signature.to_token_stream(), "Self");
    refuse(own_type, "an associated function", "differentiate a free function that this one calls");
    errors.finish()
}

fn argument(input: &FnArg) -> syn::Result<Argument> {
    let input = match input {
        FnArg::Typed(input) => input,
        FnArg::Receiver(receiver) => {
            return Err(error(
                receiver.self_token.span,
                "a method cannot be differentiated yet",
                "differentiate a free function that takes the receiver as its first argument",
            ))
        }
    };
    if let Some(attribute) = input.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        return Err(error(
            attribute.path().span(),
            "an argument under `cfg` is not supported yet",
            "write the function twice, each under its own `cfg`",
        ));
    }
    no_impl_trait(&input.ty)?;
    match &*input.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
            Ok(Argument { name: pattern.ident.clone(), ty: (*input.ty).clone() })
        }
        pattern => Err(error(
            pattern.span(),
            "a pattern in place of an argument's name is not supported yet",
            "give the argument a name, such as `_unused`, and take it apart in the body",
        )),
    }
}

fn output(output: &ReturnType) -> syn::Result<Output> {
    let ty = match output {
        ReturnType::Default => return Ok(Output::Nothing),
        ReturnType::Type(_, ty) => ty,
    };
    no_impl_trait(ty)?;
    if types::is_unit(ty) {
        return Ok(Output::Unit((**ty).clone()));
    }
    if let Type::Never(never) = types::bare(ty) {
        return Err(error(
            never.span(),
            "a function that never returns has no derivative",
            "give it a result, or let it return nothing",
        ));
    }
    if let Some(span) = types::elided_lifetime(ty) {
        return Err(error(
            span,
            "a result with an elided lifetime is not supported yet",
            "name the lifetime, here and at the argument it comes from",
        ));
    }
    Ok(Output::Value((**ty).clone()))
}

fn no_impl_trait(ty: &Type) -> syn::Result<()> {
    match find_word(ty.to_token_stream(), "impl") {
        None => Ok(()),
        Some(span) => Err(error(
            span,
            "`impl Trait` in the header of a differentiated function is not supported yet",
            "name the type: differentiate a function with concrete types that calls this one",
        )),
    }
}

fn find_word(tokens: TokenStream, word: &str) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == word => Some(ident.span()),
        TokenTree::Group(group) => find_word(group.stream(), word),
        _ => None,
    })
}
