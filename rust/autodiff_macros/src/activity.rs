//! The language of the attributes: the modes, the activities, and which activity is valid where.

use crate::error::{error, listed};
use crate::types::{self, Kind};
use proc_macro2::Ident;
use std::fmt;
use syn::Type;

/// In which direction derivatives are propagated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Tangents of the arguments in, tangents of the results out.
    Forward,
    /// Adjoints of the results in, adjoints of the arguments out.
    Reverse,
}

/// What the derivative does with an argument or with the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Not differentiated.
    Const,
    /// Reverse mode, a value: an argument's adjoint is returned, the result's adjoint is an argument.
    Active,
    /// Reverse mode, the result: as `Active`, and the derivative does not return the result itself.
    ActiveOnly,
    /// Reverse mode, a reference or pointer: its adjoint is added to a shadow, an argument of its own.
    Duplicated,
    /// As `Duplicated`; what the function writes through it need not be there afterwards.
    DuplicatedOnly,
    /// Forward mode: the tangent is an argument of its own, or is returned beside the result.
    Dual,
    /// As `Dual`; what the function writes through it need not be there afterwards, the result is not returned.
    DualOnly,
    /// As `Dual`; the tangents of all directions lie one after another behind one slice.
    Dualv,
    /// As `Dualv` and as `DualOnly`.
    DualvOnly,
}

use Activity::{Active, ActiveOnly, Const, Dual, DualOnly, Dualv, DualvOnly, Duplicated, DuplicatedOnly};

const ALL: [Activity; 9] = [Const, Active, ActiveOnly, Duplicated, DuplicatedOnly, Dual, DualOnly, Dualv, DualvOnly];

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Forward => "forward",
            Mode::Reverse => "reverse",
        })
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Const => "Const",
            Active => "Active",
            ActiveOnly => "ActiveOnly",
            Duplicated => "Duplicated",
            DuplicatedOnly => "DuplicatedOnly",
            Dual => "Dual",
            DualOnly => "DualOnly",
            Dualv => "Dualv",
            DualvOnly => "DualvOnly",
        })
    }
}

impl Mode {
    /// The attribute of this mode.
    pub fn attribute(self) -> &'static str {
        match self {
            Mode::Forward => "autodiff_forward",
            Mode::Reverse => "autodiff_reverse",
        }
    }

    /// The activities that an argument can have.
    fn of_arguments(self) -> &'static [Activity] {
        match self {
            Mode::Forward => &[Dual, DualOnly, Dualv, DualvOnly, Const],
            Mode::Reverse => &[Active, Duplicated, DuplicatedOnly, Const],
        }
    }

    /// The activities that the result can have.
    fn of_result(self) -> &'static [Activity] {
        match self {
            Mode::Forward => &[Dual, DualOnly, Dualv, DualvOnly, Const],
            Mode::Reverse => &[Active, ActiveOnly, Const],
        }
    }
}

impl Activity {
    /// The activity of an argument `name: ty` where `width` shadows are followed at once, or why it cannot be that.
    pub fn of_argument(word: &Ident, mode: Mode, width: usize, name: &Ident, ty: &Type) -> syn::Result<Self> {
        let activity = Self::in_mode(word, mode, mode.of_arguments())?;
        let refuse = |what: &str, help: &str| {
            let shown = types::text(ty);
            Err(error(word.span(), format!("`{activity}` {what}, but `{name}` is `{shown}`"), help))
        };
        match (activity, types::kind(ty)) {
            (Const, _) => Ok(activity),
            (_, Kind::Primitive | Kind::Function) => {
                let message =
                    format!("`{name}` cannot be `{activity}`: there is no derivative by `{}`", types::text(ty));
                Err(error(word.span(), message, "make it `Const`"))
            }
            (Active, Kind::Reference(_) | Kind::Pointer) => {
                refuse("is for values", "a reference or pointer can be `Duplicated` or `Const`")
            }
            (Active, Kind::Owner) => refuse(
                "is for values made of nothing but numbers",
                "take it by reference and make it `Duplicated`, or make it `Const`",
            ),
            (Active, Kind::Float | Kind::Other) if width > 1 => refuse(
                &format!("returns one adjoint, and the width is {width}"),
                "take it by reference and make it `Duplicated`, or make it `Const`",
            ),
            (Duplicated | DuplicatedOnly, Kind::Float | Kind::Owner | Kind::Other) => {
                refuse("is for references and pointers", "a value can be `Active` or `Const`")
            }
            (Dualv | DualvOnly, _) if width > 1 && !types::is_slice_reference(ty) => refuse(
                &format!("with a width of {width} is for slices: `&[T]` and `&mut [T]`"),
                &format!("`Dual` takes {width} tangents, each an argument of its own"),
            ),
            _ => Ok(activity),
        }
    }

