"""What a frozen pointer is made of is shown to be active, so that Enzyme knows its shadow to be wanted (analyses/frozen.py)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.frozen import forgotten
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque


def keep_shadows(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Use each such pointer before it is frozen; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = forgotten(editor, function)
        for freeze in found:
            opaque.active(editor, editor.operands(freeze)[0], freeze)
        done += [f"frozen: {len(found)} in {editor.module.name(function)}"] if found else []
    return done
