"""Words that may hold floats and are moved as integers: loaded to be stored elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.analyses.debug_info import FLOAT_BITS, elements_moved, floats_around, shared_words, types_in
from pipeline.analyses.layout import ADDRESS, INTEGER, kinds
from pipeline.analyses.moves import word_moved
from pipeline.analyses.of_floats import are_of_floats
from pipeline.analyses.uses import Uses
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_WIDTHS = set(FLOAT_BITS.values())
_TWO_FLOATS = 64
"""Bits of the smallest word that is taken apart: two `f32`."""
_SHIFTS, _OR = {20, 21}, 24  # LLVMOpcode


def moves_floats(inspector: Inspector, load: Value, variables: Variables) -> bool:
    """Whether an integer is loaded to be chosen from and stored, and may be, or be made of, floats."""
    bits = bits_of(inspector, load)
    if bits not in _WIDTHS or not (is_stored_only(inspector, load) or may_be_another_variants(inspector, load)):
        return False
    word = word_moved(inspector, load, variables)
    if word == INTEGER:
        return False
    floats = floats_around(inspector.module, load)
    if word != ADDRESS and (element := elements_moved(inspector.module, load)):
        floats |= kinds(inspector.module, element) & FLOAT_BITS.keys()  # in a function of std's that is of words
    return any(FLOAT_BITS[name] <= bits for name in floats)


def may_be_moved(inspector: Inspector, sources: Iterable[Value], variables: Variables) -> bool:
    """Whether one of what a value may be is such a word: it may be a float or a pointer, whatever it is stored as."""
    return any(inspector.is_plain_load(source) and moves_floats(inspector, source, variables) for source in sources)


def may_be_another_variants(inspector: Inspector, load: Value) -> bool:
    """Whether an integer is stored, whatever else is done with it, and lies where floats do, as one variant's number does.

    LLVM reads the words of all variants at once, before it asks which one it is.
    """
    bits, types = bits_of(inspector, load), types_in(inspector.module, inspector.module.parent(load))
    if not any(bits in shared_words(inspector.module, ty) for ty in types):
        return False
    return is_stored(inspector, load) and are_of_floats(inspector, load)


def is_stored(inspector: Inspector, load: Value) -> bool:
    """Whether what is loaded, or chosen from it, is stored, whatever else is done with it."""
    for value, user in (uses := Uses(inspector.module, [load])):
        if inspector.is_plain_store(user) and inspector.api.GetOperand(user, 0) == value:
            return True
        if inspector.is_choice(user):
            uses.follow([user])
    return False


def is_stored_only(inspector: Inspector, load: Value) -> bool:
    """Whether what is loaded is stored, whole or in pieces, and nothing else but that a piece may be a tag."""
    is_stored = False
    for value, user in (uses := Uses(inspector.module, [load])):
        if inspector.is_plain_store(user) and inspector.api.GetOperand(user, 0) == value:
            is_stored = True
        elif inspector.is_choice(user) or _rearranges(inspector, user):
            uses.follow([user])
        elif not inspector.api.IsATruncInst(value):
            return False
    return is_stored


def _rearranges(inspector: Inspector, user: Value) -> bool:
    """Whether an instruction takes a word of 64 bits or more apart, or puts its halves together."""
    if inspector.api.IsAZExtInst(user):
        return all(_rearranges(inspector, one) for one in inspector.module.users(user))
    if inspector.api.IsATruncInst(user):
        return bits_of(inspector, inspector.api.GetOperand(user, 0)) >= _TWO_FLOATS
    joined = inspector.operands(user) if inspector.opcode(user) == _OR else [user]
    return any(_is_moved_by_half(inspector, one) for one in joined)


def _is_moved_by_half(inspector: Inspector, value: Value) -> bool:
    by = inspector.api.GetOperand(value, 1) if inspector.opcode(value) in _SHIFTS else 0
    is_known = bool(by) and inspector.api.IsAConstantInt(by) and bits_of(inspector, value) >= _TWO_FLOATS
    return bool(is_known) and 2 * int(inspector.api.ConstIntGetZExtValue(by)) >= bits_of(inspector, value)


def bits_of(inspector: Inspector, value: Value) -> int:
    """The width of an integer; 0 for what is none."""
    return inspector.integer_bits(inspector.api.TypeOf(value))
