"""What a program should give.

The function with the header takes floats x_0 … x_{n-1}, in the order of its arguments.  Each float of its result is

    t = s · Σ c_i x_i x_{i+1},  bent by every argument that can be called,

with s a weighted sum of all constants; each float behind a `&mut` is squared in place.  A recursive function adds half of
what it gives one level deeper.  `source` writes the same in Rust.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.programs import DEPTH
from tests.table.headers import Argument, Program, seed, tangent


def coefficient(position: int, term: int) -> float:
    """c_i of the float at this position of the result: exact in every precision."""
    return 1.0 + (position + 2 * term) % 3 / 2


@dataclass(frozen=True)
class Number:
    """A number and its gradient."""

    value: float
    gradient: tuple[float, ...]

    def __add__(self, other: Number) -> Number:
        return Number(self.value + other.value, tuple(a + b for a, b in zip(self.gradient, other.gradient, strict=True)))

    def __mul__(self, other: Number) -> Number:
        pairs = zip(self.gradient, other.gradient, strict=True)
        return Number(self.value * other.value, tuple(a * other.value + self.value * b for a, b in pairs))

    def __rmul__(self, factor: float) -> Number:
        return Number(factor * self.value, tuple(factor * a for a in self.gradient))


Values = list[tuple[Argument, list[Number]]]
"""Each argument with its leaves."""


def right(program: Program) -> list[float]:
    """The outputs; then the adjoint of each coordinate, or for each direction the tangent of each output's floats."""
    size = len(program.coordinates)
    values: Values = [
        (argument, [Number(leaf.worth, tuple(float(k == leaf.coordinate) for k in range(size))) for leaf in leaves])
        for argument, leaves in program.inputs
    ]
    result = _called(program, DEPTH if program.header.place == "recursive" else 0, values)
    outputs = result + [leaf for argument, leaves in values if argument.passing.is_written for leaf in leaves]
    slopes = [output.gradient for output, leaf in zip(outputs, program.output_leaves, strict=True) if isinstance(leaf, str)]
    if program.mode.name == "reverse":
        moved = [sum(seed(j) * by[i] for j, by in enumerate(slopes)) for i in range(size)]
    else:
        lanes = range(program.mode.width)
        moved = [sum(by[i] * tangent(lane, i) for i in range(size)) for lane in lanes for by in slopes]
    return [output.value for output in outputs] + moved


def _called(program: Program, depth: int, values: Values) -> list[Number]:
    """The leaves of the result; what the function writes to is changed in place."""
    leaves = program.header.result.leaves if program.header.result else ()
    zero = Number(0.0, (0.0,) * len(program.coordinates))
    result = [
        _bent(_sum(values, position, zero), values) if isinstance(leaf, str) else Number(leaf, zero.gradient)
        for position, leaf in enumerate(leaves)
    ]
    for argument, numbers in values:
        if argument.passing.is_written:
            floats = [isinstance(leaf, str) for leaf in argument.type.leaves]
            numbers[:] = [x * x if is_float else x for is_float, x in zip(floats, numbers, strict=True)]
    if depth:
        deeper = _called(program, depth - 1, values)
        floats = [isinstance(leaf, str) for leaf in leaves]
        result = [t + 0.5 * below if is_float else t for is_float, t, below in zip(floats, result, deeper, strict=True)]
    return result


def _sum(values: Values, position: int, zero: Number) -> Number:
    read = [
        (leaf, number)
        for argument, numbers in values
        if not argument.type.call
        for leaf, number in zip(argument.type.leaves, numbers, strict=True)
    ]
    floats = [number for leaf, number in read if isinstance(leaf, str)]
    constants = [number for leaf, number in read if not isinstance(leaf, str)]
    scale = sum((k + 1) * number.value for k, number in enumerate(constants)) if constants else 1.0
    neighbours = zip(floats, _rotated(floats), strict=True)
    return scale * sum((coefficient(position, i) * (x * y) for i, (x, y) in enumerate(neighbours)), zero)


def _rotated(floats: Sequence[Number]) -> list[Number]:
    return [*floats[1:], *floats[:1]]


def _bent(t: Number, values: Values) -> Number:
    for argument, numbers in values:
        if argument.type.call:
            t = numbers[0] * t + (1 / 32) * (t * t)
    return t
