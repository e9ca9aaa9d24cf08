"""Integers that are counted with have no derivative, and Enzyme is told so.

It takes for active what it knows no type of: a length that is only multiplied, the smaller of two indices.  Of the sum, the
product or the smaller of two integers no float's bits are left; those that are shifted or put together may be a float's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.call_tree import call_tree
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_ARITHMETIC = {8, 10, 12, 14, 15, 17, 18}  # LLVMOpcode: add, sub, mul, udiv, sdiv, urem, srem
_SHIFT_LEFT = 20
_BYTES_OF_ELEMENTS = 6
"""Bits by which a count becomes a size; floats are put together by 16 and more."""
_INTRINSICS = re.compile(r"llvm\.(?:[us](?:min|max)|[us](?:add|sub)\.sat)\.i\d+")
_INACTIVE = "enzyme_inactive"


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of what counts in the shims' functions that it is inactive; nothing is logged, as nearly all functions count."""
    for function in call_tree(editor, shims):
        instructions = editor.module.returning_instructions(function)
        pointers = _made_pointers_of(editor, instructions)
        for instruction in (instruction for instruction in instructions if instruction not in pointers):
            if _counts(editor, instruction):
                editor.say_inactive(instruction)
            elif editor.is_intrinsic(instruction) and _is_integers(editor, instruction):
                editor.add_call_attribute(instruction, _INACTIVE)
    return []


def _made_pointers_of(editor: Editor, instructions: Sequence[Value]) -> set[Value]:
    """The integers of which pointers are made, however many steps lie between."""
    known: set[Value] = set()
    waiting = [operand for made in filter(editor.api.IsAIntToPtrInst, instructions) for operand in editor.operands(made)]
    while waiting:
        value = waiting.pop()
        if value not in known and editor.is_integer_arithmetic(value):
            known.add(value)
            waiting += editor.chosen(value) if editor.is_choice(value) else editor.operands(value)
    return known


def _counts(editor: Editor, instruction: Value) -> bool:
    if not editor.api.IsABinaryOperator(instruction) or not editor.integer_bits(editor.api.TypeOf(instruction)):
        return False
    opcode = editor.api.GetInstructionOpcode(instruction)
    return opcode in _ARITHMETIC or (opcode == _SHIFT_LEFT and _is_small(editor, editor.operands(instruction)[1]))


def _is_small(editor: Editor, amount: Value) -> bool:
    return bool(editor.api.IsAConstantInt(amount)) and editor.api.ConstIntGetZExtValue(amount) <= _BYTES_OF_ELEMENTS


def _is_integers(editor: Editor, call: Value) -> bool:
    return bool(_INTRINSICS.fullmatch(editor.module.name(editor.module.callee(call))))
