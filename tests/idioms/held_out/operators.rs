use crate::dual::Number;
use std::array;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::{self, Display};
use std::iter::{self, FusedIterator, Peekable};
use std::mem;
use std::num::ParseFloatError;
use std::ops::{Add, AddAssign, Deref, DerefMut, Div, Index, Mul, Neg, Sub};
use std::str::FromStr;

// --- matrices of constant size

#[derive(Clone, Copy, Debug, PartialEq)]
struct Matrix<T, const R: usize, const C: usize>([[T; C]; R]);

impl<T: Number, const R: usize, const C: usize> Matrix<T, R, C> {
    fn from_fn(mut entry: impl FnMut(usize, usize) -> T) -> Self {
        Matrix(array::from_fn(|i| array::from_fn(|j| entry(i, j))))
    }
    fn transposed(&self) -> Matrix<T, C, R> {
        Matrix::from_fn(|i, j| self[(j, i)])
    }
    fn map(self, f: impl Fn(T) -> T + Copy) -> Self {
        Matrix(self.0.map(|row| row.map(f)))
    }
}

impl<T: Number, const N: usize> Matrix<T, N, N> {
    const IS_EVEN: bool = N % 2 == 0;

    fn identity() -> Self {
        Self::from_fn(|i, j| T::from(if i == j { 1.0 } else { 0.0 }))
    }
    fn trace(&self) -> T {
        (0..N).map(|i| self[(i, i)]).sum()
    }
    fn pow(self, exponent: usize) -> Self {
        match exponent {
            0 => Self::identity(),
            n if n % 2 == 1 => self * self.pow(n - 1),
            n => (self * self).pow(n / 2),
        }
    }
}

impl<T, const R: usize, const C: usize> Index<(usize, usize)> for Matrix<T, R, C> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.0[i][j]
    }
}

impl<T: Number, const R: usize, const M: usize, const C: usize> Mul<Matrix<T, M, C>> for Matrix<T, R, M> {
    type Output = Matrix<T, R, C>;
    fn mul(self, other: Matrix<T, M, C>) -> Matrix<T, R, C> {
        Matrix::from_fn(|i, j| self.0[i].iter().zip(&other.0).map(|(&a, row)| a * row[j]).sum())
    }
}

impl<T: Number, const R: usize, const C: usize> Add for Matrix<T, R, C> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::from_fn(|i, j| self[(i, j)] + other[(i, j)])
    }
}

pub fn gram_matrices_of_constant_size<T: Number>(xs: &[T], k: usize) -> T {
    let wide = Matrix::<T, 2, 3>::from_fn(|i, j| xs[(i * 3 + j) % xs.len()] * 0.5);
    let outer = wide * wide.transposed();
    let inner = wide.transposed() * wide;
    let mixed = (inner.map(|x| x * x) + Matrix::identity()).map(T::sqrt);
    let parity = [Matrix::<T, 2, 2>::IS_EVEN, Matrix::<T, 3, 3>::IS_EVEN].map(|even| if even { 2.0 } else { 0.5 });
    outer.pow(k + 1).trace() * parity[0] + mixed.pow(k).trace() * parity[1]
}

// --- attitudes as quaternions

#[derive(Clone, Copy, Debug, PartialEq)]
struct Quaternion<T> {
    w: T,
    v: [T; 3],
}

impl<T: Number> Default for Quaternion<T> {
    fn default() -> Self {
        Quaternion { w: T::from(1.0), v: [T::from(0.0); 3] }
    }
}

impl<T: Number> From<(T, T, T)> for Quaternion<T> {
    fn from((roll, pitch, yaw): (T, T, T)) -> Self {
        let axis = |angle: T, at: usize| {
            let (sin, cos) = (angle * 0.5).sin_cos();
            let mut v = [T::default(); 3];
            v[at] = sin;
            Quaternion { w: cos, v }
        };
        axis(yaw, 2) * axis(pitch, 1) * axis(roll, 0)
    }
}

impl<T: Number> Mul for Quaternion<T> {
    type Output = Self;
    fn mul(self, Quaternion { w: q, v: [x, y, z] }: Self) -> Self {
        let Quaternion { w: p, v: [a, b, c] } = self;
        Quaternion {
            w: p * q - a * x - b * y - c * z,
            v: [p * x + a * q + b * z - c * y, p * y - a * z + b * q + c * x, p * z + a * y - b * x + c * q],
        }
    }
}

