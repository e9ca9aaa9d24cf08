"""Statics and thread-locals that are made of integers alone are inactive: counters, flags, the state of a generator.

Enzyme refuses a variable that may change and has no shadow.  By its type it holds no float; that none is kept in it all the
same, in bytes that serve as memory for numbers, is seen by following its address; that no float's bits are (`AtomicU64` and
`to_bits`) is believed where nothing in a derivative that uses it makes integers of floats, or floats of integers, bit by bit.
So are statics that are only read here, but for the words of a lock around them: what is in them is constant to the derivative.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import partial

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.counting import converts_bits
from pipeline.analyses.debug_info import INTEGER_NAMES, numbers, variable_type
from pipeline.analyses.effects import Effects
from pipeline.analyses.foreign import hands_over_no_float, is_foreign, leads_to_no_floats
from pipeline.analyses.given import parameters_given
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

_OF_THE_PROCESSOR = re.compile(r"(?:_ZN|_R.*C(?:s[0-9A-Za-z]+_)?)10std_detect")
"""How std names what it keeps of which instructions there are: debug info has no types of it."""
_MULTIPLY = 12  # LLVMOpcode


def say_inactive(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Mark those that the shims' functions use, and the addresses of thread-locals; a line for each."""
    functions = dict.fromkeys(call_tree(editor, shims))
    used = dict.fromkeys(variable for function in functions for variable in editor.changing_variables(function))
    if not used:
        return []
    effects = Effects(editor)
    found = [one for one in used if _is_of_integers(editor, one) and not _floats_come_to(effects, one, functions)]
    found = _apart_from_bits(editor, found, shims) if found else []
    found += [one for one in used if one not in found and _is_constant_here(effects, one, functions)]
    for variable in found:
        editor.say_inactive(variable)
    calls_in_all = (call for function in functions for call in calls(editor, function))
    for address in filter(editor.is_thread_local_address, list(calls_in_all)):
        variable = editor.module.arguments(address)[0]
        if variable in found or _is_stds(effects, variable, address):
            editor.say_inactive(address)
    return [f"statics: {editor.module.name(variable)}" for variable in found]


def _apart_from_bits(editor: Editor, found: Sequence[Value], shims: Sequence[Value]) -> list[Value]:
    """The variables that are in no derivative in which bits go over from an integer to a float, or back."""
    converts, instructions = partial(converts_bits, editor), editor.module.instructions
    converting = {function for function in call_tree(editor, shims) if any(map(converts, instructions(function)))}
    trees = [call_tree(editor, [shim]) for shim in shims] if converting else []
    beside = {function for tree in trees if not converting.isdisjoint(tree) for function in tree}
    used = {variable for function in beside for variable in editor.changing_variables(function)}
    return [variable for variable in found if variable not in used]


def _is_constant_here(effects: Effects, variable: Value, functions: Container[Value]) -> bool:
    """Whether what is in a static stays as it is, or is no float, of which debug info says nothing."""
    if _OF_THE_PROCESSOR.match(effects.inspector.module.name(variable)):
        return not _floats_come_to(effects, variable, functions)
    return _is_only_read(effects.inspector, variable, functions)


def _floats_come_to(effects: Effects, variable: Value, functions: Container[Value]) -> bool:
    """Whether one of the functions reads or writes a float in a variable, or lets its address go where nobody sees whether."""
    inspector = effects.inspector
    for value, user in (uses := Uses(inspector.module, [variable])):
        if inspector.api.IsAConstant(user) or _is_address(inspector, user):
            uses.follow([user])
        elif inspector.module.parent(user) not in functions or _is_hash(inspector, user):
            continue
        elif led_to := parameters_given(inspector, user, value) or effects.returned_to(user):
            uses.follow(led_to)
        elif not _leaves_integers(effects, user, value):
            return True
    return False


