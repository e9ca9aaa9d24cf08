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
    /// Reverse mode, `f32` or `f64`: an argument's adjoint is returned, the result's adjoint is an argument.
    Active,
    /// Reverse mode, a reference: its adjoint is added to a shadow, an argument of its own.
    Duplicated,
    /// Forward mode: the tangent is an argument of its own, or is returned beside the result.
    Dual,
}

/// Every name of `std::autodiff` that may stand for an activity, those without an [`Activity`] for later.
const NAMES: [(&str, Option<Activity>); 9] = [
    ("Const", Some(Activity::Const)),
    ("Active", Some(Activity::Active)),
    ("Duplicated", Some(Activity::Duplicated)),
    ("Dual", Some(Activity::Dual)),
    ("ActiveOnly", None),
    ("DuplicatedOnly", None),
    ("DualOnly", None),
    ("Dualv", None),
    ("DualvOnly", None),
];

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
            Activity::Const => "Const",
            Activity::Active => "Active",
            Activity::Duplicated => "Duplicated",
            Activity::Dual => "Dual",
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
            Mode::Forward => &[Activity::Dual, Activity::Const],
            Mode::Reverse => &[Activity::Active, Activity::Duplicated, Activity::Const],
        }
    }

    /// The activities that the result can have.
    fn of_result(self) -> &'static [Activity] {
        match self {
            Mode::Forward => &[Activity::Dual, Activity::Const],
            Mode::Reverse => &[Activity::Active, Activity::Const],
        }
    }
}

impl Activity {
    /// The activity of an argument `name: ty`, or why it cannot be that.
    pub fn of_argument(word: &Ident, mode: Mode, name: &Ident, ty: &Type) -> syn::Result<Self> {
        let activity = Self::in_mode(word, mode, mode.of_arguments())?;
        let shown = types::text(ty);
        let refuse = |what: &str, help: &str| {
            Err(error(word.span(), format!("`{activity}` {what}, but `{name}` is `{shown}`"), help))
        };
        match (activity, types::kind(ty)) {
            (Activity::Const, _)
            | (Activity::Active | Activity::Dual, Kind::Float)
            | (Activity::Duplicated | Activity::Dual, Kind::Reference(_)) => Ok(activity),
            (Activity::Active, Kind::Reference(_)) => {
                refuse("is for `f32` and `f64` by value", "a reference can be `Duplicated` or `Const`")
            }
            (Activity::Duplicated, Kind::Float) => {
                refuse("is for references", "an `f32` or `f64` by value can be `Active` or `Const`")
            }
            (_, Kind::Pointer) => {
                refuse("of a raw pointer is not supported yet", "take a reference, or make the argument `Const`")
            }
            (_, Kind::Other) => refuse(
                "is not supported yet for arguments by value other than `f32` and `f64`",
                "take it by reference, or make the argument `Const` (an alias of `f32` or `f64` must be written out: \
                 a macro cannot see behind it)",
            ),
        }
    }

    /// The activity of a result of type `ty`, or why it cannot be that.
    pub fn of_result(word: &Ident, mode: Mode, ty: &Type) -> syn::Result<Self> {
        let activity = Self::in_mode(word, mode, mode.of_result())?;
        if activity == Activity::Const || types::is_float(ty) {
            return Ok(activity);
        }
        Err(error(
            word.span(),
            format!(
                "`{activity}` as the activity of the result is for `f32` and `f64`, but the result is `{}`",
                types::text(ty)
            ),
            "make the result `Const`, or hand results out through a `&mut` argument \
             (an alias of `f32` or `f64` must be written out: a macro cannot see behind it)",
        ))
    }

    /// The activity that a word stands for, if it is one of those `valid` where it stands.
    fn in_mode(word: &Ident, mode: Mode, valid: &[Activity]) -> syn::Result<Self> {
        let supported = format!("supported here: {}", listed(valid));
        let name = word.to_string();
        let Some((_, activity)) = NAMES.iter().find(|(known, _)| *known == name) else {
            let help = match similar(&name) {
                Some(close) => format!("did you mean `{close}`? {supported}"),
                None => supported,
            };
            return Err(error(word.span(), format!("unknown activity `{name}`"), help));
        };
        match activity {
            Some(activity) if valid.contains(activity) => Ok(*activity),
            Some(Activity::Duplicated) if mode == Mode::Reverse => {
                Err(error(word.span(), "`Duplicated` cannot be the activity of the result", supported))
            }
            Some(_) => Err(error(word.span(), format!("`{name}` is no activity of {mode} mode"), supported)),
            None => Err(error(word.span(), format!("activity `{name}` is not supported yet"), supported)),
        }
    }
}

/// The known name that a misspelt one probably stands for.
fn similar(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let (distance, name) = NAMES
        .iter()
        .filter(|(_, activity)| activity.is_some())
        .map(|(name, _)| (distance(&word, &name.to_lowercase()), *name))
        .min()?;
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
