# ruff: noqa: E501
"""What a random function is made of: templates of Rust, each with holes for more.

A hole is `$`, a modifier or none, and a letter.  Small letters are code:

    f  a float          k  a float in a closure       b  a condition      q  a condition in a closure
    i  a usize          r  a literal, as 0.75         d  a digit          j  an iterator over floats
    y  an Option        g  a Shape                    v  a Vec            m  a float in a closure that moves
    s  a statement      B  statements                 E  statements, and a float in the end

The others are names of that kind: of one that is in scope, or with `:` of a new one for the rest of the template, with `+`
of one that stays after it, with `=` the one that was named last.  What is borrowed changes its kind for the rest of the
template: `!` it can be read only, `~` it keeps its length, `-` it is out of scope.

    x  a float          F  a mutable one              n  a usize          I  a mutable one
    S  what is indexed  M  and written to             V  a mutable Vec    A  an array of three
    X  the argument, never empty
    P  a Mixed          Q  a Shape                    O  an Option        C  a Cell
    c  a closure        W  a Vec of Vecs              L  a loop's label
    R  a Vec of Mixed   U  a Vec of Shapes            D  a VecDeque       N  a List
    G  a Net            K  a BTreeMap by usize        H  a HashMap so     Z  an Rc of a RefCell
    J  a Row

`$(` … `$)` is a scope of its own.  A number before a template is its weight: those that sort, or have a `BTreeMap`, are seldom,
as they take ten times as long.  No template runs for ever or panics, for any names and code in its holes: what grows stops
at 20, what counts down is written here, indices are taken modulo length.
"""

from __future__ import annotations

import re

READ_BY = {"x": "xF", "n": "nI", "S": "SMVAX", "M": "MVA", "p": "pP", "e": "eQ", "u": "uO"}
"""Names of which other kinds can stand where this one is asked for: p, e and u are P, Q and O that are read."""

ITEMS = {
    "Mixed": """\
#[derive(Clone, Copy)]
struct Mixed<T> { a: T, n: usize, b: T }

impl<T: Number> Mixed<T> {
    const ALL: [Self; 4] = [Self::new(0, 3, 1), Self::new(2, 0, 3), Self::new(4, 1, 0), Self::new(1, 2, 4)];
    const fn new(a: usize, n: usize, b: usize) -> Self {
        Mixed { a: T::TABLE[a], n, b: T::TABLE[b] }
    }
    fn step(&mut self, by: T) {
        let a = self.a;
        self.a = self.b * 0.5 + by;
        self.b = a;
        self.n += 1;
    }
    fn energy(&self) -> T {
        self.a * self.a + self.b * (self.n % 3) as f64
    }
    fn numbers(&mut self, of: &mut impl FnMut(&mut T)) {
        of(&mut self.a);
        of(&mut self.b);
    }
}""",
    "Shape": """\
#[derive(Clone, Copy)]
enum Shape<T> { Empty, One(T), Two(T, T), Counted(usize, T) }

impl<T: Number> Shape<T> {
    const ALL: [Self; 4] = [Self::Counted(2, T::TABLE[0]), Self::Two(T::TABLE[3], T::TABLE[1]), Self::Empty, Self::One(T::TABLE[4])];
    fn numbers(&mut self, of: &mut impl FnMut(&mut T)) {
        match self {
            Shape::Empty => {}
            Shape::One(x) | Shape::Counted(_, x) => of(x),
            Shape::Two(x, y) => { of(x); of(y); }
        }
    }
}""",
    "Net": """\
struct Net<T> { w: Vec<T>, b: T, n: usize }

impl<T: Number> Net<T> {
    fn new(w: Vec<T>, b: T) -> Self {
        Net { n: w.len(), w, b }
    }
    #[inline(never)]
    fn apply(&self, xs: &[T]) -> T {
        (self.w.iter().zip(xs).map(|(&w, &x)| w * x).sum::<T>() + self.b).tanh() * (self.n % 4 + 1) as f64
    }
    #[inline(never)]
    fn train(&mut self, xs: &[T], rate: T) {
        for i in 0..self.w.len() {
            let out = self.apply(xs);
            if let Some(&x) = xs.get(i) {
                self.w[i] = self.w[i] - x * out * rate.tanh() * 0.3;
            } else {
                self.b = self.b * 0.75 + self.w[i] * 0.25;
                self.n += 1;
            }
        }
    }
    #[inline(never)]
    fn grow(&mut self, x: T) -> &mut Self {
        self.w.push(x);
        self.w.push(self.b * 0.5);
        self
    }
    fn numbers(&mut self, of: &mut impl FnMut(&mut T)) {
        self.w.iter_mut().for_each(&mut *of);
        of(&mut self.b);
    }
}""",
    "List": """\
enum List<T> { End, Item(T, Box<List<T>>) }

impl<T: Number> List<T> {
    fn total(&self) -> T {
        match self { List::End => T::from(0.25), List::Item(x, next) => *x * 0.75 + next.total().tanh() }
    }
    fn scale(&mut self, by: T) {
        let mut at = self;
        while let List::Item(x, next) = at {
            *x = *x * by;
            at = next;
        }
    }
    fn numbers(&mut self, of: &mut impl FnMut(&mut T)) {
        let mut at = self;
        while let List::Item(x, next) = at {
            of(x);
            at = next;
        }
    }
}""",
    "Row": """\
enum Row<T> { Empty, One(T), Few([T; 3], usize), Many(Vec<T>) }

impl<T: Number> Row<T> {
    fn push(self, x: T) -> Self {
        match self {
            Row::Empty => Row::One(x),
            Row::One(y) => Row::Few([y, x, T::from(0.0)], 2),
            Row::Few(mut all, n) if n < 3 => { all[n] = x; Row::Few(all, n + 1) }
            Row::Few(all, _) => { let mut all = all.to_vec(); all.push(x); Row::Many(all) }
            Row::Many(mut all) => { if all.len() < 9 { all.push(x); } Row::Many(all) }
        }
    }
    fn total(&self) -> T {
        match self {
            Row::Empty => T::from(0.25),
            Row::One(x) => *x,
            Row::Few(all, n) => all[..*n].iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum(),
            Row::Many(all) => all.iter().fold(T::from(0.5), |sum, &x| sum * 0.5 + x),
        }
    }
}""",
    "Curve": """\
trait Curve<T: Number> {
    fn at(&self, x: T) -> T;
    fn moved(&mut self, by: T);
    fn twice(&self, x: T) -> T {
        self.at(self.at(x) * 0.5)
    }
}

struct Line<T>(T, T);
struct Wave<T> { by: T, n: usize }

impl<T: Number> Curve<T> for Line<T> {
    fn at(&self, x: T) -> T {
        self.0 * x + self.1
    }
    fn moved(&mut self, by: T) {
        self.1 = self.1 * 0.5 + by;
    }
}

impl<T: Number> Curve<T> for Wave<T> {
    fn at(&self, x: T) -> T {
        (self.by * x).sin() * (self.n % 3 + 1) as f64
    }
    fn moved(&mut self, by: T) {
        (self.by, self.n) = (self.by * by.tanh(), self.n + 1);
    }
}""",
    "Reading": """\
#[derive(Clone, Copy)]
enum Reading<T> { Real(T), Count(i64) }

impl<T: Number> Reading<T> {
    fn real(self) -> T {
        match self {
            Reading::Real(x) => x,
            Reading::Count(n) => T::from(n as f64 * 0.25),
        }
    }
}""",
    "Pay": """\
#[derive(Clone, Copy)]
enum Pay<T> { Full(T, u32), Halves(u32, u32), Words(u64, u64), Unit }

impl<T: Number> Pay<T> {
    #[inline(never)]
    fn next(self, x: T) -> Self {
        match self {
            Pay::Full(y, n) if n % 4 == 3 => Pay::Halves(n, if y > x { 1 } else { 2 }),
            Pay::Full(y, n) => Pay::Full(y * x.tanh(), n + 1),
            Pay::Halves(n, m) => Pay::Full(x * n as f64 * 0.25 + m as f64, m),
            other => other,
        }
    }
    fn value(&self) -> T {
        match *self {
            Pay::Full(x, n) => x * (n % 5) as f64,
            Pay::Halves(n, m) => T::from((n * 2 + m) as f64 * 0.25),
            Pay::Words(n, m) => T::from((n + m * 3) as f64 * 0.25),
            Pay::Unit => T::from(0.25),
        }
    }
}""",
    "Pair": """\
#[derive(Clone, Copy, PartialEq, PartialOrd, Default)]
struct Pair<T>(T, T);

impl<T: Number> std::ops::Add for Pair<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Pair(self.0 + other.0, self.1 - other.1 * 0.5)
    }
}

impl<T: Number> std::ops::Mul<T> for Pair<T> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        Pair(self.0 * by.tanh(), self.1 * 0.75 + by)
    }
}

impl<T: Number> std::ops::AddAssign for Pair<T> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Number> std::iter::Sum for Pair<T> {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Pair::default(), |sum, one| sum + one)
    }
}""",
    "Ranked": """\
#[derive(Clone, Copy)]
struct Ranked<T>(T, usize);

impl<T: Number> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: Number> Eq for Ranked<T> {}

impl<T: Number> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Number> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}""",
    "Grid": """\
#[derive(Clone, Copy)]
struct Grid<T, const N: usize>([[T; N]; N]);

impl<T: Number, const N: usize> Grid<T, N> {
    fn times(&self, other: &Self) -> Self {
        Grid(std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| self.0[i][k] * other.0[k][j]).sum())))
    }
    fn turned(self) -> Self {
        let mut made = self;
        for i in 0..N {
            for j in 0..N {
                made.0[i][j] = self.0[j][i] * 0.5;
            }
        }
        made
    }
    fn trace(&self) -> T {
        (0..N).map(|i| self.0[i][i]).sum()
    }
}""",
    "each": """\
fn each<T: Number>(all: &[T], of: &mut dyn FnMut(usize, T)) {
    for (n, &x) in all.iter().enumerate() {
        of(n, x);
    }
}""",
    "TABLE": "const TABLE: [f64; 7] = [0.5, -1.25, 0.0, 2.0, 0.375, -0.75, 1.5];",
    "ENTRIES": "static ENTRIES: [(u8, f64); 4] = [(2, 0.75), (0, -1.5), (5, 0.25), (1, 1.125)];",
    "HOLES": "const HOLES: [f64; 6] = [0.5, f64::NAN, 1.25, f64::INFINITY, -0.75, f64::NEG_INFINITY];",
    "OPTIONS": "const OPTIONS: [Option<f64>; 5] = [Some(0.5), None, Some(-0.75), None, Some(1.25)];",
    "ROWS": "static ROWS: [&[f64]; 2] = [&[0.25, -1.5, 0.875], &[1.75]];",
    "Law": """\
#[derive(Clone, Copy)]
enum Law { Fixed(f64), Scaled(f64, usize), Free }

static LAWS: [Law; 4] = [Law::Fixed(0.5), Law::Scaled(-0.25, 3), Law::Free, Law::Fixed(1.25)];""",
    "State": """\
struct State<T> { x: T, many: Vec<T>, few: [T; 3], maybe: Option<T>, n: usize }

impl<T: Number> State<T> {
    fn numbers(&mut self, of: &mut impl FnMut(&mut T)) {
        of(&mut self.x);
        self.many.iter_mut().for_each(&mut *of);
        self.few.iter_mut().for_each(&mut *of);
        self.maybe.iter_mut().for_each(&mut *of);
    }
}""",
    "Supply": """\
struct Supply<'a, T> { xs: &'a [T], next: usize }

impl<T: Number> Supply<'_, T> {
    fn one(&mut self) -> T {
        let at = self.next;
        self.next += 1;
        self.xs[at % self.xs.len()] * factor(at)
    }
}

fn factor(at: usize) -> f64 {
    [1.0, 0.75, -0.5, 1.25][at % 4]
}

fn weight(at: usize) -> f64 {
    [1.0, 0.5, -0.75, 1.5, 0.25][at % 5]
}""",
    "weigh": """\
fn weigh<T: Number>(v: &[T]) -> T {
    v.iter().enumerate().map(|(i, &x)| x * (i as f64 + 1.0)).sum()
}""",
}
"""What is declared where a function mentions it."""

