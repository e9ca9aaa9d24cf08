"""Copies of as many bytes as the program says are of the type that debug info says.

Where it finds nobody else who reads or writes that memory, Enzyme cannot tell what a `memcpy` of unknown size copies.  The
function in which it was written can: `copy_nonoverlapping::<f64>` copies nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree, calls
from pipeline.debug_info import FLOAT_BITS, INTEGER_NAMES, numbers, types_around
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_MEMCPY = "llvm.memcpy."
_POINTERS = (0, 1)


def say_what_is_copied(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Tell Enzyme the types of the copies in all that the shims reach, where they are of one; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        copies = [call for call in calls(editor, function) if _is_of_unknown_size(editor, call)]
        typed = {copy: kind for copy in copies if (kind := _type(editor, copy))}
        for copy, kind in typed.items():
            say(editor, copy, kind)
        if typed:
            done.append(f"copies: {len(typed)} in {editor.module.name(function)}")
    return done


def say(editor: Editor, copy: Value, kind: str) -> None:
    """Tell Enzyme what a copy is of."""
    for position in _POINTERS:
        editor.say_points_to(copy, position, kind)


def _is_of_unknown_size(editor: Editor, call: Value) -> bool:
    is_copy = editor.module.name(editor.module.callee(call)).startswith(_MEMCPY)
    return is_copy and not editor.api.IsAConstantInt(editor.module.arguments(call)[2])


def _type(editor: Editor, copy: Value) -> str:
    """What Enzyme calls the numbers that a copy is of; nothing where that is not known."""
    return kind_of(editor, next(types_around(editor.module, copy), []))


def kind_of(editor: Editor, types: Sequence[Value]) -> str:
    """What Enzyme calls the numbers in these types, if they are floats of one type, or integers; else nothing."""
    found = frozenset[str]().union(*(numbers(editor.module, ty) for ty in types))
    if len(found) == 1 and found <= FLOAT_BITS.keys():
        return editor.enzyme_type(editor.float_type(FLOAT_BITS[min(found)]))
    return "Integer" if found and found <= INTEGER_NAMES else ""
