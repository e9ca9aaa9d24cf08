//! `impl Trait` in the arguments: a generic type without a name, which gets one, for the derivative must say it twice.

use proc_macro2::Span;
use quote::format_ident;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, FnArg, GenericParam, Signature, Type, TypeImplTrait, TypeParam};

/// Names all of them, in the signature's generics.
pub fn name_all(signature: &mut Signature) {
    let mut names = Names(Vec::new());
    for input in &mut signature.inputs {
        if let FnArg::Typed(input) = input {
            names.visit_type_mut(&mut input.ty);
        }
    }
    signature.generics.params.extend(names.0.into_iter().map(GenericParam::Type));
}

/// Where a type has one.
pub fn find(ty: &Type) -> Option<Span> {
    let mut first = First(None);
    first.visit_type(ty);
    first.0
}

struct First(Option<Span>);

impl Visit<'_> for First {
    fn visit_type_impl_trait(&mut self, node: &TypeImplTrait) {
        self.0.get_or_insert(node.impl_token.span);
    }
}

struct Names(Vec<TypeParam>);

impl VisitMut for Names {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty); // those inside of its bounds first
        if let Type::ImplTrait(TypeImplTrait { impl_token, bounds }) = ty {
            let name = format_ident!("__ImplTrait{}", self.0.len(), span = impl_token.span);
            self.0.push(parse_quote!(#name: #bounds));
            *ty = parse_quote!(#name);
        }
    }
}
