//! `#[derive(Numbers)]`: a struct shows the numbers of its fields, one field after another.

use crate::error::error;
use proc_macro2::{Span, TokenStream};
use syn::{parse_quote, Index, ItemStruct, Member, WherePredicate};

/// The implementation for a struct.
pub fn derive(item: TokenStream) -> syn::Result<TokenStream> {
    let Ok(ItemStruct { ident, mut generics, fields, .. }) = syn::parse2(item) else {
        let help = "implement it: `fn visit(&mut self, each: &mut dyn FnMut(Number<'_>))`, with a `match`";
        return Err(error(Span::call_site(), "`Numbers` is derived for structs only", help));
    };
    let member = |(index, field): (usize, &syn::Field)| {
        field.ident.clone().map_or_else(|| Member::Unnamed(Index::from(index)), Member::Named)
    };
    let members = fields.iter().enumerate().map(member);
    let bounds: Vec<WherePredicate> =
        generics.type_params().map(|ty| &ty.ident).map(|ty| parse_quote!(#ty: ::autodiff::check::Numbers)).collect();
    generics.make_where_clause().predicates.extend(bounds);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Ok(generated! {
        #[automatically_derived]
        impl #parameters ::autodiff::check::Numbers for #ident #arguments #bounds {
            fn visit(&mut self, each: &mut dyn ::core::ops::FnMut(::autodiff::check::Number<'_>)) {
                #(::autodiff::check::Numbers::visit(&mut self.#members, each);)*
            }
        }
    })
}
