"""Pointers to what a function writes stay known in its adjoint.

Where pointers mix (`analyses/mixing.py`) each is compared with its shadow as the program runs.  To the adjoint of a function
that only writes by a pointer Enzyme hands nothing over for that pointer (`writeOnlyNoCapture` in its AdjointGenerator.h), and
what is compared with nothing is whatever LLVM likes: adjoints were lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

COMPARED = "enzyme_runtime_activity"
"""What Enzyme is asked by to compare."""
PRESERVED = "enzyme_preserve_primal"


def preserve(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Have Enzyme hand over all pointers of what is reached by shims of which it compares them; a line for each shim."""
    found = [shim for shim in shims if _is_compared(editor, shim)]
    for function in call_tree(editor, found):
        editor.add_text_attribute(function, PRESERVED)
    return [f"primals: {editor.module.name(shim)}" for shim in found]


def _is_compared(editor: Editor, shim: Value) -> bool:
    return any(editor.asks_for(call, COMPARED) for call in filter(editor.asks_enzyme, editor.module.users(shim)))