impl<T: Number> Mul<T> for Quaternion<T> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        Quaternion { w: self.w * by, v: self.v.map(|x| x * by) }
    }
}

impl<T: Number> Add for Quaternion<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mut v = self.v;
        v.iter_mut().zip(other.v).for_each(|(a, b)| *a += b);
        Quaternion { w: self.w + other.w, v }
    }
}

impl<T: Number> Neg for Quaternion<T> {
    type Output = Self;
    fn neg(self) -> Self {
        self * T::from(-1.0)
    }
}

impl<T: Number> Quaternion<T> {
    fn dot(&self, other: &Self) -> T {
        self.w * other.w + iter::zip(self.v, other.v).map(|(a, b)| a * b).sum::<T>()
    }
    fn slerp(self, other: Self, t: f64) -> Self {
        let (cos, other) = match self.dot(&other) {
            cos if cos < 0.0 => (-cos, -other),
            cos => (cos, other),
        };
        if cos > 0.9995 {
            return self * T::from(1.0 - t) + other * T::from(t);
        }
        let angle = cos.acos();
        self * ((angle * (1.0 - t)).sin() / angle.sin()) + other * ((angle * t).sin() / angle.sin())
    }
}

pub fn attitudes_between_quaternions<T: Number>(xs: &[T], k: usize) -> T {
    let attitudes: Vec<Quaternion<T>> = xs
        .chunks(3)
        .map(|angles| match *angles {
            [roll, pitch, yaw] => (roll, pitch, yaw).into(),
            [roll, pitch] => Quaternion::from((roll, pitch, roll * pitch)),
            [yaw] => Quaternion::from((T::from(0.2), T::from(0.1), yaw)),
            _ => Quaternion::default(),
        })
        .collect();
    let path = iter::once(Quaternion::default()).chain(attitudes).collect::<Vec<_>>();
    let steps = k + 2;
    path.windows(2)
        .flat_map(|ends| (0..steps).map(move |i| ends[0].slerp(ends[1], (i as f64 + 0.5) / steps as f64)))
        .scan(Quaternion::default(), |turned, q| {
            *turned = *turned * q;
            Some(turned.w * 2.0 + turned.v[2] - turned.v[0] * turned.v[1])
        })
        .sum()
}

// --- polynomials that behave like numbers and like collections

#[derive(Clone, Debug, Default)]
struct Poly<T>(Vec<T>);

impl<T> Deref for Poly<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> FromIterator<T> for Poly<T> {
    fn from_iter<I: IntoIterator<Item = T>>(coefficients: I) -> Self {
        Poly(coefficients.into_iter().collect())
    }
}

impl<'a, T> IntoIterator for &'a Poly<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Number> AddAssign<&Poly<T>> for Poly<T> {
    fn add_assign(&mut self, other: &Poly<T>) {
        if self.len() < other.len() {
            self.0.resize(other.len(), T::default());
        }
        for (a, &b) in self.0.iter_mut().zip(other) {
            *a += b;
        }
    }
}

impl<T: Number> Mul for &Poly<T> {
    type Output = Poly<T>;
    fn mul(self, other: Self) -> Poly<T> {
        let mut product = vec![T::default(); (self.len() + other.len()).saturating_sub(1)];
        for (i, &a) in self.iter().enumerate() {
            for (to, &b) in product[i..].iter_mut().zip(other) {
                *to += a * b;
            }
        }
        Poly(product)
    }
}

impl<T: Number> iter::Sum for Poly<T> {
    fn sum<I: Iterator<Item = Self>>(polys: I) -> Self {
        polys.fold(Poly::default(), |mut sum, poly| {
            sum += &poly;
            sum
        })
    }
}

impl<T: Number> Poly<T> {
    fn eval(&self, x: T) -> T {
        self.iter().rfold(T::default(), |sum, &c| sum * x + c)
    }
    fn derivative(&self) -> Self {
        self.iter().enumerate().skip(1).map(|(i, &c)| c * i as f64).collect()
    }
    fn compose(&self, inner: &Self) -> Self {
        self.iter()
            .scan(Poly(vec![T::from(1.0)]), |power, &c| {
                let term = power.iter().map(|&p| p * c).collect::<Poly<T>>();
                *power = &*power * inner;
                Some(term)
            })
            .sum()
    }
}

