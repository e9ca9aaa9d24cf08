"""Pointers are said to be pointers, on a rung of the ladder on which Enzyme does not find it out.

Where a pointer without a shadow of its own is chosen beside others, or stored, its shadow is the pointer itself.  Of what may
be a float, for all that Enzyme knows, the shadow is zeros (`invertPointerM` in its GradientUtils.cpp): what reads by that is
undefined, LLVM takes it that the pointer is never chosen, and the value itself comes out wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_POINTER = "Pointer"


def say(editor: Editor, shims: Sequence[Value]) -> None:
    """Say it of all that is made or taken in what the shims reach."""
    pointer = editor.pointer_type()
    for function in call_tree(editor, shims):
        for index, parameter in enumerate(editor.parameters(function), 1):
            if editor.api.TypeOf(parameter) == pointer:
                editor.add_text_attribute(function, "enzyme_type", f"{{[-1]:{_POINTER}}}", index)
        for instruction in editor.module.instructions(function):
            if editor.api.TypeOf(instruction) == pointer:
                editor.say_type(instruction, _POINTER)
