"""A program in Rust: the function with the header, its derivative, and `report`, which prints what that gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.programs import DEPTH
from tests.table.closed_form import coefficient
from tests.table.headers import MUTABLE_SLICE, Argument, Header, Program, seed, tangent
from tests.table.types import Type

SURE = f"n == {DEPTH}"
"""Always true, but only `main`'s arguments say so."""


def source(program: Program, number: int) -> str:
    """A module of the crate that the runner writes."""
    header = program.header
    lines = ["use crate::*;", *(["type T = f32;"] if header.is_generic else []), *header.declarations]
    lines += _itself(program, number) if header.place == "itself" else _callee(program, number)
    return "\n".join([*lines, ""])


# The function with the header.


def _function(header: Header, attribute: str) -> Iterator[str]:
    parameters = [f"v{i}: {argument.rust}" for i, argument in enumerate(header.arguments)]
    if header.is_method:
        parameters[0] = f"self: {header.arguments[0].rust}"
        yield f"impl {header.arguments[0].type.rust} {{"
    if header.place == "recursive":
        parameters.append("n: u32")
    generics = "<T: Real>" if header.is_generic else ""
    result = f" -> {header.result.rust}" if header.result else ""
    yield attribute
    yield f"{header.abi} fn primal{generics}({', '.join(parameters)}){result} {{".lstrip()
    yield from ["let v0 = self;"] if header.is_method else []
    yield from _body(header)
    yield "}" + "}" * header.is_method


def _body(header: Header) -> Iterator[str]:
    """As `closed_form` says."""
    reached = [(a, a.passing.reach.format(f"v{i}")) for i, a in enumerate(header.arguments)]
    read = [
        (leaf, text)
        for a, place in reached
        if not a.type.call
        for leaf, text in zip(a.type.leaves, a.type.read(place), strict=True)
    ]
    floats = [text for leaf, text in read if isinstance(leaf, str)]
    constants = [text for leaf, text in read if not isinstance(leaf, str)]
    yield from (f"let x{i} = {text};" for i, text in enumerate(floats))
    yield f"let scale = {' + '.join(f'{k + 1.0} * {text}' for k, text in enumerate(constants)) or '1.0'};"
    positions = [
        position for position, leaf in enumerate(header.result.leaves if header.result else ()) if isinstance(leaf, str)
    ]
    for j, position in enumerate(positions):
        terms = (f"{coefficient(position, i)} * x{i} * x{(i + 1) % len(floats)}" for i in range(len(floats)))
        yield f"let t{j} = scale * ({' + '.join(terms)});"
        yield from (f"let t{j} = {a.type.call.format(place, f't{j}')};" for a, place in reached if a.type.call)
    yield from _squares(reached)
    if header.place == "recursive":
        yield from _deeper(header)
    if header.result:
        yield header.result.make([f"t{j}" for j in range(len(positions))], "x0 > -9.0")


def _squares(reached: Iterable[tuple[Argument, str]]) -> Iterator[str]:
    begin = 0
    for argument, place in reached:
        end = begin + (0 if argument.type.call else len(argument.type.floats))
        squares = (
            argument.type.make([f"x{i} * x{i}" for i in range(begin, end)], "x0 > -9.0") if argument.passing.is_written else ""
        )
        begin = end
        if squares:
            yield f"{place}.copy_from_slice(&{squares});" if argument.passing == MUTABLE_SLICE else f"{place} = {squares};"


def _deeper(header: Header) -> Iterator[str]:
    """One level down, after which half of that is added."""
    path = "Self::primal" if header.is_method else "primal"
    call = f"{path}({', '.join([*(f'v{i}' for i in range(len(header.arguments))), 'n - 1'])})"
    below = _floats(header.result, "deeper") if header.result else []
    mine = "".join(f"t{j}, " for j in range(len(below)))
    both = "".join(f"t{j} + 0.5 * {text}, " for j, text in enumerate(below))
    yield f"let ({mine}) = if n > 0 {{ let deeper = {call}; ({both}) }} else {{ ({mine}) }};"


