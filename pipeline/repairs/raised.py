"""A pointer that is chosen as an integer, beside numbers, and made a pointer again, is chosen as a pointer.

Where code is not optimised the address of new memory, or how it should have been aligned, stands in one word of a `Result`.
Enzyme finds an address that is a number.

Not that of a text with a capacity in forward mode: its shadow would be that text itself, and it would be freed twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.debug_info import allocates_text
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor


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
    """Whether a pointer is made of a choice among addresses of pointers, and numbers."""
    is_pointer = editor.api.IsAIntToPtrInst(instruction) and editor.api.TypeOf(instruction) == editor.pointer_type()
    if not is_pointer or not editor.is_choice(editor.operands(instruction)[0]):
        return False
    leaves = set(editor.sources(editor.operands(instruction)[0]))
    addresses = {value for value in leaves if _is_address(editor, value)}
    return bool(addresses) and all(map(editor.is_simple_constant, leaves - addresses))


def _is_address(editor: Editor, value: Value) -> bool:
    made_of = editor.operands(value)[0] if editor.api.IsAPtrToIntInst(value) else 0
    return bool(made_of) and editor.api.TypeOf(made_of) == editor.pointer_type()


def _raised(editor: Editor, value: Value, made: dict[Value, Value]) -> Value:
    """The pointer that an integer is the address of."""
    if value in made:
        return made[value]
    if _is_address(editor, value):
        return editor.operands(value)[0]
    if editor.api.IsAPHINode(value):
        made[value] = editor.phi(value, editor.pointer_type())
        editor.add_incoming(made[value], [_raised(editor, one, made) for one in editor.chosen(value)], value)
    elif editor.is_choice(value):
        one, other = (_raised(editor, each, made) for each in editor.chosen(value))
        with editor.module.before(value) as builder:
            made[value] = int(editor.api.BuildSelect(builder, editor.operands(value)[0], one, other, b""))
    else:
        made[value] = int(editor.api.ConstIntToPtr(value, editor.pointer_type()))
    return made[value]
