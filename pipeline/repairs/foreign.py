"""Calls of foreign functions by which no float comes or goes are inactive, and so is inline assembly of that kind.

So a lock can wait, and the clock be read: Enzyme has no derivative of a system call, of `clock_gettime`, or of the empty
assembly that `black_box` is.  What such a call returns, and writes, are integers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses import foreign
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.effects import Effects
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_TO_ENZYME = ("enzyme_inactive", "enzyme_no_escaping_allocation")


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it of those that the shims' functions make; a line for each function that is called so."""
    effects, done = Effects(editor), dict[str, None]()
    for call in (call for function in call_tree(editor, shims) for call in calls(editor, function)):
        if foreign.is_apart(effects, call):
            for attribute in _TO_ENZYME:
                editor.add_call_attribute(call, attribute)
            editor.say_frees_nothing(call)
            done[editor.module.name(editor.module.callee(call)) or "inline assembly"] = None
    return [f"foreign: {name}" for name in done]
