//! `#[inactive]`: a function that the pipeline leaves out of derivatives.

use crate::error::error;
use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

/// The function, marked for the pipeline and never inlined, or an error at what speaks against it.
pub fn inactive(attribute: &TokenStream, item: &TokenStream) -> TokenStream {
    marked(attribute, item).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!(#item #error)
    })
}

fn marked(attribute: &TokenStream, item: &TokenStream) -> syn::Result<TokenStream> {
    if !attribute.is_empty() {
        return Err(error(attribute.span(), "`inactive` takes no arguments", "write `#[inactive]`"));
    }
    let help = "put it on a function with a body";
    let function: syn::ItemFn =
        syn::parse2(item.clone()).map_err(|_| error(item.span(), "`inactive` is for functions", help))?;
    if let Some(token) = &function.sig.constness {
        return Err(error(token.span, "a `const` function cannot be inactive", "leave `const` away"));
    }
    if let Some(token) = &function.sig.asyncness {
        return Err(error(token.span, "an `async` function cannot be inactive", help));
    }
    if let Some(inline) = function.attrs.iter().find(|attribute| attribute.path().is_ident("inline")) {
        return Err(error(inline.span(), "an inactive function is never inlined", "leave this away"));
    }
    let syn::ItemFn { attrs, vis, sig, block } = function;
    let statements = block.stmts;
    Ok(quote! {
        #(#attrs)*
        #[inline(never)]
        #vis #sig {
            ::autodiff::__inactive!();
            #(#statements)*
        }
    })
}
