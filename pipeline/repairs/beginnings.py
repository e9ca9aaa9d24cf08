"""What is stored to memory in the place of which there may be other memory has a tangent of its own in forward mode.

It comes from a function that is said to be active, which opt2 inlines (analyses/beginnings.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.beginnings import may_be_own_tangents
from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def make_active(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have each such float active, in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        stores = may_be_own_tangents(editor, function)
        for store in stores:
            editor.api.SetOperand(store, 0, opaque.active(editor, editor.operands(store)[0], store))
        done += [f"beginnings: {len(stores)} in {editor.module.name(function)}"] if stores else []
    return done
