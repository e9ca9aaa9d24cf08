"""Values that a loop carries on or replaces, of which Enzyme makes the adjoint by a shortcut that holds only at the loop's end.

`best = if better { new } else { best }` and `rest = rest / by`, where nothing else takes what the loop began with: the
adjoint is kept for the last iteration, and handed to the first by how often the value was replaced, or by the product of all
divisors (`createInvertedTerminator` in Enzyme's EnzymeLogic.cpp).  What is made of the value in between is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.control_flow import ControlFlow, Loop
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_DIVISION = 16  # LLVMOpcode


def carried(inspector: Inspector, function: Value) -> Iterator[Value]:
    """The selects and the divisions of floats by which loops carry a value that they use, too."""
    flow = ControlFlow(inspector.module, function)
    for loop in flow.loops():
        for phi in inspector.module.instructions_of(loop.header):
            if inspector.api.IsAPHINode(phi) and inspector.float_name(inspector.api.TypeOf(phi)):
                next_values = {inspector.incoming_from(phi, latch) for latch in loop.latches}
                yield from (v for v in next_values if _replaces(inspector, v, phi) and _is_used(inspector, v, phi, loop))


def _replaces(inspector: Inspector, value: Value, phi: Value) -> bool:
    """Whether a value is either the phi or another, or the phi divided by something."""
    if inspector.api.IsASelectInst(value):
        return phi in inspector.chosen(value)
    is_division = inspector.api.IsABinaryOperator(value) and inspector.api.GetInstructionOpcode(value) == _DIVISION
    return bool(is_division) and inspector.operands(value)[0] == phi


def _is_used(inspector: Inspector, value: Value, phi: Value, loop: Loop) -> bool:
    """Whether the loop does anything with a value but carry it on."""
    users = [user for user in inspector.module.users(value) if user != phi]
    return any(inspector.api.GetInstructionParent(user) in loop.blocks for user in users)
