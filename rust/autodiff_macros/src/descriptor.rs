//! What the derivative's placeholder tells the later stages of the build: one line of JSON, version 2.

use crate::derivative::Derivative;
use crate::types;
use proc_macro2::{Ident, TokenStream};
use std::fmt::Write;
use syn::ext::IdentExt;

/// An expression for the descriptor, a `&'static str` that ends with a NUL.
///
/// `module_path!()` is known only where the macro is expanded, so the compiler puts the parts together.
pub fn expression(derivative: &Derivative) -> TokenStream {
    let name = string(&bare(&derivative.name));
    let before = format!("{{\"version\":2,\"derivative\":{name},\"primal\":\"");
    let after = format!("::{}\",{}\0", bare(&derivative.primal.name), fields(derivative));
    generated!(::core::concat!(#before, ::core::module_path!(), #after))
}

/// The fields after `primal`, and the closing brace.
fn fields(derivative: &Derivative) -> String {
    let arguments: Vec<String> = derivative
        .arguments
        .iter()
        .map(|argument| {
            let name = string(&bare(&argument.name));
            let ty = string(&types::text(&argument.ty));
            format!("{{\"name\":{name},\"type\":{ty},\"activity\":\"{}\"}}", argument.activity)
        })
        .collect();
    let result = match &derivative.result {
        Some(result) => {
            let ty = string(&types::text(&result.ty));
            format!("{{\"type\":{ty},\"activity\":\"{}\",\"marked\":{}}}", result.activity, result.is_marked())
        }
        None => "null".into(),
    };
    // Where the name of the function stands, in the same file as that token: lines and columns count from 1.
    let place = derivative.primal.name.span().unwrap();
    format!(
        "\"mode\":\"{}\",\"width\":{},\"arguments\":[{}],\"result\":{result},\"file\":{},\"line\":{},\"column\":{}}}",
        derivative.mode,
        derivative.width,
        arguments.join(","),
        string(&place.file()),
        place.line(),
        place.column(),
    )
}

/// An identifier as other tools know it, without `r#`.
pub fn bare(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// A JSON string.
fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            control if control < ' ' => {
                write!(json, "\\u{:04x}", u32::from(control)).expect("a String takes everything");
            }
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}
