"""Whether it is asked what an address is the address of, in a module that has copies of what the program has elsewhere.

A copy has an address of its own: who compares it with that of the program's own function, or `static`, goes another way than
the program does.  Of a constant of which LLVM says that its address does not matter (`unnamed_addr`) nobody asks that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pipeline.analyses.debug_info import paths_around
from pipeline.analyses.led import led_from
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_SIGNIFICANT = 0  # LLVMUnnamedAddr
_COMPARING = (["core", "ptr"], ["core", "cmp"])
_ITERATING = (
    ["core", "slice", "iter"],
    ["core", "slice", "memchr"],
    ["alloc", "vec", "into_iter"],
    ["core", "iter", "adapters", "cycle"],
)
"""Where std asks whether there is more: of two addresses in the same memory."""


def compared_with_copies(inspector: Inspector, functions: Collection[Value], *, given_callables: bool) -> Iterator[Value]:
    """The comparisons in some functions of an address that may be a copy's with one that may be the program's own.

    Where nothing that can be called comes in from outside (`analyses/callables.py`), the address of a function may still, as an
    integer, or as one of what it is not.  So it is compared with what is a pointer here, or was made an integer.
    """
    module = inspector.module
    copies = [value for value in (*module.functions(), *module.variables()) if _is_copy(inspector, value)]
    led = led_from(inspector, functions, copies, lambda user: _is_address(inspector, user), read_as_stored=not given_callables)
    yield from _numbers_of_functions(inspector, functions, copies)
    for function in functions:
        for instruction in filter(inspector.is_equality, module.returning_instructions(function)):
            one, other = (inspector.bases(operand) for operand in inspector.operands(instruction))
            pairs = ((one, other), (other, one)) if one != other or len(one) > 1 else ()
            is_asked = any(not led.isdisjoint(ours) and _may_be_the_programs(inspector, theirs) for ours, theirs in pairs)
            if is_asked and not _asks_for_more(inspector, instruction):
                yield instruction


def _numbers_of_functions(inspector: Inspector, functions: Collection[Value], copies: Iterable[Value]) -> Iterator[Value]:
    """What uses the address of a function as an integer: as a key, or among bytes that are compared at once."""
    module, api, words = inspector.module, inspector.api, set[Value]()
    for value, user in (uses := Uses(module, filter(module.is_function, copies))):
        if api.IsAGlobalVariable(user):
            continue
        if value in words or (api.IsAConstantExpr(value) and inspector.integer_bits(api.TypeOf(value))):
            words.add(user)
        if not api.IsAInstruction(user) or (inspector.is_choice(user) and user not in words):
            uses.follow([user])
        elif module.parent(user) in functions and (user in words or inspector.is_pointer_cast(user)):
            yield user


def _is_copy(inspector: Inspector, value: Value) -> bool:
    """Whether it is a function, or a constant with a name of its own, of which the program may have another."""
    if not inspector.module.has_value(value) or not inspector.is_internal(value):
        return False
    is_named = inspector.api.IsGlobalConstant(value) and inspector.api.GetUnnamedAddress(value) == _SIGNIFICANT
    return inspector.module.is_function(value) or bool(is_named)


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
        return all(_is_copy(inspector, one) for one in inspector.globals_in([base]))
    is_had = inspector.module.is_call(base) and inspector.is_fresh_memory(base)
    return bool(inspector.api.IsAAllocaInst(base)) or is_had