def _is_address(inspector: Inspector, user: Value) -> bool:
    """Whether an instruction makes of an address another one, or the number of one."""
    api = inspector.api
    is_made = api.IsAGetElementPtrInst(user) or inspector.is_pointer_cast(user) or api.IsAZExtInst(user)
    is_computed = api.IsABinaryOperator(user) and not _is_hash(inspector, user)
    return bool(is_made or is_computed) or inspector.is_choice(user) or inspector.is_thread_local_address(user)


def _is_hash(inspector: Inspector, user: Value) -> bool:
    """Whether a product is made of the number of an address: it leads nowhere any more."""
    return bool(inspector.api.IsABinaryOperator(user)) and inspector.api.GetInstructionOpcode(user) == _MULTIPLY


def _leaves_integers(effects: Effects, user: Value, address: Value) -> bool:
    """Whether what uses an address reads or writes an integer there, or nothing that a float comes of."""
    inspector, api = effects.inspector, effects.inspector.api
    if inspector.is_bulk_write(user):
        pointers = [one for one in inspector.module.arguments(user) if api.TypeOf(one) == inspector.pointer_type()]
        others = {base for pointer in pointers for base in inspector.bases(pointer)} - {*inspector.bases(address)}
        return all(leads_to_no_floats(effects, base) for base in others)
    if api.IsALoadInst(user) or api.IsAStoreInst(user) or inspector.exchanges(user):
        is_kept = api.IsAStoreInst(user) and inspector.operands(user)[0] == address
        return bool(inspector.integer_bits(inspector.atomic_type(user) or inspector.accessed_type(user))) and not is_kept
    is_strangers = inspector.module.is_call(user) and is_foreign(inspector, user) and hands_over_no_float(inspector, user)
    return is_strangers or inspector.leaves_alone(user) or inspector.is_lifetime(user)


def _is_only_read(inspector: Inspector, variable: Value, functions: Container[Value]) -> bool:
    """Whether none of the functions stores what may be a float in a variable, or where pointers in it lead."""
    if inspector.is_thread_local(variable):
        return False
    for pointer, user in (uses := Uses(inspector.module, [variable])):
        if _leads_on(inspector, user):
            uses.follow([user])
        elif inspector.api.IsAInstruction(user) and inspector.module.parent(user) in functions:
            if not _only_reads(inspector, user):
                return False
            uses.follow(parameters_given(inspector, user, pointer))
    return True


def _leads_on(inspector: Inspector, user: Value) -> bool:
    """Whether what uses a pointer is a pointer in its turn: counted from it, chosen, or read there."""
    api, is_pointer = inspector.api, inspector.api.TypeOf(user) == inspector.pointer_type()
    is_counted = api.IsAGetElementPtrInst(user) or api.IsAConstantExpr(user) or inspector.is_choice(user)
    return bool(is_pointer and (is_counted or inspector.is_plain_load(user)))


def _only_reads(inspector: Inspector, user: Value) -> bool:
    """Whether an instruction reads a number there, hands the pointer to a function that is looked at, or leaves it alone."""
    if inspector.is_bulk_write(user):
        return False
    is_call = inspector.module.is_call(user) and inspector.module.is_defined(inspector.module.callee(user))
    is_inactive = inspector.module.is_call(user) and inspector.is_call_said_inactive(user)
    is_read = inspector.is_plain_load(user) or inspector.is_lifetime(user)
    return is_call or is_inactive or is_read or inspector.leaves_alone(user)


def _is_stds(effects: Effects, variable: Value, address: Value) -> bool:
    """Whether a thread-local is one of std's, of which debug info has no types, and only integers are kept in it here."""
    return not variable_type(effects.inspector.module, variable) and not effects.may_lead_to_floats(address)


def _is_of_integers(editor: Editor, variable: Value) -> bool:
    ty = variable_type(editor.module, variable)
    return bool(ty) and numbers(editor.module, ty) <= INTEGER_NAMES
