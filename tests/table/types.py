"""Types that can stand in a header: how each is written, made of numbers, and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

Leaf = str | float
"""A float of this precision, or what a constant is worth: an integer, a tag, the length of a string."""


@dataclass(frozen=True)
class Type:
    """A type whose values are made of floats, of constants, or of both.

    `make` gives a value's expression: of an `f64` expression for each float, and of a condition that always holds but that
    no compiler can foresee.  `read` gives an `f64` expression for each leaf of the value at a place.  What can be called
    has one leaf, its slope, and `call` instead of `read`.
    """

    rust: str
    leaves: tuple[Leaf, ...]
    make: Callable[[Sequence[str], str], str] = field(compare=False)
    read: Callable[[str], list[str]] = field(compare=False)
    declarations: tuple[str, ...] = ()
    is_copy: bool = True
    call: str = ""

    @property
    def floats(self) -> list[str]:
        """The precision of each float."""
        return [leaf for leaf in self.leaves if isinstance(leaf, str)]

    @property
    def shown(self) -> str:
        """The type as a table shows it: with what its names stand for."""
        text = self.rust
        for declaration in reversed(self.declarations):
            own = re.sub(r"#\[derive\(.*?\)\] |;$", "", declaration)
            kind, name = re.findall(r"(struct|enum) (\w+)", own)[0]
            text = re.sub(rf"\b{name}\b", own.replace(f"{kind} {name}", kind, 1), text)
        return text


def real(rust: str) -> Type:
    """`f64`, or what casts to and from it."""
    if rust == "f64":
        return Type(rust, (rust,), lambda x, _: x[0], lambda place: [place])
    return Type(rust, (rust,), lambda x, _: f"(({x[0]}) as {rust})", lambda place: [f"(({place}) as f64)"])


GENERIC = Type("T", ("f32",), lambda x, _: f"T::of({x[0]})", lambda place: [f"{place}.get()"])
"""A type parameter; the programs put `f32` in its place."""


def constant(rust: str, literal: str, other: str, worth: float, read: str = "({} as f64)", declaration: str = "") -> Type:
    """What has no derivative; `other` is what it could be for all the compiler knows."""
    declarations = (declaration,) if declaration else ()
    return Type(
        rust,
        (worth,),
        lambda _, sure: f"(if {sure} {{ {literal} }} else {{ {other} }})",
        lambda place: [read.format(place)],
        declarations,
    )


def number(rust: str) -> Type:
    """An integer."""
    return constant(rust, f"3_{rust}", f"4_{rust}", 3.0)


def zero_sized(rust: str, declaration: str = "") -> Type:
    """A type without a value."""
    value = rust if declaration or rust == "()" else rust.replace("; 0", "").replace("f64", "")
    return Type(rust, (), lambda *_: value, lambda _: [], (declaration,) if declaration else ())


def tuple_of(*parts: Type) -> Type:
    """`(A, B)`."""
    rust = f"({', '.join(part.rust for part in parts)}{',' * (len(parts) == 1)})"
    names = [str(index) for index in range(len(parts))]
    return _product(rust, parts, names, lambda values: f"({', '.join(values)},)")


def array_of(part: Type, count: int) -> Type:
    """`[A; n]`."""
    made = _product(f"[{part.rust}; {count}]", [part] * count, [""] * count, lambda values: f"[{', '.join(values)}]")
    return replace(made, read=lambda place: [leaf for index in range(count) for leaf in part.read(f"{place}[{index}]")])


def struct(*parts: Type, attribute: str = "", named: bool = True) -> Type:
    """A struct with these fields, and an attribute such as `repr(C)`."""
    attributes = f"#[{attribute}] " if attribute else ""
    names = [chr(ord("a") + index) if named else str(index) for index in range(len(parts))]
    types = [part.rust for part in parts]
    fields = f" {{ {', '.join(map(': '.join, zip(names, types, strict=True)))} }}" if named else f"({', '.join(types)});"
    name = f"S{crc32(f'{attributes}{fields}'.encode()):08x}"
    made = _product(
        name, parts, names, lambda values: f"{name} {{ {', '.join(map(': '.join, zip(names, values, strict=True)))} }}"
    )
    own = f"#[derive(Clone, Copy)] {attributes}struct {name}{fields}"
    return replace(made, declarations=(*made.declarations, own))


def _product(rust: str, parts: Sequence[Type], names: Sequence[str], together: Callable[[list[str]], str]) -> Type:
    def make(floats: Sequence[str], sure: str) -> str:
        remaining = iter(floats)
        return together([part.make([next(remaining) for _ in part.floats], sure) for part in parts])

    def read(place: str) -> list[str]:
        return [leaf for part, name in zip(parts, names, strict=True) for leaf in part.read(f"{place}.{name}")]

    return Type(
        rust,
        tuple(leaf for part in parts for leaf in part.leaves),
        make,
        read,
        tuple(t for part in parts for t in part.declarations),
    )


def either(rust: str, part: Type, pattern: str, other: str, declaration: str = "") -> Type:
    """An enum whose variant `pattern`, such as `Some({})`, is there; it could be `other`."""
    path = f"{rust}::" if declaration else ""

    def read(place: str) -> list[str]:
        held = f"{path}{pattern.format('held')}"
        return [f"(match {{ {place} }} {{ {held} => {leaf}, _ => -7.0 }})" for leaf in part.read("held")]

    def make(floats: Sequence[str], sure: str) -> str:
        return f"(if {sure} {{ {path}{pattern.format(part.make(floats, sure))} }} else {{ {path}{other} }})"

    return Type(rust, part.leaves, make, read, (*part.declarations, *([declaration] if declaration else [])))


def option_of(part: Type) -> Type:
    """`Option<A>`."""
    return either(f"Option<{part.rust}>", part, "Some({})", "None")


def result_of(part: Type, error: str = "u32") -> Type:
    """`Result<A, u32>`."""
    return either(f"Result<{part.rust}, {error}>", part, "Ok({})", "Err(Default::default())")


def callable_by(rust: str, make: str, call: str = "{}({})", slope: Leaf = "f64", is_copy: bool = True) -> Type:
    """What bends a number t to slope · t + t² / 32; `make` has the slope, and the condition, in it."""
    return Type(
        rust,
        (slope,),
        lambda floats, sure: make.format(slope=floats[0] if floats else slope, sure=sure),
        lambda _: [],
        is_copy=is_copy,
        call=call,
    )
