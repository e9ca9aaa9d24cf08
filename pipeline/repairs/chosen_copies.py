"""A copy from one of two places is two copies, of which one is made: each from memory of one activity.

Where one of the places has no shadow, Enzyme takes the place itself for it (analyses/mixing.py).  Loads and stores it guards
against that as the program runs, copies it does not: adjoints would be added to what is `Const`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.allocations import is_own
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.moves import is_copy
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_NAME = "crategrad_copy_chosen"


def one_by_one(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Do so for what is chosen right before it is copied, in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        found = [call for call in calls(editor, function) if _is_chosen(editor, call)]
        for copy in found:
            _copy_chosen(editor, function, copy)
        done += [f"chosen_copies: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


def _is_chosen(editor: Editor, call: Value) -> bool:
    """Whether a call copies so many bytes from one of two places, and one may not be the function's own memory.

    Not what std moves, as sorts do: its elements may be anything, whose types are known where they are moved only.
    """
    if not is_copy(editor, call):
        return False
    _, source, size, *_ = editor.module.arguments(call)
    if not (editor.api.IsASelectInst(source) and editor.api.IsAConstantInt(size)):
        return False
    is_stds = editor.module.own_place(call) != editor.module.place(call)
    return not is_stds and not all(is_own(editor, base) for base in editor.bases(source))


def _copy_chosen(editor: Editor, caller: Value, copy: Value) -> None:
    to, source, size, *_ = editor.module.arguments(copy)
    condition, first, second = editor.operands(source)
    pointer = editor.pointer_type()
    chosen = editor.internal_function(_NAME, editor.void_type(), [editor.integer(1), *[pointer] * 3])
    editor.compile_like(caller, chosen)
    is_first, target, *places = editor.parameters(chosen)
    with editor.block(chosen) as builder:
        for place in editor.branch(builder, chosen, is_first, places):
            editor.api.BuildMemCpy(builder, target, 1, place, 1, size)
            editor.api.BuildRetVoid(builder)
    with editor.module.before(copy) as builder:
        editor.call(builder, editor.function_type(chosen), chosen, [condition, to, first, second])
    editor.api.InstructionEraseFromParent(copy)
    if not editor.module.users(source):
        editor.api.InstructionEraseFromParent(source)
