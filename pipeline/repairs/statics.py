"""Statics and thread-locals that are made of integers alone are inactive: counters, flags, the state of a generator.

Enzyme refuses a variable that may change and has no shadow.  By its type it holds no float; that no float's bits are kept in
it (`AtomicU64` and `to_bits`) is believed where nothing in sight makes integers of floats, or floats of integers, bit by bit.
So are statics that are only read here, but for the words of a lock around them: what is in them is constant to the derivative.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import INTEGER_NAMES, functions_around, numbers, variable_type
from pipeline.analyses.effects import Effects
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

_CONVERSIONS = {"to_bits", "from_bits"}


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Mark those that the shims' functions use, and the addresses of thread-locals; a line for each."""
    functions = list(call_tree(editor, shims))
    used = dict.fromkeys(variable for function in functions for variable in editor.changing_variables(function))
    found = [variable for variable in used if _is_of_integers(editor, variable)]
    if any(_converts_bits(editor, i, found) for f in functions if found for i in editor.module.instructions(f)):
        found = []
    found += [one for one in used if one not in found and _is_only_read(editor, one, functions)]
    for variable in found:
        editor.say_inactive(variable)
    calls_in_all = (call for function in functions for call in calls(editor, function))
    for address in filter(editor.is_thread_local_address, list(calls_in_all)):
        variable = editor.module.arguments(address)[0]
        if variable in found or _is_stds(editor, variable, address):
            editor.say_inactive(address)
    return [f"statics: {editor.module.name(variable)}" for variable in found]


def _is_only_read(editor: Editor, variable: Value, functions: Container[Value]) -> bool:
    """Whether none of the functions stores what may be a float in a variable, or where pointers in it lead."""
    known, waiting = set[Value](), [] if editor.is_thread_local(variable) else [variable]
    while waiting:
        pointer = waiting.pop()
        if pointer in known:
            continue
        known.add(pointer)
        for user in editor.module.users(pointer):
            if _leads_on(editor, user):
                waiting.append(user)
            elif editor.api.IsAInstruction(user) and editor.module.parent(user) in functions:
                if not _only_reads(editor, user):
                    return False
                waiting += _given(editor, user, pointer)
    return variable in known


def _leads_on(editor: Editor, user: Value) -> bool:
    """Whether what uses a pointer is a pointer in its turn: counted from it, chosen, or read there."""
    api, is_pointer = editor.api, editor.api.TypeOf(user) == editor.pointer_type()
    is_counted = api.IsAGetElementPtrInst(user) or api.IsAConstantExpr(user) or editor.is_choice(user)
    return bool(is_pointer and (is_counted or editor.is_plain_load(user)))


def _only_reads(editor: Editor, user: Value) -> bool:
    """Whether an instruction reads a number there, hands the pointer to a function that is looked at, or leaves it alone."""
    if editor.is_bulk_write(user):
        return False
    is_call = editor.module.is_call(user) and editor.module.is_defined(editor.module.callee(user))
    is_inactive = editor.module.is_call(user) and editor.is_call_said_inactive(user)
    is_read = editor.is_plain_load(user) or editor.is_lifetime(user)
    return is_call or is_inactive or is_read or editor.leaves_alone(user)


def _given(editor: Editor, user: Value, pointer: Value) -> list[Value]:
    """The parameters that are the pointer in the function that a call calls; none, where that has no derivative."""
    callee = editor.module.callee(user) if editor.module.is_call(user) else 0
    if not callee or not editor.module.is_defined(callee) or editor.is_inactive(callee):
        return []
    arguments = editor.module.arguments(user)
    return [parameter for parameter, given in zip(editor.parameters(callee), arguments, strict=False) if given == pointer]


def _is_stds(editor: Editor, variable: Value, address: Value) -> bool:
    """Whether a thread-local is one of std's, of which debug info has no types, and only integers are kept in it here."""
    return not variable_type(editor.module, variable) and not Effects(editor).may_lead_to_floats(address)


def _is_of_integers(editor: Editor, variable: Value) -> bool:
    ty = variable_type(editor.module, variable)
    return bool(ty) and numbers(editor.module, ty) <= INTEGER_NAMES


def _converts_bits(editor: Editor, instruction: Value, variables: Sequence[Value]) -> bool:
    """Whether bits go over from an integer to a float, or back: in a register, or in one of the variables."""
    if not _CONVERSIONS.isdisjoint(functions_around(editor.module, instruction)):
        return True
    if editor.is_plain_load(instruction) or editor.is_plain_store(instruction):
        return bool(editor.float_name(editor.accessed_type(instruction))) and editor.slot(instruction)[0] in variables
    if not editor.api.IsABitCastInst(instruction):
        return False
    types = [editor.api.TypeOf(value) for value in (instruction, *editor.operands(instruction))]
    return any(map(editor.integer_bits, types)) and any(map(editor.float_name, types))