pub fn polynomials_composed<T: Number>(xs: &[T], k: usize) -> T {
    let outer: Poly<T> = xs.iter().take(4).map(|&x| x * 0.5).collect();
    let inner = xs.iter().rev().step_by(3).copied().chain([T::from(0.3)]).collect::<Poly<T>>();
    let composed = outer.compose(&inner);
    let at = xs[k % xs.len()] * 0.3;
    let difference = composed.eval(at) - outer.eval(inner.eval(at));
    let slopes =
        iter::successors(Some(composed.clone()), |poly| Some(poly.derivative()).filter(|next| !next.is_empty()));
    let taylor: T = slopes.take(k + 2).map(|poly| poly.eval(at * 0.5)).sum();
    taylor + difference + composed.last().copied().unwrap_or_default() * composed.len() as f64
}

// --- truncated series that carry all their derivatives

#[derive(Clone, Copy, Debug)]
struct Jet<T, const N: usize> {
    c: [T; N],
}

impl<T: Number, const N: usize> From<T> for Jet<T, N> {
    fn from(value: T) -> Self {
        let mut c = [T::default(); N];
        c[0] = value;
        Jet { c }
    }
}

impl<T: Number, const N: usize> Jet<T, N> {
    fn variable(at: T) -> Self {
        let mut jet = Self::from(at);
        if let Some(slope) = jet.c.get_mut(1) {
            *slope = T::from(1.0);
        }
        jet
    }
    fn exp(self) -> Self {
        let mut out = Self::from(self.c[0].exp());
        for n in 1..N {
            let sum: T = (1..=n).map(|i| self.c[i] * out.c[n - i] * i as f64).sum();
            out.c[n] = sum / n as f64;
        }
        out
    }
}

impl<T: Number, const N: usize> Add for Jet<T, N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Jet { c: array::from_fn(|i| self.c[i] + other.c[i]) }
    }
}

impl<T: Number, const N: usize> Mul for Jet<T, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Jet { c: array::from_fn(|n| (0..=n).map(|i| self.c[i] * other.c[n - i]).sum()) }
    }
}

impl<T: Number, const N: usize> Div for Jet<T, N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let mut c = [T::default(); N];
        for n in 0..N {
            let known = c[..n].iter().enumerate().fold(T::default(), |sum, (i, &q)| sum + q * other.c[n - i]);
            c[n] = (self.c[n] - known) / other.c[0];
        }
        Jet { c }
    }
}

fn lorentzian<S>(x: S, one: S) -> S
where
    S: Copy + Add<Output = S> + Mul<Output = S> + Div<Output = S>,
{
    one / (one + x * x)
}

pub fn jets_of_higher_order<T: Number>(xs: &[T], k: usize) -> T {
    let mut total = T::default();
    for (i, &x) in xs.iter().enumerate() {
        let jet = Jet::<T, 5>::variable(x * 0.4);
        let bell = lorentzian(jet, T::from(1.0).into());
        let grown = (bell * jet).exp() + Jet::from(x);
        let order = (i + k) % 5;
        total += grown.c[order] * (1..=order).map(|n| n as f64).product::<f64>();
        total += grown.c.iter().rev().fold(T::default(), |sum, &c| sum * T::from(0.1) + c);
    }
    total / xs.len() as f64
}

// --- a configuration of sections, read from text

#[derive(Debug)]
enum ConfigError {
    Number(ParseFloatError),
    Line(usize),
    Key(String),
}

impl From<ParseFloatError> for ConfigError {
    fn from(error: ParseFloatError) -> Self {
        ConfigError::Number(error)
    }
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(error) => write!(f, "bad number: {error}"),
            Self::Line(number) => write!(f, "line {number} is odd"),
            Self::Key(key) => write!(f, "no {key:?}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Setting {
    Fixed(f64),
    Input { index: usize, scale: f64 },
}

impl FromStr for Setting {
    type Err = ConfigError;
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let Some(reference) = text.strip_prefix('$') else {
            return Ok(Setting::Fixed(text.parse()?));
        };
        let (index, scale) = reference.split_once('*').map_or((reference, "1"), |(a, b)| (a.trim(), b.trim()));
        let index = index.parse().map_err(|_| ConfigError::Key(index.to_string()))?;
        Ok(Setting::Input { index, scale: scale.parse()? })
    }
}

