//! What text and floats have to do with each other: what is right, and what is refused.

use crate::dual::Number;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::{self, Display, Write};
use std::time::{SystemTime, UNIX_EPOCH};

struct Counting<T> {
    x: T,
    total: Cell<T>,
}

impl<T: Number> Display for Counting<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.total.set(self.total.get() + self.x * self.x);
        f.write_str("counted")
    }
}

pub fn display_that_adds<T: Number>(xs: &[T], _k: usize) -> T {
    let mut text = String::new();
    let mut sum = T::from(0.0);
    for &x in xs {
        let it = Counting { x, total: Cell::new(x) };
        write!(text, "{it} {it}").unwrap();
        sum += it.total.get();
    }
    sum * (text.len() as f64)
}

pub fn display_by_to_string<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .map(|&x| {
            let it = Counting { x, total: Cell::new(x) };
            let n = it.to_string().len();
            it.total.get() * n as f64
        })
        .sum()
}

struct Sink<'a, T> {
    weight: T,
    total: &'a mut T,
}

impl<T: Number> Write for Sink<'_, T> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        *self.total += self.weight * s.len() as f64;
        Ok(())
    }
}

pub fn sink_that_adds<T: Number>(xs: &[T], k: usize) -> T {
    let mut total = T::from(0.0);
    for &x in xs {
        write!(Sink { weight: x, total: &mut total }, "{k} and {}", k + 1).unwrap();
    }
    total * total
}

struct Labelled<T> {
    label: String,
    value: T,
}

pub fn cell_of_floats_and_text<T: Number>(xs: &[T], _k: usize) -> T {
    let log = RefCell::new(Vec::<String>::new());
    let total = RefCell::new(T::from(1.0));
    for (i, &x) in xs.iter().enumerate() {
        *total.borrow_mut() *= x + 2.0;
        log.borrow_mut().push(format!("step {i}"));
    }
    let lines = log.borrow();
    total.into_inner() * lines.iter().map(|line| line.len()).sum::<usize>() as f64
}

pub fn printed_points<T: Number>(xs: &[T], k: usize) -> T {
    struct Point<T>(T, T);
    impl<T: Number> Display for Point<T> {
        fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
            let longer = if self.0 > self.1 { "right" } else { "left" };
            f.pad(longer)
        }
    }
    let mut text = String::new();
    let mut sum = T::from(0.0);
    for pair in xs.windows(2) {
        let point = Point(pair[0], pair[1]);
        write!(text, "{point:>9}").unwrap();
        sum += point.0 * point.1;
    }
    if k == 77 {
        println!("{text}");
    }
    sum * text.len() as f64 + xs[0]
}

#[inline(never)]
fn relabelled<T: Number>(it: &mut Labelled<T>, i: usize) {
    write!(it.label, "{i} and so on and on").unwrap();
    it.value = it.value * 0.9 + it.value * it.value * 0.01;
}

pub fn label_on_the_stack<T: Number>(xs: &[T], k: usize) -> T {
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let mut it = Labelled { label: String::new(), value: x * x };
        for _ in 0..k + 1 {
            relabelled(&mut it, i);
        }
        sum += it.value * it.label.len() as f64;
    }
    sum
}

pub fn numbers_as_text_and_back<T: Number>(xs: &[T], k: usize) -> T {
    let text = format!("{:.3}", k as f64 * 0.25);
    let back: f64 = text.parse().unwrap();
    xs.iter().map(|&x| x * x * back).sum()
}

pub fn sums_by_name<T: Number>(xs: &[T], _k: usize) -> T {
    let names = ["red", "green", "blue"];
    let mut sums: HashMap<String, T> = HashMap::new();
    for (&x, name) in xs.iter().zip(names.iter().cycle()) {
        *sums.entry(name.to_string()).or_default() += x * x;
    }
    names.iter().map(|&name| sums.get(name).copied().unwrap_or_default() * name.len() as f64).sum()
}

/// A number beside each float is read where a later run of the loop could write, for all that alias analysis knows.
pub fn keys_are_numbers<T: Number>(xs: &[T], _k: usize) -> T {
    let map: HashMap<usize, T> = xs.iter().map(|&x| x * x).enumerate().collect();
    map.iter().map(|(&key, &x)| x * key as f64).sum()
}

/// What std computes of the time goes by pointer, and is numbers alone.
pub fn with_the_time<T: Number>(xs: &[T], k: usize) -> T {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    xs.iter().map(|&x| x * x).sum::<T>() * (k as f64 + time.min(2.0))
}

fn below_a_million<T: Number>(x: T, i: usize) -> Result<T, String> {
    if x > T::from(1e6) { Err(format!("number {i} is too large")) } else { Ok(x * x) }
}

fn all_below<T: Number>(xs: &[T], k: usize) -> Result<T, String> {
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        sum += below_a_million(x, i + k)?;
    }
    Ok(sum)
}

/// A float stands in the `Result` where a text has its address, and what tells them apart in the place of its capacity.
pub fn errors_of_text<T: Number>(xs: &[T], k: usize) -> T {
    all_below(xs, k).unwrap_or(T::from(-1.0))
}

pub fn errors_of_text_collected<T: Number>(xs: &[T], k: usize) -> T {
    let found: Result<Vec<T>, String> = xs.iter().map(|&x| below_a_million(x, k)).collect();
    match found {
        Ok(found) => found.iter().copied().sum(),
        Err(why) => T::from(why.len() as f64),
    }
}

pub fn errors_of_text_in_an_enum<T: Number>(xs: &[T], k: usize) -> T {
    enum Wrong<T> {
        Large(T),
        Said(String, T),
    }
    let checked = |x: T| match x {
        x if x > T::from(1e9) => Err(Wrong::Large(x)),
        x if x > T::from(1e6) => Err(Wrong::Said(format!("{k}"), x)),
        x => Ok(x * x * x),
    };
    let given = |wrong| match wrong {
        Wrong::Large(x) => x,
        Wrong::Said(what, x) => x * what.len() as f64,
    };
    xs.iter().map(|&x| checked(x).unwrap_or_else(given)).sum()
}

pub fn errors_by_to_string<T: Number>(xs: &[T], k: usize) -> T {
    let checked = |x: T| if x > T::from(1e6) { Err((k as f64).to_string()) } else { Ok(x * x) };
    xs.iter().map(|&x| checked(x).unwrap_or(x)).sum()
}

/// Of a text that `format!` makes Enzyme does not see how it grows: what it has for its shadow leads nowhere.
pub fn texts_pushed_to_a_text<T: Number>(xs: &[T], k: usize) -> T {
    let mut text = String::new();
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        text.push_str(&format!("{i}"));
        text += &format!("{}: {}, ", i * 77, k as f64 * 0.5);
        sum += x * x * text.len() as f64;
    }
    sum
}

pub fn bytes_of_texts<T: Number>(xs: &[T], k: usize) -> T {
    let mut bytes = Vec::<u8>::new();
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        bytes.extend(format!("{i}{k}").into_bytes());
        bytes.extend_from_slice(format!("{i}").as_bytes());
        sum += x * x * (bytes[i] as f64 - 40.0);
    }
    sum
}
