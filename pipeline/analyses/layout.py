"""How a type lies in memory, by its debug info: which number or pointer is where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pipeline.analyses.debug_info import (
    ARRAY,
    BASE,
    ENUMERATION,
    FLOAT_BITS,
    POINTER,
    STRUCTURE,
    UNION,
    VARIANT_PART,
    base_type,
    discriminator,
    name,
    parts,
    reached,
    variants,
)
from pipeline.llvm import Module, Value

POINTER_BITS = 64
INTEGER, ADDRESS = "Integer", "Pointer"
"""What a word is that is no float."""


@dataclass(frozen=True, order=True)
class Word:
    """A number or a pointer in a value: at which byte, how many bytes it has; a float's type, or what else it is."""

    begin: int
    size: int
    kind: str


Layout: TypeAlias = Callable[[Module, Value], list[Word]]
"""`words`, or `words_copied`: the words of a type."""


def words(module: Module, ty: Value) -> list[Word]:
    """The words of a type, by their places, what nobody uses left out.

    Empty where one is not known, or is a float in one variant of an enum and something else in another.
    """
    return list(module.said(_all_words, ty))


def kinds_at(module: Module, ty: Value, begin: int, end: int) -> set[str]:
    """What the words of a type are from one byte to another, in whatever variant of an enum or a union; empty: not known."""
    return {word.kind for word in _words(module, ty, 0) if word.begin < end and begin < word.begin + word.size}


def floats_lie_over_pointers(module: Module, ty: Value) -> bool:
    """Whether in an enum, or a union, a word is a float in one variant and a pointer, or a part of one, in another.

    Of all in a value of the type, and in whatever its pointers lead to.
    """
    return module.said(_floats_lie_over_pointers, ty)


def _floats_lie_over_pointers(module: Module, ty: Value) -> bool:
    for node in reached(module, ty):
        if module.metadata_tag(node) in {UNION, VARIANT_PART}:
            found = set(_words(module, node, 0))
            floats, addresses = ({word for word in found if word.kind in kinds} for kinds in (FLOAT_BITS, {ADDRESS}))
            if any(_beside(address, floats) != [address] for address in addresses):
                return True
    return False


def _all_words(module: Module, ty: Value) -> list[Word]:
    return _merged(_words(module, ty, 0))


def words_copied(module: Module, ty: Value) -> list[Word]:
    """As `words`, for who copies them: what is a float in one variant of an enum and a number in another is taken for one."""
    found = set(_words(module, ty, 0))
    is_float = {word: word.kind in FLOAT_BITS for word in found}
    floats, others = (_merged(word for word in found if is_float[word] == wanted) for wanted in (True, False))
    is_known = len(found) > 0 and bool(floats) == any(is_float.values()) and bool(others) == (not all(is_float.values()))
    if not is_known or any(word.kind == ADDRESS and _beside(word, floats) != [word] for word in others):
        return []
    return sorted([*floats, *(part for word in others for part in _beside(word, floats))])


def words_of_zeros(module: Module, ty: Value, size: int) -> list[Word]:
    """The words in so many bytes of a value that begins with as many zeros, which say what variant it is; empty: not known."""
    found = _merged(word for word in _words(module, ty, 0, size) if word.begin < size)
    return found if all(word.begin + word.size <= size for word in found) else []


def _beside(word: Word, floats: Iterable[Word]) -> list[Word]:
    """The parts of a word that are in the place of no float."""
    parts = [word]
    for one in floats:
        ends = [(part, part.begin + part.size) for part in parts]
        before = [Word(part.begin, min(end, one.begin) - part.begin, part.kind) for part, end in ends]
        behind = [(max(part.begin, one.begin + one.size), end, part.kind) for part, end in ends]
        after = [Word(begin, end - begin, kind) for begin, end, kind in behind]
        parts = [part for part in dict.fromkeys([*before, *after]) if part.size > 0]
    return parts


def _merged(found: Iterable[Word]) -> list[Word]:
    """Words by their places, those that share one as one; none where what that is is not known."""
    kept: list[Word] = []
    for word in sorted(set(found), key=lambda word: (word.begin, -word.size)):
        if not kept or kept[-1].begin + kept[-1].size <= word.begin:
            kept.append(word)
        elif (both := _as_one(kept[-1], word)) is not None:
            kept[-1] = both
        else:
            return []
    return kept if all(word.kind for word in kept) else []


def kinds(module: Module, ty: Value) -> frozenset[str]:
    """What the words of a type are; none where that is not known."""
    return frozenset(word.kind for word in words(module, ty))


def _as_one(first: Word, second: Word) -> Word | None:
    """Two words that share their place as one, if that is known: a pointer may say by being null which variant it is."""
    if second.begin + second.size > first.begin + first.size:
        return None
    if first.kind == second.kind == INTEGER or first == second:
        return first
    is_same_place = (first.begin, first.size) == (second.begin, second.size)
    return Word(first.begin, first.size, ADDRESS) if is_same_place and {first.kind, second.kind} == {ADDRESS, INTEGER} else None


def _words(module: Module, ty: Value, begin: int, zeros: int = 0) -> Iterator[Word]:
    """The words of each variant alike; of no kind where that is not known.

    Where the value begins with so many zeros, those of the variant that it is by them.
    """
    match module.metadata_tag(ty) if ty else 0:
        case tag if tag == ARRAY:
            element = base_type(module, ty)
            size = module.type_bits(element) if element else 0
            for offset in range(0, module.type_bits(ty), size) if size else ():
                yield from _words(module, element, begin + offset // 8, zeros)
        case tag if tag == VARIANT_PART and zeros and discriminator(module, ty):
            yield from _words_of_variant(module, ty, begin, zeros)
        case tag if tag in {STRUCTURE, UNION, VARIANT_PART}:
            tags = [discriminator(module, ty)] if tag == VARIANT_PART else []
            for part in [*parts(module, ty), *filter(None, tags)]:
                if module.metadata_tag(part) == VARIANT_PART:
                    yield from _words(module, part, begin, zeros)
                else:
                    yield from _words(module, base_type(module, part), begin + module.type_offset(part) // 8, zeros)
        case tag if ty and module.type_bits(ty):
            yield Word(begin, module.type_bits(ty) // 8, kind_of_number(module, ty))


def _words_of_variant(module: Module, part: Value, begin: int, zeros: int) -> Iterator[Word]:
    """The words of the variant that an enum is whose tag is zero; of no kind where the tag is not among the zeros."""
    tag, all_of_them = discriminator(module, part), variants(module, part)
    at, size = module.type_offset(tag) // 8, module.type_bits(base_type(module, tag)) // 8
    if begin + at + size > zeros:
        yield Word(begin, 1, "")
        return
    is_pointer = any(ADDRESS in kinds_at(module, one.type, at, at + size) for one in all_of_them)
    yield Word(begin + at, size, ADDRESS if is_pointer else INTEGER)
    chosen = [one for one in all_of_them if one.tag == 0] or [one for one in all_of_them if one.tag is None]
    for variant in chosen:
        yield from _words(module, variant.type, begin, zeros)


def kind_of_number(module: Module, ty: Value) -> str:
    """What a number, or a pointer, is (`Word.kind`)."""
    tag = module.metadata_tag(ty)
    if tag == BASE:
        return name(module, ty) if name(module, ty) in FLOAT_BITS else INTEGER
    return {ENUMERATION: INTEGER, POINTER: ADDRESS}.get(tag, "")
