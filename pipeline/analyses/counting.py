"""Integers that are numbers, and no bits of floats: by what they come from, and by what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.debug_info import functions_around
from pipeline.analyses.hidden import HIDDEN, is_of
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_CONVERSIONS = {"to_bits", "from_bits"}
PARSED = "crategrad_parsed"
"""The attribute of a function that reads a float from a text: the integer that it may return is a constant."""


def is_parsed(inspector: Inspector, value: Value) -> bool:
    """Whether a value is read from a text."""
    callee = inspector.module.callee(value) if inspector.module.is_call(value) else 0
    return bool(callee) and inspector.module.is_function(callee) and inspector.has_text_attribute(callee, PARSED)


def is_counted(
    inspector: Inspector,
    integer: Value,
    is_number: Callable[[Value], bool] = lambda _: False,
    is_either: Callable[[Value], bool] = lambda _: False,
) -> bool:
    """Whether an integer comes by arithmetic from integers alone.

    Neither is it loaded, where it could be a float's bits for all that `is_number` says, nor made of a float's bits that were
    looked at, unless that float is made of such integers alone: a counter that LLVM keeps among floats.  What `is_either` is a
    number where it is computed with.
    """
    known: set[Value] = set()
    waiting = [integer]
    while waiting:
        value = waiting.pop()
        is_integer = inspector.is_known_integer(value) or is_parsed(inspector, value)
        if value in known or is_integer or is_either(value) or (inspector.is_plain_load(value) and is_number(value)):
            continue
        known.add(value)
        if number := inspector.float_behind(value):
            made = [source for source in inspector.sources(number) if not inspector.api.IsAConstant(source)]
            if not all(map(inspector.is_cast_to_float, made)):
                return False
            waiting += [inspector.operands(cast)[0] for cast in made]
            continue
        if not inspector.is_integer_arithmetic(value):
            return False
        waiting += inspector.chosen(value) if inspector.is_choice(value) else inspector.operands(value)
    return True


def counts_only(inspector: Inspector, user: Value) -> bool:
    """Whether an instruction takes an integer for the number that it is: compared, counted with, allocated, made a float of.

    What shifts, cuts or widens it, or hides it from Enzyme, may do so to make it a float again: then its own users tell.
    """
    if inspector.is_bitwise(user) or is_of(inspector, HIDDEN, user):
        return all(counts_only(inspector, one) for one in inspector.module.users(user))
    return inspector.counts(user) or inspector.is_intrinsic(user) or is_allocation(inspector, user)


def is_users_conversion(inspector: Inspector, instruction: Value) -> bool:
    """Whether it is written that bits go over from an integer to a float, or back."""
    return not _CONVERSIONS.isdisjoint(functions_around(inspector.module, instruction))


def converts_bits(inspector: Inspector, instruction: Value) -> bool:
    """Whether bits go over from an integer to a float, or back."""
    if is_users_conversion(inspector, instruction):
        return True
    if not inspector.api.IsABitCastInst(instruction):
        return False
    types = [inspector.api.TypeOf(value) for value in (instruction, *inspector.operands(instruction))]
    return any(map(inspector.integer_bits, types)) and any(map(inspector.float_name, types))
