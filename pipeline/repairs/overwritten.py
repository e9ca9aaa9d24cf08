"""What a loop reads, and a later run of it writes over, is kept for reverse mode: nobody knows where just it is read from.

Else reverse mode would read it again, when it is no longer there: analyses/overwritten.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.overwritten import overwritten
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_WHICH = -1
"""Tells the nothing that is added here from that of other repairs."""


def keep(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Add nothing to the address of each such load, of which nobody knows before opt2 that it is nothing; a line a function."""
    done = []
    for function in call_tree(editor, shims):
        flow = ControlFlow(editor.module, function)
        found = list(overwritten(editor, flow))
        if found:
            nothing = opaque.apart(editor, editor.module.int64(0), editor.module.int64(_WHICH), next(iter(flow.ends.values())))
            for load in found:
                _move(editor, load, nothing)
            done.append(f"overwritten: {len(found)} in {editor.module.name(function)}")
    return done


def _move(editor: Editor, load: Value, by: Value) -> None:
    pointer = editor.operands(load)[0]
    with editor.module.before(load) as builder:
        moved = editor.element(builder, pointer, by, editor.size_of(editor.accessed_type(load)))
    editor.api.SetOperand(load, 0, moved)
