# ruff: noqa: E501
"""Random headers: what a function is given, by value and by reference, and what becomes of that.

A `Given` has all arguments, made of the numbers of an input: each number in it is a multiple of one of these.  What comes of a
function is one number again: those of its result, and those that it left behind, each with a weight.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random


@dataclass(frozen=True)
class Parameter:
    """A kind of parameter.  `{}` is its name in the function, and else the field that it is of a `Given`."""

    weight: float
    passed: str
    """`&`, `&mut ` or nothing: how the function is given it."""
    owned: str
    """The type of what there is, over `T`."""
    made: str
    """It, for `n` elements, of `s`, a `Supply`."""
    visited: str
    """Statements that give `of` each number in it, in the order in which it was made of them unless it grows."""
    names: Sequence[tuple[str, str]] = ()
    """Places that the function may name, and of which kind they are (`grammar`)."""
    uses: Sequence[str] = ()
    """Statements that there are for it: templates, for what has no kind."""
    grows: bool = False
    """Whether other numbers may be there in the end than at first: in reverse mode nobody can say what the seeds are."""
    borrowed: str = ""
    """The type that it is passed as, if that is another."""
    known: str = ""
    """What can be told of it in the end as an `f64`, where nothing is differentiated by it: it is `Const` then."""

    @property
    def type(self) -> str:
        """As it is in the header, over `T`."""
        return f"{self.passed}{self.borrowed or self.owned}"

    @property
    def is_left(self) -> bool:
        """Whether the function may leave something there."""
        return self.passed == "&mut " or "Cell" in self.owned

    @property
    def is_active(self) -> bool:
        """Whether its adjoint is returned."""
        return not self.passed and not self.known


@dataclass(frozen=True)
class Result:
    """A kind of result."""

    weight: float
    type: str
    made: str
    """A template; `ALL` is a number that depends on all that is in scope."""
    visited: str
    """Statements that give `of` each number in `result`."""
    zero: str
    """One over `f64` that a seed is made of."""


_EACH = "{}.iter_mut().for_each(&mut *of);"
_ALL_OF_EACH = "{}.iter_mut().for_each(|one| one.numbers(of));"
_ALL_OF_ROWS = "{}.iter_mut().flatten().for_each(&mut *of);"
_THREE = "[s.one(), s.one(), s.one()]"
_MANY = "(0..n).map(|_| s.one()).collect()"
_MANY_ROWS = f"(0..n % 4).map(|_| {_MANY}).collect()"
_MIXED = "Mixed { a: s.one(), n, b: s.one() }"
_MANY_MIXED = f"(0..n).map(|n| {_MIXED}).collect()"
_SHAPES = (
    "(0..n).map(|n| match n % 4 { 0 => Shape::One(s.one()), 1 => Shape::Two(s.one(), s.one()), 2 => Shape::Empty,"
    " _ => Shape::Counted(n, s.one()) }).collect()"
)
_STATE = f"State {{ x: s.one(), many: {_MANY}, few: {_THREE}, maybe: Some(s.one()), n }}"
_FIELDS = [("{}.x", "F"), ("{}.few", "A"), ("{}.n", "I")]
_OF_MIXED = (
    "for $:p in {}.iter() $B",
    "let $+x = {}.iter().map(|$:p| $k).sum::<T>();",
    "let mut $+R = {}.to_vec();",
    "let $+x = {}.iter().fold($f, $(|$:x, $:p| $k$));",
    "if let Some($:p) = {}.get($i) $B",
)
_OF_SHAPES = (
    "for $:e in {}.iter().copied() $B",
    "let mut $+U = {}.to_vec();",
    "let $+x = {}.iter().map($(|one| match *one { Shape::Empty => T::from($r), Shape::One($:x) => $k, _ => T::from(0.5) }$)).sum::<T>();",
)
_OF_ROWS = (
    "for $:S in {}.iter() $B",
    "let $+x = {}.iter().map($(|$:S| $k$)).sum::<T>();",
    "let mut $+W = {}.to_vec();",
    "for row in {}.iter() { for (at, &$:x) in row.iter().enumerate() { let $:n = at; $s } }",
)
_OF_SEEN = (
    "if {}.len() < 20 { let n = $i; {}.push(n % 100); }",
    "if let Some(n) = {}.pop() { let $:n = n; $B }",
    "{}.retain(|&$:n| $q);",
)
_OF_SEEN_BEHIND = (
    "if {}.borrow().len() < 20 { let n = $i; {}.borrow_mut().push(n % 100); }",
    "for $:n in {}.borrow().iter().copied() $B",
)
_OF_INDICES = (
    "for $:n in {}.iter().copied() $B",
    "let $+x = {}.iter().map(|&$:n| $k).sum::<T>();",
    "let $+n = {}[k % {}.len()];",
)

_SLICE = Parameter(4, "&", "Vec<T>", _MANY, _EACH, [("(*{})", "X")], borrowed="[T]")
PARAMETERS = (
    _SLICE,
    Parameter(1, "&", "Vec<T>", _MANY, _EACH, [("(*{})", "X")]),
    Parameter(2, "&", "Vec<Mixed<T>>", _MANY_MIXED, _ALL_OF_EACH, uses=_OF_MIXED, borrowed="[Mixed<T>]"),
    Parameter(2, "&", "Vec<Shape<T>>", _SHAPES, _ALL_OF_EACH, uses=_OF_SHAPES, borrowed="[Shape<T>]"),
    Parameter(2, "&", "Vec<Vec<T>>", _MANY_ROWS, _ALL_OF_ROWS, uses=_OF_ROWS),
    Parameter(1, "&", "Vec<[T; 2]>", "(0..n).map(|_| [s.one(), s.one()]).collect()", _ALL_OF_ROWS, uses=_OF_ROWS[:2], borrowed="[[T; 2]]"),
    Parameter(1, "&", "Mixed<T>", _MIXED, "{}.numbers(of);", [("(*{})", "p")]),
    Parameter(1, "&", "Shape<T>", "Shape::Counted(n, s.one())", "{}.numbers(of);", [("(*{})", "e")]),
    Parameter(1, "&", "Option<T>", "Some(s.one())", _EACH, [("(*{})", "u")]),
    Parameter(1, "&", "std::cell::Cell<T>", "std::cell::Cell::new(s.one())", "of({}.get_mut());", [("(*{})", "C")]),
    Parameter(3, "&mut ", "Vec<T>", _MANY, _EACH, [("(*{})", "M")], borrowed="[T]"),
    Parameter(2, "&mut ", "Vec<T>", _MANY, _EACH, [("(*{})", "M")]),
    Parameter(2, "&mut ", "T", "s.one()", "of(&mut {});", [("(*{})", "F")]),
    Parameter(1, "&mut ", "[T; 3]", _THREE, _EACH, [("(*{})", "A")]),
    Parameter(2, "&mut ", "Mixed<T>", _MIXED, "{}.numbers(of);", [("(*{})", "P")]),
    Parameter(3, "&mut ", "State<T>", _STATE, "{}.numbers(of);", [*_FIELDS, ("{}.many", "M"), ("{}.maybe", "u")]),
    Parameter(2, "&mut ", "State<T>", _STATE, "{}.numbers(of);", [*_FIELDS, ("{}.many", "V"), ("{}.maybe", "O")], grows=True),
    Parameter(2, "&mut ", "Vec<T>", _MANY, _EACH, [("(*{})", "V")], grows=True),
    Parameter(1, "&mut ", "Shape<T>", "Shape::Counted(n, s.one())", "{}.numbers(of);", [("(*{})", "Q")], grows=True),
    Parameter(1, "&mut ", "Option<T>", "Some(s.one())", _EACH, [("(*{})", "O")], grows=True),
    Parameter(1, "&mut ", "Vec<Mixed<T>>", _MANY_MIXED, _ALL_OF_EACH, [("(*{})", "R")], grows=True),
    Parameter(1, "&mut ", "Vec<Shape<T>>", _SHAPES, _ALL_OF_EACH, [("(*{})", "U")], grows=True),
    Parameter(1, "&mut ", "Vec<Vec<T>>", _MANY_ROWS, _ALL_OF_ROWS, [("(*{})", "W")], grows=True),
    Parameter(1, "&mut ", "std::collections::VecDeque<T>", _MANY, _EACH, [("(*{})", "D")], grows=True),
    Parameter(1, "&mut ", "Net<T>", f"Net::new({_MANY}, s.one())", "{}.numbers(of);", [("(*{})", "G")], grows=True),
    Parameter(1, "&mut ", "List<T>", "(0..n).fold(List::End, |list, _| List::Item(s.one(), Box::new(list)))", "{}.numbers(of);", [("(*{})", "N")], grows=True),
    Parameter(0.5, "&mut ", "std::collections::BTreeMap<usize, T>", "(0..n).map(|n| (n * 2 % 7, s.one())).collect()", "{}.values_mut().for_each(&mut *of);", [("(*{})", "K")], grows=True),
    Parameter(1, "&mut ", "Vec<usize>", "(0..n).collect()", "", uses=_OF_SEEN, known="{}.iter().sum::<usize>() as f64"),
    Parameter(1, "&", "std::cell::RefCell<Vec<usize>>", "Default::default()", "", uses=_OF_SEEN_BEHIND, known="{}.borrow().iter().sum::<usize>() as f64"),
    Parameter(1, "&mut ", "usize", "n", "", [("(*{})", "I")], known="({} % 1000) as f64"),
    Parameter(1, "&", "Vec<usize>", "(0..n).map(|n| n * 7 % 5).collect()", "", uses=_OF_INDICES, borrowed="[usize]", known="0.0"),
    Parameter(1, "", "bool", "n % 2 == 0", "", uses=("if {} $B", "let $+x = if {} { $f } else { $f };"), known="0.0"),
    Parameter(4, "", "T", "s.one()", "of(&mut {});", [("{}", "F")]),
    Parameter(1, "", "[T; 3]", _THREE, _EACH, [("{}", "A")]),
    Parameter(1, "", "Mixed<T>", _MIXED, "{}.numbers(of);", [("{}", "P")]),
)  # fmt: skip

_OF_RESULT = "result.numbers(of);"
RESULTS = (
    Result(6, "T", "ALL", "of(result);", "0.0"),
    Result(1, "[T; 3]", "[ALL, $f, $f]", "result.iter_mut().for_each(&mut *of);", "[0.0; 3]"),
    Result(1, "Mixed<T>", "Mixed { a: ALL, n: $i, b: $f }", _OF_RESULT, "Mixed { a: 0.0, n: 0, b: 0.0 }"),
    Result(1, "(T, T)", "(ALL, $f)", "of(&mut result.0); of(&mut result.1);", "(0.0, 0.0)"),
    Result(1, "(T, usize)", "(ALL, $i)", "of(&mut result.0);", "(0.0, 0)"),
)


@dataclass(frozen=True)
class Header:
    """The parameters, named `p0` and so on, after which there is `k`; and the result."""

    parameters: tuple[Parameter, ...]
    result: Result

    @classmethod
    def drawn(cls, random: Random) -> Header:
        """One of two to four parameters, of which the first is a slice, `xs`, and has a number at least."""
        many = random.choice((1, 2, 2, 3))
        chosen = random.choices(PARAMETERS, [one.weight for one in PARAMETERS], k=many)
        return cls((replace(_SLICE, names=[("xs", "X")]), *chosen), random.choices(RESULTS, [one.weight for one in RESULTS])[0])

    @property
    def has_reverse(self) -> bool:
        """Whether it is known, before it is called, what each number of the end is weighed by."""
        return not any(one.grows for one in self.parameters)

    @property
    def lines(self) -> tuple[str, ...]:
        """What `calls` print, a name for each line."""
        forward = ("forward", "width 2, direction 0", "width 2, direction 1")
        return ("reverse", *forward) if self.has_reverse else forward

    @property
    def names(self) -> dict[str, str]:
        """The names in scope at first, each with its kind."""
        named = [(place.format(f"p{at}"), kind) for at, one in enumerate(self.parameters) for place, kind in one.names]
        return {**dict(named), "k": "n"}

    @property
    def uses(self) -> list[str]:
        """Templates of statements for what has no name."""
        return [use.replace("{}", f"p{at}") for at, one in enumerate(self.parameters) for use in one.uses]

    def function(self) -> str:
        """How the function begins."""
        given = ", ".join(f"{'' if one.passed else 'mut '}p{at}: {one.type}" for at, one in enumerate(self.parameters))
        return f"fn drawn<T: Number>({given}, k: usize) -> {self.result.type} {{\nlet xs = p0;\n"

    def around(self) -> str:
        """What is called in the place of the function, of one slice: `body`, and what that needs."""
        fields = "".join(f"    p{at}: {one.owned},\n" for at, one in enumerate(self.parameters))
        made = "".join(f"            p{at}: {one.made},\n" for at, one in enumerate(self.parameters))
        return f"""\

