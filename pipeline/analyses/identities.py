"""Whether it is asked what an address is the address of, in a module that has copies of what the program has elsewhere.

A copy has an address of its own: who compares it with that of the program's own function, or `static`, goes another way than
the program does.  Of a constant of which LLVM says that its address does not matter (`unnamed_addr`) nobody asks that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set

from pipeline.analyses.debug_info import paths_around
from pipeline.analyses.led import has_contents, led_from, loads_pointer
from pipeline.analyses.moves import is_copy
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import ADDRESS_MATTERS, Inspector

_PRIVATE = 9  # LLVMPrivateLinkage
_COMPARING = (["core", "ptr"], ["core", "cmp"])
_ITERATING = (
    ["core", "slice", "iter"],
    ["core", "slice", "memchr"],
    ["alloc", "vec", "into_iter"],
    ["core", "iter", "adapters", "cycle"],
)
"""Where std asks whether there is more: of two addresses in the same memory."""


def compared_with_copies(inspector: Inspector, functions: Collection[Value]) -> Iterator[Value]:
    """The comparisons in some functions of an address that may be a copy's with one that may be the program's own.

    By which comes first, too, or by how far it is from one to the other.
    """
    module = inspector.module
    copies = [value for value in (*module.functions(), *module.variables()) if _is_copy(inspector, value)]
    led = _led(inspector, functions, copies, lambda load, as_word: loads_pointer(inspector, load, or_word=as_word))
    yield from _numbers(inspector, functions, copies)
    yield from _handed_out(inspector, functions, copies)
    for function in functions:
        for instruction in module.returning_instructions(function):
            if _compares(inspector, instruction) and _is_asked(inspector, instruction, led):
                yield instruction


def _led(
    inspector: Inspector, functions: Collection[Value], begin: Iterable[Value], may_read: Callable[[Value, bool], bool]
) -> Set[Value]:
    return led_from(inspector, functions, begin, lambda user: _is_address(inspector, user), may_read)


def _is_asked(inspector: Inspector, comparison: Value, led: Set[Value]) -> bool:
    one, other = (_bases(inspector, operand) for operand in inspector.operands(comparison))
    pairs = ((one, other), (other, one)) if one != other or len(one) > 1 else ()
    is_asked = any(not led.isdisjoint(ours) and _may_be_the_programs(inspector, theirs) for ours, theirs in pairs)
    return is_asked and not _asks_for_more(inspector, comparison)


def _compares(inspector: Inspector, instruction: Value) -> bool:
    """Whether it is a comparison, or made of two integers what tells how they differ: LLVM may add what it is to take away."""
    if inspector.api.IsAICmpInst(instruction) or inspector.is_difference(instruction) or inspector.is_exclusive_or(instruction):
        return True
    return inspector.is_sum(instruction) and any(map(inspector.api.IsAConstantExpr, inspector.operands(instruction)))


def _bases(inspector: Inspector, address: Value) -> list[Value]:
    """What an address may lead into, be it an integer."""
    found: list[Value] = []
    for base in inspector.bases(address):
        found += inspector.bases(inspector.operands(base)[0]) if inspector.is_pointer_cast(base) else [base]
    return found


def of_statics(inspector: Inspector) -> list[Value]:
    """The constants that a `static` leads to, for which LLVM does not say so: who reads it twice has the same address twice."""
    statics = (one for one in inspector.module.variables() if _is_constant(inspector, one) and _matters(inspector, one))
    inside = dict.fromkeys(one for static in statics for one in inspector.inside(static))
    constants = (one for one in inside if inspector.api.IsAGlobalVariable(one) and _is_constant(inspector, one))
    return [one for one in constants if not _matters(inspector, one)]


def _numbers(inspector: Inspector, functions: Collection[Value], copies: Iterable[Value]) -> Iterator[Value]:
    """What uses the address of a copy as an integer: as a key, or among bytes that are compared at once.

    Of a constant, what hands it on or stores it: LLVM computes with them how long its loops are.
    """
    module, api, words = inspector.module, inspector.api, set[Value]()
    for value, user in (uses := Uses(module, copies)):
        if api.IsAGlobalVariable(user):
            continue
        is_word = value in words or (api.IsAConstantExpr(value) and inspector.integer_bits(api.TypeOf(value)))
        if is_word or inspector.is_pointer_cast(user):
            words.add(user)
        if not api.IsAInstruction(user) or inspector.is_choice(user) or inspector.is_pointer_cast(user):
            uses.follow([user])
        if user in words and api.IsAInstruction(user) and module.parent(user) in functions and _is_told(inspector, user, value):
            yield user


def _handed_out(inspector: Inspector, functions: Collection[Value], copies: Iterable[Value]) -> Iterator[Value]:
    """What stores the address of a `static`'s copy where the program may find it, and compare it then.

    Of what is read from memory it is not asked whether it is one: most of it is none.  And none is a table of methods, which
    comes to memory with each `Box<dyn Trait>`.
    """
    statics = {one for one in copies if not inspector.module.is_function(one) and not _is_table_of_methods(inspector, one)}
    led = _led(inspector, functions, statics, lambda *_: False)
    for instruction in (one for function in functions for one in inspector.module.returning_instructions(function)):
        if _writes_one_of(inspector, instruction, statics, led):
            place = inspector.operands(instruction)[1 if inspector.api.IsAStoreInst(instruction) else 0]
            if _may_be_the_programs(inspector, inspector.bases(place)):
                yield instruction


def _writes_one_of(inspector: Inspector, instruction: Value, statics: Set[Value], led: Set[Value]) -> bool:
    """Whether it stores an address that is led to, or copies a constant in which that of a static stands."""
    if inspector.api.IsAStoreInst(instruction):
        return inspector.operands(instruction)[0] in led
    source = inspector.module.arguments(instruction)[1] if is_copy(inspector, instruction) else 0
    constants = inspector.globals_in(inspector.bases(source)) if source else []
    known = (inspector.api.GetInitializer(one) for one in constants if has_contents(inspector, one))
    return not statics.isdisjoint(inspector.globals_in(known))


def _is_table_of_methods(inspector: Inspector, constant: Value) -> bool:
    """Whether it is rustc's own, and has functions in it."""
    is_private = inspector.api.GetLinkage(constant) == _PRIVATE
    return is_private and any(map(inspector.module.is_function, inspector.globals_in([inspector.api.GetInitializer(constant)])))


