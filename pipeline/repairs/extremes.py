"""The larger and the smaller of two floats, by intrinsics that Enzyme differentiates, and without NaN where it would count.

`f64::max` is `llvm.maximumnum`, of which Enzyme knows nothing; `llvm.maxnum` differs only for signalling NaN, which Rust
leaves open.  The derivative is that of the number that is taken (analyses/extremes.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.analyses.call_tree import calls
from pipeline.analyses.extremes import is_extreme, may_lose, place_of_else
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque
from pipeline.repairs.each import mend_each

_UNORDERED = 8  # LLVMRealUNO
_UNKNOWN = re.compile(r"llvm\.(max|min)imumnum\.(.*)")


def by_older_intrinsics(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Call what Enzyme knows; a line for each function."""

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if is_extreme(editor, call)]

    return mend_each(editor, shims, "extremes: {}", find, _call_what_is_known)


def let_nan_give_way(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have the number alone where one of the two is none; a line for each function.

    After all passes of LLVM's: they make one of this choice and of others, be it of what is computed of the larger.
    """

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if is_extreme(editor, call) and may_lose(editor, call)]

    return mend_each(editor, shims, "extremes: {} without NaN", find, _let_nan_give_way)


def _call_what_is_known(editor: Editor, call: Value) -> None:
    callee = editor.module.callee(call)
    if unknown := _UNKNOWN.fullmatch(editor.module.name(callee)):
        known = editor.declared(f"llvm.{unknown[1]}num.{unknown[2]}", editor.function_type(callee))
        editor.call_another(call, known)


def _let_nan_give_way(editor: Editor, call: Value) -> None:
    """Put the other one in the place of what counts where neither is less, if that is NaN.

    The result is the same, so LLVM would undo it: it is not shown what is asked whether it is NaN.
    """
    arguments, place = editor.module.arguments(call), place_of_else(editor, call)
    counts, other = arguments[place], arguments[1 - place]
    number = other
    if not editor.api.IsAConstantFP(counts):
        tested = opaque.same(editor, counts, call) if editor.is_float(counts) else counts
        with editor.module.before(call) as builder:
            is_nan = editor.api.BuildFCmp(builder, _UNORDERED, tested, tested, b"")
            number = editor.api.BuildSelect(builder, is_nan, other, counts, b"")
    editor.api.SetOperand(call, place, number)
