"""Thread-locals that serve as memory for numbers have a shadow, which begins as zeros with each derivative.

Enzyme ends where the address of a thread-local is asked for, and knows a shadow of global variables alone, where one is named;
so what asks for the address gives way to the variable itself.  What a derivative finds in it was there before, and is
constant: its shadow is zero then.  Of one with pointers in it the shadow would have to lead somewhere: it has none.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import FLOAT_BITS, INTEGER_NAMES, numbers, paths_around, variable_type
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque

_WIDTH = "enzyme_width"
_BEGINS = ["std", "sys", "thread_local"]
"""Where std writes to a thread-local what it begins with."""


def give_shadows(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give each such thread-local a shadow that the shims' functions want; a line for each."""
    module, functions = editor.module, call_tree(editor, shims)
    in_all = [call for function in functions for call in calls(editor, function)]
    addresses = [call for call in in_all if editor.is_thread_local_address(call) and not editor.is_said_inactive(call)]
    asks = [user for shim in shims for user in module.users(shim) if editor.asks_enzyme(user)]
    if any(module.parent(ask) in functions for ask in asks):  # which of two derivatives would a shadow be of?
        return []
    variables = dict.fromkeys(module.arguments(address)[0] for address in addresses)
    found = [variable for variable in variables if _is_of_numbers(editor, variable)]
    lanes = max((_width(editor, ask) for ask in asks), default=1)
    shadows = [editor.give_shadow(variable, lanes) for variable in found]
    for address in addresses:
        variable = module.arguments(address)[0]
        if variable in found:
            editor.replace(address, _address(editor, variable, address))
    for write in [one for function in functions for one in module.instructions(function) if _is_beginning(editor, one, found)]:
        opaque.outline(editor, write)
    for function in dict.fromkeys(module.parent(ask) for ask in asks):
        editor.zero_at_entry(function, shadows)
    return [f"thread_locals: {module.name(variable)}" for variable in found]


def _address(editor: Editor, variable: Value, place: Value) -> Value:
    """A variable's address, counted by what nobody knows to be 0: of what is a constant Enzyme has no shadow for each lane."""
    zero = opaque.same(editor, editor.module.int64(0), place)
    with editor.module.before(place) as builder:
        return editor.element(builder, variable, zero, 1)


def _is_beginning(editor: Editor, write: Value, variables: Sequence[Value]) -> bool:
    """Whether std writes to a variable what it begins with, where it is asked for the first time."""
    if not (editor.is_plain_store(write) or editor.is_bulk_write(write)):
        return False
    to = editor.module.arguments(write)[0] if editor.is_bulk_write(write) else editor.operands(write)[1]
    is_to_some = any(base in variables for base in editor.bases(to))
    return is_to_some and any(where[:3] == _BEGINS for where in paths_around(editor.module, write))


def _is_of_numbers(editor: Editor, variable: Value) -> bool:
    ty = variable_type(editor.module, variable)
    kept = numbers(editor.module, ty) if ty else frozenset()
    return bool(kept) and kept <= INTEGER_NAMES | FLOAT_BITS.keys()


def _width(editor: Editor, ask: Value) -> int:
    """How many tangents, or adjoints, Enzyme is asked for at once."""
    given = editor.module.arguments(ask)
    named = [editor.module.name(one) for one in given]
    return editor.number(given[named.index(_WIDTH) + 1]) or 1 if _WIDTH in named else 1
