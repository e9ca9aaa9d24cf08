//! What the crate that is compiled calls `autodiff`: its manifest may give the dependency another name.

use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};
use std::path::Path;
use std::sync::OnceLock;

const NAME: &str = "autodiff";
const LIBRARY: &str = "libautodiff";

/// The code with `::autodiff` by the name that it has here.
pub fn by_own_name(code: TokenStream) -> proc_macro::TokenStream {
    static OWN: OnceLock<String> = OnceLock::new();
    let own = OWN.get_or_init(|| own_name(std::env::args()).unwrap_or_else(|| NAME.to_owned()));
    if own == NAME { code } else { renamed(code, own) }.into()
}

/// The name by which rustc, or rustdoc, was given the library, as in `--extern ad=/path/libautodiff-0123456789abcdef.rmeta`.
///
/// So it holds whichever table of the manifest says it, or that of the workspace. An editor that expands macros without
/// rustc has no such arguments.
fn own_name(arguments: impl Iterator<Item = String>) -> Option<String> {
    let names = arguments.filter_map(|argument| {
        let (name, library) = argument.strip_prefix("--extern=").unwrap_or(&argument).split_once('=')?;
        let rest = Path::new(library).file_name()?.to_str()?.strip_prefix(LIBRARY)?;
        // Options may be before the name: `priv:ad`.
        rest.starts_with(['-', '.']).then(|| name.rsplit(':').next().unwrap_or(name).to_owned())
    });
    names.min_by_key(|name| name != NAME)
}

/// With another name wherever a path begins with `::autodiff`: what has something before that is a path of the user's.
fn renamed(code: TokenStream, own: &str) -> TokenStream {
    let (mut begins, mut colons, mut is_arrow) = (true, 0, false);
    let rename = |token: TokenTree| {
        let is_name = begins && colons == 2 && matches!(&token, TokenTree::Ident(ident) if ident == NAME);
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ':' && (colons == 1 || punct.spacing() == Spacing::Joint) => {
                colons += 1;
            }
            TokenTree::Punct(punct) => {
                begins = punct.as_char() != '>' || is_arrow;
                (colons, is_arrow) = (0, "-=".contains(punct.as_char()));
            }
            other => {
                begins = !matches!(other, TokenTree::Ident(ident) if is_of_a_path(ident));
                (colons, is_arrow) = (0, false);
            }
        }
        match token {
            TokenTree::Ident(ident) if is_name => Ident::new(own, ident.span()).into(),
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), renamed(group.stream(), own));
                inside.set_span(group.span());
                inside.into()
            }
            token => token,
        }
    };
    code.into_iter().map(rename).collect()
}

/// False for `impl`, `mut` and the like, before which and after which a path may stand.
fn is_of_a_path(ident: &Ident) -> bool {
    let text = ident.to_string();
    ["crate", "self", "super", "Self"].contains(&&*text) || syn::parse_str::<Ident>(&text).is_ok()
}
