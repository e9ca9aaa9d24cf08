"""Floats that are read of what never changes, a `const` table or a `static`, and handed on as they are.

The bytes that such a constant is made of are of any type for Enzyme (`getConstantAnalysis` in its TypeAnalysis.cpp).  Of a
value that has no derivative and is of any type forward mode makes no zero where a tangent is wanted: it takes the value itself
(`invertPointerM` in its GradientUtils.cpp).
"""

from __future__ import annotations

from collections.abc import Collection

from pipeline.analyses.led import has_contents, led_from, loads_pointer
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def handed_on(inspector: Inspector, functions: Collection[Value]) -> list[Value]:
    """The loads in some functions of floats that may be a constant's, and with which more is done than arithmetic."""
    instructions = (one for function in functions for one in inspector.module.returning_instructions(function))
    found = [one for one in instructions if _loads_float(inspector, one) and not _is_computed_with(inspector, one)]
    pointers = _lead_to_constants(inspector, functions) if found else set()
    return [load for load in found if inspector.operands(load)[0] in pointers]


def _loads_float(inspector: Inspector, instruction: Value) -> bool:
    return bool(inspector.api.IsALoadInst(instruction) and inspector.float_name(inspector.api.TypeOf(instruction)))


def _is_computed_with(inspector: Inspector, load: Value) -> bool:
    """Whether whatever is made of a float is one for Enzyme, too."""
    users = inspector.module.users(load)
    return all(inspector.is_float_arithmetic(user) or inspector.rounds_or_compares(user) for user in users)


def _lead_to_constants(inspector: Inspector, functions: Collection[Value]) -> set[Value]:
    """What leads to a constant that has a value here: its name, addresses in it, and in which of the functions they come."""
    constants = (variable for variable in inspector.module.variables() if has_contents(inspector, variable))
    return led_from(
        inspector,
        functions,
        constants,
        leads_on=lambda user: not inspector.api.IsALoadInst(user) or loads_pointer(inspector, user),
        may_read=lambda load, _: loads_pointer(inspector, load),
    )
