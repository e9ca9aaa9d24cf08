//! The derivative's body: the shim through which later stages reach the primal, and what is done with it.

use crate::activity::Activity;
use crate::derivative::{Derivative, Differentiated, Returned};
use crate::descriptor;
use crate::header::Output;
use crate::types::{self, Kind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use std::iter::repeat_n;
use syn::spanned::Spanned;
use syn::{GenericParam, Type, TypeReference};

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
        let without_crategrad = self.body_without_crategrad();
        let with_crategrad = self.body_with_crategrad();
        generated!(::autodiff::__body!({ #without_crategrad } { #with_crategrad }))
    }

    /// `let __crategrad_shim`: a function that calls the primal and takes every argument, and the result, by reference.
    ///
    /// rustc passes small arrays and structs as integers, some values as two arguments and some as none; whoever
    /// differentiates would have to know each case. Here rustc itself writes the loads and the call. The result is a
    /// reference and no raw pointer: one that may alias the inputs would have them all kept for the reverse sweep.
    ///
    /// A closure, for it sees the generics and the `Self` around it; in a `const`, so that the call has a constant there
    /// in unoptimised code too. It stands in both builds, so that cargo alone finds whatever it cannot carry.
    fn shim(&self) -> TokenStream {
        let names = self.locals("argument");
        let types = self.arguments.iter().map(Differentiated::shim_ty);
        let values = self.arguments.iter().zip(&names).map(|(argument, name)| argument.read(name));
        let primal = self.primal_path();
        let call = generated!(#primal(#(#values),*));
        let references = repeat_n(generated!(&_), names.len());
        let (parameter, result, body) = match &self.result {
            None => (None, None, generated!(#call;)),
            Some(result) => {
                let stored = result.stored(call);
                let ty = result.shim_ty();
                (
                    Some(generated!(__crategrad_result: #ty)),
                    Some(ty),
                    generated_at!(result.ty.span(), *__crategrad_result = #stored;),
                )
            }
        };
        let deprecated = self.allowing_deprecated();
        generated! {
            #deprecated
            let __crategrad_shim = const {
                (|#(#names: #types,)* #parameter| unsafe { #body }) as unsafe fn(#(#references,)* #result) as *const ()
            };
        }
    }

    /// What stands before a call of the primal, if users are told not to call it.
    pub fn allowing_deprecated(&self) -> Option<TokenStream> {
        let is_deprecated = self.primal.attributes.iter().any(|attribute| attribute.path().is_ident("deprecated"));
        is_deprecated.then(|| generated!(#[allow(deprecated)]))
    }

    /// `f`, `Self::f`, `f::<T, N>`.
    pub fn primal_path(&self) -> TokenStream {
        // Of the macro, so that it does not mean an argument of the derivative: `fn f(f: f64)`.
        let mut name = self.primal.name.clone();
        name.set_span(Span::mixed_site().located_at(name.span()));
        let path = self.primal.is_associated.then(|| generated!(Self::));
        let generics: Vec<_> = self.primal.own_generics.params.iter().filter_map(by_name).collect();
        let generics = (!generics.is_empty()).then(|| generated!(::<#(#generics),*>));
        generated!(#path #name #generics)
    }

    /// Uses everything, so that nothing is reported as unused, and panics.
    fn body_without_crategrad(&self) -> TokenStream {
        let assertions = self.assertions();
        let names = self.parameter_names();
        let shim = self.shim();
        let (derivative, primal) = (self.name.to_string(), self.primal.name.to_string());
        generated! {
            #(#assertions)*
            #shim
            let _ = (#(#names,)* __crategrad_shim);
            ::autodiff::__private::not_built(#derivative, #primal)
        }
    }

    /// What is there in a build by the pipeline, and what it checks itself by where the config wants that.
    fn body_with_crategrad(&self) -> TokenStream {
        let calling =
            |[before, after]: [Option<TokenStream>; 2]| self.calling(&descriptor::expression(self), before, after);
        match self.verification() {
            None => calling([None, None]),
            Some(around) => calling(around.map(|code| Some(generated!(::autodiff::__verify! { #code })))),
        }
    }

    /// Puts every value into a local, hands pointers to all of them to the placeholder, and returns what it left there;
    /// with statements before and after.
    pub fn calling(
        &self,
        descriptor: &TokenStream,
        before: Option<TokenStream>,
        after: Option<TokenStream>,
    ) -> TokenStream {
        let assertions = self.assertions();
        let checks = self.length_checks();
        let shim = self.shim();
        let Places { locals, pointers, returned } = self.places();
        let numbers = 0..pointers.len();
        let value = self.value();
        let returned = match returned.as_slice() {
            [] => TokenStream::new(),
            [only] => only.clone(),
            lanes if self.returns_array() => generated!([#(#lanes),*]),
            parts => generated!((#(#parts),*)),
        };
        generated! {
            // `const`, so that the call has a constant there in unoptimised code too.
            const __CRATEGRAD_DESCRIPTOR: *const u8 = #descriptor.as_ptr();
            #(#assertions)*
            #(#checks)*
            #before
            #(#locals)*
            let _asked = ::autodiff::__ask!({ #shim } __CRATEGRAD_DESCRIPTOR, __crategrad_shim, [#(#pointers),*], [#(#numbers),*]);
            #value
            #after
            #returned
        }
    }

    /// Takes the function's value from its place, if it is returned by a derivative in reverse mode: the one place where it is
    /// read, so that it is seen where nobody wants it.
    fn value(&self) -> Option<TokenStream> {
        let result = self.result.as_ref().filter(|result| result.is_marked())?;
        let place = local(format_args!("result"));
        let value = generated!(_asked.value(&raw const #place));
        Some(if types::is_float(&result.ty) {
            generated!(let #place = unsafe { *#value };)
        } else {
            generated!(let #place = unsafe { ::core::ptr::read(#value) };)
        })
    }

    /// Of the types of what is returned beside the result, as far as the compiler can tell: they are made of zeros.
    fn assertions(&self) -> Vec<TokenStream> {
        let derivative = &self.name;
        let active = self.active().map(|argument| (&argument.ty, &argument.activity));
        let result = self.result.iter().map(|result| (&result.ty, &result.activity));
        let made = active.chain(result).filter(|(ty, activity)| **activity != Activity::Const && !types::is_float(ty));
        made.map(|(ty, activity)| {
            let message = format!(
                "the derivative `{derivative}` is refused: `{activity}` is for values made of nothing but numbers, and \
                 `{}` is more than that",
                types::text(ty)
            );
            generated_at!(ty.span(), const { ::core::assert!(!::core::mem::needs_drop::<#ty>(), #message) };)
        })
        .collect()
    }

    /// A shadow that is shorter than its slice would be written past its end.
    fn length_checks(&self) -> Vec<TokenStream> {
        let derivative = self.name.to_string();
        let mut checks = Vec::new();
        for argument in &self.arguments {
            let name_text = argument.name.to_string();
            for shadow in &argument.shadows {
                let Some(lengths) = argument.lengths(shadow) else { continue };
                let shadow_text = shadow.to_string();
                let lanes = if argument.activity.is_batched() { self.width } else { 1 };
                checks.push(generated! {
                    ::autodiff::__private::check_lengths(#derivative, #name_text, #shadow_text, #lanes, #lengths);
                });
            }
        }
        checks
    }

    /// The places, in the order in which the placeholder takes its pointers.
    fn places(&self) -> Places {
        let mut places = Places::default();
        for (argument, value) in self.arguments.iter().zip(self.locals("value")) {
            places.add_argument(argument, &value, self.width);
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

    /// Whether a result and its tangents are an array and no tuple.
    fn returns_array(&self) -> bool {
        self.width > 1 && self.active().next().is_none()
    }

    /// A name for each argument that no token of the user can mean.
    pub fn locals(&self, what: &str) -> Vec<Ident> {
        (0..self.arguments.len()).map(|index| local(format_args!("{what}_{index}"))).collect()
    }
}

impl Places {
    fn add_argument(&mut self, argument: &Differentiated, value: &Ident, width: usize) {
        let Differentiated { name, ty, activity, shadows, shadow_ty, .. } = argument;
        // The primal consumes a value, and its derivative the shadow, so neither may be dropped here as well.
        let kept = |local: &Ident, from: &Ident, ty: &Type| {
            if argument.is_plain() {
                generated_at!(argument.span(), #local: #ty = #from)
            } else {
                generated_at!(argument.span(), #local = ::core::mem::ManuallyDrop::<#ty>::new(#from))
            }
        };
        let place = kept(value, name, ty);
        self.locals.push(generated!(let #place;));
        self.pointers.push(generated!(&raw const #value));
        let lane = |lane: usize| local(format_args!("{value}_shadow_{lane}"));
        match shadows.as_slice() {
            [shadow] if activity.is_batched() && width > 1 => {
                for number in 0..width {
                    let (local, part) = (lane(number), argument.part(shadow, number, width));
                    self.add(&local, &generated!(#local: #shadow_ty = #part));
                }
            }
            shadows => {
                for (number, shadow) in shadows.iter().enumerate() {
                    let local = lane(number);
                    self.add(&local, &kept(&local, shadow, shadow_ty));
                }
            }
        }
        if *activity == Activity::Active {
            let local = local(format_args!("{value}_adjoint"));
            let zero = zero(ty);
            self.add(&local, &generated!(#local = #zero));
            self.returned.push(taken(ty, &local));
        }
    }

    fn add_result(&mut self, result: &Returned, width: usize) {
        let Returned { ty, activity, seed } = result;
        let value = local(format_args!("result"));
        let zero = zero(ty);
        self.add(&value, &generated!(#value = #zero));
        if activity.returns_primal() {
            self.returned.push(taken(ty, &value));
        }
        let lanes = if *activity == Activity::Const { 0 } else { width };
        for lane in 0..lanes {
            let local = local(format_args!("result_shadow_{lane}"));
            let start = seed.as_ref().map_or_else(|| zero.clone(), |seed| result.seeded(seed));
            self.add(&local, &generated!(#local = #start));
            if seed.is_none() {
                self.returned.push(taken(ty, &local));
            }
        }
    }

    /// A local that is written through its pointer.
    fn add(&mut self, local: &Ident, definition: &TokenStream) {
        self.locals.push(generated!(let mut #definition;));
        self.pointers.push(generated!(&raw mut #local));
    }
}

impl Differentiated {
    /// Where the user wrote its type.
    fn span(&self) -> Span {
        if self.receiver.is_some() {
            self.name.span()
        } else {
            self.ty.span()
        }
    }

    /// The type by which the shim takes it. What is elided in a receiver is left to the compiler, as the result may
    /// borrow from it.
    fn shim_ty(&self) -> TokenStream {
        let ty = &self.ty;
        if self.receiver.is_some() {
            generated!(&_)
        } else {
            generated_at!(self.span(), &#ty)
        }
    }

    /// An expression that takes the value out of the reference `from`, inside `unsafe`.
    ///
    /// A load wherever there is one: in a build without optimisation, `ptr::read` is a call, with checks.
    fn read(&self, from: &Ident) -> TokenStream {
        match types::kind(&self.ty) {
            Kind::Reference(TypeReference { mutability: Some(_), elem, .. }) => {
                generated_at!(self.span(), &mut **(#from as *const _ as *const *mut #elem))
            }
            _ if self.is_plain() => generated_at!(self.span(), *#from),
            _ => generated_at!(self.span(), ::core::ptr::read(#from)),
        }
    }

    /// An expression for the lengths of the argument and of its shadow, where both may have one: `Option<(usize, usize)>`.
    fn lengths(&self, shadow: &Ident) -> Option<TokenStream> {
        let name = &self.name;
        let of = match types::kind(&self.ty) {
            _ if types::is_slice_reference(&self.ty) => {
                return Some(generated!(::core::option::Option::Some((#name.len(), #shadow.len()))));
            }
            Kind::Reference(_) => generated!(&*#name, &*#shadow),
            Kind::Owner | Kind::Other => generated!(&#name, &#shadow),
            Kind::Float | Kind::Primitive | Kind::Pointer | Kind::Function => return None,
        };
        Some(generated! {{
            use ::autodiff::__private::{AnyLength as _, SliceLength as _};
            (&::autodiff::__private::Lengths(#of)).lengths()
        }})
    }

    /// The part of a slice of shadows that belongs to one direction.
    fn part(&self, shadow: &Ident, lane: usize, lanes: usize) -> TokenStream {
        let is_mutable = matches!(types::kind(&self.ty), Kind::Reference(TypeReference { mutability: Some(_), .. }));
        let (from_raw_parts, pointer) = if is_mutable {
            (generated!(from_raw_parts_mut), generated!(as_mut_ptr))
        } else {
            (generated!(from_raw_parts), generated!(as_ptr))
        };
        let length = generated!(#shadow.len() / #lanes);
        generated!(unsafe { ::core::slice::#from_raw_parts(#shadow.#pointer().add(#lane * (#length)), #length) })
    }
}

impl Returned {
    /// Whether its value is read through what marks that it is wanted.
    pub fn is_marked(&self) -> bool {
        self.activity == Activity::Active
    }

    /// The type by which the shim takes the place of the result.
    fn shim_ty(&self) -> TokenStream {
        if types::is_float(&self.ty) {
            generated!(&mut _)
        } else {
            generated!(&mut ::core::mem::MaybeUninit<_>)
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

    /// The shadow's contents for a seed, of which each direction gets a copy.
    fn seeded(&self, seed: &Ident) -> TokenStream {
        if types::is_float(&self.ty) {
            seed.to_token_stream()
        } else {
            generated!(::core::mem::MaybeUninit::new(unsafe { ::core::ptr::read(&raw const #seed) }))
        }
    }
}

/// The contents of a place before the primal has run: `MaybeUninit`, except for floats, for which zero is a value.
fn zero(ty: &Type) -> TokenStream {
    if types::is_float(ty) {
        generated!(0.0 as #ty)
    } else {
        generated_at!(ty.span(), ::core::mem::MaybeUninit::<#ty>::zeroed())
    }
}

/// The value in a place after the primal has run.
fn taken(ty: &Type, place: &Ident) -> TokenStream {
    if types::is_float(ty) {
        place.to_token_stream()
    } else {
        generated!(unsafe { #place.assume_init() })
    }
}

/// A generic as an argument; lifetimes are left to the compiler.
fn by_name(generic: &GenericParam) -> Option<TokenStream> {
    match generic {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(ty) => Some(ty.ident.to_token_stream()),
        GenericParam::Const(constant) => Some(constant.ident.to_token_stream()),
    }
}

/// A name that no token of the user can mean; nor can the primal's own name, which is resolved here as well.
pub fn local(name: std::fmt::Arguments<'_>) -> Ident {
    Ident::new(&format!("__crategrad_{name}"), Span::mixed_site())
}
