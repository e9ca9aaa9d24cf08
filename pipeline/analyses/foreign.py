"""Calls of what has no body in the program: of the operating system and the C library, and inline assembly.

Enzyme has no derivative of them.  Where no float comes or goes by such a call, there is none to be had.
"""

from __future__ import annotations

from ctypes import POINTER, c_size_t, c_void_p
from typing import TYPE_CHECKING

from pipeline.llvm import Value, text
from pipeline.llvm_inspect import Inspector

if TYPE_CHECKING:
    from pipeline.analyses.effects import Effects

_SIGNATURES = {"GetInlineAsmAsmString": (c_void_p, [c_void_p, POINTER(c_size_t)])}
_PROCESSORS = ("llvm.x86.", "llvm.aarch64.")
MANGLED = ("_R", "_ZN")  # by either of rustc's manglings
OWN = "own."
"""Before the name of a function of the program that C could have given it (repairs/c_names.py)."""
_SYSCALL, _FUTEX = "syscall", 202
_WAITS_OR_WAKES = {0, 1, 9, 10}  # FUTEX_WAIT, FUTEX_WAKE, and these with a bit set; in the lowest seven bits
_OPERATION = 0x7F


def is_apart(effects: Effects, call: Value) -> bool:
    """Whether a call is of what has no body here, and has no derivative because no float comes or goes by it."""
    if effects.inspector.module.is_inline_assembly(effects.inspector.module.callee(call)):
        return is_assembly_without_floats(effects.inspector, call)
    return is_foreign(effects.inspector, call) and is_without_floats(effects, call)


def has_c_name(inspector: Inspector, function: Value) -> bool:
    """Whether a function of the program goes by a name that C could have given it, and is not about memory."""
    name = inspector.module.name(function)
    is_written = inspector.module.is_defined(function) and bool(inspector.module.subprogram(function))
    return is_written and name.isidentifier() and not name.startswith(MANGLED) and not inspector.is_about_memory(function)


def is_foreign(inspector: Inspector, call: Value) -> bool:
    """Whether a call is of a function that has no body here, or an instruction of the processor's: `pause`, `rdtsc`.

    LLVM's other functions, Enzyme's own, and those about memory are none.
    """
    callee = inspector.module.callee(call)
    is_function = inspector.module.is_function(callee) and not inspector.module.is_defined(callee)
    is_llvms = inspector.is_intrinsic(call) and not inspector.module.name(callee).startswith(_PROCESSORS)
    is_known = is_llvms or inspector.is_enzymes(callee) or inspector.is_about_memory(callee)
    return is_function and not is_known


def assembly(inspector: Inspector, call: Value) -> str:
    """The text of a call's inline assembly."""
    inspector.api.load(_SIGNATURES)
    size = c_size_t()
    return text(inspector.api.GetInlineAsmAsmString(inspector.module.callee(call), size), size.value)


def is_assembly_without_floats(inspector: Inspector, call: Value) -> bool:
    """Whether inline assembly does nothing, as that of `black_box`; or is given integers at most, and gives some."""
    result = inspector.api.TypeOf(call)
    if result == inspector.void_type() and not assembly(inspector, call):
        return True
    types = [*inspector.members(result), *map(inspector.api.TypeOf, inspector.module.arguments(call))]
    return all(ty == inspector.void_type() or inspector.integer_bits(ty) for ty in types)


def is_without_floats(effects: Effects, call: Value) -> bool:
    """Whether a foreign function is given no float and gives none, neither itself nor in memory that it is shown."""
    inspector = effects.inspector
    if _waits_or_wakes(inspector, call):
        return True
    given = inspector.module.arguments(call)
    if not hands_over_no_float(inspector, call) or any(map(inspector.api.IsAPtrToIntInst, given)):
        return False
    pointers = [value for value in given if _is_pointer(inspector, value)]
    is_given_none = all(leads_to_no_floats(effects, base) for pointer in pointers for base in inspector.bases(pointer))
    return is_given_none and not (_is_pointer(inspector, call) and effects.may_lead_to_floats(call))


def hands_over_no_float(inspector: Inspector, call: Value) -> bool:
    """Whether a call takes and gives nothing but integers and pointers."""
    types = map(inspector.api.TypeOf, (call, *inspector.module.arguments(call)))
    plain = {inspector.void_type(), inspector.pointer_type()}
    return all(ty in plain or inspector.integer_bits(ty) for ty in types)


def leads_to_no_floats(effects: Effects, base: Value) -> bool:
    """Whether what a pointer leads to is a constant text, or on the stack and known to hold integers alone."""
    inspector = effects.inspector
    if base == inspector.null() or inspector.module.string(base) is not None:
        return True
    return bool(inspector.api.IsAAllocaInst(base)) and not effects.may_lead_to_floats(base)


def _waits_or_wakes(inspector: Inspector, call: Value) -> bool:
    """Whether a system call is one by which a lock waits, or wakes who waits: it writes to no memory of the program."""
    numbers = [inspector.number(value) for value in inspector.module.arguments(call)]
    is_system_call = inspector.module.name(inspector.module.callee(call)) == _SYSCALL and len(numbers) > 2
    return is_system_call and numbers[0] == _FUTEX and (numbers[2] or 0) & _OPERATION in _WAITS_OR_WAKES


def _is_pointer(inspector: Inspector, value: Value) -> bool:
    return bool(inspector.api.TypeOf(value) == inspector.pointer_type())