struct Given<T> {{
{fields}}}

impl<T: Number> Given<T> {{
    fn new(xs: &[T]) -> Self {{
        let (n, mut s) = (xs.len(), Supply {{ xs, next: 0 }});
        Given {{
{made}        }}
    }}
    fn all(&mut self, of: &mut impl FnMut(&mut T)) {{
        {self._visited(only_left=False)}
    }}
    fn left(&mut self, of: &mut impl FnMut(&mut T)) {{
        {self._visited(only_left=True)}
    }}
    fn known(&self) -> f64 {{
        {self._known()}
    }}
}}

fn each_of<T: Number>(result: &mut {self.result.type}, of: &mut impl FnMut(&mut T)) {{
    {self.result.visited}
}}

fn outcome<T: Number>(mut result: {self.result.type}, mut given: Given<T>) -> (T, usize, f64) {{
    let (mut sum, mut at) = (T::from(0.0), 0);
    let mut add = |x: &mut T| {{ sum += *x * weight(at); at += 1; }};
    each_of(&mut result, &mut add);
    given.left(&mut add);
    (sum, at, given.known())
}}

pub fn body<T: Number>(xs: &[T], k: usize) -> T {{
    let mut given = Given::new(xs);
    let result = drawn({self._passed("given")}k);
    let (value, _, known) = outcome(result, given);
    value + known
}}
"""

    def _visited(self, *, only_left: bool) -> str:
        its = [(at, one) for at, one in enumerate(self.parameters) if one.is_left or not only_left]
        return " ".join(one.visited.replace("{}", f"self.p{at}") for at, one in its)

    def _known(self) -> str:
        return " + ".join(
            ["0.0", *(one.known.replace("{}", f"self.p{at}") for at, one in enumerate(self.parameters) if one.known)]
        )

    def derived(self) -> Derived:
        """The primal over `f64`, how it is differentiated, and what prints the values and the derivatives."""
        given = ", ".join(f"p{at}: {one.type}" for at, one in enumerate(self.parameters))
        named = ", ".join(f"p{at}" for at in range(len(self.parameters)))
        primal = f"fn primal({given}, k: usize) -> {self.result.type} {{ drawn({named}, k) }}"
        forward = ", ".join("Const" if one.known else "Dual" for one in self.parameters)
        attributes = [
            f"autodiff_forward(forward, {forward}, Const, Dual)",
            f"autodiff_forward(wide, 2, {forward}, Const, Dual)",
        ]
        calls = [_FORWARD, _WIDE]
        if self.has_reverse:
            reverse = ", ".join("Const" if one.known else "Duplicated" if one.passed else "Active" for one in self.parameters)
            attributes.insert(0, f"autodiff_reverse(reverse, {reverse}, Const, Active)")
            calls.insert(0, _REVERSE)
        return Derived(
            "\n".join(f"#[{one}]" for one in attributes),
            _OVER.sub("f64", primal),
            "\n    ".join(self._filled(call) for call in calls),
            self.lines,
        )

    def _filled(self, call: str) -> str:
        active = [f"shadow.p{at}" for at, one in enumerate(self.parameters) if one.is_active]
        return (
            call.replace("PASSED_IN_REVERSE", self._passed("given", "shadow", is_reverse=True))
            .replace("PASSED_TWICE", self._passed("given", "shadow"))
            .replace("PASSED_THRICE", self._passed("given", "shadow", "other"))
            .replace("RESULT", f"({', '.join(['result', *active])})" if active else "result")
            .replace("ZERO", self.result.zero)
        )

    def _passed(self, *givens: str, is_reverse: bool = False) -> str:
        """The arguments before `k`, of each of these."""
        passed = []
        for at, one in enumerate(self.parameters):
            for given in givens[:1] if one.known or (is_reverse and one.is_active) else givens:
                is_shadow = is_reverse and given != givens[0]
                passed.append(f"{'&mut ' if is_shadow else one.passed}{given}.p{at}, ")
        return "".join(passed)


@dataclass(frozen=True)
class Derived:
    """What stands around a function with a header of its own, and the names of the lines that are printed."""

    attributes: str
    primal: str
    calls: str
    lines: tuple[str, ...]


_OVER = re.compile(r"\bT\b")
_REVERSE = """\
case.show(|xs, k, at| {
        let (mut given, mut shadow) = (Given::new(xs), Given::new(&vec![0.0; xs.len()]));
        let (mut seed, mut count, mut slope) = (ZERO, 0, 0.0);
        let mut weighed = |x: &mut f64| { *x = weight(count); count += 1; };
        each_of(&mut seed, &mut weighed);
        shadow.left(&mut weighed);
        let result;
        RESULT = reverse(PASSED_IN_REVERSEk, seed);
        let mut count = 0;
        shadow.all(&mut |x| { if count % xs.len() == at { slope += *x * factor(count); } count += 1; });
        let (value, _, known) = outcome(result, given);
        (value + known, slope)
    });"""
_FORWARD = """\
case.show(|xs, k, at| {
        let (mut given, mut shadow) = (Given::new(xs), Given::new(&crate::towards(xs, at)));
        let (result, tangent) = forward(PASSED_TWICEk);
        let ((value, numbers, known), (slope, tangents, _)) = (outcome(result, given), outcome(tangent, shadow));
        (value + known, if numbers == tangents { slope } else { f64::NAN })
    });"""
_WIDE = """\
for lane in 0..2 { case.show(|xs, k, at| {
        let towards = |at| Given::new(&crate::towards(xs, at));
        let (mut given, mut shadow, mut other) = (Given::new(xs), towards(if lane == 0 { at } else { 0 }), towards(if lane == 1 { at } else { 0 }));
        let [result, one, two] = wide(PASSED_THRICEk);
        let (value, numbers, known) = outcome(result, given);
        let (slope, tangents, _) = if lane == 0 { outcome(one, shadow) } else { outcome(two, other) };
        (value + known, if numbers == tangents { slope } else { f64::NAN })
    }); }"""