HELPERS = (
    ("f", "fn $H<T: Number>($:x: T, $:x: T, $:n: usize) -> T $E", "$H($f, $f, $i)"),
    ("f", "fn $H<T: Number>($:S: &[T], $:n: usize) -> T $E", "$H(&$S, $i)"),
    ("f", "fn $H<T: Number>($:S: &[T], $:S: &[T], $:x: T) -> T $E", "$H(&$S, &$S, $f)"),
    (
        "f",
        "fn $H<T: Number>($:x: T, $:x: T, $:n: usize) -> T { if $=n == 0 { return $f; } $s let one = $H($k, $k, $=n - 1); let $:x = one; $f }",
        "$H($f, $f, $i % 4)",
    ),
    (
        "f",
        "fn $H<T: Number>($:S: &[T], $:x: T) -> T { if $=S.len() < 2 { return $E; } let (left, right) = $=S.split_at($=S.len() / 2); $H(left, $f) * 0.5 + $H(right, $f).tanh() }",
        "$H(&$S, $f)",
    ),
    ("y", "fn $H<T: Number>($:x: T, $:n: usize) -> Option<T> { $s if $b { return None; } Some($E) }", "$H($f, $i)"),
    ("y", "fn $H<T: Number>($:S: &[T], $:x: T) -> Option<T> { let one = *$=S.get($i)?; let $:x = one; $s $y }", "$H(&$S, $f)"),
    (
        "f",
        "fn $H<T: Number>($:x: T, $:x: T, $:n: usize) -> Result<T, usize> { $s if $b { return Err($i); } Ok($f) }",
        "$H($f, $f, $i).unwrap_or_else(|$:n| $k)",
    ),
    ("f", "fn $H<T: Number>($:x: T, $:x: T) -> (T, T) { $s $s ($f, $f) }", "match $H($f, $f) { ($:x, $:x) => $f }"),
    ("f", "fn $H<T: Number>($:x: T, $:n: usize) -> (usize, T) { $s ($i, $E) }", "match $H($f, $i) { ($:n, $:x) => $f }"),
    ("f", "fn $H<T: Number>($:x: T, $:x: T) -> [T; 3] { $s [$f, $f, $f] }", "$H($f, $f)[$i % 3]"),
    (
        "f",
        "fn $H<'a, T: Number>($:S: &'a [T], $:x: T) -> (T, Option<&'a T>) { let near = $=S.get($i); $s ($E, near) }",
        "(match $H(&$S, $f) { ($:x, near) => near.copied().unwrap_or($=x) * $=x + $f })",
    ),
    (
        "f",
        "fn $H<'a, T: Number>($:S: &'a [T], $:x: T) -> (T, Option<&'a T>) { if $=S.len() < 2 { return ($x, $=S.first()); } let (rest, near) = $H(&$=S[1..], $f); let $:x = rest; $s ($=x * 0.5, near) }",
        "(match $H(&$S, $f) { ($:x, near) => near.copied().unwrap_or($=x) * $=x + $f })",
    ),
    ("s", "fn $H<T: Number>($:M: &mut [T], $:n: usize, $:x: T) { $s $s }", "$H(&mut $-M[..], $i, $f);"),
    ("s", "fn $H<T: Number>(to: &mut T, $:x: T) { let mut $:F = *to; $s $s *to = $=F; }", "$H(&mut $-F, $f);"),
    ("v", "fn $H<T: Number>(mut $:V: Vec<T>, $:x: T) -> Vec<T> { $s $s $=V }", "$H($v, $f)"),
    ("g", "fn $H<T: Number>($:x: T, $:n: usize) -> Shape<T> { $s $g }", "$H($f, $i)"),
    (
        "v",
        "fn $H<T: Number>($:S: &[T], $:S: &[T], $:n: usize) -> Vec<T> { let mut $:V = Vec::with_capacity($=n % 4); $s $s $s $=V }",
        "$H(&$S, &$S, $i)",
    ),
    (
        "s",
        "fn $H<T: Number>(to: &mut Vec<T>, $:S: &[T], $:x: T) { let mut $:V = std::mem::take(to); $s $s *to = $=V; }",
        "$H(&mut $-V, &$S, $f);",
    ),
    ("s", "fn $H<T: Number>($:M: &mut [T], $:S: &[T], $:x: T) { $s $s }", "$H(&mut $-M[..], &$S, $f);"),
    ("s", "fn $H<T: Number>($:M: &mut [T], $:M: &mut [T], $:n: usize) { $s $s $s }", "$H(&mut $-M[..], &mut $-M[..], $i);"),
    ("s", "fn $H<T: Number>(to: &mut Mixed<T>, $:x: T) { let mut $:P = *to; $s $s *to = $=P; }", "$H(&mut $-P, $f);"),
    ("f", "fn $H<T: Number>(mut $:P: Mixed<T>, $:x: T) -> T { $s $E }", "$H($P, $f)"),
    ("f", "fn $H<T: Number>(mut $:A: [T; 3], $:n: usize) -> T { $s $E }", "$H([$f, $f, $f], $i)"),
    (
        "f",
        "fn $H<T: Number>(of: impl Fn(T, usize) -> T, $:x: T, $:n: usize) -> T { let mut $:F = $=x; for at in 0..$=n % 5 { $=F = of($=F, at) * 0.5; $($s$) } $=F }",
        "{ let (t, n) = ($f, $i); $H(|$:x: T, $:n: usize| $k, t, n) }",
    ),
    (
        "f",
        "fn $H<T: Number>(of: &dyn Fn(T) -> T, $:x: T) -> T { of(of($=x) * 0.5) + $f }",
        "{ let t = $f; $H(&|$:x: T| $k, t) }",
    ),
    (
        "f",
        "fn $H<T: Number>($:S: &[T], $:x: T) -> (Vec<T>, Option<usize>) { let made = $v; let mut $:V = made; $s let at = if $b { Some($i) } else { None }; ($=V, at) }",
        "match $H(&$S, $f) { (found, at) => found.get(at.unwrap_or(0)).copied().unwrap_or($f) * (found.len() as f64) }",
    ),
    (
        "f",
        "fn $H<T: Number>($:S: &[T], $:n: usize) -> T { let begin = $f; let mut $:F = begin; for _ in 0..$n % 6 { let next = $f; let $:x = next; if ($=x - $=F).abs() < 1e-2 { break; } $s $=F = $=F - ($=F - $=x).tanh() * 0.5; } $=F }",
        "$H(&$S, $i)",
    ),
    (
        "v",
        "fn $H<T: Number>($:S: &[T], $:n: usize) -> Result<Vec<T>, T> { let mut out = Vec::new(); for &$:x in $=S { if $b { return Err($f); } out.push($f); } Ok(out) }",
        "match $H(&$S, $i) { Ok(found) => found, Err($:x) => vec![$f, $=x] }",
    ),
    (
        "f",
        "fn $H<'a, T: Number>(one: &'a [T], other: &'a [T], $:n: usize) -> &'a [T] { if $=n % 2 == 0 { one } else { &other[other.len() / 2..] } }",
        "match $H(&$S, &$S, $i) { $:S => $f }",
    ),
    (
        "f",
        "fn $H<T: Number>(all: &mut [T], by: usize, mut with: impl FnMut(&T, &mut T)) { for i in by..all.len() { let (before, from) = all.split_at_mut(i); with(&before[i - by], &mut from[0]); } }",
        "{ let mut all = $v; let by = $i % 3 + 1; $H(&mut all, by, |one, other| *other = *other * 0.5 + *one * $r); all.into_iter().sum::<T>() }",
    ),
    (
        "f",
        "fn $H<'a, T: Number>(one: &'a mut T, other: &'a mut T, $:n: usize) -> &'a mut T { if $=n % 3 == 0 { one } else { other } }",
        "{ let (mut one, mut other) = ($f, $f); *$H(&mut one, &mut other, $i) *= $f; one - other * 0.5 }",
    ),
)
"""Functions that are called: what the call is, the function, the call."""


