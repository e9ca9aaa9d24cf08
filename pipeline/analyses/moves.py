"""What a word is that is moved from one place in memory to another: a float, an integer or a pointer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from math import gcd

from pipeline.analyses.debug_info import (
    INTEGER_NAMES,
    STD,
    elements_moved,
    moves_bytes,
    numbers,
    paths_around,
    types_made_for,
)
from pipeline.analyses.hidden import COPIER, slot
from pipeline.analyses.layout import ADDRESS, INTEGER, POINTER_BITS, Layout, Word, words, words_copied
from pipeline.analyses.of_floats import are_of_floats
from pipeline.analyses.variables import Variables
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector

_BYTE = Word(0, 1, INTEGER)
_MOST_PADDING = 8
"""More bytes than lie unused between two words."""
_CELLS = ["core", "cell"]
_TEXTS = (["alloc", "str"], ["alloc", "string"])

Accesses = set[tuple[int, int]]
"""Places, counted in bytes from somewhere, and how many bytes each has."""


def word_moved(inspector: Inspector, load: Value, variables: Variables) -> str:
    """What the word is that is loaded to be stored elsewhere; nothing, where that is not known.

    It is, where it is a word of a variable on the stack, or of an element, as in `ptr::swap::<(f64, usize)>`; and where a
    thread-local, or a `Cell`, is read by a function that is about integers alone, as std's of random keys.
    """
    if (_is_thread_locals(inspector, load) or _is_cells(inspector, load)) and _is_about_integers(inspector, load):
        return INTEGER
    accesses = [load, *(user for user in inspector.module.users(load) if inspector.is_plain_store(user))]
    found = {word_accessed(inspector, access, variables) for access in accesses} - {""}
    kind = found.pop() if len(found) == 1 else ""
    return "" if kind == INTEGER and _are_bits_of_floats(inspector, accesses) else kind


def _are_bits_of_floats(inspector: Inspector, accesses: Sequence[Value]) -> bool:
    """Whether what is moved is an integer by its type alone: where it comes from, or goes, floats are kept."""
    moved = {element for access in accesses if (element := elements_moved(inspector.module, access))}
    is_of_integers = bool(moved) and all(numbers(inspector.module, element) <= INTEGER_NAMES for element in moved)
    return is_of_integers and any(are_of_floats(inspector, access) for access in accesses)


def is_copy(inspector: Inspector, call: Value) -> bool:
    """True for a call that copies memory to where it does not overlap."""
    return inspector.is_call_of(call, "llvm.memcpy.")


def elements(inspector: Inspector, call: Value, layout: Layout = words) -> list[Word]:
    """The words of the elements that a call copies or fills; none where that is not known, or it does so to a part of one.

    Nor of integers that are the bits of floats, which those of a text are not.
    """
    if _is_text(inspector, call):
        return [_BYTE]
    element, size = elements_moved(inspector.module, call), inspector.module.arguments(call)[2]
    if not element and moves_bytes(inspector.module, call):
        found = [_BYTE]
    else:
        is_known = element and inspector.api.IsAConstantInt(size)
        is_part = is_known and 8 * inspector.api.ConstIntGetZExtValue(size) % inspector.module.type_bits(element)
        found = layout(inspector.module, element) if element and not is_part else []
    return [] if found and _are_floats_as_integers(inspector, call, found) else found


def _is_text(inspector: Inspector, call: Value) -> bool:
    """Whether std moves the bytes of a `str` or a `String`, as many as there are: clones, joins, pushes, grows it."""
    if inspector.api.IsAConstantInt(inspector.module.arguments(call)[2]):
        return False
    of_std = takewhile(lambda path: path[:1] and path[0] in STD, paths_around(inspector.module, call))
    return any(path[:2] in _TEXTS for path in of_std)


def part(inspector: Inspector, call: Value, layout: Layout = words) -> list[Word] | None:
    """The words of a part of an element, of known size, that a call copies or fills, counted from there; None: not known.

    LLVM takes words that it has read before out of a copy; what is left may begin with padding.  Which part it is, is known
    by the words that are read or written beside it, or by the variable whose part it is.
    """
    module, variables = inspector.module, Variables(inspector, inspector.module.parent(call))
    size = inspector.number(module.arguments(call)[2])
    if not size:
        return None
    pointers = [one for one in module.arguments(call)[:2] if inspector.api.TypeOf(one) == inspector.pointer_type()]
    places = list(map(inspector.place, pointers))
    found = [variables.part(base, begin, begin + size, layout) for base, begin in places]
    element, step = _moved(module, call)
    if element:
        found = [_part(inspector, call, base, begin, size, element, step) for base, begin in places] + found
    copied = next((one for one in found if one is not None), None)
    return None if copied and _are_floats_as_integers(inspector, call, [*copied, *element]) else copied


def _are_floats_as_integers(inspector: Inspector, call: Value, layout: Sequence[Word]) -> bool:
    """Whether words are integers by their types alone: where a call copies or fills them, floats are kept."""
    return all(word.kind == INTEGER for word in layout) and are_of_floats(inspector, call)


def _part(
    inspector: Inspector, call: Value, base: Value, begin: int, size: int, layout: list[Word], step: int
) -> list[Word] | None:
    """What lies at a place among elements, wherever they may begin there; None where that is not the same for all."""
    accesses = set(_accessed_from(inspector, base))
    ends = (end for place, width in accesses for end in (begin - place - width, place - begin - size))
    if not any(0 <= padding < _MOST_PADDING for padding in ends):
        return None
    firsts = _first_with(inspector, call, base, {(begin, size)}, step) or range(step)
    parts = set(_parts(inspector, base, begin, size, layout, step, firsts))
    only = parts.pop() if len(parts) == 1 else None
    return None if only is None else list(only)


def _first_with(inspector: Inspector, call: Value, base: Value, place: Accesses, step: int) -> list[int]:
    """Where the element begins, if what stands at the same place of the source writes all else of it, and nothing more."""
    written = sorted(place | set(_accessed_with(inspector, call, base)))
    ends = [begin + size for begin, size in written]
    is_together = all(end == begin for end, (begin, _) in zip(ends, written[1:], strict=False))
    return [written[0][0] % step] if len(written) > 1 and is_together and ends[-1] - written[0][0] == step else []


def _parts(
    inspector: Inspector, base: Value, begin: int, size: int, layout: list[Word], step: int, among: Iterable[int]
) -> Iterator[tuple[Word, ...] | None]:
    """What would lie there, by where elements may begin so that each access is of words; or else of a part of an integer."""
    accesses, floats = set(_accessed_from(inspector, base)), set(_floats_from(inspector, base))
    firsts = [
        first for first in among if all(_between(layout, step, place - first, one.size) == [one] for place, one in floats)
    ]
    for is_accessed in (_are_words, _are_words_or_part):
        fitting = [first for first in firsts if all(is_accessed(layout, step, at - first, width) for at, width in accesses)]
        if fitting:
            found = (_between(layout, step, begin - first, size) for first in fitting)
            yield from (None if words is None else tuple(words) for words in found)
            return


def _are_words(layout: list[Word], step: int, begin: int, size: int) -> bool:
    """Whether there are words, all of each, from one byte of the elements on."""
    return bool(_between(layout, step, begin, size))


def _are_words_or_part(layout: list[Word], step: int, begin: int, size: int) -> bool:
    here = (begin % step, size)
    is_part = any(word.kind == INTEGER and _contains((word.begin, word.size), here) for word in layout)
    return is_part or _are_words(layout, step, begin, size)


def filled(inspector: Inspector, fill: Value) -> list[Word] | None:
    """As `part`, of what is filled with zeros: LLVM makes one fill of whole words that are stored."""
    if found := part(inspector, fill):
        return found
    layout, step = _moved(inspector.module, fill)
    place, _, length, *_ = inspector.module.arguments(fill)
    base, begin = inspector.place(place)
    parts = set(_parts(inspector, base, begin, inspector.number(length) or 0, layout, step, range(step)))
    whole = [found for found in parts if found and found[0].begin == 0]
    return list(whole[0]) if len(whole) == 1 and not _are_floats_as_integers(inspector, fill, layout) else None


def _moved(module: Module, call: Value) -> tuple[list[Word], int]:
    """The words of the elements that a call moves, and after how many bytes they come again; none where that is not known."""
    element = elements_moved(module, call)
    return (words_copied(module, element), module.type_bits(element) // 8) if element else ([], 0)


def _between(layout: list[Word], step: int, begin: int, size: int) -> list[Word] | None:
    """The words from one byte of the elements on, counted from there; None where one is there in part."""
    places = [(word, place) for word in layout for place in range((word.begin - begin) % step - step, size, step)]
    there = [replace(word, begin=place) for word, place in places if place + word.size > 0]
    return sorted(there) if all(_contains((0, size), (word.begin, word.size)) for word in there) else None


def _is_thread_locals(inspector: Inspector, load: Value) -> bool:
    return inspector.is_thread_local_address(inspector.slot(load)[0])


def _is_cells(inspector: Inspector, load: Value) -> bool:
    return next(paths_around(inspector.module, load), [])[:2] == _CELLS


def is_counted_by_std(inspector: Inspector, load: Value) -> bool:
    """Whether a load reads a `Cell` of integers that std has for itself: who shares an `Rc`, who borrows of a `RefCell`."""
    if not _is_cells(inspector, load) or not _is_about_integers(inspector, load):
        return False
    around = (path for path in paths_around(inspector.module, load) if not _is_of_cell(path))
    return next(around, [""])[0] in STD


def _is_of_cell(path: Sequence[str]) -> bool:
    return path[:2] == _CELLS and path[2].startswith("Cell<")


def _is_about_integers(inspector: Inspector, load: Value) -> bool:
    """Whether the innermost generic function around a load was made for integers."""
    types = next(types_made_for(inspector.module, load), [])
    return bool(types) and all(numbers(inspector.module, ty) <= INTEGER_NAMES for ty in types)


def word_accessed(inspector: Inspector, access: Value, variables: Variables) -> str:
    """What the word is that is loaded or stored; nothing, where that is not known.

    An integer of which rustc says that it is small is no float's bits: the tag of an enum.
    """
    if inspector.is_below_floats(access):
        return INTEGER
    found = {variables.word(access), _word_of_element(inspector, access), _word_of_copier(inspector, access)} - {""}
    return found.pop() if len(found) == 1 else ""


def _word_of_copier(inspector: Inspector, access: Value) -> str:
    """Known where elements are copied word by word: each has its own type there."""
    if not inspector.module.name(inspector.module.parent(access)).startswith(COPIER):
        return ""
    ty = inspector.accessed_type(access)
    return inspector.float_name(ty) or (INTEGER if inspector.integer_bits(ty) else ADDRESS)


def _word_of_element(inspector: Inspector, access: Value) -> str:
    """Known where it is known at which byte of the element the access is that what moves elements makes.

    Of an enum with a float and a number in one place it is known where what is in every variant an integer lies, as the tag.
    """
    element = elements_moved(inspector.module, access)
    known = words(inspector.module, element) if element else []
    layout = known or (words_copied(inspector.module, element) if element else [])
    if not layout or layout[0].begin:
        return ""
    base, begin, bits = slot(inspector, access)
    accesses, step = set(_accessed_with(inspector, access, base)), inspector.module.type_bits(element) // 8
    first = min(accesses)[0]
    if not _is_all_of_some(accesses, layout, step):
        firsts = _begins_by_pointers(inspector, base, accesses, layout, step)
        if len(firsts) != 1:
            return ""
        (first,) = firsts
    here = ((begin - first) % step, (bits or POINTER_BITS) // 8)
    found = {word.kind if _contains(here, (word.begin, word.size)) else "" for word in layout if _overlaps(here, word)}
    kind = found.pop() if len(found) == 1 else ""
    return kind if known or kind == INTEGER else ""


def _is_all_of_some(accesses: Accesses, layout: list[Word], step: int) -> bool:
    """Whether what is accessed side by side is all words of elements, of which the first begins where that does."""
    first = min(accesses)[0]
    begins = {place - (place - first) % step for place, _ in accesses}
    wanted = [(each + word.begin, word.size) for each in begins for word in layout]
    return all(any(_contains(one, word) for one in accesses) for word in wanted)


def _begins_by_pointers(inspector: Inspector, base: Value, accesses: Accesses, layout: list[Word], step: int) -> list[int]:
    """Where elements may begin of which some words are accessed, by where pointers are read or written among these.

    LLVM leaves words out that were read before, by who compared them.
    """
    unit = gcd(*(part for word in layout for part in (word.begin, word.size)), step)
    first, end = min(accesses)[0], max(place + size for place, size in accesses)
    if any((place - first) % unit or size % unit for place, size in accesses):
        return []
    pointers = {place for place in _pointers(inspector, base) if first <= place < end}
    addresses = {word.begin for word in layout if word.kind == ADDRESS}
    begins = range(first - step + unit, first + 1, unit)
    return [begin for begin in begins if all((place - begin) % step in addresses for place in pointers)]


def _accessed_from(inspector: Inspector, base: Value) -> Iterator[tuple[int, int]]:
    """Where, counted from `base`, anything is read or written, and how many bytes."""
    for one in inspector.accesses(base):
        place, begin, bits = slot(inspector, one)
        if place == base:
            yield begin, (bits or POINTER_BITS) // 8


def _floats_from(inspector: Inspector, base: Value) -> Iterator[tuple[int, Word]]:
    """Where, counted from `base`, a float is read or written, and which as a word."""
    for one in inspector.accesses(base):
        place, begin, bits = slot(inspector, one)
        if place == base and (name := inspector.float_name(inspector.accessed_type(one))):
            yield begin, Word(0, bits // 8, name)


def _pointers(inspector: Inspector, base: Value) -> Iterator[int]:
    """Where, counted from `base`, a pointer is read or written."""
    for one in inspector.accesses(base):
        place, begin, _ = slot(inspector, one)
        if place == base and inspector.accessed_type(one) == inspector.pointer_type():
            yield begin


def _contains(place: tuple[int, int], other: tuple[int, int]) -> bool:
    return place[0] <= other[0] and other[0] + other[1] <= place[0] + place[1]


def _overlaps(place: tuple[int, int], word: Word) -> bool:
    return place[0] < word.begin + word.size and word.begin < place[0] + place[1]


def _accessed_with(inspector: Inspector, access: Value, base: Value) -> Iterator[tuple[int, int]]:
    """Where, counted from `base`, what stands at the same place of the source loads, or stores; and how many bytes."""
    is_load, where = inspector.is_plain_load(access), inspector.module.location(access)
    for one in filter(inspector.is_plain_load if is_load else inspector.is_plain_store, inspector.accesses(base)):
        place, begin, bits = slot(inspector, one)
        if place == base and inspector.module.location(one) == where:
            yield begin, (bits or POINTER_BITS) // 8