def _floats(type_: Type, place: str) -> list[str]:
    """The expressions of the floats alone."""
    return [text for leaf, text in zip(type_.leaves, type_.read(place), strict=True) if isinstance(leaf, str)]


# What a header below the differentiated function is called by: all coordinates are in one array, all outputs in another.


def _callee(program: Program, number: int) -> Iterator[str]:
    header, size, count = program.header, len(program.coordinates), len(program.output_leaves)
    yield from _function(header, "#[inline(never)]")
    activity = "Duplicated" if program.mode.name == "reverse" else "Dual"
    yield _attribute(program, [activity, activity, "Const"])
    yield f"fn outer(x: &[f64; {size}], to: &mut [f64; {count}], n: u32) {{"
    yield from _locals(program)
    given = [*_lent(header), *(["n"] if header.place == "recursive" else [])]
    yield f"let result = {_path(header, 'primal')}({', '.join(given)});"
    outputs = (header.result.read("result") if header.result else []) + _written(header)
    yield from (f"to[{j}] = {text};" for j, text in enumerate(outputs))
    yield "}"
    yield "pub fn report(n: u32) {"
    yield _coordinates(program)
    yield f"let mut to = [0.0; {count}];"
    yield from _outer_in_reverse(program, number) if activity == "Duplicated" else _outer_forward(program, number)
    yield "}"


def _outer_in_reverse(program: Program, number: int) -> Iterator[str]:
    weights = _spread([seed(j) for j in range(len(program.output_leaves))], program)
    yield f"let mut dto: [f64; {len(weights)}] = {weights};"
    yield f"let mut dx = [0.0; {len(program.coordinates)}];"
    yield "derivative(&x, &mut dx, &mut to, &mut dto, n);"
    yield f"show({number}, &[&to, &dx]);"


def _outer_forward(program: Program, number: int) -> Iterator[str]:
    lanes, leaves = range(program.mode.width), program.output_leaves
    yield f"let bx = {[[tangent(lane, i) for i in range(len(program.coordinates))] for lane in lanes]};"
    yield from (f"let mut bto_{lane} = [0.0; {len(leaves)}];" for lane in lanes)
    along = [f"&bx[{lane}]" for lane in lanes], [f"&mut bto_{lane}" for lane in lanes]
    yield f"derivative({', '.join(['&x', *along[0], '&mut to', *along[1], 'n'])});"
    kept = [f"bto_{lane}[{j}]" for lane in lanes for j, leaf in enumerate(leaves) if isinstance(leaf, str)]
    yield f"show({number}, &[&to, &[{', '.join(kept)}]]);"


def _spread(of_floats: Sequence[float], program: Program) -> list[float]:
    """These for the floats of the output, in order, and zeros for the rest."""
    remaining = iter(of_floats)
    return [next(remaining) if isinstance(leaf, str) else 0.0 for leaf in program.output_leaves]


# What a header on the differentiated function itself is called by; the derivative's own header is in docs/frontend.md.


def _itself(program: Program, number: int) -> Iterator[str]:
    header, is_reverse = program.header, program.mode.name == "reverse"
    activities = [_activity(program, argument) for argument in header.arguments]
    of_result = ["Active" if is_reverse else "Dual"] if header.result else []
    yield from _function(header, _attribute(program, activities + of_result))
    yield "pub fn report(n: u32) {"
    yield _coordinates(program)
    yield from _locals(program)
    yield from _shadows(program, activities)
    given = []
    for i, (argument, activity) in enumerate(zip(header.arguments, activities, strict=True)):
        lent = argument.passing.shadow if activity == "Duplicated" else argument.passing.lend
        lanes = program.mode.width if activity in {"Duplicated", "Dual"} else 0
        given += [argument.passing.lend.format(f"v{i}"), *(lent.format(f"d{i}_{lane}") for lane in range(lanes))]
    if is_reverse and header.result:
        given.append(header.result.make([str(seed(j)) for j in range(len(header.result.floats))], SURE))
    yield f"let got = {_path(header, 'derivative')}({', '.join(given)});"
    shown = _adjoints(program, activities) if is_reverse else _tangents(program)
    yield f"show({number}, &[&[{', '.join(shown)}]]);"
    yield "}"


