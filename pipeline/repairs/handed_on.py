"""A function that is handed to another, and never called there, is not handed on: Enzyme would want its derivative.

std's hash tables hand on what drops an element, in case that another panics; where panics end the program nobody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_NOTHING = "crategrad_nothing"


def nothing_instead(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Hand on the address of nothing instead of such functions; a line for each function that does so."""
    done = []
    for function in call_tree(editor, shims):
        found = [(call, at) for call in calls(editor, function) for at in _unused(editor, call)]
        for call, at in found:
            editor.api.SetOperand(call, at, editor.inactive_constant(_NOTHING))
        if found:
            done.append(f"handed_on: {len(found)} in {editor.module.name(function)}")
    return done


def _unused(editor: Editor, call: Value) -> list[int]:
    """Which arguments of a call are functions that the callee, whose body is known, does nothing with."""
    callee = editor.module.callee(call)
    if not editor.module.is_defined(callee):
        return []
    pairs = enumerate(zip(editor.module.arguments(call), editor.parameters(callee), strict=False))
    return [at for at, (given, taken) in pairs if editor.module.is_function(given) and not editor.module.users(taken)]