struct Config {
    sections: BTreeMap<String, HashMap<String, Setting>>,
}

impl FromStr for Config {
    type Err = ConfigError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut sections: BTreeMap<String, HashMap<String, Setting>> = BTreeMap::new();
        let mut section = String::from("global");
        let lines =
            text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        for (number, line) in lines {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name.to_lowercase();
                continue;
            }
            let (key, value) = line.split_once('=').ok_or(ConfigError::Line(number))?;
            sections.entry(section.clone()).or_default().insert(key.trim().to_string(), value.trim().parse()?);
        }
        Ok(Config { sections })
    }
}

impl Config {
    fn get<T: Number>(&self, path: &str, xs: &[T]) -> Result<T, ConfigError> {
        let (section, key) = path.split_once('.').unwrap_or(("global", path));
        let setting = self.sections.get(section).and_then(|section| section.get(key));
        match *setting.ok_or_else(|| ConfigError::Key(path.into()))? {
            Setting::Fixed(value) => Ok(T::from(value)),
            Setting::Input { index, scale } => Ok(xs[index % xs.len()] * scale),
        }
    }
}

fn spring<T: Number>(text: &str, xs: &[T]) -> Result<T, ConfigError> {
    let config: Config = text.parse()?;
    let stiffness = config.get("spring.stiffness", xs)?.abs();
    let damping = config.get("spring.damping", xs).or_else(|_| config.get("damping", xs))?;
    let (mut at, mut speed) = (config.get("start", xs)?, T::default());
    for _ in 0..6 {
        speed -= (stiffness * at + damping * speed) * 0.1;
        at += speed * 0.1;
    }
    Ok(at * at + speed)
}

pub fn springs_from_a_configuration<T: Number>(xs: &[T], k: usize) -> T {
    let texts = [
        "start = 1.5\n[Spring]\nstiffness = $0 * 2\ndamping = $1",
        "# softer\nstart = $3 * -0.5\ndamping = 0.3\n\n[spring]\nstiffness = 4e-1",
        "start = 2\n[spring]\nstiffness $4",
        "damping = 0.1\n[spring]\nstiffness = one",
    ];
    let mut energy = T::from(0.0);
    for (text, &x) in texts.iter().cycle().skip(k).zip(xs) {
        energy += match spring(text, xs) {
            Ok(value) => value,
            Err(ConfigError::Line(number)) => x * number as f64,
            Err(error) => x.cos() * error.to_string().len() as f64 * 0.1,
        };
    }
    energy
}

// --- peaks found by an iterator adaptor of our own

struct Peaks<I: Iterator> {
    inner: Peekable<I>,
    before: Option<I::Item>,
}

trait PeaksExt: Iterator + Sized {
    fn peaks(self) -> Peaks<Self> {
        Peaks { inner: self.peekable(), before: None }
    }
}

impl<I: Iterator> PeaksExt for I {}

impl<I> Iterator for Peaks<I>
where
    I: Iterator,
    I::Item: PartialOrd + Copy,
{
    type Item = (I::Item, Option<I::Item>);
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let here = self.inner.next()?;
            let before = self.before.replace(here);
            let rises = before.is_none_or(|before| before < here);
            let after = self.inner.peek().copied();
            if rises && after.is_none_or(|after| after < here) {
                return Some((here, before.or(after)));
            }
        }
    }
}

impl<I: Iterator + FusedIterator> FusedIterator for Peaks<I> where I::Item: PartialOrd + Copy {}

fn smoothed<'a, T: Number>(xs: &'a [T], width: usize) -> impl Iterator<Item = T> + 'a {
    (0..xs.len()).map(move |i| {
        let near = &xs[i.saturating_sub(width)..(i + width + 1).min(xs.len())];
        near.iter().sum::<T>() / near.len() as f64
    })
}