    /// The activity of a result of type `ty` where `width` directions are followed at once, or why it cannot be that.
    pub fn of_result(word: &Ident, mode: Mode, width: usize, ty: &Type) -> syn::Result<Self> {
        let activity = Self::in_mode(word, mode, mode.of_result())?;
        let refuse = |what: &str, help: &str| {
            let message = format!("`{activity}` {what}, but the result is `{}`", types::text(ty));
            Err(error(word.span(), message, help))
        };
        match (activity, types::kind(ty)) {
            (Const, _) => Ok(activity),
            (_, Kind::Primitive | Kind::Function) => {
                let message = format!("the result cannot be `{activity}`: `{}` has no derivative", types::text(ty));
                Err(error(word.span(), message, "make it `Const`"))
            }
            (_, Kind::Reference(_) | Kind::Pointer | Kind::Owner) => refuse(
                "as the activity of the result is for values made of nothing but numbers",
                "make it `Const`, or hand results out through a `&mut` argument",
            ),
            (Dualv, _) if width > 1 => Err(error(
                word.span(),
                format!("`Dualv` returns one tangent beside the result, and the width is {width}"),
                "`Dual` returns them all, in an array",
            )),
            _ => Ok(activity),
        }
    }

    /// The activity of an argument or of the result whose type is not known.
    pub fn of_place(word: &Ident, mode: Mode, is_result: bool) -> syn::Result<Self> {
        Self::in_mode(word, mode, if is_result { mode.of_result() } else { mode.of_arguments() })
    }

    /// Whether the word stands for an activity.
    pub fn is_known(word: &Ident) -> bool {
        ALL.into_iter().any(|activity| word == &activity.to_string())
    }

    /// The activity that a word stands for, if it is one of those `valid` where it stands.
    fn in_mode(word: &Ident, mode: Mode, valid: &[Activity]) -> syn::Result<Self> {
        let valid_here = format!("valid here: {}", listed(valid));
        let name = word.to_string();
        let Some(activity) = ALL.into_iter().find(|activity| activity.to_string() == name) else {
            let help = match similar(&name) {
                Some(close) => format!("did you mean `{close}`? {valid_here}"),
                None => valid_here,
            };
            return Err(error(word.span(), format!("unknown activity `{name}`"), help));
        };
        if valid.contains(&activity) {
            return Ok(activity);
        }
        let message = match activity {
            ActiveOnly if mode == Mode::Reverse => "`ActiveOnly` is for the result: an argument is `Active`".into(),
            Duplicated | DuplicatedOnly if mode == Mode::Reverse => {
                format!("`{activity}` cannot be the activity of the result")
            }
            _ => format!("`{activity}` cannot be used in {mode} mode"),
        };
        Err(error(word.span(), message, valid_here))
    }

    /// The activity in forward mode of what has this one in reverse mode.
    pub fn in_forward_mode(self) -> Self {
        if self == Const {
            Const
        } else {
            Dual
        }
    }

    /// Whether a derivative with an argument of this activity is `unsafe`, as in `std::autodiff`: what the function
    /// writes there may be left out.
    pub fn is_unsafe(self) -> bool {
        matches!(self, DuplicatedOnly | DualOnly)
    }

    /// Whether the result itself is returned.
    pub fn returns_primal(self) -> bool {
        !matches!(self, ActiveOnly | DualOnly | DualvOnly)
    }

    /// Whether what the function writes there, or returns, need not be there.
    pub fn is_only(self) -> bool {
        matches!(self, ActiveOnly | DuplicatedOnly | DualOnly | DualvOnly)
    }

    /// Whether one argument holds the tangents of all directions.
    pub fn is_batched(self) -> bool {
        matches!(self, Dualv | DualvOnly)
    }
}

/// The known name that a misspelt one probably stands for.
fn similar(word: &str) -> Option<String> {
    let word = word.to_lowercase();
    let names = ALL.into_iter().map(|activity| activity.to_string());
    let (distance, name) = names.map(|name| (distance(&word, &name.to_lowercase()), name)).min()?;
    (distance <= name.len() / 3).then_some(name)
}

/// How many letters must be inserted, removed or replaced to make one word of the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
