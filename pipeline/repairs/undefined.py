"""What a `None` holds is undefined: it begins as zero where a loop carries it, or is what is chosen otherwise.

Of the choices that a value goes through Enzyme leaves out what is undefined (`RemoveRedundantPHI` in its FunctionUtils.cpp):
where what is left is one value, it takes that for the choice, and forgets that it is of an earlier run.  And of a float that is
chosen from another and an undefined one it knows no type (`visitSelectInst` in its TypeAnalysis.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.loop_choices import undefined_at_first
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def begin_as_zero(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give each such value of all that the shims reach a beginning; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = list(undefined_at_first(editor, ControlFlow(editor.module, function)))
        for phi in found:
            zero = editor.api.ConstNull(editor.api.TypeOf(phi))
            for index, value in enumerate(editor.chosen(phi)):
                if editor.is_undefined(value):
                    editor.api.SetOperand(phi, index, zero)
        done += [f"undefined: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


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
