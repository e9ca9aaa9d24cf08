//! What a check found, and how it says so.

use super::Vec;
use std::fmt;
use std::string::{String, ToString};

/// A number of an argument or of the result: which value, which of its numbers, and how many these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The argument as it is written in the call; "the result" for that.
    pub of: String,
    /// Which number of it, from 0.
    pub number: usize,
    /// How many numbers it has.
    pub count: usize,
}

/// What a derivative is held against.
#[derive(Clone, Debug, PartialEq)]
pub enum Against {
    /// Central differences of the function.
    Differences {
        /// The smallest step that they rest on.
        step: f64,
        /// How far off they may be.
        error: f64,
    },
    /// Another derivative of the function, by name: reverse mode with forward, many directions at once with one.
    Derivative(&'static str),
    /// The function itself: what the derivative returns as the function's values.
    Function,
}

/// A number that a derivative gives, beside the one that it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The derivative's name.
    pub derivative: &'static str,
    /// By which number of the arguments; `None` for all of them moving at once.
    pub by: Option<Place>,
    /// Of which number of the results; `None` for a weighted sum of all of them.
    pub of: Option<Place>,
    /// What the derivative gives.
    pub got: f64,
    /// What it should be.
    pub want: f64,
    /// How far apart the two may be.
    pub tolerance: f64,
    /// Where `want` comes from.
    pub against: Against,
}

/// A place where the function has no derivative: from the left it is another than from the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Kink {
    /// What the derivative gives there, beside the difference across the kink.
    pub comparison: Comparison,
    /// The slope on the left.
    pub left: f64,
    /// The slope on the right.
    pub right: f64,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The function's name.
    pub function: String,
    /// How many numbers were compared.
    pub compared: usize,
    /// Those that are not what they should be.
    pub mismatches: Vec<Comparison>,
    /// Where there is no derivative: nothing is said of what is given there.
    pub kinks: Vec<Kink>,
    /// Where differences do not settle, so that they say nothing: jumps, poles, too much rounding.
    pub undecided: Vec<Comparison>,
    /// The largest relative error by each argument that moves, by its name; of those that differences decide.
    pub worst: Vec<(String, f64)>,
    /// The seed that repeats this.
    pub seed: u64,
}

/// So many of each kind are told one by one.
const TOLD: usize = 4;

impl Comparison {
    /// How far apart the two are, measured by the larger one.
    #[must_use]
    pub fn relative_error(&self) -> f64 {
        let size = self.got.abs().max(self.want.abs());
        if size > 0.0 {
            (self.got - self.want).abs() / size
        } else {
            0.0
        }
    }

    /// Whether the two are no further apart than they may be.
    #[expect(clippy::float_cmp, reason = "infinities")]
    pub(super) fn agrees(&self) -> bool {
        (self.got - self.want).abs() <= self.tolerance || self.got == self.want
    }
}

impl Comparison {
    /// Whether it tells more than those before it: one of all numbers together does not, where one alone stands out.
    pub(super) fn is_news<'a>(&self, mut before: impl Iterator<Item = &'a Self>) -> bool {
        let is_of_one = |one: &Self| one.by.is_some() && one.of.is_some();
        is_of_one(self) || !before.any(|other| other.derivative == self.derivative && is_of_one(other))
    }
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// Takes note of how far off a derivative is by an argument.
    pub(super) fn note_error(&mut self, comparison: &Comparison) {
        let Some(place) = &comparison.by else { return };
        let error = comparison.relative_error();
        match self.worst.iter_mut().find(|(argument, _)| *argument == place.of) {
            Some((_, worst)) => *worst = worst.max(error),
            None => self.worst.push((place.of.clone(), error)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str(&self.of),
            count => write!(f, "{}, number {} of {count}", self.of, self.number),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told =
            |place: &Option<Place>, otherwise: &str| place.as_ref().map_or(otherwise.into(), ToString::to_string);
        let of = told(&self.of, "a weighted sum of all results");
        if self.against == Against::Function {
            writeln!(f, "  `{}`, the function's own value of {of}", self.derivative)?;
        } else {
            let by = told(&self.by, "all arguments at once, in a random direction");
            writeln!(f, "  `{}`, the derivative of {of} by {by}", self.derivative)?;
        }
        writeln!(f, "    got  {:?}", self.got)?;
        writeln!(f, "    want {:?}, {}", self.want, self.against)?;
        write!(f, "    off by {:.1e}, ", (self.got - self.want).abs())?;
        write!(f, "relatively {:.1e}; tolerated is {:.1e}", self.relative_error(), self.tolerance)
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differences { step, .. } if step.is_nan() => f.write_str("central differences, none of them finite"),
            Self::Differences { step, error } => {
                write!(f, "central differences with steps down to {step:.1e}, known to {error:.1e}")
            }
            Self::Derivative(name) => write!(f, "by `{name}`"),
            Self::Function => f.write_str("by a plain call"),
        }
    }
}

impl fmt::Display for Kink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { comparison: Comparison { derivative, by, got, .. }, left, right } = self;
        let by = by.as_ref().map_or("all arguments at once, in a random direction".into(), ToString::to_string);
        write!(f, "  `{derivative}` gives {got:.6} by {by}, where the slope is {left:.6} on the left and {right:.6} on the right")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.mismatches.len();
        write!(f, "gradcheck of `{}`: {} numbers compared, {wrong} wrong", self.function, self.compared)?;
        several(f, &self.mismatches, "")?;
        several(f, &self.undecided, "differences do not settle (a jump? rounding?), so nothing is known:")?;
        several(f, &self.kinks, "there is no derivative, the function has a kink there:")?;
        write!(f, "\n  = note: seed {} repeats this", self.seed)
    }
}

/// The first few, below what is said of all.
fn several<T: fmt::Display>(f: &mut fmt::Formatter<'_>, all: &[T], what: &str) -> fmt::Result {
    if !all.is_empty() && !what.is_empty() {
        write!(f, "\n{}: {what}", all.len())?;
    }
    all.iter().take(TOLD).try_for_each(|each| write!(f, "\n{each}"))?;
    match all.len().saturating_sub(TOLD) {
        0 => Ok(()),
        more => write!(f, "\n  … and {more} more"),
    }
}
