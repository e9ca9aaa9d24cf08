"""What is loaded as a float is one, and what is loaded as an integer of elements, or returned as one, is that: Enzyme is told.

It finds types out by what is done with a value.  One that is only chosen and handed on, as the payload of an `Option` in a
loop that finds something, has none for it, whatever LLVM's type of it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import FLOAT_BITS, floats_around, signature_types
from pipeline.analyses.layout import INTEGER, kinds_at
from pipeline.analyses.moved_words import is_stored
from pipeline.analyses.moves import is_copy, word_moved
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


def say_loaded(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of loads in the shims' functions what they load; nothing is logged, as nearly all functions load floats."""
    for function in call_tree(editor, shims):
        _say_returned(editor, function)
        variables = Variables(editor, function)
        for instruction in editor.module.returning_instructions(function):
            if editor.api.IsALoadInst(instruction) and editor.float_name(editor.api.TypeOf(instruction)):
                editor.say_number(instruction)
            elif _is_integer(editor, instruction) and (
                word_moved(editor, instruction, variables) == INTEGER
                or _is_size(editor, instruction)
                or _is_too_narrow(editor, instruction)
            ):
                editor.say_type(instruction, INTEGER)
    return []


def _say_returned(editor: Editor, function: Value) -> None:
    """Say which parts of what a function returns are integers, as the length in an `Option<&str>`."""
    returned = editor.return_type(editor.function_type(function))
    ty = next(iter(signature_types(editor.module, function)), 0)
    is_struct = editor.members(returned) != [returned]
    if ty and is_struct and editor.size_of(returned) == editor.module.type_bits(ty) // 8:
        editor.say_integers(function, lambda begin, end: kinds_at(editor.module, ty, begin, end) == {INTEGER})


def _is_integer(editor: Editor, instruction: Value) -> bool:
    return editor.is_plain_load(instruction) and bool(editor.integer_bits(editor.accessed_type(instruction)))


def _is_too_narrow(editor: Editor, load: Value) -> bool:
    """Whether two bytes are moved beside floats of which none has so few, as the place of a node in a `BTreeMap` is."""
    if editor.integer_bits(editor.accessed_type(load)) != FLOAT_BITS["f16"]:
        return False
    floats = floats_around(editor.module, load)
    return bool(floats) and "f16" not in floats and is_stored(editor, load)


def _is_size(editor: Editor, integer: Value) -> bool:
    """Whether memory is allocated for as many bytes, or elements, or so many are copied: no float's bits are."""
    for user in editor.module.users(integer):
        is_asked_for = is_allocation(editor, user) or (is_copy(editor, user) and editor.module.arguments(user)[2] == integer)
        if is_asked_for or (editor.factor(user) and _is_size(editor, user)):
            return True
    return False
