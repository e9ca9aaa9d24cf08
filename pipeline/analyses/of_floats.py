"""Whether memory that is moved as integers, or as bytes, holds floats: by who reads it, by types, and by who hands it in."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import takewhile
from math import gcd

from pipeline.analyses.addresses import Address, address, meet
from pipeline.analyses.debug_info import FLOAT_BITS, floats_kept, numbers, paths_around, types_around
from pipeline.analyses.given import calling, handed_in, is_here, numbers_there, returned
from pipeline.analyses.hidden import ACTIVE, HIDDEN, KEPT, is_nothing, is_of
from pipeline.analyses.layout import POINTER_BITS
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_HASH_TABLES = "hashbrown"
_COLLECTIONS = "collections"
_STD = {"core", "alloc", "std", _HASH_TABLES}
_FIRST = 8
"""The bytes at the beginning of a variable by which it is known what is in it."""
_MOST_PLACES = 256
"""Where more are to be looked at, floats may be anywhere."""


class _LostError(Exception):
    """There is more to be looked at than is."""


def are_of_floats(inspector: Inspector, instruction: Value, *, of_callers: bool = True) -> bool:
    """Whether floats are kept where it copies, fills, reads or writes: by debug info, or as others read or write there.

    A function of bytes may be given those of floats: what callers have there is looked at, if that is wanted, too.  Not where a
    container of std's does so that keeps floats, too: what is side by side in it it tells apart.
    """
    if _is_containers(inspector, instruction):
        return False
    places, size = _places(inspector, instruction)
    known = set[Hashable]() if of_callers else None
    try:
        return any(_floats_lie(inspector, place, address(inspector, place), size, known) for place in places)
    except _LostError:
        return True


def float_copied(inspector: Inspector, copy: Value) -> str:
    """The type of all that its function reads and writes where a copy is made, if it is one float's, and where it begins."""
    pointers = inspector.module.arguments(copy)[:2]
    bases = [(pointer, base) for pointer in pointers for base in inspector.bases(pointer) if not inspector.leads_nowhere(base)]
    accesses = [(pointer, access) for pointer, base in bases for access in _accesses(inspector, base)]
    names = {inspector.float_name(inspector.accessed_type(access)) for _, access in accesses}
    name = names.pop() if len(names) == 1 else ""
    size = FLOAT_BITS[name] // 8 if name else 0
    begins = (_may_overlap(inspector, address(inspector, one), size, *_accessed(inspector, access)) for one, access in accesses)
    return name if name and any(begins) else ""


def are_mixed(inspector: Inspector, copy: Value) -> bool:
    """Whether what a copy is of keeps floats beside other things, by the types of what leads there, be it in a caller.

    Not where there is more to be looked at: of such a copy Enzyme is told nothing.
    """
    with suppress(_LostError):
        return _are_mixed(inspector, copy)
    return False


def _are_mixed(inspector: Inspector, copy: Value) -> bool:
    module, known = inspector.module, set[Value]()
    waiting = module.arguments(copy)[:2]
    while waiting:
        for base in set(inspector.bases(waiting.pop())) - known:
            known.add(base)
            kept = [numbers(module, ty) for ty in _kept_behind(inspector, base)]
            if inspector.api.IsAArgument(base):
                kept.append(numbers_there(inspector, base))
            if any(found & FLOAT_BITS.keys() and found - FLOAT_BITS.keys() for found in kept):
                return True
            waiting += _elsewhere(inspector, base)
    return False


def _floats_lie(inspector: Inspector, place: Value, ours: Address, size: int | None, known: set[Hashable] | None) -> bool:
    """Whether floats are kept in so many bytes at an address that is counted from a pointer; or where they may be.

    Elsewhere it is looked at what is not known yet; at nothing, where that is None.
    """
    root, begin = inspector.place(place)
    begin, size_there = (ours.constant if root == ours.base else begin), size or _FIRST
    function = inspector.function_of(place)
    words = Variables(inspector, function).words(root, begin, begin + size_there) if function else ()
    if any(word.kind in FLOAT_BITS for word in words):
        return True
    bases = [base for base in inspector.bases(place) if not inspector.leads_nowhere(base)]  # what is empty is in all functions
    if known is None:
        return any(_are_seen(inspector, base, ours, size) for base in bases)
    return any(_are_there(inspector, base, ours, size, known) for base in bases)


