"""What is loaded as a float is one, and what is loaded as an integer of elements is that, and Enzyme is told so.

It finds types out by what is done with a value.  One that is only chosen and handed on, as the payload of an `Option` in a
loop that finds something, has none for it, whatever LLVM's type of it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.layout import INTEGER
from pipeline.analyses.moves import is_copy, word_moved
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def say_loaded(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of loads in the shims' functions what they load; nothing is logged, as nearly all functions load floats."""
    for function in call_tree(editor, shims):
        variables = Variables(editor, function)
        for instruction in editor.module.returning_instructions(function):
            if editor.api.IsALoadInst(instruction) and editor.float_name(editor.api.TypeOf(instruction)):
                editor.say_number(instruction)
            elif _is_integer(editor, instruction) and (
                word_moved(editor, instruction, variables) == INTEGER or _is_size(editor, instruction)
            ):
                editor.say_type(instruction, INTEGER)
    return []


def _is_integer(editor: Editor, instruction: Value) -> bool:
    return editor.is_plain_load(instruction) and bool(editor.integer_bits(editor.accessed_type(instruction)))


def _is_size(editor: Editor, integer: Value) -> bool:
    """Whether memory is allocated for as many bytes, or elements, or so many are copied: no float's bits are."""
    for user in editor.module.users(integer):
        is_asked_for = is_allocation(editor, user) or (is_copy(editor, user) and editor.module.arguments(user)[2] == integer)
        if is_asked_for or (editor.factor(user) and _is_size(editor, user)):
            return True
    return False