def _is_told(inspector: Inspector, user: Value, address: Value) -> bool:
    """Whether it is a function's, of which any use tells, or what uses a constant's hands it on or stores it."""
    if any(map(inspector.module.is_function, inspector.globals_in(inspector.bases(address)))):
        return True
    return bool(inspector.module.is_call(user) or inspector.api.IsAStoreInst(user))


def _is_copy(inspector: Inspector, value: Value) -> bool:
    """Whether it is a function, or a constant with an address that matters, as a `static`, and the program may have another."""
    if inspector.module.is_function(value):
        return inspector.module.has_value(value) and inspector.is_internal(value)
    return _is_constant(inspector, value) and inspector.is_internal(value) and _matters(inspector, value)


def _is_constant(inspector: Inspector, variable: Value) -> bool:
    return inspector.module.has_value(variable) and bool(inspector.api.IsGlobalConstant(variable))


def _matters(inspector: Inspector, variable: Value) -> bool:
    return bool(inspector.api.GetUnnamedAddress(variable) == ADDRESS_MATTERS)


def _is_address(inspector: Inspector, user: Value) -> bool:
    """Whether what an instruction makes of an address may be it still."""
    is_pointer = inspector.api.TypeOf(user) == inspector.pointer_type()
    return is_pointer or inspector.is_pointer_cast(user) or inspector.is_choice(user)


def _asks_for_more(inspector: Inspector, comparison: Value) -> bool:
    """Whether it is an iterator's own: it compares by functions of std, or itself.

    Where LLVM has made one comparison of two it has no place: then by whether an address is gone on from.
    """
    paths = [path for path in paths_around(inspector.module, comparison) if path[:2] not in _COMPARING]
    if not paths:
        return any(map(inspector.moves_on, inspector.operands(comparison)))
    return any(paths[0][: len(known)] == known for known in _ITERATING)


def _may_be_the_programs(inspector: Inspector, bases: list[Value]) -> bool:
    """Whether a pointer may lead to what is not in the module, nor memory that was had here."""
    return any(not _is_ours(inspector, base) for base in bases)


def _is_ours(inspector: Inspector, base: Value) -> bool:
    if inspector.api.IsConstant(base):
        return all(inspector.module.has_value(one) for one in inspector.globals_in([base]))
    is_had = inspector.module.is_call(base) and inspector.is_fresh_memory(base)
    return bool(inspector.api.IsAAllocaInst(base)) or is_had
