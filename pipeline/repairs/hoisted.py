"""What LLVM computes before a loop, for a branch in it, is computed in that branch again; and for each choice by itself.

The adjoint of what no run of the loop wants is zero, and zero times an infinite slope, or times NaN, is NaN.  For choices it is
computed beside them, where `unchosen` finds it.  After Enzyme, LLVM is free to move it once more.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.hoisted import Hoisted, hoisted, made_on_each_way
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def compute_where_wanted(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Move it in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        again = made_on_each_way(editor, function)
        for phi in again:
            _make_after(editor, phi)
        count = len(again)
        while found := hoisted(editor, function):
            if found.is_before_loop:
                editor.run_passes("loop-simplify", function)  # each loop has a block before it then
            else:
                _move(editor, found)
                count += 1
        done += [f"hoisted: {count} in {editor.module.name(function)}"] if count else []
    return done


def _make_after(editor: Editor, phi: Value) -> None:
    """Do the operation after the ways have met, and not on each."""
    of_block = editor.module.instructions_of(editor.api.GetInstructionParent(phi))
    with editor.module.before(next(i for i in of_block if not editor.api.IsAPHINode(i))) as builder:
        copy = editor.copy(builder, editor.chosen(phi)[0])
    made = set(editor.chosen(phi))
    editor.replace(phi, copy)
    for one in made:
        if not editor.module.users(one):
            editor.api.InstructionEraseFromParent(one)


def _move(editor: Editor, found: Hoisted) -> None:
    """Compute a value once more, before the first of the users in that block, or at the block's end."""
    users = {user for user in found.users if not editor.api.IsAPHINode(user)}
    instructions = editor.module.instructions_of(found.block)
    first = next((i for i in instructions if i in users), editor.api.GetBasicBlockTerminator(found.block))
    with editor.module.before(first) as builder:
        copy = editor.copy(builder, found.value)
    for user in found.users:
        editor.give(user, found.value, copy)
    if not editor.module.users(found.value):
        editor.api.InstructionEraseFromParent(found.value)