pub fn peaks_by_an_adaptor<T: Number>(xs: &[T], k: usize) -> T {
    let (heights, drops): (Vec<T>, Vec<T>) =
        xs.iter().copied().peaks().map(|(peak, beside)| (peak, beside.map_or(peak, |b| peak - b))).unzip();
    let gentle = smoothed(xs, k).peaks().map(|(peak, _)| peak.exp()).sum::<T>();
    let product: T = drops.iter().map(|&drop| drop * drop + 0.5).product();
    let runs: T = xs
        .chunk_by(|a, b| a < b)
        .filter_map(|run| run.first().zip(run.last()))
        .map(|(&low, &high)| (high - low) * 0.5 + high * low)
        .sum();
    heights.iter().sum::<T>() + gentle + product.ln() + runs
}

// --- guards that write down what they measured when dropped

struct Ledger<T> {
    lines: RefCell<Vec<(String, T)>>,
}

struct Span<'l, T: Number> {
    ledger: &'l Ledger<T>,
    name: Cow<'l, str>,
    total: T,
}

impl<T: Number> Ledger<T> {
    fn span<'l>(&'l self, name: impl Into<Cow<'l, str>>) -> Span<'l, T> {
        Span { ledger: self, name: name.into(), total: T::default() }
    }
}

impl<T: Number> Deref for Span<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.total
    }
}

impl<T: Number> DerefMut for Span<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.total
    }
}

impl<T: Number> Drop for Span<'_, T> {
    fn drop(&mut self) {
        let name = mem::take(&mut self.name).into_owned();
        self.ledger.lines.borrow_mut().push((name, self.total));
    }
}

pub fn guards_that_report_when_dropped<T: Number>(xs: &[T], k: usize) -> T {
    let ledger: Ledger<T> = Ledger { lines: RefCell::default() };
    {
        let mut outer = ledger.span("outer");
        for (i, &x) in xs.iter().enumerate() {
            let mut inner = if i % 2 == 0 { ledger.span("even") } else { ledger.span(format!("odd {i}")) };
            *inner += x * x;
            if x < 0.0 {
                continue;
            }
            *inner *= T::from(1.0 + k as f64);
            *outer += inner.sqrt() + *inner * 0.1;
        }
    }
    let Ledger { lines } = ledger;
    let lines = lines.into_inner();
    let Some(((last, outer), rest)) = lines.split_last().map(|((name, total), rest)| ((name.len(), *total), rest))
    else {
        return T::default();
    };
    let weighted = rest.iter().enumerate().map(|(i, (name, total))| *total * (name.len() + i) as f64).sum::<T>();
    outer * last as f64 + weighted
}

// --- what is borrowed until it must be changed

fn centred<'a, T: Number>(xs: Cow<'a, [T]>, tolerance: f64) -> Cow<'a, [T]> {
    let mean = xs.iter().sum::<T>() / xs.len() as f64;
    if mean.abs() < tolerance {
        return xs;
    }
    let mut owned = xs.into_owned();
    owned.iter_mut().for_each(|x| *x -= mean);
    owned.into()
}

