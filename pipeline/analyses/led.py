"""Where addresses may go: through what is computed of them, arguments, results and memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pipeline.analyses.layout import POINTER_BITS
from pipeline.analyses.moves import is_copy
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def led_from(
    inspector: Inspector,
    functions: Collection[Value],
    begin: Iterable[Value],
    leads_on: Callable[[Value], bool],
    may_read: Callable[[Value, bool], bool],
) -> set[Value]:
    """What may be, or be made of, one of the addresses that are begun with: these, and what of them comes in the functions.

    Of what is neither a call, a store nor a comparison `leads_on` says whether it is.  Once an address is stored, be it as an
    integer, `may_read` says of a load whether it may be it.
    """
    instructions = dict.fromkeys(one for function in functions for one in inspector.module.returning_instructions(function))
    words, pointers = False, False
    for value, user in (uses := Uses(inspector.module, begin)):
        if not inspector.api.IsAInstruction(user):
            uses.follow([user])  # an address within it, or a constant in which its address stands
        elif user in instructions:
            uses.follow(_led_on(inspector, user, value, functions, leads_on))
            if words or not _is_stored(inspector, user, value):
                continue
            words = inspector.api.TypeOf(value) != inspector.pointer_type()
            if words or not pointers:
                pointers = True
                uses.follow(one for one in instructions if may_read(one, words))
    return uses.known


def loads_pointer(inspector: Inspector, instruction: Value, *, or_word: bool = True) -> bool:
    """Whether what is loaded is a pointer, or has a word that may be one."""
    members = inspector.members(inspector.api.TypeOf(instruction)) if inspector.api.IsALoadInst(instruction) else []
    return any(ty == inspector.pointer_type() or (or_word and inspector.integer_bits(ty) >= POINTER_BITS) for ty in members)


def _led_on(
    inspector: Inspector, user: Value, value: Value, functions: Collection[Value], leads_on: Callable[[Value], bool]
) -> Iterable[Value]:
    """What is led to because of what an instruction does with `value`, which is."""
    module, api = inspector.module, inspector.api
    if module.is_call(user):
        callee = module.callee(user)
        given = zip(inspector.parameters(callee), module.arguments(user), strict=False) if callee in functions else ()
        return [parameter for parameter, argument in given if argument == value]
    if api.IsAReturnInst(user):
        return filter(module.is_call, module.users(module.parent(user)))
    return [] if api.IsAStoreInst(user) or api.IsAICmpInst(user) or not leads_on(user) else [user]


def _is_stored(inspector: Inspector, user: Value, value: Value) -> bool:
    """Whether an address comes to memory, be it as a part of a constant that is copied."""
    if inspector.api.IsAStoreInst(user):
        return inspector.operands(user)[0] == value
    is_copied = is_copy(inspector, user) and inspector.module.arguments(user)[1] == value
    return is_copied and any(_may_have_addresses(inspector, base) for base in inspector.bases(value))


def _may_have_addresses(inspector: Inspector, base: Value) -> bool:
    """Whether other addresses stand in the constant that a pointer leads into; of what is no name that is not known."""
    constants = [one for one in inspector.globals_in([base]) if has_contents(inspector, one)]
    return not constants or bool(inspector.globals_in(map(inspector.api.GetInitializer, constants)))


def has_contents(inspector: Inspector, variable: Value) -> bool:
    """Whether a variable never changes, and is known here to be more than zeros."""
    api = inspector.api
    is_constant = api.IsAGlobalVariable(variable) and api.IsGlobalConstant(variable) and inspector.module.has_value(variable)
    return bool(is_constant) and not inspector.is_null(api.GetInitializer(variable))
