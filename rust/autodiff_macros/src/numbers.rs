//! `#[derive(Numbers, Generate)]`: what a struct is to gradcheck its fields are, one after another.

use crate::error::error;
use proc_macro2::{Ident, Span, TokenStream};
use syn::{parse_quote, Field, Generics, Index, ItemStruct, Member, Path, WherePredicate};

/// The numbers of the fields.
pub fn derive_numbers(item: TokenStream) -> syn::Result<TokenStream> {
    let (name, generics, members) = read(item, "Numbers", &parse_quote!(::autodiff::check::Numbers))?;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Ok(generated! {
        #[automatically_derived]
        impl #parameters ::autodiff::check::Numbers for #name #arguments #bounds {
            fn visit(&mut self, each: &mut dyn ::core::ops::FnMut(::autodiff::check::Number<'_>)) {
                #(::autodiff::check::Numbers::visit(&mut self.#members, each);)*
            }
        }
    })
}

/// The fields, each made for itself.
pub fn derive_generate(item: TokenStream) -> syn::Result<TokenStream> {
    let (name, generics, members) = read(item, "Generate", &parse_quote!(::autodiff::check::Generate))?;
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Ok(generated! {
        #[automatically_derived]
        impl #parameters ::autodiff::check::Generate for #name #arguments #bounds {
            fn generate(from: &mut ::autodiff::check::Source) -> Self {
                Self { #(#members: ::autodiff::check::Generate::generate(from)),* }
            }
        }
    })
}

/// A struct's name, its generics with the trait as their bound, and its fields.
fn read(item: TokenStream, derived: &str, bound: &Path) -> syn::Result<(Ident, Generics, Vec<Member>)> {
    let Ok(ItemStruct { ident, mut generics, fields, .. }) = syn::parse2(item) else {
        let help = "implement it: its method is a `match`";
        return Err(error(Span::call_site(), format!("`{derived}` is derived for structs only"), help));
    };
    let member = |(index, field): (usize, &Field)| {
        field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named)
    };
    let members = fields.iter().enumerate().map(member).collect();
    let bounds: Vec<WherePredicate> =
        generics.type_params().map(|parameter| &parameter.ident).map(|ty| parse_quote!(#ty: #bound)).collect();
    generics.make_where_clause().predicates.extend(bounds);
    Ok((ident, generics, members))
}
