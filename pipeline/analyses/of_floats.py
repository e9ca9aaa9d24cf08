"""Whether memory that is moved as integers, or as bytes, holds floats: by who reads it, by types, and by who hands it in."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from itertools import takewhile
from typing import TypeAlias

from pipeline.analyses.addresses import Distance, address, distance, meet
from pipeline.analyses.debug_info import FLOAT_BITS, STD, floats_kept, numbers, path, paths_around, types_around
from pipeline.analyses.given import addressed, calling, handed_in, is_here, numbers_there, returned
from pipeline.analyses.hidden import ACTIVE, HIDDEN, KEPT, is_of
from pipeline.analyses.layout import POINTER_BITS, kinds_at
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_HASH_TABLES = "hashbrown"
_COLLECTIONS = "collections"
_RAW_VECTORS = ["alloc", "raw_vec"]
_FIRST = 8
"""The bytes at the beginning of a variable by which it is known what is in it."""
_MOST_PLACES = 256
"""Where more are to be looked at, floats may be anywhere."""
_NONE = Distance(0, 0)

Way: TypeAlias = Distance | None
"""How far it is to somewhere; None where that is not known."""


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
        return any(_floats_lie(inspector, place, size, known) for place in places)
    except _LostError:
        return True


def float_copied(inspector: Inspector, copy: Value) -> str:
    """The type of all that its function reads and writes where a copy is made, if it is one float's, and where it begins."""
    pointers = inspector.module.arguments(copy)[:2]
    bases = [(pointer, base) for pointer in pointers for base in inspector.bases(pointer) if not inspector.leads_nowhere(base)]
    accesses = [(pointer, base, access) for pointer, base in bases for access in _accesses(inspector, base)]
    names = {inspector.float_name(inspector.accessed_type(access)) for *_, access in accesses}
    name = names.pop() if len(names) == 1 else ""
    size = FLOAT_BITS[name] // 8 if name else 0
    begins = (
        _may_overlap(_way(inspector, base, one), size, _accessed(inspector, access, base)) for one, base, access in accesses
    )
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


def _floats_lie(inspector: Inspector, place: Value, size: int | None, known: set[Hashable] | None) -> bool:
    """Whether floats are kept in so many bytes at a place; or where they may be.

    Elsewhere it is looked at what is not known yet; at nothing, where that is None.
    """
    waiting: list[tuple[Value, Way]] = [(place, _NONE)]
    while waiting:
        one, beyond = waiting.pop()
        if _is_of_floats(inspector, one, beyond, size):
            return True
        # What is empty is in all functions.
        bases = [base for base in inspector.bases(one) if not inspector.leads_nowhere(base)]
        for base in bases:
            way = _way(inspector, base, one, beyond)
            if known is not None and not _is_new(base, way, known):
                continue
            are_there = _are_seen(inspector, base, way, size) if known is None else _are_there(inspector, base, way, size)
            if are_there:
                return True
            if are_there is None:
                waiting += [(pointer, way) for pointer in _elsewhere(inspector, base)]
    return False


def _is_of_floats(inspector: Inspector, place: Value, beyond: Way, size: int | None) -> bool:
    """Whether a place, or what is so far beyond it, is one of floats in a variable."""
    root, begin = inspector.place(place)
    begin, size_there = begin + (beyond.constant if beyond and not beyond.step else 0), size or _FIRST
    function = inspector.function_of(place)
    words = Variables(inspector, function).words(root, begin, begin + size_there) if function else ()
    return any(word.kind in FLOAT_BITS for word in words)


def _are_there(inspector: Inspector, base: Value, way: Way, size: int | None) -> bool | None:
    """Whether floats are so far from what a pointer is that nothing is added to; None where it is to be asked elsewhere."""
    there = numbers_there(inspector, base)
    if there and there <= FLOAT_BITS.keys():
        return True
    if any(floats_kept(inspector.module, ty) for ty in _kept_behind(inspector, base)):
        return not _are_beside_floats(inspector, base, way, size)
    return True if _is_lost(inspector, base) or _are_seen(inspector, base, way, size) else None


