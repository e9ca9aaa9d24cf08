"""Words that may hold floats and are moved, stored or made as integers: their derivatives would be lost."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from pipeline.analyses.counting import counts_only
from pipeline.analyses.debug_info import FLOAT_BITS, elements_moved, floats_around, floats_reached, functions_around, types_in
from pipeline.analyses.float_places import FloatPlaces
from pipeline.analyses.layout import INTEGER, floats_lie_over_pointers
from pipeline.analyses.moved_words import bits_of, is_stored_only, moves_floats
from pipeline.analyses.moves import word_moved
from pipeline.analyses.of_floats import are_of_floats
from pipeline.analyses.variables import Variables
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_TAKEN = "the bits of an integer are taken for a float here, and a derivative with regard to what they were would be lost"
_LOOKED_AT = "the bits of a float are moved as an integer here, and their derivative would be lost"
_MOVED = "a word that may hold floats is moved as an integer here, and their derivatives would be lost"
_HALVED = "what may be half of a float is moved as an integer here: the other half of its place is empty at times"
_IN_PARTS = "a float is moved in parts, as integers, here, and its derivative would be lost"
_AS_POINTER = "what may be a float is moved as a pointer here, and its derivative would be lost"
_CONSTANT = "a constant that may be a float is stored as an integer here, and forward mode would take it for its own tangent"
_ADJOINT = "a constant that may be a float is stored as an integer here, and reverse mode would take it for an adjoint"

_FORMATS = {"f32": "<f", "f64": "<d"}
"""How `struct` reads them."""
_NEXT_TO_NOTHING = 1e-37
"""What is smaller does no harm as a tangent, or an adjoint; small integers are, read as floats."""
_HALF, _DOUBLE = 32, 64
_SWAPS = "swap_chunk<"


def moved(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Words that are loaded to be stored elsewhere, and casts between integers and floats."""
    variables = Variables(inspector, function)
    may_be_pointers = any(floats_lie_over_pointers(inspector.module, ty) for ty in types_in(inspector.module, function))
    for instruction in inspector.module.returning_instructions(function):
        if inspector.is_plain_load(instruction):
            if moves_floats(inspector, instruction, variables):
                yield finding(inspector, instruction, _MOVED)
            elif _moves_half_of_a_float(inspector, instruction):
                yield finding(inspector, instruction, _HALVED)
            elif _moves_part_of_a_float(inspector, instruction, variables):
                yield finding(inspector, instruction, _IN_PARTS)
            elif may_be_pointers and _moves_pointer_over_float(inspector, instruction):
                yield finding(inspector, instruction, _AS_POINTER)
        elif inspector.api.IsABitCastInst(instruction):
            yield from _cast(inspector, instruction)


def constants(inspector: Inspector, tree: Sequence[Value]) -> Iterator[Diagnostic]:
    """Constants that may be floats and are stored as integers: forward mode may store them to the shadow, too."""
    types = {ty for function in tree for ty in types_in(inspector.module, function)}
    floats = {name for ty in types for name in floats_reached(inspector.module, ty)}
    for instruction in (i for function in tree for i in inspector.module.returning_instructions(function)):
        if inspector.is_plain_store(instruction):
            sources = inspector.sources(inspector.operands(instruction)[0])
            if any(_may_hold(inspector, source, name) for source in sources for name in floats):
                yield finding(inspector, instruction, _CONSTANT)