def _are_there(inspector: Inspector, base: Value, ours: Address, size: int | None, known: set[Hashable]) -> bool:
    """As `_floats_lie`, of one pointer that the address may be counted from, and of what else that is elsewhere."""
    if not _is_new(base, ours, known):
        return False
    there = numbers_there(inspector, base)
    kept = (floats_kept(inspector.module, ty) for ty in _kept_behind(inspector, base))
    is_of_floats = bool(there and there <= FLOAT_BITS.keys()) or any(kept)
    if is_of_floats or _is_lost(inspector, base) or _are_seen(inspector, base, ours, size):
        return True
    for pointer in _elsewhere(inspector, base):
        theirs = _counted_from(ours, base, address(inspector, pointer))
        if _floats_lie(inspector, pointer, theirs, size, known):
            return True
    return False


def _is_new(base: Value, ours: Address, known: set[Hashable]) -> bool:
    """Whether an address that may be counted from a pointer was not looked at; then it is now.  Raises: _LostError."""
    here = base if ours.base in ours.terms else (base, ours.base, ours.constant, *ours.terms.items())
    if base in known or here in known:
        return False
    known.add(here)
    if len(known) > _MOST_PLACES:
        raise _LostError
    return True


def _is_lost(inspector: Inspector, base: Value) -> bool:
    """Whether nobody knows where a pointer comes from: it was made of a number, or by a function that is not here."""
    call = calling(inspector, base)
    is_strangers = bool(call) and not inspector.is_fresh_memory(call) and not is_here(inspector, call)
    return bool(inspector.api.IsAIntToPtrInst(base)) or is_strangers


def _kept_behind(inspector: Inspector, pointer: Value) -> list[Value]:
    """The types that what a pointer is read from was made for, by debug info: of a `Vec<f64>` the float."""
    if not inspector.is_plain_load(pointer):
        return []
    base, begin = inspector.place(inspector.operands(pointer)[0])
    return Variables(inspector, inspector.function_of(pointer)).kept(base, begin)


def _are_seen(inspector: Inspector, base: Value, ours: Address, size: int | None) -> bool:
    """Whether floats are read or written in so many bytes at an address, as far as its function shows."""
    accessed = [_accessed(inspector, one) for one in _floats_accessed(inspector, base)]
    for other, ours_there in (*_given(inspector, base), *_read_alike(inspector, base)):
        accessed += [_accessed(inspector, one, other, ours_there) for one in _floats_accessed(inspector, other)]
    return any(_may_overlap(inspector, ours, size, *one) for one in accessed)


def _elsewhere(inspector: Inspector, base: Value) -> list[Value]:
    """What else a pointer is, be it in another function: what is handed in for a parameter, returned, or kept where it is read.

    Raises: _LostError.
    """
    found = inspector.module.once(("elsewhere", base), lambda: _all_elsewhere(inspector, base))
    if found is None:
        raise _LostError
    return found


def _all_elsewhere(inspector: Inspector, base: Value) -> list[Value] | None:
    with suppress(_LostError):
        return list(dict.fromkeys(_followed(inspector, base, set())))
    return None


def _followed(inspector: Inspector, base: Value, known: set[Hashable]) -> Iterator[Value]:
    """As `_elsewhere`, where some places are known already at which it may be kept."""
    if inspector.api.IsAArgument(base):
        yield from handed_in(inspector, base)
    elif is_of(inspector, (HIDDEN, ACTIVE, KEPT), base):
        yield inspector.operands(base)[0]
    elif call := calling(inspector, base):
        yield from returned(inspector, call)
    elif inspector.is_plain_load(base):
        place = inspector.operands(base)[0]
        yield from _kept(inspector, place, address(inspector, place), known)


