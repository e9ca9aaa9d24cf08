"""What loops count is hidden in addresses that Enzyme would subtract from those of loops beside them: analyses/siblings.py."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.siblings import indices
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def tell_apart(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hide such indices of all that the shims reach, each once for all that use it; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        hidden: dict[Value, Value] = {}
        for step, index in list(indices(editor, ControlFlow(editor.module, function))):
            if index not in hidden:
                hidden[index] = opaque.same(editor, index, editor.following(index))
            editor.give(step, index, hidden[index])
        done += [f"siblings: {len(hidden)} in {editor.module.name(function)}"] if hidden else []
    return done
