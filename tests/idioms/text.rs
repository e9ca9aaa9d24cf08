use crate::dual::Number;
use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

pub fn reverse_polish_notation<T: Number>(xs: &[T], _k: usize) -> T {
    fn evaluated<T: Number>(program: &str, variables: &[T]) -> Option<T> {
        let mut stack: Vec<T> = Vec::new();
        for word in program.split_whitespace() {
            let value = match word {
                "+" | "-" | "*" => {
                    let (b, a) = (stack.pop()?, stack.pop()?);
                    match word {
                        "+" => a + b,
                        "-" => a - b,
                        _ => a * b,
                    }
                }
                "dup" => *stack.last()?,
                _ => match word.strip_prefix('x') {
                    Some(index) => variables[index.parse::<usize>().ok()? % variables.len()],
                    None => T::from(word.parse::<f64>().ok()?),
                },
            };
            stack.push(value);
        }
        stack.pop()
    }
    evaluated("x0 dup * x1 3 * + x2 x3 - dup * 0.5 * +", xs).unwrap()
}

/// Expressions of `x`, numbers, `+`, `*` and brackets.
struct Parser<'a, T> {
    rest: Peekable<Chars<'a>>,
    x: T,
}

impl<T: Number> Parser<'_, T> {
    fn sum(&mut self) -> T {
        let mut total = self.product();
        while self.rest.next_if_eq(&'+').is_some() {
            total += self.product();
        }
        total
    }

    fn product(&mut self) -> T {
        let mut total = self.atom();
        while self.rest.next_if_eq(&'*').is_some() {
            total *= self.atom();
        }
        total
    }

    fn atom(&mut self) -> T {
        match self.rest.next() {
            Some('(') => {
                let inner = self.sum();
                self.rest.next();
                inner
            }
            Some('x') => self.x,
            Some(digit) => T::from(f64::from(digit.to_digit(10).unwrap_or(0))),
            None => T::from(0.0),
        }
    }
}

pub fn recursive_descent<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter().map(|&x| Parser { rest: "x*(x+2)+3*x*x".chars().peekable(), x }.sum()).sum()
}

pub fn weights_by_character<T: Number>(xs: &[T], k: usize) -> T {
    let text = "differentiate".repeat(k + 1);
    let vowels = text.chars().filter(|c| "aeiou".contains(*c)).count();
    text.bytes().zip(xs.iter().cycle()).map(|(byte, &x)| x * x * f64::from(byte % 7)).sum::<T>() / vowels as f64
}

pub fn settings_by_name<T: Number>(xs: &[T], _k: usize) -> T {
    let settings: HashMap<&str, f64> = "rate=0.5;decay=0.9;offset=-1.25"
        .split(';')
        .filter_map(|setting| setting.split_once('='))
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let get = |name: &str| settings.get(name).copied().unwrap_or(1.0);
    xs.iter().fold(T::from(get("offset")), |state, &x| state * get("decay") + x * x * get("rate") + get("missing"))
}

pub fn commands_matched<T: Number>(xs: &[T], _k: usize) -> T {
    let script = ["push", "double", "push", "add", "square", "halve"];
    let mut numbers = xs.iter().copied().cycle();
    let mut stack = vec![T::from(1.0)];
    for command in script {
        let top = stack.pop().unwrap_or_default();
        match command {
            "push" => stack.extend([top, numbers.next().unwrap()]),
            "double" => stack.push(top * 2.0),
            "halve" => stack.push(top / 2.0),
            "square" => stack.push(top * top),
            "add" => {
                let below = stack.pop().unwrap_or_default();
                stack.push(below + top);
            }
            other => panic!("no such command: {other}"),
        }
    }
    stack.into_iter().sum()
}

pub fn labelled_values<T: Number>(xs: &[T], _k: usize) -> T {
    struct Labelled<T> {
        label: String,
        value: T,
    }
    let mut all: Vec<Labelled<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Labelled { label: format!("{}-{i}", ["b", "a", "c"][i % 3]), value: x * x })
        .collect();
    all.sort_by(|a, b| a.label.cmp(&b.label));
    all.iter().enumerate().map(|(i, it)| it.value * (i + it.label.len()) as f64).sum()
}

pub fn report_beside_the_sum<T: Number>(xs: &[T], _k: usize) -> T {
    let mut report = String::new();
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        sum += x.exp();
        report.push_str(if x > 0.0 { "positive" } else { "negative" });
        report += &format!(" {i}\n");
    }
    sum * report.lines().filter(|line| line.starts_with("positive")).count() as f64 + sum
}
