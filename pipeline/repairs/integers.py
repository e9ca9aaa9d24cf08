"""Integers that are counted with have no derivative, and Enzyme is told so.

It takes for active what it knows no type of: a length that is only multiplied, the smaller of two indices.  Of the sum, the
product or the smaller of two integers no float's bits are left; those that are shifted or put together may be a float's, if
they go where they could be taken for one.  A hash does not.

What is either an index or an address, as in an enum that has the one in a variant and the other in another, and is only taken
for an index, would be a word of two types: the address is hidden.  So is one of which only numbers are made, and not as the
difference of two: how far it is to the next word, or a count from which one address is taken before another is added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.counting import is_counted
from pipeline.analyses.hidden import HIDDEN, is_of
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_ARITHMETIC = {8, 10, 12, 14, 15, 17, 18}  # LLVMOpcode: add, sub, mul, udiv, sdiv, urem, srem
_ADD, _SUB, _AND = 8, 10, 23
_SHIFT_LEFT = 20
_BYTES_OF_ELEMENTS = 6
"""Bits by which a count becomes a size; floats are put together by 16 and more."""
_INTRINSICS = re.compile(r"llvm\.(?:[us](?:min|max)|[us](?:add|sub)\.sat|fpto[us]i\.sat)\.i\d+(?:\.f\d+)?")
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
            if editor.api.IsAPtrToIntInst(instruction):
                _hide_measured(editor, instruction)
    return []


def _hide_addresses(editor: Editor, choice: Value) -> None:
    """Where an integer is chosen from addresses and numbers that are not known: what a number is, an address could not be."""
    chosen = dict.fromkeys(editor.chosen(choice)) if editor.is_choice(choice) else {}
    addresses = [one for one in chosen if editor.api.IsAPtrToIntInst(one)]
    if not all(one in addresses or editor.is_simple_constant(one) for one in chosen):
        for address in addresses:
            editor.give(choice, address, opaque.same(editor, address, editor.following(address)))


def _hide_measured(editor: Editor, address: Value) -> None:
    """Where something other than comparisons and differences of two addresses is made of one, and each time a number."""
    found = []
    for value, user in (uses := Uses(editor.module, [address])):
        found.append(_measure(editor, user, value))
        if _is_moved(editor, user):
            uses.follow([user])
    if None not in found and False in found:
        users = editor.module.users(address)
        hidden = opaque.same(editor, address, editor.following(address))
        for user in users:
            editor.give(user, address, hidden)


def _is_moved(editor: Editor, user: Value) -> bool:
    """Whether a number that is known is added to an address, or bits of it are cleared."""
    is_sum = editor.api.GetInstructionOpcode(user) in (_ADD, _SUB, _AND)
    return is_sum and any(map(editor.api.IsAConstantInt, editor.operands(user)))


def _measure(editor: Editor, user: Value, value: Value) -> bool | None:
    """Whether Enzyme knows that what is made here of an address is a number; None where it is none, for all that is known."""
    if editor.api.IsAICmpInst(user):
        return True
    opcode = editor.api.GetInstructionOpcode(user)
    if _is_moved(editor, user):
        return bool(opcode != _AND)
    if opcode not in (_ADD, _SUB):
        return None
    first, second = editor.operands(user)
    if opcode == _SUB and (value == second or _is_address(editor, second)):
        return _is_address(editor, first) and _is_address(editor, second)
    return False if opcode == _ADD and _lacks_address(editor, second if value == first else first) else None


def _is_address(editor: Editor, value: Value) -> bool:
    return bool(editor.api.IsAPtrToIntInst(editor.operands(value)[0] if is_of(editor, HIDDEN, value) else value))


def _lacks_address(editor: Editor, value: Value) -> bool:
    """Whether an address was taken from a number: with another one it is a number again."""
    is_difference = editor.api.IsABinaryOperator(value) and editor.api.GetInstructionOpcode(value) == _SUB
    return bool(is_difference) and _is_address(editor, editor.operands(value)[1])


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
