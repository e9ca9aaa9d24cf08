//! The places that derivatives are called from: what is checked there, what was found, and what the program ends with.

use super::compare::Shadow;
use super::copies::Unknown;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{c_int, c_void};
use std::fmt::Write as _;
use std::format;
use std::panic::Location;
use std::process;
use std::ptr::null_mut;
use std::string::String;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a program ends with in which a derivative was wrong.
const WRONG: c_int = 86;

/// Which calls from a place are checked: the first, and so many later the next.
const EVERY: u64 = match option_env!("CRATEGRAD_VERIFY_EVERY") {
    Some(text) => match u64::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("the pipeline sets it to a number"),
    },
    None => 1,
};

/// A call of a derivative.
pub struct Call<'a> {
    /// The derivative's name.
    pub derivative: &'static str,
    /// The function's path.
    pub function: &'static str,
    /// Where it is called.
    pub place: &'static Location<'static>,
    /// The arguments' names, and the shadow that each has; the result is the last.
    pub places: &'static [(&'static str, Shadow)],
    /// Why some arguments keep it from being checked.
    pub unknown: &'a [Option<Unknown>],
}

/// What is known of a place.
#[derive(Default)]
struct Site {
    calls: u64,
    checked: u64,
    /// Of those checked, where a derivative was not finite, or differences did not settle.
    undecided: u64,
    wrong: u64,
    /// Why calls from here are not checked.
    unknown: Option<String>,
}

/// By where it is, in order, and by the derivative's name.
type Key = (&'static str, u32, u32, &'static str);

static SITES: Mutex<BTreeMap<Key, Site>> = Mutex::new(BTreeMap::new());

/// What came of a check.
pub enum Outcome {
    /// Nothing is wrong.
    Right,
    /// Nothing could be told.
    Undecided,
    /// This is.
    Wrong(String),
}

fn sites() -> MutexGuard<'static, BTreeMap<Key, Site>> {
    SITES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this call is to be checked, and can be.
///
/// The pipeline knows it by name: in what is itself differentiated nothing is checked.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __crategrad_verify_wanted(call: &Call<'_>) -> bool {
    let mut sites = sites();
    let site = sites.entry(call.key()).or_default();
    site.calls += 1;
    if let Some(((name, _), unknown)) = call.places.iter().zip(call.unknown).find(|(_, unknown)| unknown.is_some()) {
        if let (None, Some(Unknown { of, why })) = (&site.unknown, unknown) {
            site.unknown = Some(format!("`{name}` is `{of}`: {why}"));
        }
        return false;
    }
    (site.calls - 1).is_multiple_of(EVERY)
}

impl Call<'_> {
    fn key(&self) -> Key {
        (self.place.file(), self.place.line(), self.place.column(), self.derivative)
    }

    /// How often it was called from here; others may have called it meanwhile.
    pub fn number(&self) -> u64 {
        sites().get(&self.key()).map_or(0, |site| site.calls)
    }

    /// Takes note of what came of a check, and tells what is wrong if nobody has heard of it yet.
    pub fn note(&self, outcome: Outcome) {
        let is_first = {
            let mut sites = sites();
            let site = sites.entry(self.key()).or_default();
            site.checked += 1;
            match &outcome {
                Outcome::Right => {}
                Outcome::Undecided => site.undecided += 1,
                Outcome::Wrong(_) => site.wrong += 1,
            }
            site.wrong == 1
        };
        let Outcome::Wrong(what) = outcome else { return };
        if is_first {
            std::eprintln!(
                "error: `{}`, the derivative of `{}`, is wrong\n  --> {}\n{what}\n  = note: found at call {} from there; \
                 further ones are counted, not told",
                self.derivative,
                self.function,
                self.place,
                self.number(),
            );
        }
        if asks_for("abort") {
            process::abort();
        }
    }
}

/// Whether the environment has this word: `CRATEGRAD_VERIFY=abort,summary`.
fn asks_for(word: &str) -> bool {
    env::var("CRATEGRAD_VERIFY").is_ok_and(|words| words.split(',').any(|each| each == word))
}

/// Comes after `main`, and after what the program itself wants to do at its end.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

unsafe extern "C" {
    fn fflush(stream: *mut c_void) -> c_int;
    fn _exit(code: c_int) -> !;
}

extern "C" fn end() {
    let sites = sites();
    let (wrong, unknown) = (sum(&sites, |site| site.wrong), sites.values().any(|site| site.unknown.is_some()));
    if wrong > 0 || unknown || asks_for("summary") {
        std::eprintln!("{}", summary(&sites));
    }
    if wrong > 0 {
        // SAFETY: as the C library does itself at its very end.
        unsafe {
            fflush(null_mut());
            _exit(WRONG)
        }
    }
}

fn sum(sites: &BTreeMap<Key, Site>, of: impl Fn(&Site) -> u64) -> u64 {
    sites.values().map(of).sum()
}

/// How many calls were checked, and what was not checked and why.
fn summary(sites: &BTreeMap<Key, Site>) -> String {
    let [calls, checked, undecided, wrong] =
        [|s: &Site| s.calls, |s: &Site| s.checked, |s: &Site| s.undecided, |s: &Site| s.wrong].map(|of| sum(sites, of));
    let mut text = format!(
        "verify: {calls} calls of derivatives from {} places, {checked} checked, {wrong} wrong, {undecided} undecided",
        sites.len()
    );
    for ((file, line, column, derivative), site) in sites {
        let mut told = |what: &str| {
            let _ = write!(text, "\n  `{derivative}` at {file}:{line}:{column}, called {} times: {what}", site.calls);
        };
        if let Some(why) = &site.unknown {
            told(&format!("not checked, {why}"));
        } else if site.wrong > 0 {
            told(&format!("wrong {} of {} times", site.wrong, site.checked));
        } else if site.undecided > 0 {
            told(&format!("undecided {} of {} times", site.undecided, site.checked));
        }
    }
    text
}
