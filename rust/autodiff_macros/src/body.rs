//! The derivative's body: the shim through which later stages reach the primal, and what is done with it.

use crate::activity::Activity;
use crate::derivative::{Derivative, Differentiated, Returned};
use crate::descriptor;
use crate::header::Output;
use crate::types::{self, Kind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use std::iter::repeat_n;
use syn::TypeReference;

/// The name of the shim.
pub const SHIM: &str = "__crategrad_primal";

/// The parts of a body that stand for each value that the primal takes or returns, and for each of its shadows.
#[derive(Default)]
struct Places {
    /// `let …;`
    locals: Vec<TokenStream>,
    /// A pointer to each local. A raw one: a reference would put `noalias` or `readonly` on the call's argument.
    pointers: Vec<TokenStream>,
    /// What the derivative returns of them.
    returned: Vec<TokenStream>,
}

impl Derivative {
    /// The body for both kinds of build. Which one this is, the facade knows; the user's crate need not.
    pub fn body(&self) -> TokenStream {
        let shim = self.shim();
        let without_crategrad = self.body_without_crategrad();
        let with_crategrad = self.body_with_crategrad();
        generated! {
            #shim
            ::autodiff::__body!({ #without_crategrad } { #with_crategrad })
        }
    }

    /// A function that calls the primal and takes every argument, and the result, by reference.
    ///
    /// rustc passes small arrays and structs as integers, some values as two arguments and some as none; whoever
    /// differentiates would have to know each case. Here rustc itself writes the loads and the call. The result is a
    /// reference and no raw pointer: one that may alias the inputs would have them all kept for the reverse sweep.
    ///
    /// It stands in both builds, so that cargo alone finds whatever it cannot carry.
    fn shim(&self) -> TokenStream {
        // Of the macro, so that it does not mean an argument of the derivative: `fn f(f: f64)`.
        let mut primal = self.primal.name.clone();
        primal.set_span(Span::mixed_site().located_at(primal.span()));
        let generics = &self.primal.generics;
        let shim = shim_name();
        let names = self.locals("argument");
        let types = self.arguments.iter().map(|argument| &argument.ty);
        let values = self.arguments.iter().zip(&names).map(|(argument, name)| argument.read(name));
        let call = generated!(#primal(#(#values),*));
        let (result, body) = match &self.result {
            None => (None, generated!(#call;)),
            Some(result) => {
                let ty = result.stored_ty();
                let value = result.stored(call);
                (Some(generated!(result: &mut #ty)), generated!(*result = #value;))
            }
        };
        let is_deprecated = self.primal.attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
        let deprecated = is_deprecated.then(|| generated!(deprecated));
        generated! {
            #[inline(never)]
            #[allow(improper_ctypes_definitions, #deprecated)]
            extern "C" fn #shim #generics(#(#names: &#types,)* #result) {
                unsafe { #body }
            }
        }
    }

    /// Uses everything, so that nothing is reported as unused, and panics.
    fn body_without_crategrad(&self) -> TokenStream {
        let names = self.parameter_names();
        let shim = shim_name();
        let (derivative, primal) = (self.name.to_string(), self.primal.name.to_string());
        generated! {
            let _ = (#(#names,)* #shim);
            ::autodiff::__private::not_built(#derivative, #primal)
        }
    }

    /// Puts every value into a local, hands pointers to all of them to the placeholder, and returns what it left there.
    fn body_with_crategrad(&self) -> TokenStream {
        let checks = self.length_checks();
        let descriptor = descriptor::expression(self);
        let shim = shim_name();
        let types = repeat_n(generated!(_), self.arguments.len() + self.result.iter().len());
        let Places { locals, pointers, returned } = self.places();
        let returned = match returned.as_slice() {
            [] => TokenStream::new(),
            [only] => only.clone(),
            lanes if self.width > 1 => generated!([#(#lanes),*]),
            parts => generated!((#(#parts),*)),
        };
        generated! {
            // `const`, so that the call has a constant there in unoptimised code too.
            const __CRATEGRAD_DESCRIPTOR: *const u8 = #descriptor.as_ptr();
            #(#checks)*
            #(#locals)*
            unsafe {
                ::autodiff::__private::__crategrad_placeholder_v1(
                    __CRATEGRAD_DESCRIPTOR,
                    #shim as extern "C" fn(#(#types),*) as *const (),
                    #(#pointers),*
                );
            }
            #returned
        }
    }

    /// A shadow that is shorter than its slice would be written past its end.
    fn length_checks(&self) -> Vec<TokenStream> {
        let derivative = self.name.to_string();
        let mut checks = Vec::new();
        for Differentiated { name, ty, shadows, .. } in &self.arguments {
            for shadow in shadows.iter().filter(|_| types::is_slice_reference(ty)) {
                let (name_text, shadow_text) = (name.to_string(), shadow.to_string());
                checks.push(generated! {
                    if #name.len() != #shadow.len() {
                        ::autodiff::__private::length_mismatch(
                            #derivative, #name_text, #name.len(), #shadow_text, #shadow.len(),
                        );
                    }
                });
            }
        }
        checks
    }

    /// The places, in the order in which the placeholder takes its pointers.
    fn places(&self) -> Places {
        let mut places = Places::default();
        for (argument, value) in self.arguments.iter().zip(self.locals("value")) {
            places.add_argument(argument, &value);
        }
        // Adjoints come after the result.
        let adjoints = std::mem::take(&mut places.returned);
        match (&self.primal.output, &self.result) {
            (_, Some(result)) => places.add_result(result, self.width),
            (Output::Unit(_), None) if !adjoints.is_empty() => {
                places.returned.push(generated!(()));
            }
            _ => {}
        }
        places.returned.extend(adjoints);
        places
    }

    /// A name for each argument that no token of the user can mean.
    fn locals(&self, what: &str) -> Vec<Ident> {
        (0..self.arguments.len()).map(|index| local(format_args!("{what}_{index}"))).collect()
    }
}

impl Places {
    fn add_argument(&mut self, argument: &Differentiated, value: &Ident) {
        let Differentiated { name, ty, activity, shadows, shadow_ty } = argument;
        self.locals.push(if argument.is_plain() {
            generated!(let #value: #ty = #name;)
        } else {
            // The primal consumes the value, so it must not be dropped here as well.
            generated!(let #value = ::core::mem::ManuallyDrop::<#ty>::new(#name);)
        });
        self.pointers.push(generated!(&raw const #value));
        for (lane, shadow) in shadows.iter().enumerate() {
            let local = local(format_args!("{value}_shadow_{lane}"));
            self.add(&local, &generated!(: #shadow_ty = #shadow));
        }
        if *activity == Activity::Active {
            let local = local(format_args!("{value}_adjoint"));
            self.add(&local, &generated!(: #ty = 0.0));
            self.returned.push(local.to_token_stream());
        }
    }

    fn add_result(&mut self, result: &Returned, width: usize) {
        let value = local(format_args!("result"));
        let ty = result.stored_ty();
        let zero = result.zero();
        self.add(&value, &generated!(: #ty = #zero));
        self.returned.push(result.taken(&value));
        let lanes = if result.activity == Activity::Const { 0 } else { width };
        for lane in 0..lanes {
            let local = local(format_args!("result_shadow_{lane}"));
            let start = result.seed.as_ref().map_or(zero.clone(), ToTokens::to_token_stream);
            self.add(&local, &generated!(: #ty = #start));
            if result.activity == Activity::Dual {
                self.returned.push(local.to_token_stream());
            }
        }
    }

    /// A local that is written through its pointer.
    fn add(&mut self, local: &Ident, definition: &TokenStream) {
        self.locals.push(generated!(let mut #local #definition;));
        self.pointers.push(generated!(&raw mut #local));
    }
}

impl Differentiated {
    /// An expression that takes the value out of the reference `from`, inside `unsafe`.
    ///
    /// A load wherever there is one: in a build without optimisation, `ptr::read` is a call, with checks.
    fn read(&self, from: &Ident) -> TokenStream {
        match types::kind(&self.ty) {
            Kind::Reference(TypeReference { mutability: Some(_), elem, .. }) => {
                let ty = &self.ty;
                generated!(&mut **(#from as *const #ty as *const *mut #elem))
            }
            _ if self.is_plain() => generated!(*#from),
            _ => generated!(::core::ptr::read(#from)),
        }
    }
}

/// The result's place: `MaybeUninit`, laid out like what it holds, except for floats, for which zero is a value.
impl Returned {
    fn stored_ty(&self) -> TokenStream {
        let ty = &self.ty;
        if types::is_float(ty) {
            ty.to_token_stream()
        } else {
            generated!(::core::mem::MaybeUninit<#ty>)
        }
    }

    /// The place's contents for a value.
    fn stored(&self, value: TokenStream) -> TokenStream {
        if types::is_float(&self.ty) {
            value
        } else {
            generated!(::core::mem::MaybeUninit::new(#value))
        }
    }

    /// The place's contents before the primal has run.
    fn zero(&self) -> TokenStream {
        if types::is_float(&self.ty) {
            generated!(0.0)
        } else {
            generated!(::core::mem::MaybeUninit::zeroed())
        }
    }

    /// The value in a place after the primal has run.
    fn taken(&self, place: &Ident) -> TokenStream {
        if types::is_float(&self.ty) {
            place.to_token_stream()
        } else {
            generated!(unsafe { #place.assume_init() })
        }
    }
}

fn shim_name() -> Ident {
    local(format_args!("{SHIM}"))
}

/// A name that no token of the user can mean.
fn local(name: std::fmt::Arguments<'_>) -> Ident {
    Ident::new(&name.to_string(), Span::mixed_site())
}
