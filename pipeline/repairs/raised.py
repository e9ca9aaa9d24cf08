"""A pointer that is chosen as an integer, beside numbers, and made a pointer again, is chosen as a pointer.

Where code is not optimised the address of new memory, or how it should have been aligned, stands in one word of a `Result`; and
what grows a vector, of whatever elements, makes the address of none of the number by which they are aligned.  Enzyme finds an
address that is a number.

Not that of a text with a capacity in forward mode: its shadow would be that text itself, and it would be freed twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import allocates_text
from pipeline.analyses.given import fixed_numbers, is_address
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import EQUAL


def choose_pointers(editor: Editor, shims: Sequence[Value], forward: Sequence[Value] = ()) -> list[str]:
    """Choose among the pointers in all that the shims reach, some of them in forward mode; a line for each function."""
    done = []
    in_forward_mode = call_tree(editor, forward)
    for function in call_tree(editor, shims):
        made: dict[Value, Value] = {}
        found = [
            one
            for one in editor.module.returning_instructions(function)
            if _is_chosen_address(editor, one) and not (function in in_forward_mode and allocates_text(editor.module, one))
        ]
        for pointer in found:
            editor.replace(pointer, _raised(editor, editor.operands(pointer)[0], made))
        done += [f"raised: {len(found)} in {editor.module.name(function)}"] if found else []
    return done


def _is_chosen_address(editor: Editor, instruction: Value) -> bool:
    """Whether a pointer is made of a choice among addresses of pointers, and fixed numbers, be they handed in."""
    if not editor.api.IsAIntToPtrInst(instruction) or editor.api.TypeOf(instruction) != editor.pointer_type():
        return False
    number = editor.operands(instruction)[0]
    leaves = [value for value in editor.sources(number) if not editor.is_simple_constant(value)]
    is_chosen = editor.is_choice(number) or bool(editor.api.IsAArgument(number))
    return is_chosen and bool(leaves) and all(is_address(editor, leaf) or fixed_numbers(editor, leaf) for leaf in leaves)


def _raised(editor: Editor, value: Value, made: dict[Value, Value]) -> Value:
    """The pointer that an integer is the address of."""
    if value in made:
        return made[value]
    if is_address(editor, value):
        return editor.operands(value)[0]
    if editor.api.IsAPHINode(value):
        made[value] = editor.phi(value, editor.pointer_type())
        editor.add_incoming(made[value], [_raised(editor, one, made) for one in editor.chosen(value)], value)
    elif editor.api.IsAArgument(value):
        made[value] = _one_of(editor, value, fixed_numbers(editor, value))
    elif editor.is_choice(value):
        one, other = (_raised(editor, each, made) for each in editor.chosen(value))
        with editor.module.before(value) as builder:
            made[value] = int(editor.api.BuildSelect(builder, editor.operands(value)[0], one, other, b""))
    else:
        made[value] = int(editor.api.ConstIntToPtr(value, editor.pointer_type()))
    return made[value]


def _one_of(editor: Editor, number: Value, known: Sequence[int]) -> Value:
    """The pointer that a parameter is the address of, which is one of these numbers."""
    ty = editor.api.TypeOf(number)
    first, *others = (editor.api.ConstInt(ty, one, 0) for one in known)
    found = int(editor.api.ConstIntToPtr(first, editor.pointer_type()))
    with editor.module.before(next(editor.module.instructions(editor.function_of(number)))) as builder:
        for other in others:
            is_other = editor.api.BuildICmp(builder, EQUAL, number, other, b"")
            pointer = editor.api.ConstIntToPtr(other, editor.pointer_type())
            found = int(editor.api.BuildSelect(builder, is_other, pointer, found, b""))
    return found
