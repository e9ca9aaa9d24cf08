"""Values that a loop carries from one run to the next in a way that Enzyme has a shortcut for, which is wrong.

Of `p = if c { p } else { g(x) }`, a header's phi and a select of it, Enzyme's reverse mode follows the last choice alone
(`createSelectInstAdjoint` in its AdjointGenerator.h): right for what `p` is in the end, and wrong without a word where the
loop itself uses `p`.  Of `p = p / x` it divides by the product of all `x`, which may be zero or too large to be a number.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.control_flow import Loop
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_DIVISION = 16  # LLVMOpcode: fdiv

Carried = tuple[Value, Value]
"""A header's phi, and the instruction of the loop that makes its next value of it."""


def shortcuts(inspector: Inspector, loop: Loop) -> list[Carried]:
    """Those of a loop that would come out wrong."""
    return [
        (phi, following)
        for phi, following in _carried(inspector, loop)
        if _is_divided(inspector, phi, following) or _is_chosen_and_used(inspector, loop, phi, following)
    ]


def _carried(inspector: Inspector, loop: Loop) -> Iterator[Carried]:
    """The floats that a loop carries, where one instruction makes the next value however the run ends."""
    for phi in inspector.module.instructions_of(loop.header):
        if inspector.api.IsAPHINode(phi) and inspector.is_float(phi):
            following = {inspector.incoming_from(phi, latch) for latch in loop.latches}
            if len(following) == 1:
                yield phi, following.pop()


def _is_divided(inspector: Inspector, phi: Value, following: Value) -> bool:
    is_division = inspector.api.IsABinaryOperator(following) and inspector.api.GetInstructionOpcode(following) == _DIVISION
    return bool(is_division) and inspector.operands(following)[0] == phi


def _is_chosen_and_used(inspector: Inspector, loop: Loop, phi: Value, following: Value) -> bool:
    """Whether the next value is chosen between the phi and another, and the loop uses it before the next run."""
    if not inspector.api.IsASelectInst(following) or phi not in inspector.chosen(following):
        return False
    users = set(inspector.module.users(following)) - {phi}
    return any(inspector.api.GetInstructionParent(user) in loop.blocks for user in users)
