//! What a program built for `./doit gradcheck` does instead of its `main`: it checks the functions that it is asked to.
//!
//! Each function's attributes leave a pointer to its [`Entry`] in a section of its own, to the ends of which the linker
//! gives names. The environment says what to do, and where to write a line of JSON for each point; without that variable
//! the program is what it is.

use super::generate::{Entry, Range, Source};
use super::report::Report;
use super::run::Outcome;
use super::Vec;
use std::env;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::process;
use std::string::{String, ToString};

/// How often another point is tried where a function is not defined; from the second half on, positive ones.
const ATTEMPTS: u64 = 20;

unsafe extern "C" {
    #[link_name = "__start_crategrad_gradcheck"]
    static FIRST: usize;
    #[link_name = "__stop_crategrad_gradcheck"]
    static END: usize;
}

/// The section is there even if the program differentiates nothing.
#[used]
#[unsafe(link_section = "crategrad_gradcheck")]
static NOTHING: &Entry = &Entry { function: "", place: "", derivatives: &[], arguments: &[], check: |_| Outcome::NotFinite };

/// Comes before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    let Some(out) = env::var_os("CRATEGRAD_GRADCHECK") else { return };
    let mut out = File::create(out).expect("the pipeline has made the folder");
    match env::var("CRATEGRAD_GRADCHECK_FUNCTION") {
        Err(_) => entries().for_each(|entry| say(&mut out, &listed(entry))),
        Ok(place) => entries().filter(|entry| entry.place == place).for_each(|entry| check(entry, &mut out)),
    }
    process::exit(0);
}

/// One for each function: the topmost attribute knows the others, and tells of the most derivatives.
fn entries() -> impl Iterator<Item = &'static Entry> {
    let (first, end) = (&raw const FIRST, &raw const END);
    let (first, end) = (first.cast::<&'static Entry>(), end.cast::<&'static Entry>());
    // SAFETY: the linker puts these at the ends of the section, in which there is nothing but such pointers.
    let all = unsafe { std::slice::from_raw_parts(first, end.offset_from(first).unsigned_abs()) };
    let is_covered = |entry: &Entry| {
        all.iter().any(|other| other.place == entry.place && other.derivatives.len() > entry.derivatives.len())
    };
    all.iter().copied().filter(move |entry| !entry.derivatives.is_empty() && !is_covered(entry))
}

fn check(entry: &Entry, out: &mut File) {
    for point in 0..number("CRATEGRAD_GRADCHECK_POINTS") {
        let seed = number("CRATEGRAD_GRADCHECK_SEED").wrapping_add(point);
        let told = told(&sampled(entry, seed));
        say(out, &std::format!("{{\"seed\":{seed},{told}}}"));
    }
}

fn sampled(entry: &Entry, seed: u64) -> Outcome {
    #[expect(clippy::cast_possible_truncation, reason = "a length")]
    let length = number("CRATEGRAD_GRADCHECK_LENGTH") as usize;
    let mut outcome = Outcome::NotFinite;
    for attempt in 0..ATTEMPTS {
        outcome = (entry.check)(&mut Source::new(seed, attempt, length, attempt >= ATTEMPTS / 2, ranges()));
        if !matches!(outcome, Outcome::NotFinite) {
            break;
        }
    }
    outcome
}

/// What the config says of arguments: `x=0.5..2.0`, a line for each.
fn ranges() -> Vec<Range> {
    let read = |line: &str| {
        let (of, ends) = line.split_once('=')?;
        let (low, high) = ends.split_once("..")?;
        Some(Range { of: of.into(), ends: (low.parse().ok()?, high.parse().ok()?) })
    };
    let text = env::var("CRATEGRAD_GRADCHECK_RANGES").unwrap_or_default();
    text.lines().map(|line| read(line).expect("the pipeline sets it")).collect()
}

fn number(variable: &str) -> u64 {
    env::var(variable).ok().and_then(|text| text.parse().ok()).expect("the pipeline sets it")
}

/// A line, out before whatever comes next can end the program.
fn say(out: &mut File, line: &str) {
    writeln!(out, "{line}").expect("the file can be written");
}

fn listed(entry: &Entry) -> String {
    let list = |names: &[&str]| names.iter().map(|name| string(name)).collect::<Vec<_>>().join(",");
    let (function, place) = (string(entry.function), string(entry.place));
    let (derivatives, arguments) = (list(entry.derivatives), list(entry.arguments));
    std::format!(
        "{{\"function\":{function},\"place\":{place},\"derivatives\":[{derivatives}],\"arguments\":[{arguments}]}}"
    )
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Checked(Ok(report)) => reported("right", report),
        Outcome::Checked(Err(report)) => reported("wrong", report),
        Outcome::NotFinite => "\"verdict\":\"not finite\"".into(),
        Outcome::Unknown(what) => std::format!("\"verdict\":\"unknown\",\"what\":{}", string(what)),
    }
}

fn reported(verdict: &str, report: &Report) -> String {
    let worst: Vec<String> =
        report.worst.iter().map(|(argument, error)| std::format!("{}:{error:e}", string(argument))).collect();
    std::format!(
        "\"verdict\":\"{verdict}\",\"compared\":{},\"mismatches\":{},\"kinks\":{},\"undecided\":{},\"worst\":{{{}}},\
         \"text\":{}",
        report.compared,
        report.mismatches.len(),
        report.kinks.len(),
        report.undecided.len(),
        worst.join(","),
        string(&report.to_string()),
    )
}

/// A JSON string.
fn string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            control if control < ' ' => {
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}
