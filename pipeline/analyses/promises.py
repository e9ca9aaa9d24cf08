"""What is promised of a branch's condition by what it is computed of (`nuw`, `nneg`, …): else it is poison.

A promise is kept where it stands, behind the branches that lead there.  In the reverse sweep Enzyme computes conditions again
where ways come together, whichever was taken, and joins each to those before it by `and`.  LLVM may then take one that is
poison for what it likes: of `trunc nuw i8 %tag to i1`, where the tag is 0 or 1 in that branch alone, adjoints come out twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_int, c_void_p
from typing import Any

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

# LLVMOpcode
_BRANCHES, _SUMS, _QUOTIENTS, _OR = {2, 3}, {8, 10, 12, 20}, {14, 15, 21, 22}, 24
_TRUNC, _ZEXT, _COMPARED, _SELECT = 30, 31, 42, 46
_COMPUTED = {*range(8, 26), *range(30, 33), _COMPARED, _SELECT}
PROMISES = {
    "NUW": {*_SUMS, _TRUNC},
    "NSW": {*_SUMS, _TRUNC},
    "Exact": _QUOTIENTS,
    "IsDisjoint": {_OR},
    "NNeg": {_ZEXT},
    "ICmpSameSign": {_COMPARED},
}
"""As LLVM's functions that get and set them are called, with the opcodes of what may make them."""
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    **{f"Get{name}": (c_int, [c_void_p]) for name in PROMISES},
    **{f"Set{name}": (None, [c_void_p, c_int]) for name in PROMISES},
}


def promises(inspector: Inspector, value: Value) -> list[str]:
    """Those of a value, by their names in `PROMISES`."""
    inspector.api.load(_SIGNATURES)
    opcode = inspector.api.GetInstructionOpcode(value)
    return [name for name, whose in PROMISES.items() if opcode in whose and getattr(inspector.api, f"Get{name}")(value)]


def promising(inspector: Inspector, function: Value) -> Iterator[Value]:
    """What the conditions of a function's branches are computed of and promises something.

    Not what a loop's counter becomes in the next run: Enzyme counts runs by itself, and LLVM knows by it how many there are.
    """
    waiting, known = list(_conditions(inspector, function)), set[Value]()
    while waiting:
        value = waiting.pop()
        if value in known or not _is_computed(inspector, value):
            continue
        known.add(value)
        waiting += inspector.operands(value)
        if promises(inspector, value) and not _is_step(inspector, value):
            yield value


def _conditions(inspector: Inspector, function: Value) -> Iterator[Value]:
    for instruction in inspector.module.returning_instructions(function):
        if inspector.api.GetInstructionOpcode(instruction) in _BRANCHES:
            yield inspector.operands(instruction)[0]


def _is_computed(inspector: Inspector, value: Value) -> bool:
    return bool(inspector.api.IsAInstruction(value)) and inspector.api.GetInstructionOpcode(value) in _COMPUTED


def _is_step(inspector: Inspector, value: Value) -> bool:
    return any(inspector.api.IsAPHINode(one) and value in inspector.chosen(one) for one in inspector.operands(value))
