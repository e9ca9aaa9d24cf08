"""Random functions.  Everything follows from a seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.fuzz.grammar import CODE, HELPERS, LEAVES, READ_BY
from tests.fuzz.headers import Header
from tests.fuzz.tree import Function, Node

_HOLE = re.compile(r"\$([+:=!~-]?)([a-zA-Z()])")
_BORROWED = {"!": {"F": "x", **dict.fromkeys("SMVAX", "S")}, "~": {"V": "M"}, "-": {}}
"""What a name becomes while it is borrowed, by its kind."""
_PREFIXES = {"L": "'l", "F": "t"}
_LITERALS = ("0.25", "0.5", "0.75", "0.9", "1.1", "1.25", "1.5")
_ELSEWHERE = dict.fromkeys("RUDGKHZNJ", "")
_TO_CLOSURES = {**_ELSEWHERE, "F": "x", "I": "n", "V": "S", "A": "S", "M": "S", "P": "p", "Q": "e", "O": "u", "L": ""}
"""What a closure makes of the names around it."""
_TO_MOVING = {**_ELSEWHERE, **dict.fromkeys("SVAMCWc", ""), "F": "x", "I": "n", "P": "p", "Q": "e", "O": "u", "L": ""}
_CLOSURES = {"k": ("f", _TO_CLOSURES), "q": ("b", _TO_CLOSURES), "m": ("f", _TO_MOVING)}

Names = dict[str, str]
"""The names in scope, each with its kind."""


@dataclass(frozen=True)
class _Size:
    """How much a function is made of; one of each list is drawn."""

    weight: int
    helpers: tuple[int, ...]
    depths: tuple[int, ...]
    statements: tuple[int, int]
    """The fewest and the most, beside two that come first."""


_SIZES = (
    _Size(5, helpers=(0, 0, 0, 1), depths=(1, 2), statements=(1, 3)),
    _Size(3, helpers=(0, 0, 1), depths=(2, 2, 3), statements=(2, 5)),
    _Size(2, helpers=(0, 0, 1, 1, 2), depths=(2, 3, 3, 4), statements=(3, 8)),
)
"""Most are small: what goes wrong does so in a few lines, and they take a tenth of the time."""


_BODY, _NAMES = "pub fn body<T: Number>(xs: &[T], k: usize) -> T {\n", {"xs": "X", "k": "n"}
_MIXED, _NAMES_IN_MIXED = (
    """\
pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let numbers: Vec<T> = crate::NUMBERS.iter().rev().take(xs.len()).map(|&x| T::from(x)).collect();
    mixed(xs, &numbers, &mut numbers.clone(), k)
}