_WEIGHT = re.compile(r"[\d.]+")


def _parsed(lines: str) -> tuple[list[str], list[float]]:
    """Templates and their weights, of a text with one in each line."""
    templates, weights = [], []
    for line in filter(None, map(str.strip, lines.splitlines())):
        weight, _, template = line.partition(" ")
        is_weighed = _WEIGHT.fullmatch(weight) is not None
        templates.append(template if is_weighed else line)
        weights.append(float(weight) if is_weighed else 1)
    return templates, weights


LEAVES = {
    "f": _parsed("""
        6 $x
        2 $X[$n % $=X.len()]
        1 T::from($r)
        1 $A[$n % 3]
        1 $p.a
        1 $p.b
        1 $C.get()
    """),
    "b": _parsed("""
        2 $x < $x
        2 $x > $r
        $n % 2 == 0
        $n < $n
        $S.is_empty()
        $u.is_some()
    """),
    "i": _parsed("""
        4 $n
        1 $d
        1 $S.len()
        1 $p.n
    """),
    "j": _parsed("""
        $S.iter().copied()
    """),
    "y": _parsed("""
        Some($x)
        None
        2 $u
    """),
    "g": _parsed("""
        Shape::Empty
        Shape::One($x)
        Shape::Two($x, $x)
        Shape::Counted($n, $x)
        $e
    """),
    "v": _parsed("""
        $S.to_vec()
        vec![$x; $n % 9]
        Vec::<T>::new()
    """),
    "s": _parsed("""
        $F += $x;
        $F = $x * $r;
        $F = $F * $x;
        let $+x = $x;
        $I += 1;
    """),
}
"""What ends a branch."""

