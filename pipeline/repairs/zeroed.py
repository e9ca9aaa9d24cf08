"""Memory that is allocated zeroed is allocated, and then zeroed.

Enzyme takes the content of any allocation for undefined until it sees a store, that of `calloc` too, and leaves a copy of it
out (`calculateUnusedStoresInFunction`): a clone of `vec![0.0; n]` would hold anything.  opt2 makes `calloc` of it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_CALLOC = "calloc"


def by_store(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Zero by a store what the shims' functions allocate zeroed; a line for each function."""

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if editor.module.name(editor.module.callee(call)) == _CALLOC]

    return mend_each(editor, shims, "zeroed: {}", find, _zero)


def _zero(editor: Editor, call: Value) -> None:
    count, size = editor.module.arguments(call)
    with editor.module.before(call) as builder:
        bytes_ = editor.api.BuildMul(builder, count, size, b"")
        memory = editor.allocate(builder, bytes_)
        editor.api.BuildMemSet(builder, memory, editor.api.ConstInt(editor.integer(8), 0, 0), bytes_, 1)
    editor.replace(call, memory)
