//! Errors at the token that causes them, several at a time, each with its way out.

use proc_macro2::Span;

/// An error at `span` with a help line. (A stable proc macro has one message, not notes: the line is part of it.)
pub fn error(span: Span, message: impl std::fmt::Display, help: impl std::fmt::Display) -> syn::Error {
    syn::Error::new(span, format!("{message}\nhelp: {help}"))
}

/// Collects errors, so that a user sees all of them at once.
#[derive(Default)]
pub struct Errors(Option<syn::Error>);

impl Errors {
    /// Takes note of the error, if it is one, and gives the value otherwise.
    pub fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Takes note of an error.
    pub fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        }
    }

    /// `Err` with all errors that were noted, if any were.
    pub fn finish(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The items as a sentence has them: "`a`, `b` and `c`".
pub fn listed<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| format!("`{item}`")).collect();
    match items.pop() {
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} and {last}", items.join(", ")),
        None => String::new(),
    }
}