CODE = {
    "f": _parsed("""
        6 $x
        3 $X[$i % $=X.len()]
        2 $S.get($i).copied().unwrap_or($f)
        5 ($f + $f)
        4 ($f - $f)
        6 ($f * $f)
        2 ($f * $r)
        1 (-$f)
        2 ($f / ($f.abs() + 1.0))
        2 $f.sin()
        1 $f.cos()
        2 $f.tanh()
        1 $f.atan()
        1 $f.asinh()
        1 $f.tanh().exp()
        1 $f.sin().exp_m1()
        1 $f.tanh().sinh()
        1 $f.tanh().cosh()
        1 $f.tanh().tan()
        1 ($f.abs() + 0.3).sqrt()
        1 ($f.abs() + 0.7).ln()
        1 $f.abs().ln_1p()
        1 ($f.abs() + 0.6).recip()
        1 ($f.abs() + 0.4).powf($f.tanh())
        1 ($f.abs() + 0.4).cbrt()
        1 $f.powi($d)
        1 $f.atan2($f.abs() + 0.8)
        1 $f.hypot($f.abs() + 0.2)
        1 $f.mul_add($f, $f)
        2 $f.max($f)
        2 $f.min($f)
        2 $f.abs()
        1 $f.copysign($f)
        1 ($f * $f.floor())
        1 $f.fract()
        1 ($f * $f.signum())
        3 (if $b $E else $E)
        2 (match $i % 3 { 0 => $E, 1 if $b => $E, _ => $f })
        1 (match $e { Shape::Empty => $f, $(Shape::One($:x) => $E,$) $(Shape::Two($:x, $:x) => $f,$) Shape::Counted($:n, $:x) => $E })
        2 (match $e { Shape::Two($:x, _) | Shape::Counted(_, $=x) => $f, _ => T::from($r) })
        1 $u.unwrap_or($f)
        1 $y.unwrap_or($f)
        1 T::from(TABLE[$i % 7])
        1 (if $b { $f } else { T::from(ENTRIES[$i % 4].1) })
        1 OPTIONS[$i % 5].map_or($f, T::from)
        1 { let hole = HOLES[$i % 6]; if hole.is_finite() { $f * hole } else { $f } }
        1 HOLES.iter().filter(|hole| hole.is_finite()).map($(|&hole| { let $:x = T::from(hole); $k }$)).sum::<T>()
        1 T::TABLE[$i % 5]
        1 (if $b { $f } else { Mixed::<T>::ALL[$i % 4].b })
        1 Mixed::<T>::ALL.iter().map(|$:p| $k).sum::<T>()
        1 (match LAWS[$i % 4] { Law::Fixed(x) => T::from(x), Law::Scaled(x, n) => $f * x * n as f64, Law::Free => $f })
        2 $u.map_or($f, |$:x| $k)
        1 (match $u { None => $f, Some($:x) => $E })
        3 $j.sum::<T>()
        3 $j.fold($f, |$:x, $:x| $k)
        1 $j.next().unwrap_or($f)
        1 $j.last().unwrap_or($f)
        1 $j.reduce($(|$:x, $:x| $k$)).unwrap_or($f)
        1 $j.max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap_or($f)
        1 $j.min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap_or($f)
        1 $c($f)
        2 $p.energy()
        1 $W.iter().map(|$:S| $k).sum::<T>()
        1 $W.iter().flatten().copied().sum::<T>()
        1 $v.into_iter().rev().fold($f, |$:x, $:x| $k)
        1 (*Box::new($f))
        1 (match ($f, $f) { ($:x, $:x) => $f })
        1 (match [$f, $f, $f] { [$:x, $:x, $:x] => $f })
        2 $R.iter().map(|$:p| $k).sum::<T>()
        1 $R.iter().fold($f, |$:x, $:p| $k)
        1 $R.get($i).map_or(T::from($r), |$:p| $k)
        1 $U.iter().copied().map(|$:e| $k).sum::<T>()
        1 $U.iter().rev().copied().fold($f, |$:x, $:e| $k)
        2 $D.iter().copied().fold($f, |$:x, $:x| $k)
        1 $D.back().copied().unwrap_or($f)
        2 $G.apply(&$S)
        1 $G.b
        1 $K.get(&$i).copied().unwrap_or($f)
        1 $K.values().copied().sum::<T>()
        1 $H.get(&($i % 7)).copied().unwrap_or($f)
        2 (*$Z.borrow())
        2 $N.total()
        1 'found: { $B if $b { break 'found $f; } $s $f }
        1 (0..=$i % 5).rev().map(|$:n| $k).sum::<T>()
        1 (-2i32..$i as i32 % 5).map(|n| n.unsigned_abs() as usize).map(|$:n| $k).sum::<T>()
        1 { let all: Vec<Option<T>> = $j.map(|$:x| if $q { Some($k) } else { None }).collect(); all.iter().flatten().copied().sum::<T>() * 0.5 + all.len() as f64 }
        1 $j.map($(|$:x| if $q { Some($k) } else { None }$)).collect::<Option<Vec<T>>>().map_or($f, |$:S| $k)
        1 $j.enumerate().map($(|($:n, $:x)| if $q { Ok($k) } else { Err($=n) }$)).sum::<Result<T, usize>>().unwrap_or_else(|$:n| $k)
        1 { let t = $f; let all: [Box<dyn Fn(T) -> T + '_>; 2] = [Box::new($(|$:x: T| $k$)), Box::new($(|$:x: T| $k$))]; all[0](all[1](t)) }
        0.5 $J.total()
        0.5 { let mut all: Vec<Box<dyn Curve<T>>> = vec![Box::new(Line($f, $f)), Box::new(Wave { by: $f, n: $i })]; let t = $f; all[$i % 2].moved(t); all.iter().map(|one| one.twice(t)).sum::<T>() }
        0.5 { let (line, wave) = (Line($f, $f), Wave { by: $f, n: $i }); let one: &dyn Curve<T> = if $b { &line } else { &wave }; one.at($f) }
        0.7 { let pair = Pair($f, $f) + Pair($f, $f) * $f; pair.0 * pair.1 }
        0.7 (match $j.map($(|$:x| Pair($=x, $k) * $=x$)).sum::<Pair<T>>() { Pair($:x, $:x) => $f })
        0.7 { let all: Box<[T]> = $j.collect(); all.iter().rev().fold($f, $(|$:x, &$:x| $k$)) * (all.len() as f64 + 1.0) }
        0.5 { let all: std::rc::Rc<[T]> = $j.collect(); let other = std::rc::Rc::clone(&all); other.iter().copied().sum::<T>() + all.first().copied().unwrap_or($f) }
        0.7 { let mut all: Vec<Option<T>> = $j.map($(|$:x| if $q { Some($k) } else { None }$)).collect(); for one in all.iter_mut() { match one { Some(x) => *x = *x * $r, None => *one = Some(T::from($r)) } } all.into_iter().flatten().sum::<T>() }
        0.7 { let mut all: Vec<Box<T>> = $j.map(Box::new).collect(); all.reverse(); let t = $f; if let Some(one) = all.first_mut() { **one = **one * t; } all.iter().map(|x| **x).sum::<T>() }
        0.7 Grid([[$f, $f], [$f, $f]]).times(&Grid([[$f, $f], [$f, $f]]).turned()).trace()
        0.5 { let mut grid = Grid([[$f, $f, $f]; 3]); grid.0[$i % 3][$i % 3] = $f; grid.times(&grid.turned()).trace() }
        0.7 (match &$S[..] { [] => $f, $([one] => { let $:x = *one; $f }$) [first, .., last] => *first * *last })
        0.5 (match &$S[..] { [one, other, rest @ ..] => *one * *other + rest.iter().copied().sum::<T>(), rest => T::from(rest.len() as f64) })
        0.5 { let all: std::borrow::Cow<[T]> = if $b { std::borrow::Cow::Borrowed(&$S[..]) } else { std::borrow::Cow::Owned($v) }; all.iter().copied().sum::<T>() }
        0.5 { let mut all: std::borrow::Cow<[T]> = std::borrow::Cow::Borrowed(&$S[..]); if $b { all.to_mut().push(T::from($r)); } all.iter().fold(T::from(0.5), |sum, &x| sum * 0.5 + x) }
        0.7 { let all: [fn(T) -> T; 3] = [|x| x.sin(), |x| x * 0.5, |x| x.tanh() + 0.25]; all[$i % 3]($f) }
        0.7 { let (mut left, mut x) = ($i % 6, $f); std::iter::from_fn(move || { if left == 0 { None } else { left -= 1; x = x * 0.75 + 0.25; Some(x) } }).sum::<T>() }
        0.7 $j.try_fold($f, $(|$:x, $:x| if $q { Some($k) } else { None }$)).unwrap_or($f)
        0.7 (match $j.fold(($f, $f), $(|(a, b), $:x| (a * 0.5 + $=x, b.max($k))$)) { ($:x, $:x) => $f })
        0.7 $j.map($(|$:x| $=x.tanh() + $r$)).product::<T>().tanh()
        0.7 [$f, $f, $f].map($(|$:x| $k$)).iter().copied().sum::<T>()
        0.5 (match std::array::from_fn::<T, 4, _>($(|$:n| $k$)) { [$:x, .., $:x] => $f })
        0.3 { let mut all: std::collections::BinaryHeap<Ranked<T>> = $j.enumerate().map($(|($:n, $:x)| Ranked($k, $=n)$)).collect(); all.push(Ranked($f, $i)); let (mut sum, mut by) = (T::from(0.0), 1.0); while let Some(Ranked(x, n)) = all.pop() { sum += x * by * (n % 3 + 1) as f64; by *= 0.5; } sum }
        0.3 { let mut all = $v; all.sort_by(|a, b| a.partial_cmp(b).unwrap()); let t = $f; let at = all.partition_point(|x| *x < t); all.insert(at, t); all.iter().enumerate().map(|(n, &x)| x * n as f64).sum::<T>() }
        0.3 { let mut all = $v; if all.len() < 3 { $f } else { let at = $i % all.len(); let (below, x, _) = all.select_nth_unstable_by(at, |a, b| a.total_cmp(b)); *x * *x + below.len() as f64 } }
        0.7 $S.chunk_by(|a, b| *a < *b).map($(|$:S| $k$)).sum::<T>()
        0.5 { let mut text = String::new(); $(for ($:n, $:x) in $j.enumerate() { if $q { text.push('a'); } else if $=n % 2 == 0 { text.push_str("bc"); } }$) $f * text.len() as f64 }
        0.3 { let mut all: std::collections::BTreeMap<usize, Vec<T>> = Default::default(); for ($:n, $:x) in $j.enumerate() { all.entry($=n % 3).or_default().push($=x); } all.values().map(|of| of.iter().copied().sum::<T>() * of.len() as f64).sum::<T>() }
        0.3 { let names = ["one", "two", "three"]; let mut all: std::collections::HashMap<&str, T> = names.iter().copied().zip([$f, $f, $f]).collect(); let t = $f; if let Some(x) = all.get_mut(names[$i % 3]) { *x = *x * t; } names.iter().map(|name| all[name]).sum::<T>() }
        0.5 { let seen: std::collections::BTreeSet<usize> = (0..$i % 6).map(|n| n * n % 5).collect(); $j.enumerate().map($(|($:n, $:x)| if seen.contains(&$=n) { $k } else { $=x * 0.5 }$)).sum::<T>() }
        0.5 { let mut all: std::collections::LinkedList<T> = $j.take(6).collect(); all.push_front($f); if let Some(x) = all.back_mut() { *x = *x * 0.5; } all.iter().rev().fold(T::from(0.25), |sum, &x| sum * 0.5 + x) }
        1 { let (mut one, mut other) = ($v, $v); let (many, runs) = (one.len().min(other.len()), $i % 5); { let (mut p, mut c) = (&mut one[..many], &mut other[..many]); for $:n in 0..runs { let t = ($f).sin(); for at in 0..many { c[at] = p[at] * t + p[many - 1 - at] * $r; } if $b { (p, c) = (c, p); } } } one.into_iter().chain(other).sum::<T>() }
        1 { let (mut one, mut other) = ($v, $v); let runs = $i % 5; for $:n in 0..runs { let t = ($f).cos(); let (p, c) = if $b { (&one, &mut other) } else { (&other, &mut one) }; for (c, &p) in c.iter_mut().zip(p) { *c = p * t; } } one.into_iter().chain(other).sum::<T>() }
        1 { let mut all = $v; let (half, runs) = (all.len() / 2, $i % 5); for $:n in 0..runs { let t = ($f).cos(); let (l, r) = all.split_at_mut(half); let (p, c) = if $b { (l, r) } else { (r, l) }; for at in 0..half { c[at] = p[at] * t; } } all.into_iter().sum::<T>() }
        0.7 { let mut sum = $f; let mut add = |x: T| sum = sum * 0.5 + x; for $:x in $j { add($=x * $r); add($=x); } sum }
        0.7 { let mut sum = $f; each(&$S, &mut |n, x| sum = sum.tanh() + x * n as f64); sum }
        0.5 { let mut seed = ($i) as u64; let mut sum = $f; for &$:x in $S.iter() { seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); if (seed >> 33) % 3 != 0 { sum = sum * 0.5 + $k; } } sum }
        0.5 { let kept = std::cell::OnceCell::new(); let t = $f; let one = *kept.get_or_init(|| t * t) + *kept.get_or_init(|| t); one }
        0.5 { let kept = std::cell::Cell::new(Some($f)); let one = kept.take().unwrap_or($f); kept.set(Some(one * 0.5)); one + kept.get().unwrap_or(one) }
        0.7 { let all = std::rc::Rc::new(std::cell::RefCell::new($v)); let t = $f; all.borrow_mut().push(t); let other = all.clone(); for x in other.borrow_mut().iter_mut() { *x = *x * 0.75 + 0.5; } let sum = all.borrow().iter().copied().sum::<T>(); sum }
        0.5 { let mut at = Some(Box::new(($f, None::<Box<T>>))); if let Some(one) = at.as_mut() { one.1 = Some(Box::new($f)); } match at.take() { Some(one) => one.0 * one.1.map_or(T::from(0.5), |x| *x), None => $f } }
        0.5 { let (quotient, rest) = (($i) / 2, ($i) % 2); let by = (quotient as u128 * 3 + rest as u128) as f64; $f * by }
        0.5 (if ($f, $i) < ($f, $i) { $f } else { $f })
        0.5 (if Pair($f, $f) < Pair($f, $f) { $f } else { $f })
        0.3 T::summed_in_scratch(&$S)
        0.3 T::summed_on_heap(&$S)
        0.3 T::summed_in_bytes(&$S)
        0.3 T::summed_in_atomic(&$S)
        0.3 $f.in_union()
        0.3 $f.in_bits()
        0.3 $f.in_any()
        0.3 T::in_bytes([$f, $f, $f])[$i % 3]
        0.3 (match T::in_one_word($f, $f) { ($:x, $:x) => $f })
        0.3 $f.negated_by_bits()
        0.3 $f.abs_by_bits()
        0.3 $f.copysign_by_bits($f)
        0.3 $f.chosen_by_bits($f, $b)
    """),
    "b": _parsed("""
        4 $f < $f
        2 $f > $r
        1 $f >= $f.abs()
        1 ($b && $b)
        1 ($b || $b)
        1 !($b)
        1 $i % $d == 0
        1 $i > $i
        1 $S.iter().any(|&$:x| $q)
        1 $j.all(|$:x| $q)
        1 matches!($e, Shape::One(_) | Shape::Counted(..))
        1 $u.is_some_and(|$:x| $q)
    """),
    "i": _parsed("""
        3 $n
        1 $d
        1 ($i + $i)
        1 ($i * $d % 5)
        1 $n.saturating_sub($d)
        1 $n.abs_diff($n)
        1 $S.len()
        1 $p.n
        1 (if $b { $i } else { $i })
        1 ($f.value() * 3.0) as usize % 6
        1 $j.count()
        1 $j.position(|$:x| $q).unwrap_or($d)
    """),
    "j": _parsed("""
        3 $S.iter().copied()
        1 $S.iter().rev().copied()
        1 $v.into_iter()
        1 ROWS[$i % 2].iter().map(|&x| T::from(x))
        1 T::TABLE[$i % 5..].iter().rev().copied()
        3 $j.map(|$:x| $k)
        2 $j.filter(|&$:x| $q)
        1 $j.filter_map(|$:x| if $q { Some($k) } else { None })
        1 $j.take($i)
        1 $j.skip($i)
        1 $j.step_by($d)
        1 $j.chain($j)
        1 $j.zip($j).map(|($:x, $:x)| $k)
        1 $j.enumerate().map(|($:n, $:x)| $k)
        1 $j.scan($f, |a, $:x| { *a = *a * $r + $k; Some(*a) })
        1 $j.take_while(|&$:x| $q)
        1 $j.skip_while(|&$:x| $q)
        1 $j.map_while(|$:x| if $q { Some($k) } else { None })
        1 $j.flat_map(|$:x| [$k, $=x])
        2 $S.windows(2).map(|w| w[0] * w[1])
        1 $S.windows(3).map(|w| w[0] - w[1] * w[2])
        1 $S.chunks($d).map(|$:S| $k)
        1 $S.chunks_exact(2).map(|c| c[0] * c[1])
        1 $S.windows($i % 4 + 1).map(|w| w[0] * w[w.len() - 1])
        1 $S.chunks_exact($i % 3 + 1).map(|c| c[0] - c[c.len() - 1])
        1 $S.split($(|&$:x| $q$)).map(|$:S| $k)
        1 $S.iter().zip($S.iter().skip($d)).map(|(&$:x, &$:x)| $k)
        1 (0..$i % 7).map(|$:n| $k)
        1 std::iter::successors(Some($f), $(|&$:x| if $q { Some($k) } else { None }$)).take($i % 6)
        1 std::iter::repeat($f).take($i % 4)
        1 std::iter::once($f)
        1 Option::<T>::into_iter($y)
        1 $W.concat().into_iter()
        1 $R.iter().map(|p| p.a * p.b)
        1 $D.iter().copied()
        0.7 $S.iter().cycle().copied().skip($i).take($i % 7)
        0.7 $S.rchunks($d).map(|$:S| $k)
        0.7 $S.chunks_exact(2).remainder().iter().copied()
        0.7 $j.fuse().inspect(|_| ())
        0.7 $S.iter().copied().rev().enumerate().map(|($:n, $:x)| $k)
        0.7 $S.repeat(2).into_iter().skip($i)
        0.5 [&$S[..], &$S[..]].into_iter().flat_map(|one| one.iter().rev()).copied()
        1 $D.iter().rev().zip($S.iter()).map(|(&$:x, &$:x)| $k)
        1 $K.range($d..).map(|(&$:n, &$:x)| $k)
        1 $G.w.iter().copied()
        1 $W.iter().map(|v| v.iter().copied().sum::<T>())
        1 $S.iter().copied().enumerate().filter(|(n, _)| n % 2 == 0).map(|($:n, $:x)| $k)
    """),
    "y": _parsed("""
        2 Some($f)
        1 (if $b { $y } else { $y })
        1 T::TABLE.get($i).copied()
        2 (if $b { Some($f) } else { None })
        1 $u.map(|$:x| $k)
        1 $u.filter(|&$:x| $q)
        1 $u.and_then(|$:x| if $q { Some($k) } else { None })
        1 $u.or($y)
        1 $u.zip($y).map(|($:x, $:x)| $k)
        1 $j.next()
        1 $j.find(|&$:x| $q)
        1 $j.reduce(|$:x, $:x| $k)
        1 $S.first().copied()
        1 $S.last().map(|&$:x| $k)
        1 $V.pop()
        1 $O.take()
        1 $O.replace($f)
        0.7 $u.xor($y)
        0.7 $u.ok_or($i).ok()
        0.7 Some($y).flatten()
        0.7 $O.as_mut().map(|x| { *x = *x * $r; *x })
        0.7 $S.split_first().map(|(one, rest)| *one * rest.len() as f64)
        0.7 $S.last_chunk::<2>().map(|[one, other]| *one - *other * 0.5)
        0.7 $j.min_by(|a, b| a.total_cmp(b))
        0.3 T::largest_by_bits(&$S)
    """),
    "g": _parsed("""
        1 Shape::One($f)
        1 Shape::Two($f, $f)
        1 Shape::Counted($i, $f)
        2 (if $b { $g } else { $g })
        1 Shape::ALL[$i % 4]
        1 (match $e { Shape::One($:x) => Shape::Two($k, $=x), other => other })
        1 (match $e { Shape::Counted($:n, $:x) => Shape::Counted($=n + 1, $k), _ => Shape::Empty })
    """),
    "v": _parsed("""
        2 $S.to_vec()
        3 $j.collect::<Vec<T>>()
        1 vec![$f; $i % 9]
        1 vec![$f, $f, $f]
        1 TABLE[$i % 7..].iter().map(|&x| T::from(x)).collect::<Vec<T>>()
        1 T::TABLE[$i % 5..].to_vec()
        1 [&$S[..], &$S[..]].concat()
        1 { let (mut above, below): (Vec<T>, Vec<T>) = $j.partition(|&$:x| $q); above.extend(below); above }
        1 { let (left, mut right): (Vec<T>, Vec<T>) = $j.map(|$:x| ($=x, $k)).unzip(); right.extend(left); right }
        0.3 T::collected_as_words(&$S)
        0.3 T::written_and_read(&$S)
    """),
    "s": _parsed("""
        3 let $+x = $f;
        3 let mut $+F = $f;
        2 let mut $+I: usize = $i;
        3 let mut $+V = $v;
        1 let mut $+A = [$f, $f, $f];
        1 let mut $+P = Mixed { a: $f, n: $i, b: $f };
        1 let mut $+Q: Shape<T> = $g;
        1 let mut $+O: Option<T> = $y;
        1 let $+c = move |$:x: T| $m;
        1 let $+C = std::cell::Cell::new($f);
        1 let mut $+W: Vec<Vec<T>> = (0..$i % 4).map(|$:n| $v).collect();
        4 $F = $f;
        3 $!F += $f;
        1 $!F -= $f;
        2 $!F *= $f.tanh();
        2 $F = if $b { $=F } else { $f };
        1 $F = if $b { $f } else { $=F };
        1 $F = $=F.max($f);
        1 $F = std::mem::replace(&mut $-F, $f);
        2 std::mem::swap(&mut $-F, &mut $F);
        1 ($F, $F) = ($f, $f);
        1 $I += $i % 3;
        1 $I = $i % 5;
        1 let mut slots: [Option<(T, bool, u16)>; 3] = [None; 3]; for ($:n, &$:x) in $!S.iter().enumerate() { let at = $=n * ($i % 3 + 1) % 3; if let Some((one, on, m)) = slots[at].take() { $F += one * $r; if on { slots[(at + 1) % 3] = Some((one, false, m + 1)); } } else { slots[at] = Some(($f, $b, $=n as u16)); } } $F += slots.iter().flatten().map(|one| one.0 * one.2 as f64).sum::<T>();
        0.7 let mut all: Vec<Option<(T, bool)>> = vec![None; $i % 4 + 1]; for ($:n, &$:x) in $!S.iter().enumerate() { let at = ($=n + $i) % all.len(); match all[at] { Some((one, true)) => { $F += one; all[at] = None; } Some((one, false)) => all[at] = Some((one * $=x, $b)), None => all[at] = Some(($f, $b)) } } $F += all.iter().flatten().map(|one| one.0).sum::<T>() * $r;
        1 let mut pays = [Pay::Full($f, 1), Pay::Words($i as u64, 2), Pay::Unit]; for ($:n, &$:x) in $!S.iter().enumerate() { pays[$=n % 3] = match pays[($=n + $i) % 3] { Pay::Unit => Pay::Full($f, $=n as u32), Pay::Words(a, b) if $b => Pay::Words(a.max(b), $=n as u64), Pay::Words(..) => Pay::Unit, other => other.next($f) }; } $F += pays.iter().map(|one| one.value()).sum::<T>();
        0.7 let mut rows = vec![[T::from($r), T::from($r)]; $i % 5 + 1]; let most = rows.len(); for ($:n, &$:x) in $!S.iter().enumerate() { rows[$=n % most][$i % 2] = $f; } $F += rows.iter().map(|row| row[0] * row[1]).sum::<T>() * $r;
        0.7 let mut marked = vec![(T::from($r), $b, $i); $i % 5 + 1]; let most = marked.len(); for ($:n, &$:x) in $!S.iter().enumerate() { let one = &mut marked[($=n + $i) % most]; if one.1 { one.0 = $f; } else { (one.1, one.2) = (true, $=n); } } $F += marked.iter().map(|one| one.0 * (one.2 % 4) as f64).sum::<T>();
        0.7 let places: Vec<usize> = (0..$i % 7).map(|n| n * 5 + 3).collect(); let found: Vec<T> = places.into_iter().map($(|$:n| $k * ($=n % 4) as f64$)).collect(); $F += found.iter().copied().sum::<T>() * $r;
        0.7 let flags: Vec<(T, bool)> = $S.iter().map($(|&$:x| ($k, $q)$)).collect(); let found: Vec<T> = flags.into_iter().map($(|($:x, on)| if on { $k } else { $=x }$)).collect(); $F += found.iter().copied().sum::<T>() * $r;
        0.5 let hashes: Vec<u64> = $S.iter().map($(|&$:x| if $q { 3 } else { 0x9E37_79B9_7F4A_7C15 }$)).collect(); let found: Vec<T> = hashes.into_iter().map($(|hash| { let $:n = hash as usize % 6; $k }$)).collect(); $F += found.iter().map(|one| *one * *one).sum::<T>() * $r;
        0.5 let places: Vec<usize> = (0..$i % 7).map(|n| n * 3 + 1).collect(); let found: Vec<&T> = places.into_iter().map(|n| &$X[n % $=X.len()]).collect(); $F += found.iter().map(|x| **x * **x).sum::<T>() * $r;
        0.7 let mut readings = [Reading::Count($i as i64), Reading::Real($f)]; $(for ($:n, &$:x) in $!S.iter().enumerate() { readings[$=n % 2] = match (readings[0], readings[1]) { (Reading::Count(a), Reading::Count(b)) => Reading::Count((a + b) % 9), (a, b) if $b => Reading::Real(a.real() * $r + b.real() * $f), (Reading::Count(a), _) => Reading::Count(a + 1), _ => Reading::Count($=n as i64) }; }$) $F += readings[0].real() + readings[1].real();
        3 if $b $B
        3 if $b $B else $B
        1 if $b $B else if $b $B else $B
        2 match $i % 4 { 0 => $B, 1 | 2 if $b => $B, _ => $B }
        1 match $e { Shape::Empty => $B, $(Shape::One($:x) => $B,$) $(Shape::Two($:x, $:x) if $b => $B,$) _ => $B }
        1 match $u { None => {}, Some($:x) => $B }
        2 match $i { $:n => $B }
        3 $:L: for &$:x in $!S.iter() $B
        2 $:L: for ($:n, &$:x) in $!S.iter().enumerate() $B
        2 $:L: for (&$:x, &$:x) in $!S.iter().zip($!S.iter()) $B
        2 $:L: for $:n in 0..$~M.len() { $B $=M[$=n] = $f; }
        2 $:L: for $:n in 1..$~M.len() { let $:x = $=M[$=n - 1]; $s $=M[$=n] = $=M[$=n] * $r + $f; }
        1 $:L: for $:n in (0..$~M.len()).rev() { if $b { $=M[$=n] = $f; } else { $F += $=M[$=n]; } }
        1 let end = $i % 9; $:L: for $:n in (0..end).step_by($d) $B
        1 $:L: for &$:x in $!S.iter().step_by($d) $B
        1 let most = $i; $:L: for &$:x in $!S.iter().rev().take(most) $B
        1 let all = $j.collect::<Vec<T>>(); $:L: for $:x in all $B
        1 $:L: for w in $!S.windows(2) { let ($:x, $:x) = (w[0], w[1]); $B }
        1 let all = $!S.chunks($d); $:L: for $:S in all $B
        1 $:L: for t in $-M.iter_mut() { let $:x = *t; if $b { *t = $f; } $s }
        1 for (t, &$:x) in $-M.iter_mut().zip($S.iter()) { *t = *t * $r + $f; }
        1 $-M.iter_mut().for_each(|t| { let $:x = *t; *t = $k; });
        1 for c in $-M.chunks_mut($d) { c.reverse(); if let [first, .., last] = c { *first = *first * *last; } }
        2 for $:n in 1..$~M.len() { let ($:x, $:x) = ($=M[$=n - 1], $=M[$=n]); $=M[$=n - 1] = $=x * $=x.tanh() + $f; }
        1 for $:n in (1..$~M.len()).rev() { let $:x = $=M[$=n - 1]; $=M[$=n] = $=M[$=n] * $=x.tanh() + $f; }
        2 for $:n in 0..$-M.len() { let $:x = $=M[$=n].tanh(); let rest = &mut $=M[$=n + 1..]; for k in 0..rest.len() { rest[k] = rest[k] * $=x * $r + $f; } }
        1 let mut sum = $f; for k in 0..$!S.len() / 2 { sum += $=S[2 * k] * $=S[2 * k]; } for k in 0..$=S.len() / 2 { $F += sum.tanh() * $=S[2 * k]; }
        1 let pairs: Vec<(T, T)> = $j.map(|$:x| ($=x, $k)).collect(); let sum = pairs.iter().map(|pair| pair.0 * pair.1).sum::<T>(); for pair in &pairs { $F += sum.tanh() * pair.0; }
        2 let (mut at, mut best) = ($i, $f); 'all: for i in 0..$!S.len() { for j in i + 1..$=S.len() { let $:x = $=S[i] * $=S[j]; if $q { (at, best) = (j, $=x); break 'all; } } } let $+x = best * best + $=S.get(at).copied().unwrap_or(best);
        2 for $:n in 0..$~M.len() { if let Some(at) = $X.iter().position($(|&$:x| $q$)) { $F += $=M[at % $=M.len()] * $r; } else { $=M[$=n] = $f; } }
        2 let (mut some, mut others) = (Vec::new(), 0); for &$:x in $!S.iter() { if $q { some.push($k); others += 1; } else if $b { others += 2; } } for $:n in 0..$~M.len() { for j in 0..some.len() * 2 { $=M[$=n] = ($=M[$=n] + some[j / 2]).tanh() * $r; } for j in 0..others + 1 { $F += $=M[$=n] * (j as f64); } }
        1 let mut at = 0; for $:n in 0..$~M.len() { if $b { $=M[at] = $f; at += 1; } else if at > 1 { at /= 2; } } for $:n in at..$=M.len() { for j in 0..2 * at { $=M[$=n] = ($=M[$=n] * $=M[j / 2]).sin(); } }
        1 for $:n in 0..$~M.len() { if $!S.iter().all(|&$:x| $q) { $=M[$=n] = $f; } else { $F += $=M[$=n]; } }
        1 for $:n in 0..$~M.len() { if let Some(&$:x) = $!S.iter().find(|&&$:x| $q) { $=M[$=n] = $=x * $f; } else if $b { continue; } else { $F *= $r; } }
        1 for (&hole, &$:x) in HOLES.iter().zip($!S.iter()) { if !hole.is_nan() && hole.is_finite() { let t = $=x * hole; $F += t; $s $F += t * $r; } }
        1 for $:S in $-W.iter() $B
        1 for $:M in $-W.iter_mut() $B
        1 $W.push($v);
        1 $W.reverse();
        2 let mut $:I = 0usize; $:L: while $=I < $!S.len() { let $:x = $=S[$=I]; $=I += 1; $B }
        1 let (mut left, least) = ($!S.len(), $i % 4 + 1); $:L: while left >= least { left -= 1; let $:x = $=S[left]; $B }
        2 let mut $:n = 0usize; $:L: while $=n < 7 && $b { $=n += 1; $B }
        1 let mut $:n = 0usize; $:L: loop { if $=n >= $i || $=n > 8 { break; } $=n += 1; $B }
        1 let mut $:n = 0usize; let $+x = loop { $=n += 1; $s if $=n > 5 || $b { break $f; } $s };
        1 let mut all = $!S.iter(); $:L: while let Some(&$:x) = all.next() { $B if $b { all.next(); } }
        1 $:L: while let Some($:x) = $-V.pop() $B
        3 if $b { continue $L; }
        3 if $b { break $L; }
        1 let mut best: Option<(usize, T)> = None; $(for ($:n, &$:x) in $!S.iter().enumerate() { best = match best { Some((n, y)) if y > $k => Some((n, y)), _ => Some(($=n, $k)) }; }$) let ($+n, $+x) = best.unwrap_or((0, $f));
        2 $O = $y;
        1 { let t = $f; let x = $O.get_or_insert_with(|| t); *x = *x * $r; }
        1 if let Some(x) = $-O.as_mut() { *x = $f; }
        1 if $!V.len() < 12 { let t = $f; let at = $i % ($=V.len() + 1); $=V.splice(at.., [t, t * 0.5]); }
        1 $-V.retain_mut(|t| { let $:x = *t; *t = *t * $r; $q });
        1 { let mut other = $v; other.truncate(5); if $-V.len() < 12 { $=V.append(&mut other); } $=V.extend(other); }
        1 $V.dedup_by_key(|x| (x.value() * 2.0) as i64);
        1 let mut $+V = $V.clone().into_boxed_slice().into_vec();
        1 if $-V.len() > 2 { for $:x in $=V.drain(1..).rev() $B }
        1 if $-M.len() > 3 { let (left, right) = $=M.split_at_mut(2); left.swap_with_slice(&mut right[..2]); }
        1 if let Some((first, rest)) = $-M.split_first_mut() { for t in rest.iter_mut() { *t = *t * first.tanh(); *first = *first * 0.75 + 0.25; } }
        1 if let [first, second, ..] = &mut $-M[..] { std::mem::swap(first, second); *first = *first * *second; }
        1 for one in $-W.iter_mut() { let taken = std::mem::take(one); one.extend(taken.into_iter().rev().take(6)); one.push(T::from($r)); }
        1 if $W.len() > 1 { let last = $W.len() - 1; let (left, right) = $-W.split_at_mut(last); if let (Some(one), Some(other)) = (left[0].first_mut(), right[0].first()) { *one = *one * *other; } }
        1 for (row, $:M) in $-W.iter_mut().enumerate() { if row % 2 == 0 { continue; } $B }
        1 let mut $+W: Vec<Vec<T>> = $S.chunks($d).map(|one| one.to_vec()).collect();
        1 { let mut rest = &$!S[..]; while let [first, others @ ..] = rest { let $:x = *first; $B rest = others; } }
        1 { let mut rest = &mut $-M[..]; while let Some((first, others)) = rest.split_first_mut() { let $:x = *first; *first = $f; if others.len() % 4 == 3 { break; } rest = others; } }
        1 let mut $+V = { let mut all = Vec::new(); let mut x = $f; while all.len() < $i % 7 { all.push(x); x = x * 0.5 + all[all.len() / 2]; } all };
        1 for i in 0..$-W.len() { for j in 0..$=W[i].len() { let t = $=W[i][j]; let k = (i + j) % $=W.len(); if let Some(x) = $=W[k].get_mut(j) { *x = *x * 0.5 + t.tanh(); } } }
        2 $O = match $=O { None => Some($f), Some($:x) => $y };
        1 $Q = $g;
        1 if let Shape::Two(a, b) = &mut $Q { std::mem::swap(a, b); *a = *a * $f; }
        1 if let Shape::One(a) | Shape::Counted(_, a) = &mut $-Q { *a = *a * $r + $f; }
        1 $P.a = $f;
        1 $-P.b += $f;
        1 $P.n += $d;
        1 $P = Mixed::ALL[$i % 4];
        1 $-P.step($f);
        1 std::mem::swap(&mut $P.a, &mut $=P.b);
        1 $P = Mixed { a: $f, ..$=P };
        1 $C.set($=C.get() * $r + $f);
        1 $A[$i % 3] = $f;
        1 $A.swap($i % 3, $i % 3);
        1 if !$M.is_empty() { let at = $i % $=M.len(); $=M[at] = $f; }
        1 if !$M.is_empty() { let (a, b) = ($i % $=M.len(), $i % $=M.len()); $=M.swap(a, b); }
        1 $M.reverse();
        1 if !$M.is_empty() { let at = $i % $=M.len(); $=M.rotate_left(at); }
        1 if !$M.is_empty() { let at = $i % $=M.len(); $=M.rotate_right(at); }
        1 $-M.fill($f);
        0.6 $M.sort_by(|a, b| a.partial_cmp(b).unwrap());
        0.3 $M.sort_by(|a, b| b.abs().partial_cmp(&a.abs()).unwrap());
        1 if $M.len() > 4 { $=M.copy_within(0..3, $d); }
        1 { let at = $M.len() / 2; let (left, right) = $=M.split_at_mut(at); for (a, b) in left.iter_mut().zip(right.iter_mut()) { std::mem::swap(a, b); *a = *a * *b; } }
        1 if let Some(&$:x) = $!M.first() $B
        1 if let Some(last) = $-M.last_mut() { *last = $f; }
        2 if $!V.len() < 20 { $=V.push($f); }
        1 if $!V.len() < 15 { $=V.extend(ENTRIES[$i % 4..].iter().map(|&(_, x)| T::from(x))); }
        1 { let (n, x) = ENTRIES[$i % 4]; if usize::from(n) < $i { $F = T::from(x); } }
        1 if $-V.len() < 20 { $=V.extend($j.take(9)); }
        1 if $-V.len() < 12 { $=V.extend($j.take(6)); }
        1 if $-V.len() < 12 { $=V.extend_from_slice(&$S[..$S.len().min(1)]); }
        1 if $!V.len() < 12 { $=V.extend_from_slice(&T::TABLE[$i % 5..]); }
        1 if $!M.len() > 4 { $=M[$=M.len() - 5..].copy_from_slice(&T::TABLE); }
        1 if $!M.len() > 3 { let at = $i % 4; $=M[at] = T::TABLE[at]; }
        1 if $!V.len() < 20 { let at = $i % ($=V.len() + 1); $=V.insert(at, $f); }
        1 if !$V.is_empty() { let at = $i % $=V.len(); let t = $=V.remove(at); $F += t; }
        1 let $+x = if $V.is_empty() { T::from($r) } else { let at = $i % $=V.len(); $=V.swap_remove(at) };
        2 $-V.retain(|&$:x| $q);
        1 $V.truncate($i);
        1 $V.dedup_by(|a, b| *a < *b);
        1 if $-V.len() > 2 { for $:x in $=V.drain(1..$d.min($=V.len())) $B }
        1 if $V.len() > 3 { let at = $i % 3; let tail = $=V.split_off(at); $=V.extend(tail.into_iter().rev()); }
        1 let n = $i % 8; let x = $f; $V.resize(n, x);
        1 std::mem::swap(&mut $-V, &mut $V);
        1 $V = $v;
        1 $V = $-V.iter().map(|&$:x| $k).collect();
        1 let mut $+V = std::mem::take(&mut $V);
        2 let mut $+R: Vec<Mixed<T>> = $j.map(|$:x| Mixed { a: $=x, n: 1, b: $k }).collect();
        1 let mut $+R: Vec<Mixed<T>> = (0..$i % 6).map(|$:n| Mixed { a: $k, n: $=n, b: $k }).collect();
        1 if $!R.len() < 12 { $=R.push(Mixed { a: $f, n: $i, b: $f }); }
        1 let mut $+R: Vec<Mixed<T>> = Mixed::ALL[$i % 4..].to_vec();
        1 if $!R.len() < 9 { $=R.extend(Mixed::<T>::ALL.iter().filter(|one| one.n < $i)); }
        1 if !$!R.is_empty() { let at = $i % $=R.len(); $=R[at] = Mixed::ALL[$i % 4]; }
        1 $-R.iter_mut().for_each(|t| t.step(T::from($r)));
        2 $:L: for $:p in $-R.iter() $B
        2 for t in $-R.iter_mut() { let $:p = *t; $s t.a = $f; t.n += 1; }
        0.3 $-R.sort_by(|l, r| l.a.partial_cmp(&r.a).unwrap());
        1 $-R.retain(|&$:p| $q);
        1 if !$!R.is_empty() { let at = $i % $=R.len(); let $:p = $=R.swap_remove(at); $s }
        1 if let Some($:p) = $R.last().copied() $B
        1 if let Some(t) = $-R.iter_mut().max_by(|l, r| l.b.partial_cmp(&r.b).unwrap()) { t.a = $f; }
        1 for at in 1..$!R.len() { let $:p = $=R[at - 1]; $=R[at].b = $f; }
        2 let mut $+U: Vec<Shape<T>> = (0..$i % 5).map(|$:n| if $q { Shape::One($k) } else { Shape::Counted($=n, $k) }).collect();
        1 let mut $+U: Vec<Shape<T>> = vec![$g, $g, $g];
        2 $:L: for $:e in $-U.iter().copied() $B
        1 for t in $-U.iter_mut() { if let Shape::One(a) | Shape::Counted(_, a) = t { *a = *a * $f; } }
        1 if $!U.len() < 9 { $=U.push($g); }
        1 if $!U.len() < 6 { $=U.extend_from_slice(&Shape::ALL[$i % 4..]); }
        1 if !$!U.is_empty() { let at = $i % $=U.len(); $=U[at] = $g; }
        2 let mut $+D: std::collections::VecDeque<T> = $j.collect();
        1 if $!D.len() < 15 { $=D.push_back($f); }
        1 if $!D.len() < 15 { $=D.push_front($f); }
        2 if let Some($:x) = $D.pop_front() $B
        1 $:L: while let Some($:x) = $-D.pop_back() $B
        1 if !$!D.is_empty() { let at = $i % $=D.len(); $=D.rotate_left(at); $=D[at] = $f; }
        1 $:L: for _ in 0..$!D.len() { if let Some($:x) = $=D.pop_front() { $s $=D.push_back($f); } }
        3 let mut $+G = Net::new($v, $f);
        2 $-G.train(&$S, $f);
        1 if $!G.w.len() < 9 { $=G.grow($f).grow($f); }
        1 for t in $-G.w.iter_mut() { let $:x = *t; *t = $f; }
        1 let mut $+V = $G.w.clone();
        0.5 let mut $+K: std::collections::BTreeMap<usize, T> = $j.enumerate().fold(Default::default(), |mut all, ($:n, $:x)| { all.insert($=n * $d % 7, $k); all });
        2 { let t = $f; *$-K.entry($i % 9).or_insert(T::from($r)) += t; }
        1 $:L: for (&$:n, &$:x) in $-K.iter() $B
        1 if let Some(t) = $-K.get_mut(&$i) { let $:x = *t; *t = $f; }
        1 if let Some($:x) = $K.remove(&$i) $B
        1 let mut $+H = std::collections::HashMap::<usize, T>::new();
        2 { let t = $f; *$-H.entry($i % 7).or_insert(T::from($r)) += t; }
        1 for ($:n, $:x) in $j.enumerate().collect::<Vec<_>>() { if $-H.len() < 9 { $=H.insert($=n % 7, $f); } }
        2 let $+Z = std::rc::Rc::new(std::cell::RefCell::new($f));
        2 { let t = $f; *$Z.borrow_mut() += t; }
        1 { let (t, other) = ($f, $Z.clone()); let mut inside = other.borrow_mut(); *inside = *inside * t; }
        2 let mut $+N = $j.take(7).fold(List::End, |list, $:x| List::Item($k, Box::new(list)));
        1 { let t = $f; $-N.scale(t.tanh()); }
        1 { let mut at = &$!N; while let List::Item(t, next) = at { let $:x = *t; $B at = next; } }
        1 if let List::Item(t, _) = &mut $-N { let $:x = *t; *t = $f; }
        2 { let both: (&[T], &[T]) = (&$!S[..], &$!S[..]); let one = if $b { both.0 } else { both.1 }; let $:S = one; $B }
        1 { let t: &mut T = if $b { &mut $-F } else { &mut $-F }; *t = *t * $f; }
        1 { let rows: Vec<&[T]> = $!S.chunks($d).collect(); for $:S in rows.iter().rev() $B }
        1 { let rows: Vec<&mut [T]> = $-M.chunks_mut($d).collect(); for $:M in rows $B }
        1 { let picked: Vec<&T> = $!S.iter().filter($(|&&$:x| $q$)).collect(); for &&$:x in &picked $B }
        1 { let all: Vec<(T, usize)> = $j.zip($i..).collect(); for &($:x, $:n) in &all $B }
        1 { let mut m = [[T::from(0.0); 3]; 3]; $(for at in 0..9 { let $:n = at; m[at / 3][at % 3] = $f; }$) for (i, row) in m.iter_mut().enumerate() { row[i] = row[i] + 1.0; row.reverse(); } $F += m[0][0] * m[1][1] - m[0][1] * m[1][0] + m[2][$i % 3]; }
        1 let most = $i % 4 + 1; let mut grid: Vec<Vec<T>> = (0..most).map(|$:n| (0..most).map(|j| if j == $=n { T::from(3.0) + $k } else { ($k * (j as f64)).tanh() }).collect()).collect(); for i in 0..most { for j in i + 1..most { let by = grid[j][i] / (grid[i][i].abs() + 0.5); for k in i..most { let t = grid[i][k]; grid[j][k] -= by * t; } } } let $+x = grid[most - 1][most - 1];
        0.3 $-M.sort_unstable_by(|a, b| b.partial_cmp(a).unwrap());
        1 if let Some(at) = $-M.iter().position($(|&$:x| $q$)) { let (left, right) = $=M.split_at_mut(at); right[0] = left.iter().copied().sum::<T>() * $r; }
        0.3 { let mut later: Vec<usize> = (0..$-M.len()).collect(); later.sort_by(|&a, &b| $=M[a].partial_cmp(&$=M[b]).unwrap()); for pair in later.windows(2) { let t = $=M[pair[0]]; $=M[pair[1]] = $=M[pair[1]] * 0.5 + t.tanh(); } }
        0.5 { let mut all: Vec<(u8, T)> = $j.zip(0u8..).map($(|($:x, at)| (at * $d % 5, $k)$)).collect(); all.sort_by_key(|one| one.0); for &(mark, $:x) in &all { let $:n = usize::from(mark); $B } }
        0.5 { let mut all: Vec<(char, u8, T)> = $j.zip(0u8..).map($(|($:x, at)| ((b'a' + at * $d % 5) as char, at, $k)$)).collect(); all.sort_unstable_by_key(|one| (one.0, one.1)); for &(_, mark, $:x) in &all { let $:n = usize::from(mark); $B } }
        0.5 { let mut all: Vec<(Option<u8>, T)> = $j.zip(0u8..).map($(|($:x, at)| ((at % $d > 0).then_some(at), $k)$)).collect(); all.sort_unstable_by_key(|one| one.0); all.dedup_by_key(|one| one.0); for &(_, $:x) in all.iter().rev() $B }
        0.5 { let mut all: Vec<(bool, T, u16)> = $j.zip(0u16..).map($(|($:x, at)| (at % 3 == 1, $k, at)$)).collect(); let keep = $i; all.retain(|one| one.0 || usize::from(one.2) != keep); all.reverse(); if let Some(last) = all.pop() { all.insert(all.len() / 2, last); } for &(_, $:x, mark) in &all { let $:n = usize::from(mark); $B } }
        0.5 { let mut all: Vec<(u8, T)> = $j.zip(0u8..).map($(|($:x, at)| (at * $d % 7, $k)$)).collect(); for i in 1..all.len() { let one = all[i]; let mut at = i; while at > 0 && all[at - 1].0 > one.0 { all[at] = all[at - 1]; at -= 1; } all[at] = one; } for &(mark, $:x) in &all { let $:n = usize::from(mark); $B } }
        1 { let mut some = $j; if let Some($:x) = some.next() { $s for $:x in some $B } }
        1 { let mut some = $j.peekable(); while let Some($:x) = some.next() { if let Some(&$:x) = some.peek() { $s } } }
        0.2 let mut $+J = Row::One($f);
        0.2 let mut $+J = Row::Few([$f, $f, $f], $i % 4);
        0.2 let mut $+J = $j.take(4).fold(Row::Empty, $(|row, $:x| row.push($k)$));
        1 { let t = $f; $J = $=J.push(t); }
        0.5 if let Row::One(a) | Row::Few([_, a, _], _) = &mut $-J { *a = *a * $f; }
        0.4 T::copied_by_words(&mut $-M[..], &$S);
        0.4 T::copied_by_bytes(&mut $-M[..], &$S);
        0.4 T::exchanged_as_words(&mut $-M[..], &mut $-M[..]);
        0.4 T::reversed_as_words(&mut $-M[..]);
        0.4 $f.filled_as_words(&mut $-M[..]);
        0.4 T::moved_down_as_bytes(&mut $-M[..]);
        0.4 if !$!M.is_empty() { let (a, b) = ($i % $=M.len(), $i % $=M.len()); T::swapped_as_words(&mut $=M[..], a, b); }
        0.4 if !$!M.is_empty() { let at = $i % $=M.len(); T::rotated_as_bytes(&mut $=M[..], at); }
    """),
}
"""What there is beside that."""
