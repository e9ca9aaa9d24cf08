"""Headers, and the programs that are made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.table.types import Leaf, Type

TOLERANCES = {"f64": 1e-12, "f32": 1e-5, "T": 1e-5, "f16": 1e-2, "f128": 1e-12}
"""Relative to the closed form, absolute below 1."""


@dataclass(frozen=True)
class Passing:
    """How an argument is handed over: its type, the local that holds it, what is lent of that, how the value is reached."""

    rust: str
    hold: str = "{}"
    lend: str = "{}"
    shadow: str = "&mut {}"
    reach: str = "(*{})"
    is_written: bool = False
    is_owned: bool = False

    @property
    def is_value(self) -> bool:
        """Whether an adjoint is returned, and not added to a shadow."""
        return not self.lend.startswith("&")

    def held(self, local: str) -> str:
        """The value that the local holds."""
        return f"(*{local})" if self.hold.startswith("Box") else local


VALUE = Passing("{type}", reach="{}")
REFERENCE = Passing("&{type}", lend="&{}")
MUTABLE = Passing("&mut {type}", lend="&mut {}", is_written=True)
NESTED = Passing("&&{type}", lend="&&{}", shadow="&mut &{}", reach="(**{})")
SLICE = Passing("&[{element}]", lend="&{}[..]", shadow="&mut {}[..]", reach="{}")
MUTABLE_SLICE = Passing("&mut [{element}]", lend="&mut {}[..]", shadow="&mut {}[..]", reach="{}", is_written=True)
VEC_REFERENCE = Passing("&Vec<{element}>", hold="Vec::from({})", lend="&{}", reach="{}")
BOX_REFERENCE = Passing("&Box<{type}>", hold="Box::new({})", lend="&{}", reach="(**{})")
BOX = Passing("Box<{type}>", hold="Box::new({})", is_owned=True)
VEC = Passing("Vec<{element}>", hold="Vec::from({})", reach="{}", is_owned=True)
OPTION = Passing("Option<&{type}>", lend="Some(&{})", reach="(*{}.unwrap())")


@dataclass(frozen=True)
class Argument:
    """A type, how it is passed, and whether it is differentiated by."""

    type: Type
    passing: Passing = VALUE
    is_active: bool = True

    @property
    def rust(self) -> str:
        """Its type in the header."""
        return self.passing.rust.format(type=self.type.rust, element=self.type.rust[1:].rpartition(";")[0])

    @property
    def shown(self) -> str:
        """The same for a table."""
        shown = self.type.shown
        text = self.passing.rust.format(type=shown, element=shown[1:].rpartition(";")[0])
        return text if self.is_active or not self.type.floats else f"const {text}"


@dataclass(frozen=True)
class Header:
    """A header; its place is the differentiated function `itself`, a `callee` of it, or a callee that is `recursive`."""

    family: str
    arguments: tuple[Argument, ...]
    result: Type | None
    place: str = "itself"
    abi: str = ""
    is_method: bool = False

    @property
    def shown(self) -> str:
        """The header as a table shows it."""
        arguments = [argument.shown for argument in self.arguments]
        if self.is_method:
            arguments[0] = f"self: {arguments[0]}"
        result = f" -> {self.result.shown}" if self.result else ""
        where = {"itself": "", "callee": "callee ", "recursive": "recursive callee "}[self.place]
        generic = "<T: Real>" if self.is_generic else ""
        return f"{where}{self.abi}{' ' * bool(self.abi)}fn{generic}({', '.join(arguments)}){result}"

    @property
    def is_generic(self) -> bool:
        """Whether there is a type parameter."""
        return any(re.search(r"\bT\b", type_.rust) for type_ in self.types)

    @property
    def types(self) -> list[Type]:
        """Those of the arguments, then that of the result."""
        return [argument.type for argument in self.arguments] + ([self.result] if self.result else [])

    @property
    def declarations(self) -> list[str]:
        """Those of all types in it."""
        return list(dict.fromkeys(text for type_ in self.types for text in type_.declarations))

    @property
    def tolerance(self) -> float:
        """That of the least precise float in it."""
        return max((TOLERANCES[leaf] for type_ in self.types for leaf in type_.floats), default=1e-12)


@dataclass(frozen=True)
class Mode:
    """Reverse mode, or forward mode with as many directions at once."""

    name: str
    width: int = 1

    @property
    def shown(self) -> str:
        """As a table shows it."""
        return self.name if self.width == 1 else f"width {self.width}"


MODES = (Mode("reverse"), Mode("forward"), Mode("forward", 2), Mode("forward", 4), Mode("forward", 8))


def seed(output: int) -> float:
    """What a float of the output weighs in reverse mode."""
    return 0.5 + output % 3 / 4


def tangent(lane: int, coordinate: int) -> float:
    """How a coordinate moves in one of the directions of forward mode."""
    return (1 + (3 * lane + 2 * coordinate) % 5) / 4


@dataclass(frozen=True)
class Input:
    """A leaf of an argument: what it is worth, and which coordinate of the gradient it is, if it is one."""

    leaf: Leaf
    worth: float
    coordinate: int | None

    @property
    def expression(self) -> str:
        """Its value in Rust; the coordinates are in an array `x`."""
        return str(self.worth) if self.coordinate is None else f"x[{self.coordinate}]"


@dataclass(frozen=True)
class Program:
    """A header, differentiated in a mode, at an optimisation level."""

    header: Header
    mode: Mode
    level: str

    def __str__(self) -> str:
        return f"{self.header.shown}, {self.mode.shown}, level {self.level}"

    @property
    def inputs(self) -> list[tuple[Argument, list[Input]]]:
        """The leaves of each argument.  What is handed to a callee can be active whatever the frontend says of its type."""
        leaves = [(a, leaf) for a in self.header.arguments for leaf in a.type.leaves]
        active = [isinstance(leaf, str) and self._is_active(argument) for argument, leaf in leaves]
        inputs = iter(
            Input(leaf, (5 * k % 7 + 4) / 4 if isinstance(leaf, str) else leaf, sum(active[:k]) if active[k] else None)
            for k, (_, leaf) in enumerate(leaves)
        )
        return [(argument, [next(inputs) for _ in argument.type.leaves]) for argument in self.header.arguments]

    def _is_active(self, argument: Argument) -> bool:
        return argument.is_active and not (argument.type.call and self.header.place == "itself")

    @property
    def coordinates(self) -> list[Input]:
        """What the gradient is by."""
        return [leaf for _, leaves in self.inputs for leaf in leaves if leaf.coordinate is not None]

    @property
    def output_leaves(self) -> list[Leaf]:
        """The leaves of what the function gives: its result, and what it writes to."""
        written = [argument.type for argument in self.header.arguments if argument.passing.is_written]
        return [leaf for type_ in ([self.header.result] if self.header.result else []) + written for leaf in type_.leaves]
