"""Floats that are read of what never changes, a `const` table or a `static`, and handed on as they are.

The bytes that such a constant is made of are of any type for Enzyme (`getConstantAnalysis` in its TypeAnalysis.cpp).  Of a
value that has no derivative and is of any type forward mode makes no zero where a tangent is wanted: it takes the value itself
(`invertPointerM` in its GradientUtils.cpp).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pipeline.analyses.layout import POINTER_BITS
from pipeline.analyses.moves import is_copy
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def handed_on(inspector: Inspector, functions: Collection[Value]) -> list[Value]:
    """The loads in some functions of floats that may be a constant's, and with which more is done than arithmetic."""
    instructions = [one for function in functions for one in inspector.module.returning_instructions(function)]
    found = [one for one in instructions if _loads_float(inspector, one) and not _is_computed_with(inspector, one)]
    pointers = _lead_to_constants(inspector, functions, dict.fromkeys(instructions)) if found else set()
    return [load for load in found if inspector.operands(load)[0] in pointers]


def _loads_float(inspector: Inspector, instruction: Value) -> bool:
    return bool(inspector.api.IsALoadInst(instruction) and inspector.float_name(inspector.api.TypeOf(instruction)))


def _is_computed_with(inspector: Inspector, load: Value) -> bool:
    """Whether whatever is made of a float is one for Enzyme, too."""
    users = inspector.module.users(load)
    return all(inspector.is_float_arithmetic(user) or inspector.rounds_or_compares(user) for user in users)


def _lead_to_constants(inspector: Inspector, functions: Collection[Value], instructions: Collection[Value]) -> set[Value]:
    """What leads to a constant that has a value here: its name, addresses in it, and in which of the functions they come."""
    known: set[Value] = set()
    waiting = [variable for variable in inspector.module.variables() if _has_numbers(inspector, variable)]
    is_stored = False
    while waiting:
        value = waiting.pop()
        if value in known:
            continue
        known.add(value)
        for user in inspector.module.users(value):
            if not inspector.api.IsAInstruction(user):
                waiting.append(user)  # an address within it, or a constant in which its address stands
            elif user in instructions:
                waiting += _led_on(inspector, user, value, functions)
                if not is_stored and _is_stored(inspector, user, value):
                    is_stored = True
                    waiting += [one for one in instructions if _loads_pointer(inspector, one)]
    return known


def _has_numbers(inspector: Inspector, variable: Value) -> bool:
    api = inspector.api
    is_constant = api.IsAGlobalVariable(variable) and api.IsGlobalConstant(variable) and inspector.module.has_value(variable)
    return bool(is_constant) and not inspector.is_null(api.GetInitializer(variable))


def _led_on(inspector: Inspector, user: Value, value: Value, functions: Collection[Value]) -> Iterable[Value]:
    """What leads to a constant because of what an instruction does with `value`, which does."""
    module, api = inspector.module, inspector.api
    if module.is_call(user):
        callee = module.callee(user)
        given = zip(inspector.parameters(callee), module.arguments(user), strict=False) if callee in functions else ()
        return [parameter for parameter, argument in given if argument == value]
    if api.IsAReturnInst(user):
        return filter(module.is_call, module.users(module.parent(user)))
    is_number = api.IsALoadInst(user) and not _loads_pointer(inspector, user)
    return [] if is_number or api.IsAStoreInst(user) or api.IsAICmpInst(user) else [user]


def _is_stored(inspector: Inspector, user: Value, value: Value) -> bool:
    """Whether the address of a constant comes to memory, be it as a part of another constant that is copied."""
    if inspector.api.IsAStoreInst(user):
        return inspector.operands(user)[0] == value
    is_copied = is_copy(inspector, user) and inspector.module.arguments(user)[1] == value
    return is_copied and any(_may_have_addresses(inspector, base) for base in inspector.bases(value))


def _may_have_addresses(inspector: Inspector, base: Value) -> bool:
    """Whether other addresses stand in the constant that a pointer leads into; of what is no name that is not known."""
    constants = [one for one in inspector.globals_in([base]) if _has_numbers(inspector, one)]
    return not constants or bool(inspector.globals_in(map(inspector.api.GetInitializer, constants)))


def _loads_pointer(inspector: Inspector, instruction: Value) -> bool:
    """Whether what is loaded is a pointer, or has a word that may be one."""
    members = inspector.members(inspector.api.TypeOf(instruction)) if inspector.api.IsALoadInst(instruction) else []
    return any(ty == inspector.pointer_type() or inspector.integer_bits(ty) >= POINTER_BITS for ty in members)
