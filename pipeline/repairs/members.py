"""A struct that is chosen, or frozen, is so member by member: `Some(x)` or `None` is a tag, and a float beside it.

Of a struct with a member that is undefined, as in a `None`, Enzyme knows no type.  It takes choices apart itself where nothing
is done with what is chosen but to take members out of it (`SplitPHIs` in its FunctionUtils.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import STRUCT

_TOGETHER = "instsimplify,adce"
"""What takes a member out of what was just put together, and what nobody wants then."""


def choose(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Take such structs apart in all that the shims reach; a line for each function."""
    done = []
    for function in call_tree(editor, shims):
        count = 0
        while found := [i for i in editor.module.returning_instructions(function) if _is_chosen_struct(editor, i)]:
            for chosen in found:
                _take_apart(editor, chosen)
            count += len(found)
        if count:
            editor.run_passes(_TOGETHER, function)
            done.append(f"members: {count} in {editor.module.name(function)}")
    return done


def _is_chosen_struct(editor: Editor, instruction: Value) -> bool:
    is_chosen = editor.is_choice(instruction) or editor.api.IsAFreezeInst(instruction)
    return bool(is_chosen) and editor.api.GetTypeKind(editor.api.TypeOf(instruction)) == STRUCT


def _take_apart(editor: Editor, chosen: Value) -> None:
    """Put the members, each chosen like the whole, together again."""
    ty = editor.api.TypeOf(chosen)
    members = [_member(editor, chosen, index) for index in range(len(editor.members(ty)))]
    made, place = editor.api.GetPoison(ty), editor.following(chosen) if editor.api.IsAPHINode(chosen) else chosen
    with editor.module.before(place) as builder:
        for index, member in enumerate(members):
            made = editor.api.BuildInsertValue(builder, made, member, index, b"")
    editor.replace(chosen, made)


def _member(editor: Editor, chosen: Value, index: int) -> Value:
    api = editor.api
    if api.IsAPHINode(chosen):
        return editor.phi_beside(chosen, lambda builder, value: int(editor.api.BuildExtractValue(builder, value, index, b"")))
    with editor.module.before(chosen) as builder:
        if api.IsAFreezeInst(chosen):
            return int(api.BuildFreeze(builder, api.BuildExtractValue(builder, api.GetOperand(chosen, 0), index, b""), b""))
        one, other = (api.BuildExtractValue(builder, value, index, b"") for value in editor.chosen(chosen))
        return int(api.BuildSelect(builder, api.GetOperand(chosen, 0), one, other, b""))
