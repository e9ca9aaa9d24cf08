"""What std's locks and shared pointers do to words of their own is done by functions that Enzyme does not look into.

It has no derivative of an exchange in memory that also holds floats, as a `Mutex<f64>` is.  The words are states and counts:
integers that std itself wrote, and nobody's floats.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import paths_around
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_LOCKS = (["std", "sync"], ["std", "sys", "sync"], ["std", "thread"], ["alloc", "sync"])
"""Where std has its locks, its channels and threads, and `Arc`."""


def keep_apart(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Outline the atomic accesses to integers there; a line for each function that has some."""
    done = []
    for function in call_tree(editor, shims):
        found = [one for one in editor.module.instructions(function) if _is_of_a_lock(editor, one)]
        for access in found:
            opaque.outline(editor, access)
        done += [f"locks: {editor.module.name(function)}"] if found else []
    return done


def _is_of_a_lock(editor: Editor, instruction: Value) -> bool:
    ty = editor.atomic_type(instruction)
    if not ty or not editor.integer_bits(ty):
        return False
    return any(path[: len(lock)] == lock for path in paths_around(editor.module, instruction) for lock in _LOCKS)
