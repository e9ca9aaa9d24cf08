"""What a loop carries begins as zero where it is undefined before the first run, as what a `None` holds.

Of the choices that a value goes through Enzyme leaves out what is undefined (`RemoveRedundantPHI` in its FunctionUtils.cpp):
where what is left is one value, it takes that for the choice, and forgets that it is of an earlier run.
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
