"""The larger and the smaller of two floats, and whose derivative Enzyme takes where one of them is NaN.

Of `maxnum(x, y)` that is y's where `x < y`, and x's else; of `minnum(x, y)` x's where `x < y`, and y's else
(InstructionDerivatives.td).  NaN is less than nothing: where it stands in the place of the `else`, the derivative of the number
that is taken is lost, as in `xs.fold(f64::NAN, f64::max)`.
"""

from __future__ import annotations

import re
from ctypes import c_int

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_EXTREMES = re.compile(r"llvm\.(?:max|min)(?:imum)?num\..*")
_ELSE = {"max": 0, "min": 1}
"""Which argument is in the place of the `else`."""
_UNORDERED = 8  # LLVMRealUNO


def is_extreme(inspector: Inspector, call: Value) -> bool:
    """True for a call that gives the larger, or the smaller, of two floats."""
    callee = inspector.module.callee(call)
    return inspector.module.is_function(callee) and bool(_EXTREMES.fullmatch(inspector.module.name(callee)))


def place_of_else(inspector: Inspector, call: Value) -> int:
    """Which of the two arguments counts where neither is less than the other."""
    return _ELSE[inspector.module.name(inspector.module.callee(call))[len("llvm.") :][:3]]


def may_lose(inspector: Inspector, call: Value) -> bool:
    """Whether what counts where neither is less than the other may be NaN beside a number."""
    arguments, place = inspector.module.arguments(call), place_of_else(inspector, call)
    counts, other = arguments[place], arguments[1 - place]
    if counts == other or _is_number(inspector, counts) or _gives_way(inspector, counts, other):
        return False
    return not all(inspector.rounds_or_compares(user) for user in inspector.module.users(call))


def _is_number(inspector: Inspector, value: Value) -> bool:
    if not inspector.api.IsAConstantFP(value):
        return False
    number = inspector.api.ConstRealGetDouble(value, c_int())
    return bool(number == number)  # noqa: PLR0124 - NaN alone is not


def _gives_way(inspector: Inspector, value: Value, other: Value) -> bool:
    """Whether a value is chosen such that it is the other one where it would be NaN."""
    if not inspector.api.IsASelectInst(value):
        return False
    condition, if_nan, otherwise = inspector.operands(value)
    if not inspector.api.IsAFCmpInst(condition) or inspector.api.GetFCmpPredicate(condition) != _UNORDERED:
        return False
    tested, _ = inspector.operands(condition)
    return (if_nan, otherwise) == (other, _behind(inspector, tested))


def _behind(inspector: Inspector, value: Value) -> Value:
    """What a repair has hidden from LLVM in a call of what is inactive; elsewhere the value itself."""
    callee = inspector.module.callee(value) if inspector.module.is_call(value) else 0
    is_hidden = callee and inspector.module.is_function(callee) and inspector.is_inactive(callee)
    return inspector.module.arguments(value)[0] if is_hidden else value
