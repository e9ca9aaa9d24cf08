//! Where a function stands: by itself or in an `impl`, which decides under which path its derivative calls it.
//!
//! An attribute macro sees the function and nothing around it.  A receiver or `Self` in the header gives an associated
//! function away; where neither is, the source file is looked into, as far as there is one.

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use std::fs::read_to_string;

/// Where a function stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In a module or in another function: called by its name.
    Free,
    /// In an `impl` or a `trait`: called through `Self`.
    Associated,
    /// In an `extern` block: there is no body here.
    Foreign,
}

/// What the name is replaced by, so that it can be told from all others.
const MARKER: &str = "__crategrad_the_function_in_question";

/// Where the function of this name stands, by the source file that the name is in; `None` where it is in no file (an
/// editor's buffer) or in the arguments of a macro.
pub fn of(name: &Ident) -> Option<Scope> {
    let place = name.span().unwrap();
    let text = read_to_string(place.local_file()?).ok()?;
    let (line, column) = (place.line() - 1, place.column() - 1);
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + column;
    let after = text.get(start..)?.strip_prefix(&name.to_string())?;
    let marked = format!("{}{MARKER}{after}", &text[..start]);
    find(marked.parse().ok()?, Some(Scope::Free))?
}

/// The scope that the marker is in, if it is in these tokens, which themselves are in the scope `outer`.
fn find(tokens: TokenStream, outer: Option<Scope>) -> Option<Option<Scope>> {
    let mut item = Item::default();
    for token in tokens {
        match &token {
            TokenTree::Ident(word) if word == MARKER => return Some(outer),
            TokenTree::Group(group) => {
                let is_body = group.delimiter() == Delimiter::Brace;
                let inner = if is_body { item.scope() } else { Some(Scope::Free) };
                if let Some(found) = find(group.stream(), inner) {
                    return Some(found);
                }
                if is_body {
                    item = Item::default();
                }
            }
            _ => item.read(&token),
        }
    }
    None
}

/// The beginning of an item, up to its braces.
#[derive(Default)]
struct Item {
    scope: Option<Scope>,
    is_macro: bool,
}

impl Item {
    fn read(&mut self, token: &TokenTree) {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == ';' => *self = Self::default(),
            TokenTree::Punct(sign) => {
                self.is_macro = self.scope.is_none() && sign.as_char() == '!' && sign.spacing() == Spacing::Alone;
            }
            TokenTree::Ident(word) => {
                let word = word.to_string();
                match (self.scope, word.as_str()) {
                    (None, "impl" | "trait") => self.scope = Some(Scope::Associated),
                    (None, "extern") => self.scope = Some(Scope::Foreign),
                    (None | Some(Scope::Foreign), "fn" | "mod" | "struct" | "enum" | "union" | "static" | "let") => {
                        self.scope = Some(Scope::Free);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// What is between the braces that end it: the arguments of a macro may become anything.
    fn scope(&self) -> Option<Scope> {
        if self.is_macro {
            None
        } else {
            self.scope.or(Some(Scope::Free))
        }
    }
}
