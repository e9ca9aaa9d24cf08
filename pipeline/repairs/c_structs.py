"""Structs in two registers are handed to functions of C member by member.

rustc hands such a struct on as one value of two members, and clang has a parameter for each.  To the machine that is the same;
Enzyme takes the one for the other's first parameter, and breaks down.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.each import mend_each


def hand_on_each(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Call such functions by their own headers in all that the shims reach; a line for each function with such calls."""

    def find(function: Value) -> list[Value]:
        return [call for call in calls(editor, function) if _is_of_members(editor, call)]

    return mend_each(editor, shims, "c_structs: {}", find, _hand_on)


def _is_of_members(editor: Editor, call: Value) -> bool:
    """Whether a function is called by another header than it has, and has the members of what it is given as parameters."""
    callee, header = editor.module.callee(call), editor.called_type(call)
    if not editor.module.is_defined(callee) or header == (own := editor.function_type(callee)):
        return False
    members = [member for ty in editor.parameter_types(header) for member in editor.members(ty)]
    return members == editor.parameter_types(own) and editor.return_type(header) == editor.return_type(own)


def _hand_on(editor: Editor, call: Value) -> None:
    callee = editor.module.callee(call)
    with editor.module.before(call) as builder:
        each = [member for argument in editor.module.arguments(call) for member in _members(editor, builder, argument)]
        made = editor.call(builder, editor.function_type(callee), callee, each)
    editor.replace(call, made)


def _members(editor: Editor, builder: Value, value: Value) -> list[Value]:
    ty = int(editor.api.TypeOf(value))
    members = editor.members(ty)
    if members == [ty]:
        return [value]
    return [int(editor.api.BuildExtractValue(builder, value, number, b"")) for number in range(len(members))]
