"""What a loop carries on or replaces, and uses, is chosen or divided by a function: Enzyme takes no shortcut there.

A branch in its place would not last: LLVM makes a `select` of it again.  opt2 inlines the function.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.loop_values import carried

_ATTRIBUTES = ("nofree", "nounwind", "willreturn")
_NOTHING = 0  # memory(none), by llvm/Support/ModRef.h


def by_call(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Let functions make what loops carry; a line for each function where one does."""
    done = []
    for function in call_tree(editor, shims):
        found = dict.fromkeys(carried(editor, function))
        for instruction in found:
            _call(editor, instruction)
        if found:
            done.append(f"carried: {len(found)} in {editor.module.name(function)}")
    return done


def _call(editor: Editor, instruction: Value) -> None:
    operands = editor.operands(instruction)
    function = _function(editor, instruction, operands)
    with editor.module.before(instruction) as builder:
        made = editor.call(builder, editor.function_type(function), function, operands)
    editor.replace(instruction, made)


def _function(editor: Editor, instruction: Value, operands: Sequence[Value]) -> Value:
    """The function that does the same for any numbers: what is known of those of one instruction is left out."""
    ty = editor.api.TypeOf(instruction)
    what = "choose" if editor.api.IsASelectInst(instruction) else "divide"
    name = f"crategrad_{what}_{editor.float_name(ty)}"
    if (found := editor.module.named([name])) and editor.return_type(editor.function_type(found[0])) == ty:
        return found[0]
    function = editor.internal_function(name, ty, [editor.api.TypeOf(operand) for operand in operands])
    for attribute in _ATTRIBUTES:
        editor.add_attribute(function, attribute)
    editor.add_attribute(function, "memory", _NOTHING)
    with editor.block(function) as builder:
        build = editor.api.BuildSelect if what == "choose" else editor.api.BuildFDiv
        editor.api.BuildRet(builder, build(builder, *editor.parameters(function), b""))
    return function