def constants_among_floats(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Constants that may be floats and are stored as integers where floats are: reverse mode stores them to the shadow, too."""
    places = FloatPlaces(inspector, function)
    for store in filter(inspector.is_plain_store, inspector.module.returning_instructions(function)):
        sources = inspector.sources(inspector.operands(store)[0])
        may_hold = any(_may_hold(inspector, source, name) for source in sources for name in _FORMATS)
        if may_hold and places.may_be_float(store):
            yield finding(inspector, store, _ADJOINT)


def _may_hold(inspector: Inspector, value: Value, name: str) -> bool:
    """Whether a value is an integer constant in which a float of that type lies that is more than next to nothing."""
    bits = bits_of(inspector, value)
    if name not in _FORMATS or bits not in {32, 64} or not inspector.api.IsAConstantInt(value):
        return False
    stored = int(inspector.api.ConstIntGetZExtValue(value)).to_bytes(bits // 8, "little")
    size = FLOAT_BITS[name] // 8
    found = (stored[begin : begin + size] for begin in range(0, len(stored) - size + 1, size))
    return any(abs(struct.unpack(_FORMATS[name], one)[0]) >= _NEXT_TO_NOTHING for one in found)


def _cast(inspector: Inspector, cast: Value) -> Iterator[Diagnostic]:
    api = inspector.api
    given, made = api.TypeOf(api.GetOperand(cast, 0)), api.TypeOf(cast)
    if inspector.integer_bits(given) and inspector.float_name(made):
        yield finding(inspector, cast, _TAKEN)
    is_float_of_bits = inspector.float_name(given) and inspector.integer_bits(made)
    if is_float_of_bits and not all(counts_only(inspector, user) for user in inspector.module.users(cast)):
        yield finding(inspector, cast, _LOOKED_AT)


# ---- words that are moved


def _moves_half_of_a_float(inspector: Inspector, load: Value) -> bool:
    """Whether a word is moved that is half of what lies there, and in another branch nothing is put into the other half.

    So LLVM moves an `f64` that shares its place with a `u32`, as in `Result<f64, u32>` with a tag elsewhere.
    """
    floats = floats_around(inspector.module, load)
    if bits_of(inspector, load) != _HALF or not any(FLOAT_BITS[name] == _DOUBLE for name in floats):
        return False
    base, begin, _ = inspector.slot(load)
    block = inspector.api.GetInstructionParent(load)
    others = (
        i for i in inspector.module.instructions_of(block) if inspector.is_plain_load(i) and bits_of(inspector, i) == _HALF
    )
    halves = [i for i in others if inspector.slot(i) in {(base, begin + 4, _HALF), (base, begin - 4, _HALF)}]
    return any(_is_chosen_beside_nothing(inspector, load, half) for half in halves)


def _moves_part_of_a_float(inspector: Inspector, load: Value, variables: Variables) -> bool:
    """Whether less than a word is moved from, or to, where floats are read or written.

    Not where std swaps two values, which it does word by word, and only what is left of the last one in parts; nor an
    integer of an element that has floats beside it.
    """
    is_swapped = next(iter(functions_around(inspector.module, load)), "").startswith(_SWAPS)
    if is_swapped or not 0 < bits_of(inspector, load) < _DOUBLE or not is_stored_only(inspector, load):
        return False
    stores = (user for user in inspector.module.users(load) if inspector.is_plain_store(user))
    # Who sorts, or swaps, elements with floats is not asked who calls it: it is the elements that tell.
    of_callers = not floats_around(inspector.module, load)
    if not any(are_of_floats(inspector, access, of_callers=of_callers) for access in (load, *stores)):
        return False
    element = elements_moved(inspector.module, load)
    is_beside_floats = bool(element) and bool(floats_reached(inspector.module, element))
    return not (is_beside_floats and word_moved(inspector, load, variables) == INTEGER)


def _moves_pointer_over_float(inspector: Inspector, load: Value) -> bool:
    """Whether a pointer is read where floats are read or written, and it, or what is chosen from it, is stored."""
    if inspector.accessed_type(load) != inspector.pointer_type():
        return False
    known, waiting = {load}, [load]
    is_stored = False
    while waiting and not is_stored:
        value = waiting.pop()
        users = inspector.module.users(value)
        is_stored = any(inspector.is_plain_store(user) and inspector.operands(user)[0] == value for user in users)
        waiting += [user for user in users if inspector.is_choice(user) and user not in known]
        known.update(waiting)
    return is_stored and are_of_floats(inspector, load)


def _is_chosen_beside_nothing(inspector: Inspector, load: Value, half: Value) -> bool:
    """Whether phis of one block choose from two words, and where the one has another value the other has none."""
    phis = [[user for user in inspector.module.users(word) if inspector.api.IsAPHINode(user)] for word in (load, half)]
    for one, other in ((one, other) for one in phis[0] for other in phis[1]):
        if inspector.api.GetInstructionParent(one) == inspector.api.GetInstructionParent(other):
            chosen = [*inspector.chosen(one), *inspector.chosen(other)]
            return any(map(inspector.api.IsAUndefValue, chosen))
    return False
