//! The attribute macros behind the crate `autodiff`, which documents them and which users depend on.
//!
//! One way through the files: [`attribute`] reads what stands in the attribute and [`header`] the function below it, with
//! [`scope`] for where it stands and [`impl_trait`] for types without a name; [`activity`] knows the language of both,
//! [`derivative`] holds one against the other, and [`signature`] and [`body`] write the function that takes the
//! derivative's place; [`descriptor`] is what it tells the later stages of the build. [`gradcheck`] reads the same attributes
//! in front of a call, and writes what compares the derivatives there; [`numbers`] is the derive that it needs. [`inactive`]
//! marks what has no derivative. [`verify`]
//! writes what a derivative checks itself by. [`own_name`] has the last word: what `autodiff` is called in the crate at hand.

/// `quote!` for the code that a derivative consists of: its locals are names that no token of the user can mean.
macro_rules! generated {
    ($($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site()=> $($tokens)*)
    };
}

/// The same, shown where the user wrote what it is about: there the compiler then reports what is wrong with it.
macro_rules! generated_at {
    ($span:expr, $($tokens:tt)*) => {
        ::quote::quote_spanned!(::proc_macro2::Span::mixed_site().located_at($span)=> $($tokens)*)
    };
}

mod activity;
mod attribute;
mod body;
mod derivative;
mod descriptor;
mod error;
mod gradcheck;
mod header;
mod impl_trait;
mod inactive;
mod numbers;
mod own_name;
mod scope;
mod signature;
mod types;
mod verify;

use activity::Mode;
use own_name::by_own_name;
use proc_macro2::TokenStream;
use quote::quote;

// The entry points are documented where users meet them, in `autodiff`: rustdoc would append what stood here.

#[proc_macro_attribute]
pub fn autodiff_forward(attribute: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(expand(Mode::Forward, &attribute.into(), &item.into()))
}

#[proc_macro_attribute]
pub fn autodiff_reverse(attribute: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(expand(Mode::Reverse, &attribute.into(), &item.into()))
}

#[proc_macro_attribute]
pub fn inactive(attribute: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(inactive::inactive(&attribute.into(), &item.into()))
}

#[proc_macro]
pub fn gradcheck(call: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(gradcheck::expand(call.into(), "assert"))
}

#[proc_macro]
pub fn try_gradcheck(call: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(gradcheck::expand(call.into(), "check"))
}

#[proc_macro]
pub fn __register(function: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(gradcheck::register(function.into()))
}

#[proc_macro_attribute]
pub fn domain(domains: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(gradcheck::domain(domains.into(), &item.into()))
}

/// Implements [`Numbers`](trait@Numbers) for a struct, field by field.
#[proc_macro_derive(Numbers)]
pub fn derive_numbers(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(numbers::derive_numbers(item.into()).unwrap_or_else(|error| error.to_compile_error()))
}

/// Implements [`Generate`](trait@Generate) for a struct, field by field.
#[proc_macro_derive(Generate)]
pub fn derive_generate(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    by_own_name(numbers::derive_generate(item.into()).unwrap_or_else(|error| error.to_compile_error()))
}

/// The function as it was, then its derivative, or the errors: an error must not take the function away,
/// or every use of it would become an error too.
fn expand(mode: Mode, attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    let derivative = generate(mode, attribute, item.clone()).unwrap_or_else(|errors| errors.to_compile_error());
    quote!(#item #derivative)
}

fn generate(mode: Mode, attribute: &TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let header = header::parse(mode, item)?;
    let request = attribute::parse(mode, attribute.clone())?;
    let derivative = derivative::Derivative::new(request, header)?;
    let item = derivative.generate();
    let registered = gradcheck::call_of(&derivative, attribute);
    Ok(quote!(#item #registered))
}
