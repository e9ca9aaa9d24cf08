"""Bits of floats that are computed with: of the sum of two integers, or of a bit that is set, Enzyme knows no derivative."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.debug_info import FLOAT_BITS, paths_around
from pipeline.analyses.float_places import FloatPlaces
from pipeline.analyses.moves import is_counted_by_std
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_COMPUTED = "the bits of a float are computed with as an integer here, and the derivative would be lost"
_MADE = "an integer that was computed is stored here as the bits of a float, and would be taken for its own derivative"

_TO_BITS = "to_bits"
"""The functions of std that make integers of floats."""

_EXPONENT = {32: 23, 64: 52}
"""From which bit on a float of each width has its exponent: what is left of it by a shift is constant between powers of two."""


def computed(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Floats whose bits go into arithmetic and on, further than to comparisons and indices; and integers that become some."""
    places = FloatPlaces(inspector, function)
    for instruction in inspector.module.returning_instructions(function):
        if _is_bits_of_float(inspector, places, instruction):
            for user in inspector.module.users(instruction):
                if _computes(inspector, user) and _leaves(inspector, user):
                    yield finding(inspector, user, _COMPUTED)
        elif inspector.is_plain_store(instruction) and places.is_float(instruction):
            for made in _computed(inspector, instruction):
                yield finding(inspector, made, _MADE)


def _is_bits_of_float(inspector: Inspector, places: FloatPlaces, instruction: Value) -> bool:
    """Whether a float's bits are an integer here: by a cast, be it out of Enzyme's sight, or by a load."""
    if inspector.api.IsABitCastInst(instruction) or inspector.module.is_call(instruction):
        (given, *others), bits = inspector.operands(instruction), inspector.integer_bits(inspector.api.TypeOf(instruction))
        is_cast = not others or inspector.is_own_inactive(instruction)
        is_of_float = is_cast and bool(bits) and FLOAT_BITS.get(inspector.float_name(inspector.api.TypeOf(given))) == bits
        return is_of_float and not _may_be_integer(inspector, places, instruction, given)
    return inspector.is_plain_load(instruction) and places.is_float(instruction) and not _is_integer(inspector, instruction)


def _is_integer(inspector: Inspector, load: Value) -> bool:
    """Whether what is loaded is known to be no float: a tag, of which rustc says how small it is, or a count of std's."""
    bits = inspector.integer_bits(inspector.accessed_type(load))
    return (inspector.bound(load) or 1 << bits) <= 1 << _EXPONENT.get(bits, 0) or is_counted_by_std(inspector, load)


def _may_be_integer(inspector: Inspector, places: FloatPlaces, cast: Value, given: Value) -> bool:
    """Whether LLVM may have made the cast: what may be either, as in a `Result<f64, i64>`, is read or chosen once."""
    if any(path[-1].startswith(_TO_BITS) for path in paths_around(inspector.module, cast)):
        return False
    return any(_is_either(inspector, places, source) for source in inspector.sources(given))


def _is_either(inspector: Inspector, places: FloatPlaces, number: Value) -> bool:
    """Whether a float may be the bits of an integer: made of one, or read where no type says that there are floats alone."""
    if inspector.is_plain_load(number):
        return not places.is_float_by_type(number)
    if not inspector.module.is_call(number) or not inspector.is_own_inactive(number):
        return False
    return any(inspector.integer_bits(inspector.api.TypeOf(given)) for given in inspector.module.arguments(number))


def _computed(inspector: Inspector, store: Value) -> list[Value]:
    """What is stored, as far as it is computed: neither loaded, nor a constant, nor the bits of a float."""
    sources = inspector.sources(inspector.operands(store)[0])
    return [source for source in sources if inspector.is_local(source) and _computes(inspector, source)]


def _computes(inspector: Inspector, value: Value) -> bool:
    """Whether an instruction makes another number of an integer."""
    return inspector.makes_number(value) or bool(inspector.api.IsABinaryOperator(value)) or inspector.is_intrinsic(value)


def _leaves(inspector: Inspector, made: Value) -> bool:
    """Whether what is made of a float's bits goes where it counts as a number, or could be a float again."""
    known: set[tuple[Value, bool]] = set()
    waiting = [(made, False)]
    while waiting:
        value, is_coarse = waiting.pop()
        is_coarse = _is_coarse(inspector, value, is_coarse)
        if (value, is_coarse) in known:
            continue
        known.add((value, is_coarse))
        for user in [value] if inspector.makes_number(value) else inspector.module.users(value):
            if inspector.is_integer_arithmetic(user) or inspector.is_intrinsic(user):
                waiting.append((user, is_coarse))
            elif not is_coarse and not _uses_up(inspector, user):
                return True
    return False


def _is_coarse(inspector: Inspector, value: Value, is_coarse: bool) -> bool:
    """Whether exponent and sign are all that is left of a float's bits, and they are where a small number has its own."""
    if by := inspector.shifted_right(value):
        return is_coarse or by >= _EXPONENT.get(inspector.integer_bits(inspector.api.TypeOf(value)), max(FLOAT_BITS.values()))
    return is_coarse and not inspector.shifts_left(value)


def _uses_up(inspector: Inspector, user: Value) -> bool:
    """Whether nothing is left of an integer: it is compared, decides, is an index, or is taken by what has no derivative."""
    is_index = inspector.api.IsAGetElementPtrInst(user) or inspector.ends_block_by_choice(user)
    return bool(is_index) or (inspector.takes_number(user) and not inspector.makes_number(user))
