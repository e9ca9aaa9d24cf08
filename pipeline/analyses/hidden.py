"""The functions that hide a value from Enzyme until opt2, by how their names begin; repairs/opaque.py makes them."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector, Slot

HIDDEN = "crategrad_same_"
"""It gives back what it is given, and nobody knows where that comes from."""
APART = f"{HIDDEN}apart_"
"""As that, and no two calls are the same."""
POSITIVE = f"{HIDDEN}positive_"
"""It gives back a number of which no 0 is known: one instead."""
FLOAT_OF = "crategrad_float_of_i"
OF_FLOAT = tuple(f"crategrad_i{bits}_of_float" for bits in (16, 32, 64, 128))
"""They make a float of an integer's bits, and an integer of a float's."""
KEPT = f"{HIDDEN}kept_"
"""Its result is kept where it was made, and not computed again."""
ACTIVE = "crategrad_active_"
"""Its result is kept and has a tangent, or a shadow, too."""
COPIER = "crategrad_copy_"
"""It copies elements word by word (repairs/copies.py)."""
STORED = "crategrad_store_"
"""It stores something, and not to the shadow."""
STORED_NUMBER = f"{STORED}number_"
"""As that, and it is no float's bits."""
KEEPS = "crategrad_keep"
"""It takes a pointer and does nothing: of what it is given Enzyme knows less."""

_FLOAT_ADD = 9  # LLVMOpcode


def is_of(inspector: Inspector, prefix: str | tuple[str, ...], value: Value) -> bool:
    """Whether something comes from a function called so, or is so far behind a pointer as does."""
    if inspector.api.IsAGetElementPtrInst(value):
        return any(is_of(inspector, prefix, index) for index in inspector.operands(value)[1:])
    return inspector.is_call_of(value, prefix)


def is_same_float(inspector: Inspector, value: Value) -> bool:
    """Whether nothing is added to a float, that Enzyme may know it to be one (`opaque.float_for_enzyme`)."""
    is_sum = inspector.api.IsABinaryOperator(value) and inspector.api.GetInstructionOpcode(value) == _FLOAT_ADD
    return bool(is_sum) and any(is_of(inspector, HIDDEN, operand) for operand in inspector.operands(value))


def slot(inspector: Inspector, access: Value) -> Slot:
    """Where a load or a store goes, as far as constants and hidden nothings lead back."""
    return _slot(inspector, access, _nothing_away)


def slot_behind(inspector: Inspector, access: Value) -> Slot:
    """The same, and as far as hidden choices lead back: it is no use of the memory there, as `Inspector.accesses` has it."""
    return _slot(inspector, access, lambda inspector, pointer: _nothing_away(inspector, pointer) or _chosen(inspector, pointer))


def _slot(inspector: Inspector, access: Value, same: Callable[[Inspector, Value], Value]) -> Slot:
    pointer, offset, bits = inspector.slot(access)
    while behind := same(inspector, pointer):
        pointer, further = inspector.place(behind)
        offset += further
    return pointer, offset, bits


def _nothing_away(inspector: Inspector, pointer: Value) -> Value:
    """The address to which a hidden nothing is added; 0 for any other."""
    if not inspector.api.IsAGetElementPtrInst(pointer):
        return 0
    begin, *indices = inspector.operands(pointer)
    return begin if all(is_nothing(inspector, index) for index in indices) else 0


def _chosen(inspector: Inspector, pointer: Value) -> Value:
    """The address that is always chosen, though nobody knows before opt2 (repairs/overwritten.py); 0 for any other."""
    if not inspector.api.IsASelectInst(pointer):
        return 0
    condition, always, _ = inspector.operands(pointer)
    is_always = inspector.is_call_of(condition, APART) and inspector.number(inspector.operands(condition)[0])
    return always if is_always else 0


def is_nothing(inspector: Inspector, value: Value) -> bool:
    """True for a zero of which nobody knows before opt2 that it is one."""
    return inspector.is_call_of(value, APART) and inspector.number(inspector.operands(value)[0]) == 0