def _kept(inspector: Inspector, place: Value, ours: Address, known: set[Hashable]) -> Iterator[Value]:
    """The pointers that are kept at an address: what is put there, or read, be it by another function."""
    for root in inspector.bases(place):
        if not _is_new(root, ours, known):
            continue
        for access in _pointers_accessed(inspector, root):
            if _may_overlap(inspector, ours, POINTER_BITS // 8, *_accessed(inspector, access)):
                yield access if inspector.is_plain_load(access) else inspector.operands(access)[0]
        for other, theirs in _same_memory(inspector, root, ours, known):
            yield from _kept(inspector, other, theirs, known)


def _same_memory(inspector: Inspector, root: Value, ours: Address, known: set[Hashable]) -> Iterator[tuple[Value, Address]]:
    """Where else is what is at an address: for who is given the pointer, where it was copied from, or by another pointer."""
    for other, there in (*_given(inspector, root), *_copied_to(inspector, root)):
        yield other, _beyond(ours, other, address(inspector, there))
    for pointer in _followed(inspector, root, known):
        yield pointer, _counted_from(ours, root, address(inspector, pointer))


def _copied_to(inspector: Inspector, base: Value) -> Iterator[tuple[Value, Value]]:
    """From where memory is copied to an address, or to one that is counted from it; each with that."""
    for user in inspector.users_through_offsets(base):
        if inspector.is_bulk_write(user):
            to, source, *_ = inspector.module.arguments(user)
            if inspector.api.TypeOf(source) == inspector.pointer_type() and base in inspector.bases(to):
                yield source, to


def _beyond(ours: Address, other: Value, theirs: Address) -> Address:
    """An address, counted from what another pointer is that is counted as ours is; any from there on, where it is not."""
    is_counted = ours.base == theirs.base and ours.terms == theirs.terms
    return Address(other, {}, ours.constant - theirs.constant) if is_counted else _from(other)


def _counted_from(ours: Address, pointer: Value, other: Address) -> Address:
    """An address, counted from what a pointer is elsewhere; any from there on, where it is not known how it is counted."""
    if ours.base != pointer or pointer in ours.terms:
        return _from(other.base)
    return Address(other.base, {**other.terms, **ours.terms}, other.constant + ours.constant)


def _from(pointer: Value) -> Address:
    """Any address from a pointer on: it is some number, which stands there as the pointer itself, further."""
    return Address(pointer, {pointer: 1}, 0)


def _is_containers(inspector: Inspector, instruction: Value) -> bool:
    """Whether a map's function has it done that is made for floats, too, or one of hash tables: these lie side by side."""
    around = zip(paths_around(inspector.module, instruction), types_around(inspector.module, instruction), strict=True)
    of_std = takewhile(lambda one: one[0][0] in _STD, around)
    return any(
        where[0] == _HASH_TABLES or (_COLLECTIONS in where and any(floats_kept(inspector.module, ty) for ty in types if ty))
        for where, types in of_std
    )


def _floats_accessed(inspector: Inspector, base: Value) -> list[Value]:
    """What reads or writes floats at an address, or at one that is counted from it."""

    def is_of_floats(access: Value) -> bool:
        return bool(inspector.float_name(inspector.accessed_type(access)))

    return inspector.once_of(base, "floats accessed", lambda one: list(filter(is_of_floats, _accesses(inspector, one))))


def _accesses(inspector: Inspector, base: Value) -> Iterator[Value]:
    """What reads or writes at an address, or at one that is counted from it or chosen; and what stores that."""
    users = inspector.users_through_offsets(base)
    return (user for user in users if inspector.is_plain_load(user) or inspector.is_plain_store(user))


def _given(inspector: Inspector, base: Value) -> Iterator[tuple[Value, Value]]:
    """The parameters of functions that are given an address, or one that is counted from it; each with what is given."""
    module = inspector.module
    for user in inspector.users_through_offsets(base):
        callee = module.callee(user) if module.is_call(user) else 0
        if callee and module.is_function(callee) and module.is_defined(callee) and not inspector.is_inactive(callee):
            pairs = zip(inspector.parameters(callee), module.arguments(user), strict=False)
            yield from ((parameter, given) for parameter, given in pairs if base in inspector.bases(given))


def _read_alike(inspector: Inspector, base: Value) -> Iterator[tuple[Value, Value]]:
    """What else is read from, or stored to, where a pointer is read from, as it may be the same; each with that pointer."""
    if not inspector.is_plain_load(base):
        return
    place = inspector.operands(base)[0]
    ours, size = address(inspector, place), POINTER_BITS // 8
    for access in (one for root in inspector.bases(place) for one in _pointers_accessed(inspector, root) if one != base):
        if _may_overlap(inspector, ours, size, *_accessed(inspector, access)):
            others = [access] if inspector.is_plain_load(access) else inspector.bases(inspector.operands(access)[0])
            yield from ((other, base) for other in others if not inspector.leads_nowhere(other))


def _pointers_accessed(inspector: Inspector, base: Value) -> list[Value]:
    """What reads or writes pointers at an address, or at one that is counted from it."""
    return inspector.once_of(base, "pointers accessed", lambda one: list(_pointers_there(inspector, one)))


def _pointers_there(inspector: Inspector, base: Value) -> Iterator[Value]:
    for access in _accesses(inspector, base):
        is_pointer = inspector.accessed_type(access) == inspector.pointer_type()
        if is_pointer and base in inspector.bases(inspector.operands(access)[-1]):
            yield access


def _accessed(inspector: Inspector, access: Value, other: Value = 0, pointer: Value = 0) -> tuple[Address, int]:
    """Where an access is, and how many bytes it has; counted from what the pointer is, where that may be another value."""
    where, width = address(inspector, inspector.operands(access)[-1]), inspector.size_of(inspector.accessed_type(access))
    if other and where.base == other:
        given = address(inspector, pointer)
        where = Address(given.base, {**given.terms, **where.terms}, given.constant + where.constant)
    return where, width


def _may_overlap(inspector: Inspector, ours: Address, size: int | None, theirs: Address, width: int) -> bool:
    """Whether an access may be to some of so many bytes at a place, or, where their number is not known, beyond it."""
    if ours.base != theirs.base and not all(_is_begin(inspector, one.base) for one in (ours, theirs)):
        return True
    distance = theirs.constant - ours.constant
    terms = (*ours.terms.items(), *theirs.terms.items())
    step = gcd(*(factor for term, factor in terms if not is_nothing(inspector, term)))
    if size is None:
        return bool(step) or distance + width > 0
    return meet(distance, size, width, step)


def _is_begin(inspector: Inspector, pointer: Value) -> bool:
    """Whether a pointer leads to the begin of whatever it leads into: nothing is added to what it is chosen from."""
    return inspector.once_of(pointer, "is begin", lambda one: _leads_to_begin(inspector, one))


def _leads_to_begin(inspector: Inspector, pointer: Value) -> bool:
    waiting, known = [pointer], set[Value]()
    while waiting:
        value = waiting.pop()
        if inspector.api.IsAGetElementPtrInst(value):
            return False
        if value not in known and inspector.is_choice(value):
            waiting += inspector.chosen(value)
        known.add(value)
    return True


def _places(inspector: Inspector, instruction: Value) -> tuple[list[Value], int | None]:
    """The addresses at which an instruction reads and writes, and how many bytes; None where the program says that."""
    if inspector.is_bulk_write(instruction):
        to, source, size, *_ = inspector.module.arguments(instruction)
        is_copied = inspector.api.TypeOf(source) == inspector.pointer_type()
        return ([to, source] if is_copied else [to]), inspector.number(size)
    return [inspector.operands(instruction)[-1]], inspector.size_of(inspector.accessed_type(instruction))
