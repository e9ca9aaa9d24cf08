"""Values that are undefined where somebody comes by: what a `None` holds, or what a loop has not found yet.

Of the choices that a value goes through Enzyme leaves out what is undefined (`RemoveRedundantPHI` in its FunctionUtils.cpp):
where what is left is one value, it takes that for the choice, and forgets that it is of an earlier run.

LLVM computes with such a value ahead, where what comes out is not chosen then.  In the reverse sweep the adjoint of the other
factor is the product of zero, as that was not chosen, and of what is undefined: with fast math that is anything, and so is all
that is added to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def undefined_at_first(inspector: Inspector, flow: ControlFlow) -> Iterator[Value]:
    """The phis of what a loop carries and is undefined before its first run."""
    for loop in flow.loops():
        for phi in filter(inspector.api.IsAPHINode, inspector.module.instructions_of(loop.header)):
            if any(map(inspector.is_undefined, inspector.chosen(phi))):
                yield phi


def computed_with(inspector: Inspector, function: Value) -> Iterator[Value]:
    """The phis of floats that may be undefined, and are computed with."""
    for phi in filter(inspector.api.IsAPHINode, inspector.module.returning_instructions(function)):
        is_undefined = inspector.is_float(phi) and any(map(inspector.is_undefined, inspector.chosen(phi)))
        if is_undefined and _goes_into_computation(inspector, phi):
            yield phi


def _goes_into_computation(inspector: Inspector, phi: Value) -> bool:
    """Whether an operation or a call takes a value, or what is chosen from it and others."""
    for _, user in (uses := Uses(inspector.module, [phi])):
        if inspector.api.IsABinaryOperator(user) or inspector.module.is_call(user):
            return True
        if inspector.is_choice(user):
            uses.follow([user])
    return False
