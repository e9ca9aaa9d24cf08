"""Results of functions that Enzyme would keep in one branch only.

A call whose effect nobody wants before the reverse sweep it leaves to that, and takes the store of the function's result with
it (`legalCombinedForwardReverse` in its EnzymeLogic.cpp): where the branch of the call is not taken, the result is anything.
It does not, where something may free memory after the call.
"""

from __future__ import annotations

from pipeline.analyses.call_tree import calls
from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def at_risk(inspector: Inspector, function: Value) -> list[Value]:
    """The ends of blocks that return a value, some path to which passes by a call that another path makes."""
    module = inspector.module
    if inspector.return_type(inspector.function_type(function)) == inspector.void_type():
        return []
    flow = ControlFlow(module, function)
    found = calls(inspector, function)
    calling = {int(module.api.GetInstructionParent(call)) for call in found if _is_differentiated(inspector, call)}
    guarded = {int(module.api.GetInstructionParent(call)) for call in found if _may_free(inspector, call)}
    return [flow.ends[block] for block in flow.returns() if block not in guarded and _passes_by(flow, block, calling)]


def _passes_by(flow: ControlFlow, block: Value, calling: set[Value]) -> bool:
    before = flow.leading_to([block]) & calling
    return any(flow.is_passed_by(other, [block]) for other in before - {block})


def _is_differentiated(inspector: Inspector, call: Value) -> bool:
    callee = inspector.module.callee(call)
    return inspector.module.is_defined(callee) and not inspector.is_inactive(callee)


def _may_free(inspector: Inspector, call: Value) -> bool:
    """Whether a call is of something inactive that is not said to free nothing."""
    callee = inspector.module.callee(call)
    is_inactive = inspector.module.is_defined(callee) and inspector.is_inactive(callee)
    return is_inactive and not inspector.has_attribute(callee, "nofree")
