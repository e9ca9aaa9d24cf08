"""What a `None` holds is undefined: it is zero where a loop carries it or it is computed with, or what is chosen otherwise.

Why the first is in analyses/undefined.py.  Of a float that is chosen from another and an undefined one Enzyme knows no type
(`visitSelectInst` in its TypeAnalysis.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.undefined import computed_with, undefined_at_first
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def begin_as_zero(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give each such value of all that the shims reach a beginning; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(undefined_at_first(editor, ControlFlow(editor.module, function)))
        done += _have_zeros(editor, function, found)
    return done


def compute_with_zero(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have the floats be zero that may be undefined and are computed with; a line for each function."""
    return [
        line
        for function in call_tree(editor, shims)
        for line in _have_zeros(editor, function, list(computed_with(editor, function)))
    ]


def _have_zeros(editor: Editor, function: Value, phis: Sequence[Value]) -> list[str]:
    for phi in phis:
        zero = editor.api.ConstNull(editor.api.TypeOf(phi))
        for index, value in enumerate(editor.chosen(phi)):
            if editor.is_undefined(value):
                editor.api.SetOperand(phi, index, zero)
    return [f"undefined: {len(phis)} in {editor.module.name(function)}"] if phis else []


def choose_the_defined(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have what is undefined of two floats be the other; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        selects = [i for i in editor.module.returning_instructions(function) if editor.api.IsASelectInst(i)]
        count = sum(_complete(editor, select) for select in selects)
        done += [f"undefined: {count} in {editor.module.name(function)}"] if count else []
    return done


def _complete(editor: Editor, select: Value) -> bool:
    """Take what is undefined from the other, frozen: it may be undefined, too, where it is not chosen."""
    one, other = editor.chosen(select)
    if not editor.is_float(select) or editor.is_undefined(one) == editor.is_undefined(other):
        return False
    index, defined = (1, other) if editor.is_undefined(one) else (2, one)
    with editor.module.before(select) as builder:
        editor.api.SetOperand(select, index, editor.api.BuildFreeze(builder, defined, b""))
    return True
