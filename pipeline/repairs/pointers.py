"""A pointer that is moved as an integer, by debug info, is moved as a pointer.

Of two boxes that are swapped LLVM reads one as an integer where nothing says that it leads somewhere: to Enzyme the other
place holds a number then, without a shadow.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.layout import ADDRESS, POINTER_BITS
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.words import Words


def retype(editor: Editor, function: Value, words: Words) -> bool:
    """Move such words of a function as pointers; True where there were some."""
    loads = [load for load in editor.module.instructions(function) if _is_pointer(editor, load, words)]
    for load in loads:
        _move(editor, load, editor.module.users(load))
    return bool(loads)


def _is_pointer(editor: Editor, load: Value, words: Words) -> bool:
    if not editor.is_plain_load(load) or editor.integer_bits(editor.accessed_type(load)) != POINTER_BITS:
        return False
    users = editor.module.users(load)
    is_stored = all(editor.is_plain_store(user) and editor.operands(user)[0] == load for user in users)
    return bool(users) and is_stored and words.kinds((load, *users)) == {ADDRESS}


def _move(editor: Editor, load: Value, stores: Sequence[Value]) -> None:
    with editor.module.before(load) as builder:
        pointer = editor.api.BuildLoad2(builder, editor.pointer_type(), editor.operands(load)[0], b"")
    editor.api.SetAlignment(pointer, editor.api.GetAlignment(load))
    for store in stores:
        with editor.module.before(store) as builder:
            made = editor.api.BuildStore(builder, pointer, editor.operands(store)[1])
        editor.api.SetAlignment(made, editor.api.GetAlignment(store))
        editor.api.InstructionEraseFromParent(store)
    editor.api.InstructionEraseFromParent(load)
