"""Integers that are counted with have no derivative, and Enzyme is told so.

It takes for active what it knows no type of: a length that is only multiplied, the smaller of two indices.  Of the sum, the
product or the smaller of two integers no float's bits are left; those that are shifted or put together may be a float's, if
they go where they could be taken for one.  A hash does not.

What is either an index or an address, as in an enum that has the one in a variant and the other in another, and is only taken
for an index, would be a word of two types: the address is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.counting import is_counted
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_ARITHMETIC = {8, 10, 12, 14, 15, 17, 18}  # LLVMOpcode: add, sub, mul, udiv, sdiv, urem, srem
_SHIFT_LEFT = 20
_BYTES_OF_ELEMENTS = 6
"""Bits by which a count becomes a size; floats are put together by 16 and more."""
_INTRINSICS = re.compile(r"llvm\.(?:[us](?:min|max)|[us](?:add|sub)\.sat)\.i\d+")
_INACTIVE = "enzyme_inactive"
_ALLOCATES_NOTHING = "enzyme_no_escaping_allocation"
"""Enzyme does not know it of all intrinsics, and looks where such memory is needed: of a chain of rotations, without end."""


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Say of what counts in the shims' functions that it is inactive; nothing is logged, as nearly all functions count."""
    for function in call_tree(editor, shims):
        instructions = editor.module.returning_instructions(function)
        pointers, leaving = _made_pointers_of(editor, instructions), _leaving(editor, instructions)
        for instruction in (instruction for instruction in instructions if instruction not in pointers):
            is_used_up = _hands_on(editor, instruction) and instruction not in leaving
            if editor.is_intrinsic(instruction):
                editor.add_call_attribute(instruction, _ALLOCATES_NOTHING)
                if is_used_up or _is_integers(editor, instruction):
                    editor.add_call_attribute(instruction, _INACTIVE)
            elif is_used_up or _counts(editor, instruction) or _is_chosen_number(editor, instruction):
                editor.say_inactive(instruction)
                _hide_addresses(editor, instruction)
    return []


def _hide_addresses(editor: Editor, choice: Value) -> None:
    """Where an integer is chosen from addresses and numbers that are not known: what a number is, an address could not be."""
    chosen = dict.fromkeys(editor.chosen(choice)) if editor.is_choice(choice) else {}
    addresses = [one for one in chosen if editor.api.IsAPtrToIntInst(one)]
    if not all(one in addresses or editor.is_simple_constant(one) for one in chosen):
        for address in addresses:
            editor.give(choice, address, opaque.same(editor, address, editor.following(address)))


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


def _leaving(editor: Editor, instructions: Sequence[Value]) -> set[Value]:
    """The integers whose bits go further than to comparisons, indices and numbers: stored, returned, handed on, made floats."""
    known: set[Value] = set()
    waiting = [one for i in instructions if not _uses_up(editor, i) for one in _taken(editor, i)]
    while waiting:
        value = waiting.pop()
        if value not in known:
            known.add(value)
            waiting += editor.operands(value) if _hands_on(editor, value) else []
    return known


def _taken(editor: Editor, instruction: Value) -> list[Value]:
    """The operands of which something may be left in what an instruction gives: not what it chooses by."""
    return editor.chosen(instruction) if editor.is_choice(instruction) else editor.operands(instruction)


def _uses_up(editor: Editor, instruction: Value) -> bool:
    """Whether of an integer that an instruction takes nothing is left, or only an integer that is looked at in its turn."""
    is_index = editor.api.IsAGetElementPtrInst(instruction) or editor.ends_block_by_choice(instruction)
    return bool(is_index) or _hands_on(editor, instruction) or editor.takes_number(instruction)


def _hands_on(editor: Editor, value: Value) -> bool:
    if editor.is_vector_of_integers(value):  # as of the hashes that are compared side by side
        return True
    is_integer = bool(editor.integer_bits(editor.api.TypeOf(value)))
    is_frozen = bool(editor.api.IsAFreezeInst(value))
    return is_integer and (is_frozen or editor.is_integer_arithmetic(value) or editor.is_intrinsic(value))


def _counts(editor: Editor, instruction: Value) -> bool:
    if not editor.api.IsABinaryOperator(instruction) or not editor.integer_bits(editor.api.TypeOf(instruction)):
        return False
    opcode = editor.api.GetInstructionOpcode(instruction)
    return opcode in _ARITHMETIC or (opcode == _SHIFT_LEFT and _is_small(editor, editor.operands(instruction)[1]))


def _is_chosen_number(editor: Editor, instruction: Value) -> bool:
    """Whether a choice is between integers that were counted together, and no float's bits."""
    is_integer = bool(editor.integer_bits(editor.api.TypeOf(instruction)))
    return is_integer and editor.is_choice(instruction) and is_counted(editor, instruction)


def _is_small(editor: Editor, amount: Value) -> bool:
    return bool(editor.api.IsAConstantInt(amount)) and editor.api.ConstIntGetZExtValue(amount) <= _BYTES_OF_ELEMENTS


def _is_integers(editor: Editor, call: Value) -> bool:
    return bool(_INTRINSICS.fullmatch(editor.module.name(editor.module.callee(call))))