fn clipped_to<T: Number>(mut xs: Cow<'_, [T]>, limit: T) -> Cow<'_, [T]> {
    while let Some(at) = xs.iter().rposition(|&x| x.abs() > limit) {
        let xs = xs.to_mut();
        xs[at] = limit.copysign(xs[at]) * 0.999;
    }
    xs
}

fn without_outliers<T: Number>(xs: Cow<'_, [T]>) -> Cow<'_, [T]> {
    match xs {
        Cow::Borrowed([_, inner @ .., _]) if inner.len() > 3 => Cow::Borrowed(inner),
        Cow::Owned(mut owned) if owned.len() > 3 => {
            owned.swap_remove(1);
            owned.truncate(5);
            Cow::Owned(owned)
        }
        other => other,
    }
}

pub fn stages_on_clones_on_write<T: Number>(xs: &[T], k: usize) -> T {
    let limit = xs[0].abs() + 0.8;
    let stages: [(&str, Box<dyn for<'a> Fn(Cow<'a, [T]>) -> Cow<'a, [T]>>); 3] = [
        ("centre", Box::new(|xs| centred(xs, 0.4))),
        ("clip", Box::new(move |xs| clipped_to(xs, limit))),
        ("trim", Box::new(|xs| without_outliers(xs))),
    ];
    let mut label = Cow::Borrowed("raw");
    let mut current = Cow::Borrowed(xs);
    for (name, stage) in stages.iter().cycle().skip(k).take(stages.len()) {
        let was_borrowed = matches!(current, Cow::Borrowed(_));
        current = stage(current);
        if was_borrowed && matches!(current, Cow::Owned(_)) {
            label += *name;
        }
    }
    current.iter().zip(1..).map(|(&x, n)| x.powi(n)).sum::<T>() * label.len() as f64 * 0.25
}

// --- formulas parsed with precedences, derived and evaluated

#[derive(Clone, Debug)]
enum Expr<T> {
    Number(T),
    Variable(char),
    Unary(fn(T) -> T, &'static str, Box<Expr<T>>),
    Binary(Box<Expr<T>>, char, Box<Expr<T>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SyntaxError {
    End,
    Unexpected(char),
}

struct Parser<'s, T> {
    letters: Peekable<std::str::Chars<'s>>,
    constants: &'s [T],
}

impl<T: Number> Parser<'_, T> {
    fn expression(&mut self, lowest: u8) -> Result<Expr<T>, SyntaxError> {
        let mut left = match self.letters.next().ok_or(SyntaxError::End)? {
            '(' => {
                let inner = self.expression(0)?;
                self.letters.next_if_eq(&')').ok_or(SyntaxError::End)?;
                inner
            }
            's' => Expr::Unary(T::sin, "sin", Box::new(self.expression(9)?)),
            'e' => Expr::Unary(T::exp, "exp", Box::new(self.expression(9)?)),
            digit @ '0'..='9' => Expr::Number(T::from(digit as u32 as f64 - '0' as u32 as f64)),
            '#' => {
                let digit = self.letters.next().and_then(|letter| letter.to_digit(10)).ok_or(SyntaxError::End)?;
                Expr::Number(self.constants[digit as usize % self.constants.len()])
            }
            name @ ('x' | 'y') => Expr::Variable(name),
            other => return Err(SyntaxError::Unexpected(other)),
        };
        while let Some(&operator) = self.letters.peek() {
            let (binds_left, binds_right) = match operator {
                '+' | '-' => (1, 2),
                '*' => (3, 4),
                _ => break,
            };
            if binds_left < lowest {
                break;
            }
            self.letters.next();
            let right = self.expression(binds_right)?;
            left = Expr::Binary(Box::new(left), operator, Box::new(right));
        }
        Ok(left)
    }
}

impl<T: Number> Expr<T> {
    fn eval(&self, scope: &dyn Fn(char) -> Option<T>) -> Option<T> {
        Some(match self {
            Expr::Number(value) => *value,
            Expr::Variable(name) => scope(*name)?,
            Expr::Unary(f, _, inner) => f(inner.eval(scope)?),
            Expr::Binary(left, operator, right) => {
                let (left, right) = left.eval(scope).zip(right.eval(scope))?;
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    _ => left * right,
                }
            }
        })
    }

    fn derived(&self, by: char) -> Expr<T> {
        let binary = |a: Expr<T>, operator, b: Expr<T>| Expr::Binary(Box::new(a), operator, Box::new(b));
        match self {
            Expr::Number(_) => Expr::Number(T::default()),
            Expr::Variable(name) => Expr::Number(T::from(f64::from(u8::from(*name == by)))),
            Expr::Unary(_, "sin", inner) => binary(Expr::Unary(T::cos, "cos", inner.clone()), '*', inner.derived(by)),
            Expr::Unary(_, _, inner) => binary(self.clone(), '*', inner.derived(by)),
            Expr::Binary(left, '*', right) => {
                let first = binary(left.derived(by), '*', (**right).clone());
                binary(first, '+', binary(left.as_ref().clone(), '*', right.derived(by)))
            }
            Expr::Binary(left, operator, right) => binary(left.derived(by), *operator, right.derived(by)),
        }
    }
}

pub fn formulas_by_binding_power<T: Number>(xs: &[T], k: usize) -> T {
    let formulas = ["x*x+#0*y-3", "s(x*#1)+e(y-2)*x", "(x+#2)*(x-y", "2*sx*sx+z", "e(s(x)*y)-#3*#3*x"];
    let mut total = T::from(0.0);
    for (i, formula) in formulas.iter().enumerate().skip(k % 2) {
        let mut parser = Parser { letters: formula.chars().peekable(), constants: xs };
        let x = xs[i % xs.len()];
        total += match parser.expression(0) {
            Ok(parsed) => {
                let scope = |name| match name {
                    'x' => Some(x * 0.7),
                    'y' if i != 1 || k < 2 => Some(xs[xs.len() - 1]),
                    _ => None,
                };
                let slope = parsed.derived('x').eval(&scope);
                parsed.eval(&scope).xor(slope.filter(|&slope| slope > 1e6)).unwrap_or(x) + slope.unwrap_or_default()
            }
            Err(SyntaxError::Unexpected(letter)) => x * f64::from(letter as u32 % 7),
            Err(SyntaxError::End) => x * x,
        };
    }
    total
}

// --- vectors that are cut, spliced and turned

pub fn spliced_and_selected<T: Number>(xs: &[T], k: usize) -> T {
    let mut v: Vec<T> = xs.iter().map(|&x| x * 1.5).collect();
    v.extend_from_within(..v.len().div_ceil(2));
    v.iter_mut().enumerate().for_each(|(i, x)| *x += T::from(0.013 * (i * i) as f64));
    let middle = v.len() / 2;
    let removed: Vec<T> = v.splice(middle..middle + 1, xs.iter().rev().map(|&x| x * x)).collect();
    let turn = k % v.len();
    v.rotate_left(turn);
    let tail = v.split_off(v.len() - v.len() / 3);
    v.dedup_by(|b, a| (*b - *a).abs() < 0.25);
    let at = v.len() / 2;
    let (below, median, above) = v.select_nth_unstable_by(at, |a, b| a.partial_cmp(b).unwrap());
    let spread = above.iter().sum::<T>() - below.iter().sum::<T>();
    let median = *median;
    let joined = [tail.as_slice(), &removed, &[median]].concat();
    let mut chunks = joined.chunks_exact(2);
    let paired: T = chunks.by_ref().map(|pair| pair[0] * pair[1]).sum();
    let left = chunks.remainder().first().map_or(spread, |&x| x.cbrt());
    let mut sorted = joined.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let place = sorted.binary_search_by(|x| median.total_cmp(x)).unwrap_or_else(|place| place);
    paired + left + spread * 0.3 + median * (place + 1) as f64
}

// --- a connection whose states carry data

#[derive(Debug, Default)]
enum Connection<T> {
    #[default]
    Closed,
    Opening {
        attempts: u32,
        backoff: T,
    },
    Open {
        window: T,
        unacknowledged: VecDeque<T>,
    },
    Draining(VecDeque<T>),
}

#[derive(Clone, Copy, Debug)]
enum Event<T> {
    Connect,
    Answer(T),
    Send(T),
    Acknowledge,
    Shutdown,
}

impl<T: Number> Connection<T> {
    fn advance(&mut self, event: Event<T>) -> Option<T> {
        use {Connection::*, Event::*};
        let (next, emitted) = match (mem::take(self), event) {
            (Closed, Connect | Answer(_)) => (Opening { attempts: 1, backoff: T::from(0.5) }, None),
            (Opening { attempts, backoff }, Answer(quality)) if quality > 0.0 || attempts > 2 => {
                let window = quality.abs() + backoff;
                (Open { window, unacknowledged: VecDeque::new() }, Some(window))
            }
            (Opening { attempts, backoff }, _) => (Opening { attempts: attempts + 1, backoff: backoff * 1.6 }, None),
            (Open { window, mut unacknowledged }, Send(amount)) => {
                unacknowledged.push_back(amount.min(window));
                let in_flight = unacknowledged.iter().sum::<T>();
                if in_flight > window * 2.0 {
                    (Draining(unacknowledged), Some(-in_flight))
                } else {
                    (Open { window: window * 1.1, unacknowledged }, None)
                }
            }
            (Open { window, mut unacknowledged }, Acknowledge) => {
                let arrived = unacknowledged.pop_front();
                (Open { window: window + arrived.unwrap_or_default() * 0.1, unacknowledged }, arrived)
            }
            (Open { unacknowledged, .. }, Shutdown) => (Draining(unacknowledged), None),
            (Draining(mut left), _) => match left.pop_back() {
                Some(last) => (Draining(left), Some(last * last)),
                None => (Closed, None),
            },
            (same, _) => (same, None),
        };
        *self = next;
        emitted
    }
}

pub fn connection_of_states_by_value<T: Number>(xs: &[T], k: usize) -> T {
    let events =
        iter::once(Event::Connect).chain(xs.iter().cycle().take(2 * xs.len() + 4).enumerate().map(|(i, &x)| {
            match i % 5 {
                0 => Event::Answer(x),
                3 if i > 3 => Event::Acknowledge,
                4 if i == 4 * k + 4 => Event::Shutdown,
                _ => Event::Send(x.abs() * 0.6 + 0.05),
            }
        }));
    let mut connection = Connection::default();
    let emitted: Vec<T> = events.filter_map(|event| connection.advance(event)).collect();
    let rest = match &connection {
        Connection::Open { window, unacknowledged } => *window + unacknowledged.iter().sum::<T>(),
        Connection::Opening { backoff, .. } => *backoff,
        Connection::Draining(left) if !left.is_empty() => left[0],
        Connection::Draining(_) | Connection::Closed => xs[0],
    };
    emitted.iter().enumerate().map(|(i, &x)| x / (i as f64 + 1.0)).sum::<T>() + rest
}

// --- impedances of a ladder of complex numbers

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Number> From<T> for Complex<T> {
    fn from(re: T) -> Self {
        Complex { re, im: T::default() }
    }
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl<T: Number> Mul<Complex<T>> for f64 {
    type Output = Complex<T>;
    fn mul(self, z: Complex<T>) -> Complex<T> {
        Complex { re: z.re * self, im: z.im * self }
    }
}

impl<T: Number> Complex<T> {
    fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }
    fn inv(self) -> Self {
        let norm = self.norm_sqr();
        Complex { re: self.re / norm, im: -self.im / norm }
    }
    fn to_polar(self) -> (T, T) {
        (self.re.hypot(self.im), self.im.atan2(self.re))
    }
}

impl<T: Number> Div for Complex<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self * other.inv()
    }
}