def _is_new(base: Value, way: Way, known: set[Hashable]) -> bool:
    """Whether what is so far from a pointer was not looked at; then it is now.  Raises: _LostError."""
    if (base, None) in known or (base, way) in known:
        return False
    known.add((base, way))
    if len(known) > _MOST_PLACES:
        raise _LostError
    return True


def _way(inspector: Inspector, base: Value, place: Value, beyond: Way = _NONE) -> Way:
    """How far it is from what a pointer leads into to so far beyond it."""
    way = distance(inspector, base, address(inspector, place))
    return way and beyond and way.further(beyond)


def _is_lost(inspector: Inspector, base: Value) -> bool:
    """Whether nobody knows where a pointer comes from: it was made of some number, or by a function that is not here."""
    call = calling(inspector, base)
    is_strangers = bool(call) and not inspector.is_fresh_memory(call) and not is_here(inspector, call)
    return is_strangers or (bool(inspector.api.IsAIntToPtrInst(base)) and addressed(inspector, base) is None)


def _kept_behind(inspector: Inspector, pointer: Value) -> list[Value]:
    """The types that what a pointer is read from was made for, by debug info: of a `Vec<f64>` the float."""
    if not inspector.is_plain_load(pointer):
        return []
    base, begin = inspector.place(inspector.operands(pointer)[0])
    return Variables(inspector, inspector.function_of(pointer)).kept(base, begin)


def _are_beside_floats(inspector: Inspector, base: Value, way: Way, size: int | None) -> bool:
    """Whether so many bytes so far from a pointer are another part of each element than floats, and used so here.

    Behind the pointer floats are kept: by whom else, and how, need not be looked at then.
    """
    if not way or size is None:
        return False
    where, begin = inspector.place(inspector.operands(base)[0])
    elements = Variables(inspector, inspector.function_of(base)).elements(where, begin)
    if not elements or not all(_is_of_others(inspector, element, way, size) for element in elements):
        return False
    accessed = [one for one in _floats_accessed(inspector, base) if not _is_containers(inspector, one)]
    return not any(_may_overlap(way, size, _accessed(inspector, one, base)) for one in accessed)


def _is_of_others(inspector: Inspector, element: Value, way: Distance, size: int) -> bool:
    """Whether so many bytes, that far from where elements lie side by side, are of no float in any of them."""
    step = inspector.module.type_bits(element) // 8
    if not step or way.step % step:
        return False
    begin = way.constant % step
    kinds = kinds_at(inspector.module, element, begin, begin + size)
    return begin + size <= step and bool(kinds) and kinds.isdisjoint({"", *FLOAT_BITS})


def _are_seen(inspector: Inspector, base: Value, way: Way, size: int | None) -> bool:
    """Whether floats are read or written in so many bytes so far from a pointer, as far as its function shows."""
    accessed = [_accessed(inspector, one, base) for one in _floats_accessed(inspector, base)]
    for other, given in (*_given(inspector, base), *_read_alike(inspector, base)):
        before = _way(inspector, base, given)
        accessed += [_accessed(inspector, one, other, before) for one in _floats_accessed(inspector, other)]
    return any(_may_overlap(way, size, one) for one in accessed)


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
    elif inspector.api.IsAIntToPtrInst(base):
        yield from addressed(inspector, base) or ()
    elif inspector.is_plain_load(base):
        yield from _kept(inspector, inspector.operands(base)[0], _NONE, known)


