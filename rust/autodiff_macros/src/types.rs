//! What a type is, as far as its tokens tell, and how a user would write it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type, TypeReference};

/// The kinds of types that activities are about. A macro sees tokens only: an alias of `f64` is `Other`.
pub enum Kind<'a> {
    /// `f32` or `f64`.
    Float,
    /// Any other number, a `bool` or a `char`.
    Primitive,
    /// `&T` or `&mut T`.
    Reference(&'a TypeReference),
    /// `*const T` or `*mut T`.
    Pointer,
    /// `fn(T) -> U`.
    Function,
    /// A value of the standard library that holds others elsewhere, such as `Vec<T>`.
    Owner,
    /// Anything else, by value.
    Other,
}

const PRIMITIVES: [&str; 14] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "bool", "char"];
const OWNERS: [&str; 11] =
    ["Vec", "Box", "Rc", "Arc", "VecDeque", "LinkedList", "BTreeMap", "HashMap", "BTreeSet", "HashSet", "Cow"];

/// The kind of a type.
pub fn kind(ty: &Type) -> Kind<'_> {
    match bare(ty) {
        Type::Reference(reference) => Kind::Reference(reference),
        Type::Ptr(_) => Kind::Pointer,
        Type::BareFn(_) => Kind::Function,
        ty if is_float(ty) => Kind::Float,
        ty if is_one_of(ty, &PRIMITIVES) => Kind::Primitive,
        ty if is_owner(ty) => Kind::Owner,
        _ => Kind::Other,
    }
}

/// `f32` or `f64`.
pub fn is_float(ty: &Type) -> bool {
    is_one_of(ty, &["f32", "f64"])
}

/// With its generics: `struct Vec { x: f64, y: f64 }` is somebody's own.
fn is_owner(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|segment| {
        OWNERS.iter().any(|name| segment.ident == name) && matches!(segment.arguments, PathArguments::AngleBracketed(_))
    })
}

fn is_one_of(ty: &Type, names: &[&str]) -> bool {
    matches!(bare(ty), Type::Path(path) if names.iter().any(|name| path.path.is_ident(name)))
}

/// `&[T]` or `&mut [T]`.
pub fn is_slice_reference(ty: &Type) -> bool {
    matches!(bare(ty), Type::Reference(reference) if matches!(bare(&reference.elem), Type::Slice(_)))
}

/// `&[f64]` and the like.
pub fn is_slice_of_floats(ty: &Type) -> bool {
    let Type::Reference(reference) = bare(ty) else { return false };
    matches!(bare(&reference.elem), Type::Slice(slice) if is_float(&slice.elem))
}

/// `()`.
pub fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// `&mut T` for `&T`, `*mut T` for `*const T`, lifetime kept: the shadow that reverse mode adds to.
pub fn mutable(ty: &Type) -> Type {
    match bare(ty) {
        Type::Reference(reference) => {
            let mutable = syn::Token![mut](reference.and_token.spans[0]);
            let mut reference = reference.clone();
            reference.mutability.get_or_insert(mutable);
            Type::Reference(reference)
        }
        Type::Ptr(pointer) => {
            let mutable = syn::Token![mut](pointer.star_token.spans[0]);
            let mut pointer = pointer.clone();
            pointer.const_token = None;
            pointer.mutability.get_or_insert(mutable);
            Type::Ptr(pointer)
        }
        ty => ty.clone(),
    }
}

/// The type without the parentheses and the invisible groups (`$ty:ty` of a `macro_rules!`) around it.
pub fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        ty => ty,
    }
}

/// The first reference without a lifetime, or `'_`, in a type; what `Fn(&T)` and `fn(&T)` bind by themselves is none.
pub fn elided_lifetime(ty: &Type) -> Option<proc_macro2::Span> {
    match bare(ty) {
        Type::Reference(reference) => match &reference.lifetime {
            None => Some(reference.and_token.spans[0]),
            Some(lifetime) if lifetime.ident == "_" => Some(lifetime.span()),
            Some(_) => elided_lifetime(&reference.elem),
        },
        Type::Ptr(pointer) => elided_lifetime(&pointer.elem),
        Type::Array(array) => elided_lifetime(&array.elem),
        Type::Slice(slice) => elided_lifetime(&slice.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(elided_lifetime),
        Type::Path(path) => path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime.span()),
                GenericArgument::Type(ty) => elided_lifetime(ty),
                _ => None,
            }),
            _ => None,
        }),
        _ => None,
    }
}

/// The tokens as one would write them, on one line: `&'a mut [f64; 3]`, not `& 'a mut [f64 ; 3]`.
pub fn text(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    write(tokens.to_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                if !open.is_empty() && wants_space(text) {
                    space(text);
                }
                text.push_str(open);
                write(group.stream(), text);
                text.truncate(text.trim_end().len());
                text.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                sign @ (',' | ';') => text.extend([sign, ' ']),
                sign @ ('+' | '=') => {
                    space(text);
                    text.extend([sign, ' ']);
                }
                '-' => {
                    space(text);
                    text.push('-');
                }
                '>' if text.ends_with('-') => text.push_str("> "),
                sign => {
                    if "&*<'".contains(sign) && wants_space(text) {
                        space(text);
                    }
                    text.push(sign);
                }
            },
            word => {
                if text.ends_with(|last| is_in_word(last) || last == '>') {
                    space(text);
                }
                text.push_str(&word.to_string());
            }
        }
    }
}

/// Whether the text ends with a lifetime or a keyword that stands apart from what follows: `&'a [f64]`, `*mut [f64]`.
fn wants_space(text: &str) -> bool {
    let before = text.trim_end_matches(is_in_word);
    let word = &text[before.len()..];
    ["mut", "const", "dyn", "as"].contains(&word) || !word.is_empty() && before.ends_with('\'')
}

fn is_in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn space(text: &mut String) {
    if !text.ends_with(' ') {
        text.push(' ');
    }
}
