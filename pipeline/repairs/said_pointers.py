"""Pointers are said to be pointers where Enzyme may not find it out.

Where a pointer without a shadow of its own is chosen beside others, or stored, its shadow is the pointer itself.  Of what may
be a float, for all that Enzyme knows, the shadow is zeros (`invertPointerM` in its GradientUtils.cpp): what reads by that is
undefined, LLVM takes it that the pointer is never chosen, and the value itself comes out wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.mixing import mixes
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_TYPE, _POINTER = "enzyme_type", "Pointer"


def say_of_chosen(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say it of what is chosen, or stored, where pointers to several memories come together; a line for each function."""
    done = []
    for function in call_tree(editor, [shim for shim in shims if mixes(editor, shim)]):
        found = dict.fromkeys(value for one in editor.module.instructions(function) for value in _chosen(editor, one))
        count = sum(_say(editor, function, value) for value in found)
        done += [f"said_pointers: {count} in {editor.module.name(function)}"] if count else []
    return done


def say_of_all(editor: Editor, shims: Sequence[Value]) -> None:
    """Say it of all that is made or taken in what the shims reach: on a rung on which Enzyme finds fewer types."""
    for function in call_tree(editor, shims):
        for value in (*editor.parameters(function), *editor.module.instructions(function)):
            _say(editor, function, value)


def _chosen(editor: Editor, instruction: Value) -> list[Value]:
    if editor.is_choice(instruction):
        return editor.chosen(instruction)
    return editor.operands(instruction)[:1] if editor.is_plain_store(instruction) else []


def _say(editor: Editor, function: Value, value: Value) -> bool:
    """Say it of a pointer that is made or taken in a function; False where it is none, or something is said of it already.

    Not of one that is made of a number: that is one to Enzyme, however it is used.
    """
    if editor.api.TypeOf(value) != editor.pointer_type() or editor.api.IsAIntToPtrInst(value):
        return False
    if editor.api.IsAInstruction(value):
        if is_new := not editor.says_type(value):
            editor.say_type(value, _POINTER)
        return is_new
    if editor.api.IsAArgument(value):
        position = editor.parameters(function).index(value)
        if is_new := not editor.parameter_has_text_attribute(function, position, _TYPE):
            editor.add_text_attribute(function, _TYPE, f"{{[-1]:{_POINTER}}}", 1 + position)
        return is_new
    return False
