"""What a function that calls itself gives back is chosen by way of a call that gives it back once more.

In the reverse sweep of such a function the inner call has another type, that of its tape, which Enzyme takes for the type of
what is chosen by a `select` (`createSelectInstAdjoint` in its AdjointGenerator.h): it breaks down.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pipeline.analyses.call_tree import call_tree, recursive
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def choose(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Put such a call between, in all that the shims reach; a line for each function."""
    done = []
    functions = recursive(call_tree(editor, shims))
    for function in functions:
        instructions = [i for i in editor.module.returning_instructions(function) if editor.api.IsASelectInst(i)]
        selects = [select for select in instructions if editor.is_float(select)]
        found = [(select, one) for select in selects for one in (1, 2) if _is_result(editor, select, one, functions)]
        for select, one in found:
            editor.api.SetOperand(select, one, opaque.active(editor, editor.api.GetOperand(select, one), select))
        done += [f"chosen_results: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


def _is_result(editor: Editor, select: Value, one: int, functions: Collection[Value]) -> bool:
    value = editor.api.GetOperand(select, one)
    return editor.module.is_call(value) and editor.module.callee(value) in functions
