use crate::dual::Number;
use std::fmt;
use std::num::ParseIntError;

#[derive(Debug)]
enum Error {
    TooLarge(f64),
    NotANumber(ParseIntError),
}

impl From<ParseIntError> for Error {
    fn from(error: ParseIntError) -> Self {
        Error::NotANumber(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::TooLarge(value) => write!(f, "{value} is too large"),
            Error::NotANumber(error) => write!(f, "no number: {error}"),
        }
    }
}

impl std::error::Error for Error {}

fn checked<T: Number>(x: T) -> Result<T, Error> {
    if x.value() < 50.0 { Ok(x.exp()) } else { Err(Error::TooLarge(x.value())) }
}

pub fn errors_of_two_kinds<T: Number>(xs: &[T], _k: usize) -> T {
    fn scaled<T: Number>(x: T, by: &str) -> Result<T, Error> {
        let by: i32 = by.parse()?;
        Ok(checked(x)? * f64::from(by))
    }
    xs.iter().map(|&x| scaled(x, "3").and_then(|y| scaled(y * 0.1, "2"))).filter_map(Result::ok).sum()
}

pub fn collected_into_a_result<T: Number>(xs: &[T], _k: usize) -> T {
    match xs.iter().map(|&x| checked(x)).collect::<Result<Vec<T>, Error>>() {
        Ok(all) => all.iter().zip(xs).map(|(&e, &x)| e * x).sum(),
        Err(error) => T::from(error.to_string().len() as f64),
    }
}

pub fn boxed_errors<T: Number>(xs: &[T], k: usize) -> T {
    fn mean<T: Number>(xs: &[T]) -> Result<T, Box<dyn std::error::Error>> {
        if xs.is_empty() {
            return Err("nothing to average".into());
        }
        let sum: Result<T, Error> = xs.iter().map(|&x| checked(x)).sum_or_first_error();
        Ok(sum? / xs.len() as f64)
    }
    trait SumOrFirstError<T> {
        fn sum_or_first_error(self) -> Result<T, Error>;
    }
    impl<T: Number, I: Iterator<Item = Result<T, Error>>> SumOrFirstError<T> for I {
        fn sum_or_first_error(mut self) -> Result<T, Error> {
            self.try_fold(T::from(0.0), |sum, x| Ok(sum + x?))
        }
    }
    mean(xs).unwrap_or_default() + mean(&xs[k.min(xs.len())..]).unwrap_or(xs[0])
}

pub fn question_marks_on_options<T: Number>(xs: &[T], k: usize) -> T {
    fn bent<T: Number>(xs: &[T], i: usize) -> Option<T> {
        let before = *xs.get(i.checked_sub(1)?)?;
        let after = *xs.get(i + 1)?;
        Some(before * after - xs[i] * 2.0)
    }
    (0..xs.len() + k).filter_map(|i| bent(xs, i)).map(|b| b * b).sum::<T>() + xs[0]
}

pub fn let_else_and_if_let<T: Number>(xs: &[T], k: usize) -> T {
    let Some(&middle) = xs.get(k) else { return xs[0] * 2.0 };
    let mut total = middle;
    if let [first, .., last] = xs {
        total += *first * *last;
    }
    if let Some(largest) = xs.iter().copied().reduce(T::max)
        && largest > 1.0
    {
        total += largest * largest;
    }
    total
}

pub fn options_taken_and_replaced<T: Number>(xs: &[T], _k: usize) -> T {
    let mut slot: Option<T> = None;
    let mut total = T::from(0.0);
    for &x in xs {
        if x < 0.0 {
            total += slot.take().map_or(x, |held| held * x);
        } else if let Some(before) = slot.replace(x * x) {
            total += before.sqrt() * 2.0;
        }
        if let Some(held) = slot.as_mut() {
            *held *= T::from(1.5);
        }
    }
    total + slot.unwrap_or(T::from(1.0))
}

pub fn zipped_and_filtered_options<T: Number>(xs: &[T], _k: usize) -> T {
    let positive = |x: &T| *x > 0.0;
    let first = xs.first().copied().filter(positive);
    let last = xs.last().copied().filter(positive);
    let both = first.zip(last).map(|(a, b)| a * b);
    both.or_else(|| first.xor(last)).map_or_else(|| T::from(0.5), |x| x * x)
}

pub fn validated_parameters<T: Number>(xs: &[T], _k: usize) -> T {
    struct Parameters<T> {
        scale: T,
        shift: Option<T>,
    }
    impl<T: Number> Parameters<T> {
        fn new(xs: &[T]) -> Result<Self, &'static str> {
            let scale = *xs.first().ok_or("no scale")?;
            match xs {
                [_, shift, ..] if *shift > 5.0 => Err("the shift is too large"),
                [_, shift, ..] => Ok(Parameters { scale, shift: Some(*shift) }),
                _ => Ok(Parameters { scale, shift: None }),
            }
        }
    }
    match Parameters::new(xs) {
        Ok(Parameters { scale, shift: Some(shift) }) => (scale + shift).sin() * scale,
        Ok(Parameters { scale, shift: None }) => scale.cos(),
        Err(message) => T::from(message.len() as f64),
    }
}
