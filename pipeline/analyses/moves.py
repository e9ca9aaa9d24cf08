"""What a word is that is moved from one place in memory to another: a float, an integer or a pointer."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.debug_info import elements_moved
from pipeline.analyses.layout import POINTER_BITS, Word, words
from pipeline.analyses.variables import Variables
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def word_moved(inspector: Inspector, load: Value, variables: Variables) -> str:
    """What the word is that is loaded to be stored elsewhere; nothing, where that is not known.

    It is, where it is a word of a variable on the stack, or of an element, as in `ptr::swap::<(f64, usize)>`.
    """
    stores = [user for user in inspector.module.users(load) if inspector.is_plain_store(user)]
    found = {word_accessed(inspector, access, variables) for access in (load, *stores)} - {""}
    return found.pop() if len(found) == 1 else ""


def word_accessed(inspector: Inspector, access: Value, variables: Variables) -> str:
    """What the word is that is loaded or stored; nothing, where that is not known."""
    found = {variables.word(access), _word_of_element(inspector, access)} - {""}
    return found.pop() if len(found) == 1 else ""


def _word_of_element(inspector: Inspector, access: Value) -> str:
    """Known where what a function that moves elements reads or writes side by side is all words of one."""
    element = elements_moved(inspector.module, access)
    layout = words(inspector.module, element) if element else []
    if not layout or layout[0].begin:
        return ""
    base, begin, bits = inspector.slot(access)
    accesses = set(_accessed_with(inspector, access, base))
    first, step = min(accesses)[0], inspector.module.type_bits(element) // 8
    begins = {place - (place - first) % step for place, _ in accesses}
    wanted = [(each + word.begin, word.size) for each in begins for word in layout]
    if not all(any(_contains(one, word) for one in accesses) for word in wanted):
        return ""
    here = ((begin - first) % step, (bits or POINTER_BITS) // 8)
    found = {word.kind if _contains(here, (word.begin, word.size)) else "" for word in layout if _overlaps(here, word)}
    return found.pop() if len(found) == 1 else ""


def _contains(place: tuple[int, int], other: tuple[int, int]) -> bool:
    return place[0] <= other[0] and other[0] + other[1] <= place[0] + place[1]


def _overlaps(place: tuple[int, int], word: Word) -> bool:
    return place[0] < word.begin + word.size and word.begin < place[0] + place[1]


def _accessed_with(inspector: Inspector, access: Value, base: Value) -> Iterator[tuple[int, int]]:
    """Where, counted from `base`, what stands at the same place of the source loads, or stores; and how many bytes."""
    is_load, where = inspector.is_plain_load(access), inspector.module.location(access)
    for one in filter(inspector.is_plain_load if is_load else inspector.is_plain_store, inspector.accesses(base)):
        place, begin, bits = inspector.slot(one)
        if place == base and inspector.module.location(one) == where:
            yield begin, (bits or POINTER_BITS) // 8