def _activity(program: Program, argument: Argument) -> str:
    if not argument.is_active or argument.type.call or not argument.type.floats:
        return "Const"
    if program.mode.name == "forward":
        return "Dual"
    return "Active" if argument.passing.is_value else "Duplicated"


def _shadows(program: Program, activities: Sequence[str]) -> Iterator[str]:
    """Tangents; or zeros to add adjoints to, and the seeds of what is written."""
    outputs = len(program.header.result.floats) if program.header.result else 0
    for i, ((argument, leaves), activity) in enumerate(zip(program.inputs, activities, strict=True)):
        coordinates = [leaf.coordinate for leaf in leaves if leaf.coordinate is not None]
        seeds = [seed(outputs + j) if argument.passing.is_written else 0.0 for j in range(len(coordinates))]
        outputs += len(coordinates) if argument.passing.is_written else 0
        for lane in range(program.mode.width) if activity in {"Duplicated", "Dual"} else ():
            floats = seeds if activity == "Duplicated" else [tangent(lane, k) for k in coordinates]
            made = argument.type.make([str(x) for x in floats], SURE)
            yield f"let mut d{i}_{lane} = {argument.passing.hold.format(made)};"


def _adjoints(program: Program, activities: Sequence[str]) -> list[str]:
    """The outputs and the adjoints, in the order of `closed_form.right`."""
    header = program.header
    returned = activities.count("Active") + bool(header.result)
    places = iter(["got"] if returned == 1 else [f"got.{k}" for k in range(returned)])
    shown = (header.result.read(next(places)) if header.result else []) + _written(header)
    for i, (argument, activity) in enumerate(zip(header.arguments, activities, strict=True)):
        if activity != "Const":
            is_returned = activity == "Active"
            place = argument.passing.reach.format(next(places)) if is_returned else argument.passing.held(f"d{i}_0")
            shown += _floats(argument.type, place)
    return shown


def _tangents(program: Program) -> list[str]:
    """The outputs and the tangents, in that order."""
    header, width = program.header, program.mode.width
    got = "got.{}" if width == 1 else "got[{}]"
    shown = (header.result.read(got.format(0)) if header.result else []) + _written(header)
    for lane in range(width):
        shown += _floats(header.result, got.format(lane + 1)) if header.result else []
        for i, argument in enumerate(header.arguments):
            shown += _floats(argument.type, argument.passing.held(f"d{i}_{lane}")) if argument.passing.is_written else []
    return shown


def _written(header: Header) -> list[str]:
    """The leaves of what the function has written to."""
    arguments = [(i, argument) for i, argument in enumerate(header.arguments) if argument.passing.is_written]
    return [text for i, argument in arguments for text in argument.type.read(argument.passing.held(f"v{i}"))]


# What both have.


def _attribute(program: Program, activities: Sequence[str]) -> str:
    width = [str(program.mode.width)] if program.mode.width > 1 else []
    return f"#[autodiff_{program.mode.name}({', '.join(['derivative', *width, *activities])})]"


def _coordinates(program: Program) -> str:
    return f"let x: [f64; {len(program.coordinates)}] = {[leaf.worth for leaf in program.coordinates]};"


def _locals(program: Program) -> Iterator[str]:
    """A local for each argument."""
    for i, (argument, leaves) in enumerate(program.inputs):
        made = argument.type.make([leaf.expression for leaf in leaves if isinstance(leaf.leaf, str)], SURE)
        yield f"let mut v{i} = {argument.passing.hold.format(made)};"


def _lent(header: Header) -> list[str]:
    return [argument.passing.lend.format(f"v{i}") for i, argument in enumerate(header.arguments)]


def _path(header: Header, function: str) -> str:
    return f"{header.arguments[0].type.rust}::{function}" if header.is_method else function
