"""A move between places that may overlap goes by way of a copy: Enzyme has no derivative of `memmove`."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each

_MEMMOVE = "llvm.memmove."
_ALLOCATED = 16  # to what `malloc` aligns


def by_copy(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Copy what the shims' functions move to memory of its own, and from there; a line for each function."""

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if editor.is_call_of(call, _MEMMOVE)]

    return mend_each(editor, shims, "overlaps: {}", find, _copy_twice)


def _copy_twice(editor: Editor, move: Value) -> None:
    api = editor.api
    to, given, size = editor.module.arguments(move)[:3]
    to_at, given_at = (min(editor.alignment(move, position), _ALLOCATED) for position in (0, 1))
    with editor.module.before(move) as builder:
        copy = editor.allocate(builder, size)
        api.BuildMemCpy(builder, copy, given_at, given, given_at, size)
        api.BuildMemCpy(builder, to, to_at, copy, to_at, size)
        editor.release(builder, copy)
    api.InstructionEraseFromParent(move)
