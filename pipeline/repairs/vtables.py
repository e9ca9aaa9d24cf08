"""Constants in which functions stand, vtables first of all, are inactive: they are what they are in the shadow, too.

Enzyme would make a shadow of each, with the derivative of every function in it, for the first derivative that needs one, and
take that for all: in one of another width it ends with an assertion.  Nothing reads it: what is called through a vtable is
found by the primal's own (dispatch).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def keep_from_shadows(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Mark those that the shims' functions use; one line says how many."""
    found = {v for function in call_tree(editor, shims) for v in editor.constants_with_functions(function)}
    for variable in found:
        editor.say_inactive(variable)
    return [f"vtables: {len(found)}"] if found else []