def _kept(inspector: Inspector, place: Value, beyond: Way, known: set[Hashable]) -> Iterator[Value]:
    """The pointers that are kept so far beyond a place: what is put there, or read, be it by another function."""
    for root in inspector.bases(place):
        way = _way(inspector, root, place, beyond)
        if inspector.leads_nowhere(root) or not _is_new(root, way, known):
            continue
        for access in _pointers_accessed(inspector, root):
            if _may_overlap(way, POINTER_BITS // 8, _accessed(inspector, access, root)):
                yield access if inspector.is_plain_load(access) else inspector.operands(access)[0]
        for other, there in _same_memory(inspector, root, way, known):
            yield from _kept(inspector, other, there, known)


def _same_memory(inspector: Inspector, root: Value, way: Way, known: set[Hashable]) -> Iterator[tuple[Value, Way]]:
    """Where else is what is so far from a pointer: for who is given it, where it was copied from, or by another pointer."""
    for other, there in (*_given(inspector, root), *_copied_to(inspector, root)):
        before = _way(inspector, root, there)
        yield other, way and before and way.without(before)
    for pointer in _followed(inspector, root, known):
        yield pointer, way


def _copied_to(inspector: Inspector, base: Value) -> Iterator[tuple[Value, Value]]:
    """From where memory is copied to an address, or to one that is counted from it; each with that."""
    for user in inspector.users_through_offsets(base):
        if inspector.is_bulk_write(user):
            to, source, *_ = inspector.module.arguments(user)
            if inspector.api.TypeOf(source) == inspector.pointer_type() and base in inspector.bases(to):
                yield source, to


def _is_containers(inspector: Inspector, instruction: Value) -> bool:
    """Whether a map's function has it done that is made for floats, too, or one of hash tables: these lie side by side."""
    around = zip(paths_around(inspector.module, instruction), types_around(inspector.module, instruction), strict=True)
    of_std = takewhile(lambda one: one[0][0] in STD, around)
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
    """The parameters of functions that are given an address, or one that is counted from it; each with what is given.

    Not of std's that make a vector's memory larger, whatever its elements are: they know of no floats, and all vectors are
    given to them.
    """
    module = inspector.module
    for user in inspector.users_through_offsets(base):
        callee = module.callee(user) if module.is_call(user) else 0
        if callee and module.is_function(callee) and module.is_defined(callee) and not _is_blind(inspector, callee):
            pairs = zip(inspector.parameters(callee), module.arguments(user), strict=False)
            yield from ((parameter, given) for parameter, given in pairs if base in inspector.bases(given))


def _is_blind(inspector: Inspector, function: Value) -> bool:
    """Whether what a function does with memory is the same whether there are floats or not."""
    return inspector.is_inactive(function) or path(inspector.module, inspector.module.subprogram(function))[:2] == _RAW_VECTORS


def _read_alike(inspector: Inspector, base: Value) -> Iterator[tuple[Value, Value]]:
    """What else is read from, or stored to, where a pointer is read from, as it may be the same; each with that pointer."""
    if not inspector.is_plain_load(base):
        return
    place, size = inspector.operands(base)[0], POINTER_BITS // 8
    accesses = ((root, one) for root in inspector.bases(place) for one in _pointers_accessed(inspector, root) if one != base)
    for root, access in accesses:
        if _may_overlap(_way(inspector, root, place), size, _accessed(inspector, access, root)):
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


def _accessed(inspector: Inspector, access: Value, root: Value, before: Way = _NONE) -> tuple[Way, int]:
    """How far an access is from a pointer, and that from where another one is; and how many bytes it has."""
    way = _way(inspector, root, inspector.operands(access)[-1])
    return way and before and before.further(way), inspector.size_of(inspector.accessed_type(access))


def _may_overlap(ours: Way, size: int | None, there: tuple[Way, int]) -> bool:
    """Whether an access may be to some of so many bytes at a place, or, where their number is not known, beyond it."""
    theirs, width = there
    if ours is None or theirs is None:
        return True
    between = theirs.without(ours)
    if size is None:
        return bool(between.step) or between.constant + width > 0
    return meet(between.constant, size, width, between.step)


def _places(inspector: Inspector, instruction: Value) -> tuple[list[Value], int | None]:
    """The addresses at which an instruction reads and writes, and how many bytes; None where the program says that."""
    if inspector.is_bulk_write(instruction):
        to, source, size, *_ = inspector.module.arguments(instruction)
        is_copied = inspector.api.TypeOf(source) == inspector.pointer_type()
        return ([to, source] if is_copied else [to]), inspector.number(size)
    return [inspector.operands(instruction)[-1]], inspector.size_of(inspector.accessed_type(instruction))
