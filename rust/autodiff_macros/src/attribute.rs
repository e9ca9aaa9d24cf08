//! What stands in the attribute: `df, Duplicated, Active` or, in forward mode, `df, 4, Dual, Dual`.

use crate::activity::{Activity, Mode};
use crate::error::error;
use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitInt, Token};

/// What a user asks for, before it is held against the function.
pub struct Request {
    /// In which mode to differentiate.
    pub mode: Mode,
    /// The derivative's name.
    pub name: Ident,
    /// How many tangents, or in reverse mode adjoints, are propagated at once.
    pub width: usize,
    /// The words for the activities, as they stand: only beside its argument can one be judged.
    pub activities: Vec<Ident>,
}

/// Reads the arguments of the attribute.
pub fn parse(mode: Mode, arguments: TokenStream) -> syn::Result<Request> {
    let usage = format!("write `#[{}(name_of_the_derivative, activities…)]`", mode.attribute());
    (|input: ParseStream<'_>| {
        if input.is_empty() {
            return Err(error(Span::call_site(), "the name of the derivative is missing", &usage));
        }
        if !input.peek(syn::Ident) {
            return Err(error(input.span(), "expected the name of the derivative, an identifier", &usage));
        }
        let name: Ident = input.parse()?;
        if Activity::is_known(&name) {
            let message = format!("the name of the derivative is missing: `{name}` is an activity");
            return Err(error(name.span(), message, &usage));
        }
        next(input)?;
        let width = if input.peek(LitInt) { parse_width(input)? } else { 1 };
        let mut activities = Vec::new();
        while !input.is_empty() {
            if !input.peek(syn::Ident::peek_any) {
                return Err(error(input.span(), "expected an activity, such as `Const`", &usage));
            }
            activities.push(input.call(Ident::parse_any)?);
            next(input)?;
        }
        Ok(Request { mode, name, width, activities })
    })
    .parse2(arguments)
}

/// The comma before the next part, which may also end the list.
fn next(input: ParseStream<'_>) -> syn::Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

/// Each is an argument or an element of the result: more than that is a slip of the keyboard.
const WIDEST: usize = 1024;

fn parse_width(input: ParseStream<'_>) -> syn::Result<usize> {
    let literal: LitInt = input.parse()?;
    next(input)?;
    match literal.base10_parse() {
        Ok(width @ 1..=WIDEST) => Ok(width),
        _ => Err(error(
            literal.span(),
            format!("`{literal}` is no width"),
            format!("the width is how many directions are followed at once, 1 to {WIDEST}"),
        )),
    }
}