pub fn mixed<T: Number>(xs: &[T], cs: &[T], ys: &mut [T], k: usize) -> T {
""",
    {"xs": "X", "cs": "X", "ys": "M", "k": "n"},
)


class _NoName(Exception):  # noqa: N818
    """There is no name of that kind in scope."""


@dataclass(frozen=True)
class _Call:
    """A helper: its name, the kind of code that a call of it is, and the call's template."""

    name: str
    kind: str
    template: str


def function(seed: int, numbers: str = "f64") -> Function:
    """The function of a seed: of a slice; `mixed`, of constants, too, and numbers that it may write; or of `headers`."""
    generator = _Generator(seed)
    if numbers == "headers":
        return generator.with_header(Header.drawn(generator.random))
    return generator.function(*((_MIXED, _NAMES_IN_MIXED) if numbers == "mixed" else (_BODY, _NAMES)))


class _Generator:
    """Draws templates, and keeps account of names."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = Random(seed)
        self.count = 0
        self.calls: list[_Call] = []

    def function(self, header: str, around: Names) -> Function:
        names = dict(around)
        pieces = self._pieces(header, names, ())
        return Function(self.seed, Node("root", (*pieces, self._all_of(names), "\n}\n")))

    def with_header(self, header: Header) -> Function:
        names = dict(header.names)
        pieces = self._pieces(header.function(), names, header.uses)
        before, _, after = header.result.made.partition("ALL")
        result = [self._expanded(before, "", names, 1), self._all_of(names), self._expanded(after, "", names, 1)]
        return Function(self.seed, Node("root", (*pieces, *result, "\n}\n", header.around())), header.derived())

    def _pieces(self, header: str, names: Names, uses: Sequence[str]) -> list[str | Node]:
        """Helpers, and the function but for its result, in which each of these templates may be used."""
        size = self.random.choices(_SIZES, [size.weight for size in _SIZES])[0]
        helpers = [self._helper() for _ in range(self.random.choice(size.helpers))]
        statements = [self._expanded(text, "s", names, 2) for text in ("let mut $+F = $f;", "let mut $+F = $f;")]
        depth = self.random.choice(size.depths)
        for _ in range(self.random.randint(*size.statements)):
            if uses and self.random.random() < 0.4:
                statements.append(self._expanded(self.random.choice(uses), "s", names, depth))
            statements.append(self._code("s", names, depth))
        return [*_lines(helpers), header, *_lines(statements)]

    def _helper(self) -> Node:
        kind, declared, call = self.random.choice(HELPERS)
        name = self._new("h")
        attribute = self.random.choice(["", "", "#[inline(never)]\n", "#[inline(always)]\n"])
        if declared.count("$H") > 1 and "always" in attribute:
            attribute = ""
        item = self._expanded(f"{attribute}{declared}".replace("$H", name), "item", {}, self.random.choice((1, 2, 3)))
        self.calls.append(_Call(name, kind, call.replace("$H", name)))
        return item

    def _all_of(self, names: Names) -> Node:
        """A float that depends on all that is in scope."""
        shown = {"F": "{}", "V": "weigh(&{})", "A": "weigh(&{})", "P": "{}.energy()", "O": "{}.unwrap_or(T::from(0.5))"}
        shown |= {
            "C": "{}.get()",
            "x": "{}",
            "M": "weigh(&{})",
            "W": "{}.iter().map(|v| weigh(v)).sum::<T>()",
            "N": "{}.total()",
        }
        shown |= {"R": "{}.iter().map(|one| one.energy()).sum::<T>()", "G": "{}.apply(xs)", "Z": "(*{}.borrow())"}
        shown |= {"D": "{}.iter().copied().sum::<T>()", "K": "{}.values().copied().sum::<T>()"}
        shown |= {"J": "{}.total()", "H": "{}.get(&2).copied().unwrap_or(T::from(0.5))"}
        shown |= {"U": "{}.iter().map(|one| match one {{ Shape::One(x) => *x, _ => T::from(0.5) }}).sum::<T>()"}
        terms = [Node("f", (shown[kind].format(name),)) for name, kind in names.items() if kind in shown]
        total = terms[0]
        for number, term in enumerate(terms[1:]):
            total = Node("f", ("(", total, f" + {term.text} * {0.5 + number % 5 / 4})"))
        return total

    def _code(self, kind: str, names: Names, depth: int) -> Node:
        """Code of a kind; names that it declares are added."""
        for _ in range(50):
            template = self._drawn(kind, depth)
            try:
                return self._expanded(template, kind, names, depth)
            except _NoName:
                continue
        return Node(kind, (_SIMPLEST[kind],))

    def _drawn(self, kind: str, depth: int) -> str:
        helping = [call.template for call in self.calls if call.kind == kind]
        if helping and depth > 0 and self.random.random() < 0.15:
            return self.random.choice(helping)
        templates, weights = (CODE if depth > 0 else LEAVES)[kind]
        return self.random.choices(templates, weights)[0]

    def _expanded(self, template: str, kind: str, outside: Names, depth: int) -> Node:
        """The template with its holes filled."""
        names, staying, last, scopes = dict(outside), dict[str, str](), dict[str, str](), list[Names]()
        pieces: list[str | Node] = []
        end = 0
        for hole in _HOLE.finditer(template):
            pieces.append(template[end : hole.start()])
            end = hole.end()
            how, what = hole.groups()
            if what == "(":
                scopes.append(dict(names))
            elif what == ")":
                names = scopes.pop()
            elif what in "+:" or how in {"+", ":"}:
                last[what] = self._new(what)
                pieces.append(last[what])
                (staying if how == "+" else names)[last[what]] = what
            elif how == "=":
                pieces.append(last[what])
            elif (filled := self._filled(what, names, depth)) is not None:
                pieces.append(filled)
            else:
                last[what] = self._picked(what, names)
                pieces.append(last[what])
                if how:
                    self._borrow(names, last[what], how)
        outside |= staying
        return Node(kind, (*pieces, template[end:]))

    def _filled(self, what: str, names: Names, depth: int) -> str | Node | None:
        """Code for a hole; None where it is one for a name."""
        if what in _CLOSURES:
            kind, becomes = _CLOSURES[what]
            inside = {name: becomes.get(kind, kind) for name, kind in names.items()}
            return self._code(kind, inside, depth - 1)
        if what in CODE:
            return self._code(what, dict(names) if what != "s" else names, depth - 1)
        if what in "BE":
            return self._block(what, dict(names), depth - 1)
        if what in "rd":
            return self.random.choice(_LITERALS if what == "r" else "123")
        return None

    def _block(self, kind: str, names: Names, depth: int) -> Node:
        count = self.random.randint(1, 3) if kind == "B" else self.random.choice([0, 0, 0, 1, 2])
        statements = [self._code("s", names, depth) for _ in range(count if depth > 0 else count > 0)]
        result: list[str | Node] = [self._code("f", names, depth), "\n"] if kind == "E" else []
        return Node(kind, ("{\n", *_lines(statements), *result, "}"))

    def _picked(self, what: str, names: Names) -> str:
        """A name of that kind."""
        fitting = [name for name, kind in names.items() if kind and kind in READ_BY.get(what, what)]
        if not fitting:
            raise _NoName
        return self.random.choice(fitting + 2 * fitting[-2:])

    def _borrow(self, names: Names, name: str, how: str) -> None:
        """Let a name be of the kind that is left of it while it is borrowed."""
        kind = names[name]
        names[name] = _BORROWED[how].get(kind, kind if how == "~" else "")

    def _new(self, kind: str) -> str:
        self.count += 1
        return f"{_PREFIXES.get(kind, kind.lower())}{self.count}"


_SIMPLEST = {
    "f": "T::from(0.5)",
    "b": "true",
    "i": "1",
    "j": "std::iter::once(T::from(0.5))",
    "y": "None",
    "g": "Shape::Empty",
    "v": "Vec::<T>::new()",
    "s": "",
}
"""What can stand anywhere."""


def _lines(statements: list[Node]) -> list[str | Node]:
    return [piece for statement in statements for piece in (statement, "\n")]
