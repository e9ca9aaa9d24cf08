"""What a function allocates, and whether that memory is one of several at a place."""

from __future__ import annotations

import re

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import is_pointer, path, placed, signature_types, type_name
from pipeline.analyses.hidden import HIDDEN, KEEPS
from pipeline.analyses.uses import Uses
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_ALLOCATES = re.compile(r"malloc|calloc|\w*__rust_alloc(?:_zeroed)?")
"""By the C library, or by Rust's own, whose name is mangled before abi_fixup."""
_FREES = re.compile(r"free|realloc|\w*__rust_(?:dealloc|realloc)")
_SEES_ALL = (KEEPS, HIDDEN, "llvm.memcpy.", "llvm.memmove.")
"""Given to one of these, memory is not made again in the reverse sweep."""
_BORROWS = re.compile(r'&|(?:unsafe |extern "[^"]*" )*fn\(')
"""How the type of a pointer begins that owns no memory."""
_TEXT = ["core", "fmt", "Arguments"]
"""What borrows, by pointers that do not say so."""


def is_own(inspector: Inspector, base: Value) -> bool:
    """Whether what a pointer leads into is a function's own memory: on its stack, or allocated by it."""
    return bool(inspector.api.IsAAllocaInst(base)) or is_allocation(inspector, base)


def frees(inspector: Inspector, function: Value) -> bool:
    """Whether a function, or what it calls by name, gives memory back."""
    called = (inspector.module.callee(call) for one in call_tree(inspector, [function]) for call in calls(inspector, one))
    return any(inspector.module.is_function(one) and _FREES.fullmatch(inspector.module.name(one)) for one in called)


def frees_what_it_takes(inspector: Inspector, function: Value) -> bool:
    """Whether a function is given memory to keep, as a `String` or a `Box` is, and gives memory back.

    Enzyme, which does not see it do so, would free that memory once more.
    """
    taken = (ty for ty in signature_types(inspector.module, function)[1:] if ty)
    return any(_owns_memory(inspector, ty) for ty in taken) and frees(inspector, function)


def _owns_memory(inspector: Inspector, ty: Value) -> bool:
    """Whether a value of a type has a pointer in it that does not borrow, and is not a pointer itself that does not say."""
    module = inspector.module
    pointers = (leaf for _, leaf in placed(module, ty) if is_pointer(module, leaf))
    is_borrowed = type_name(module, ty).startswith("*") or path(module, ty) == _TEXT
    return not is_borrowed and not all(_BORROWS.match(type_name(module, one)) for one in pointers)


def kept(inspector: Inspector, function: Value) -> list[Value]:
    """The allocations in a function whose memory is one of several at a place: chosen from, or its address stored."""
    return [call for call in calls(inspector, function) if is_allocation(inspector, call) and _is_kept(inspector, call)]


def made_again(inspector: Inspector, function: Value) -> list[Value]:
    """The allocations that are freed where other memory may be, and that Enzyme would make again in the reverse sweep.

    Their `free` then stays where it is, while that of the other memory is made in the reverse sweep, too
    (`computeForwardingProperties` in GradientUtils.cpp): it would be freed twice.
    """
    frees = [call for call in calls(inspector, function) if _is_free(inspector, call)]
    freed = [_led_into(inspector, inspector.module.arguments(call)[0]) for call in frees]
    found = dict.fromkeys(one for memory in freed if len(memory) > 1 for one in memory if is_allocation(inspector, one))
    return [one for one in found if not any(inspector.is_call_of(user, _SEES_ALL) for user in inspector.module.users(one))]


def _is_free(inspector: Inspector, call: Value) -> bool:
    callee = inspector.module.callee(call)
    return inspector.module.is_function(callee) and bool(_FREES.fullmatch(inspector.module.name(callee)))


def _led_into(inspector: Inspector, pointer: Value) -> list[Value]:
    """What a pointer may lead into, be it a number in between; nothing is in what a constant leads to."""
    known: set[Value] = set()
    waiting = [pointer]
    while waiting:
        new = [base for base in inspector.bases(waiting.pop()) if base not in known and not inspector.api.IsConstant(base)]
        known.update(new)
        waiting += [int(inspector.api.GetOperand(base, 0)) for base in new if inspector.is_pointer_cast(base)]
    return [base for base in known if not inspector.is_pointer_cast(base)]


def is_allocation(inspector: Inspector, instruction: Value) -> bool:
    """True for a call that allocates memory."""
    callee = inspector.module.callee(instruction) if inspector.module.is_call(instruction) else 0
    is_function = bool(callee) and inspector.module.is_function(callee)
    return is_function and bool(_ALLOCATES.fullmatch(inspector.module.name(callee)))


def is_filled(inspector: Inspector, allocation: Value) -> bool:
    """Whether memory is filled with one byte where it is allocated."""
    return any(inspector.is_call_of(user, "llvm.memset.") for user in inspector.module.users(allocation))


def places(inspector: Inspector, memory: Value) -> set[Value]:
    """The memory, and what is computed, or chosen, in steps from its address, be it a number in between."""
    for _, user in (uses := Uses(inspector.module, [memory])):
        if _is_step(inspector, user):
            uses.follow([user])
    return uses.known


def _is_step(inspector: Inspector, user: Value) -> bool:
    return inspector.is_choice(user) or inspector.is_pointer_cast(user) or bool(inspector.api.IsAGetElementPtrInst(user))


def _is_kept(inspector: Inspector, call: Value) -> bool:
    users = list(inspector.module.users(call))
    if any(inspector.is_choice(user) or _stores(inspector, user, call) for user in users):
        return True
    return any(map(inspector.is_pointer_cast, users)) and _is_one_of_several(inspector, call)


def _is_one_of_several(inspector: Inspector, memory: Value) -> bool:
    """Whether something is chosen between this memory and other memory."""
    known = places(inspector, memory)
    chosen = (one for choice in known if inspector.is_choice(choice) for one in inspector.chosen(choice))
    return any(one not in known and not inspector.api.IsConstant(one) for one in chosen)


def _stores(inspector: Inspector, user: Value, value: Value) -> bool:
    return bool(inspector.api.IsAStoreInst(user)) and inspector.operands(user)[0] == value