#[derive(Clone, Copy)]
enum Part<T> {
    Resistor(T),
    Coil(T),
    Capacitor(T),
}

trait Impedance<T> {
    fn at(&self, omega: T) -> Complex<T>;
}

impl<T: Number> Impedance<T> for Part<T> {
    fn at(&self, omega: T) -> Complex<T> {
        match *self {
            Part::Resistor(r) => r.into(),
            Part::Coil(l) => Complex { re: T::from(0.01), im: omega * l },
            Part::Capacitor(c) => Complex { re: T::default(), im: -(omega * c).recip() },
        }
    }
}

impl<T: Number, A: Impedance<T>, B: Impedance<T> + ?Sized> Impedance<T> for (A, Box<B>) {
    fn at(&self, omega: T) -> Complex<T> {
        let (a, b) = (self.0.at(omega), self.1.at(omega));
        a * b / (a + b)
    }
}

impl<T: Number> Impedance<T> for [Box<dyn Impedance<T>>] {
    fn at(&self, omega: T) -> Complex<T> {
        self.iter().map(|part| part.at(omega)).reduce(Add::add).unwrap_or_default()
    }
}

pub fn impedance_of_a_ladder<T: Number>(xs: &[T], k: usize) -> T {
    let ladder = xs.iter().enumerate().rev().fold(None, |rest: Option<Box<dyn Impedance<T>>>, (i, &x)| {
        let size = x * x * 0.5 + 0.3;
        let part = match (i + k) % 3 {
            0 => Part::Resistor(size),
            1 => Part::Coil(size),
            _ => Part::Capacitor(size),
        };
        Some(match rest {
            None => Box::new(part),
            Some(rest) if i % 2 == 0 => Box::new((part, rest)),
            Some(rest) => {
                let row: Box<[Box<dyn Impedance<T>>]> = Box::new([Box::new(part), rest]);
                Box::new((Part::Resistor(T::from(5.0)), row))
            }
        })
    });
    let Some(ladder) = ladder else { return T::default() };
    let response = |omega: f64| ladder.at(T::from(omega));
    let load = Complex::from(xs[0].abs() + 1.0);
    [0.5, 1.0, 2.5]
        .map(response)
        .into_iter()
        .map(|z| ((z - load) / (z + load), 0.5 * z))
        .map(|(reflected, half)| reflected.norm_sqr() + half.to_polar().0 - half.to_polar().1 * 0.1)
        .sum()
}
