"""Random headers: up to 6 arguments of types that are nested up to 3 deep.  Everything follows from a seed."""

from __future__ import annotations

from random import Random

from tests.programs import LEVELS
from tests.table.catalogue import BOOL, BOX_FN, CHAR, DYN_FN, DYN_TRAIT, F32, F64, FUNCTION, IMPL_FN, KIND, STR, refusal
from tests.table.headers import (
    BOX,
    BOX_REFERENCE,
    MODES,
    MUTABLE,
    MUTABLE_SLICE,
    OPTION,
    REFERENCE,
    SLICE,
    VALUE,
    VEC_REFERENCE,
    Argument,
    Header,
    Program,
)
from tests.table.types import Type, array_of, number, option_of, result_of, struct, tuple_of

_FLOATS = (F64, F32, F32)
_CONSTANTS = (BOOL, CHAR, number("u8"), number("i16"), number("i32"), number("u64"), number("i128"))
_OF_A_CALLEE_TOO = (KIND, STR)
_CALLED = (FUNCTION, DYN_FN, IMPL_FN, BOX_FN, DYN_TRAIT)
_ATTRIBUTES = ("", "", "", "repr(C)", "repr(packed)", "repr(align(16))")
_BY = (VALUE, VALUE, VALUE, VALUE, REFERENCE, MUTABLE, SLICE, MUTABLE_SLICE, VEC_REFERENCE, BOX_REFERENCE)
_OF_A_CALLEE = (OPTION, BOX)


def programs(seed: int, count: int) -> list[Program]:
    """As many programs, each with a header of its own; modes and levels spread over them."""
    random = Random(seed)
    found: list[Program] = []
    while len(found) < count:
        program = Program(_header(random), MODES[len(found) % len(MODES)], LEVELS[len(found) // len(MODES) % len(LEVELS)])
        moves = any(
            leaf.coordinate is not None for argument, leaves in program.inputs if not argument.type.call for leaf in leaves
        )
        if moves and not refusal(program):
            found.append(program)
    return found


def _header(random: Random) -> Header:
    place = random.choice(["itself", "itself", "itself", "callee", "callee", "callee", "recursive"])
    arguments = [_argument(random, place) for _ in range(random.randint(1, 6))]
    if random.random() < 0.2:
        arguments.insert(random.randint(0, len(arguments)), _called(random, place))
    result = _type(random, 3, place)
    is_method = random.random() < 0.1
    if is_method:
        by = random.choice([VALUE, REFERENCE, MUTABLE])
        arguments[0] = Argument(struct(_type(random, 2, place), F64), by)
    abi = random.choice(["", "", "", "", 'extern "C"'])
    return Header("random", tuple(arguments), result if result.floats else F64, place, abi, is_method)


def _argument(random: Random, place: str) -> Argument:
    by = random.choice(_BY if place == "itself" else _BY + _OF_A_CALLEE)
    is_active = by.is_written or random.random() < 0.8
    if "element" in by.rust:
        return Argument(array_of(_type(random, 2, place), random.randint(1, 3)), by, is_active)
    if place == "recursive" and by.is_owned:
        by = REFERENCE
    return Argument(_type(random, 3, place if is_active else "callee"), by, is_active)


def _called(random: Random, place: str) -> Argument:
    choice = random.choice([type_ for type_ in _CALLED if place != "recursive" or (type_.is_copy and type_ != IMPL_FN)])
    return Argument(choice, is_active=place != "itself")


def _type(random: Random, depth: int, place: str) -> Type:
    """Enums and pointers have no adjoint, and so are for headers of callees."""
    kinds = ["float", "float", "float", "constant"]
    if depth > 1:
        kinds += ["tuple", "tuple", "array", "array", "struct", "struct"]
        kinds += ["option", "result"] if place != "itself" else []
    kind = random.choice(kinds)
    if kind == "float":
        return random.choice(_FLOATS)
    if kind == "constant":
        return random.choice(_CONSTANTS if place == "itself" else _CONSTANTS + _OF_A_CALLEE_TOO)
    if kind == "array":
        return array_of(_type(random, depth - 1, place), random.randint(1, 3))
    if kind == "option":
        return option_of(_type(random, depth - 1, place))
    if kind == "result":
        return result_of(_type(random, depth - 1, place))
    parts = [_type(random, depth - 1, place) for _ in range(random.randint(1, 3))]
    if kind == "tuple":
        return tuple_of(*parts)
    attribute, named = random.choice(_ATTRIBUTES), random.random() < 0.6
    can_be_packed = not any("align" in part.shown for part in parts)
    return struct(*parts, attribute=attribute if can_be_packed else "", named=named)
