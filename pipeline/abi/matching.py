"""From the header that rustc's ABI gives a function to the one that is there: which LLVM argument is what of which Rust one.

Where the two differ, an LLVM pass has changed the header.  A pointer may have become what was loaded through it (*promoted*),
and a value that nobody wants may be gone (*dropped*).  Of all ways to read the header that is there the cheapest is taken:
first what is equal, then what is promoted, then what is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from pipeline.abi.headers import Header
from pipeline.abi.lowering import Lowered, Word

PROMOTED, DROPPED, UNKNOWN = "promoted", "dropped", "not modelled"

_BY_LLVM = {PROMOTED, DROPPED}

_UNLIKELY, _RENAMED, _SKIPPED, _PROMOTED, _DROPPED, _UNKNOWN = 1, 10, 10, 20, 50, 500
"""What it costs that a type is not lowered in the likely way; that debug info gives a value to another argument; that
something behind a promoted pointer is not among what came of it; that a pointer is promoted; that a value is dropped; that
an LLVM argument is nobody's."""


@dataclass(frozen=True)
class Argument:
    """A Rust argument: its name, and the ways in which rustc may lower it."""

    name: str
    ways: tuple[Lowered, ...]


@dataclass(frozen=True)
class Row:
    """What became of one value of a Rust argument or result.

    `kind` is that of `Lowered`, or `promoted`, `dropped`, `not modelled`.  `at` are positions of LLVM arguments; what is
    returned has none.
    """

    path: str
    kind: str
    expected: str
    """The LLVM type in rustc's own header; empty where there is none."""
    actual: tuple[str, ...] = ()
    """The LLVM types in the header that is there."""
    at: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()
    """Fields that are packed into an integer; what a promoted pointer became, one for each LLVM argument."""


@dataclass(frozen=True)
class Matched:
    """A header, read: rows for the arguments and for the result, and whether no other reading would have been as good."""

    arguments: tuple[Row, ...]
    result: tuple[Row, ...]
    is_certain: bool = True

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, the result's last."""
        return self.arguments + self.result


@dataclass(frozen=True)
class _Reading:
    cost: int
    rows: tuple[Row, ...] = ()
    returned: tuple[Row, ...] = ()
    is_certain: bool = True


def match(arguments: Sequence[Argument], results: Sequence[Lowered], header: Header) -> Matched:
    """Read a header; `results` are the ways in which the result may be lowered."""
    best = _best([_match_parameters(arguments, way, header, number * _UNLIKELY) for number, way in enumerate(results)])
    if any(row.kind == UNKNOWN for row in best.rows + best.returned):
        return Matched(_as_far_as_known(best.rows), _as_far_as_known(best.returned))
    return Matched(best.rows, best.returned, best.is_certain)


def _as_far_as_known(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Where an LLVM argument is nobody's, nothing is promoted or dropped for sure."""
    return tuple(Row(row.path, UNKNOWN, "", row.actual, row.at) if row.kind in _BY_LLVM else row for row in rows)


def _match_parameters(arguments: Sequence[Argument], result: Lowered, header: Header, cost: int) -> _Reading:
    @cache
    def read(argument: int, at: int) -> _Reading:
        """The best reading of the parameters from `at` as the arguments from `argument`."""
        if argument == len(arguments):
            return _nobodys(header, at)
        found = []
        for number, way in enumerate(arguments[argument].ways):
            for reading, after in _read_words(way, arguments[argument].name, header, at):
                rest = read(argument + 1, after)
                cost = number * _UNLIKELY + reading.cost + rest.cost
                found.append(_Reading(cost, reading.rows + rest.rows, is_certain=rest.is_certain))
        return _best(found)

    begin = 1 if _is_sret(result, header) else 0
    of_result, returned = _returned(result, header)
    parameters = read(0, begin)
    return replace(parameters, cost=cost + of_result + parameters.cost, returned=returned)


def _read_words(way: Lowered, name: str, header: Header, at: int) -> Iterator[tuple[_Reading, int]]:
    """All ways to read the parameters from `at` as the words of one argument, each with where it ends."""
    if not way.words:
        yield _Reading(0, (Row(name, way.kind, ""),)), at
        return
    readings = [(_Reading(0), at)]
    for word in way.words:
        readings = [
            (_Reading(before.cost + one.cost, before.rows + one.rows), after)
            for before, begin in readings
            for one, after in _read_word(word, way.kind, name, header, begin)
        ]
    yield from readings


def _read_word(word: Word, kind: str, name: str, header: Header, at: int) -> Iterator[tuple[_Reading, int]]:
    there = header.parameters[at:]
    if there and there[0] == word.llvm:
        parts = tuple(part.path for part in word.parts) if kind == "integer-cast" else ()
        row = Row(word.path, kind, word.llvm, (word.llvm,), (at,), parts)
        yield _Reading(_renamed(row, name, header), (row,)), at + 1
    for count, (parts, skipped) in _promotions(word, there):
        row = Row(word.path, PROMOTED, word.llvm, there[:count], tuple(range(at, at + count)), parts)
        yield _Reading(_PROMOTED + _SKIPPED * skipped + _renamed(row, name, header), (row,)), at + count
    yield _Reading(_DROPPED, (Row(word.path, DROPPED, word.llvm),)), at


def _renamed(row: Row, name: str, header: Header) -> int:
    return sum(_RENAMED for at in row.at if header.names.get(at, name) != name)


def _promotions(word: Word, there: Sequence[str]) -> Iterator[tuple[int, tuple[tuple[str, ...], int]]]:
    """How many of the parameters can be what is behind a pointer; which, and how much behind it then is not there."""
    if word.llvm != "ptr":
        return
    for count in range(1, min(len(there), len(word.parts)) + 1):
        found = _found_in_order(there[:count], word.parts)
        if found is None:
            return
        yield count, found


def _found_in_order(types: Sequence[str], parts: Sequence[Word]) -> tuple[tuple[str, ...], int] | None:
    """The parts that have these types, in order, and how many are left over; a pointer may itself stand for its parts."""
    flat = list(_flattened(parts))
    chosen: list[int] = []
    for ty in types:
        begin = chosen[-1] + 1 if chosen else 0
        after = next((place for place in range(begin, len(flat)) if flat[place].llvm == ty), None)
        if after is None:
            return None
        chosen.append(after)
    certain = all(_is_only(flat, place, types) for place in chosen)
    paths = tuple(flat[place].path if certain else _any_index(flat[place].path) for place in chosen)
    return paths, len(parts) - len(types)


def _is_only(flat: Sequence[Word], place: int, types: Sequence[str]) -> bool:
    """Whether nothing else behind the pointer could be meant."""
    alike = sum(word.llvm == flat[place].llvm for word in flat)
    return alike == sum(ty == flat[place].llvm for ty in types)


def _any_index(path: str) -> str:
    return f"one of {path.partition('[')[0]}[…]" if "[" in path else f"{path} or one like it"


def _flattened(parts: Sequence[Word]) -> Iterator[Word]:
    for part in parts:
        yield part
        yield from _flattened(part.parts)


def _nobodys(header: Header, at: int) -> _Reading:
    left = header.parameters[at:]
    rows = tuple(Row("?", UNKNOWN, "", (ty,), (at + index,)) for index, ty in enumerate(left))
    return _Reading(_UNKNOWN * len(left), rows)


def _returned(result: Lowered, header: Header) -> tuple[int, tuple[Row, ...]]:
    """What becomes of the result, and what it costs to read it so."""
    if _is_sret(result, header):
        (word,) = result.words
        return 0, (Row(word.path, "sret", "ptr", header.parameters[:1], (0,)),)
    there = _members(header.result)
    rows = []
    for word in result.words:
        if there and word.llvm == there[0] and result.kind != "sret":
            parts = tuple(part.path for part in word.parts) if result.kind == "integer-cast" else ()
            rows.append(Row(word.path, result.kind, word.llvm, (there.pop(0),), (), parts))
        else:
            rows.append(Row(word.path, DROPPED, word.llvm))
    rows += [Row("?", UNKNOWN, "", (ty,)) for ty in there]
    return sum({DROPPED: _DROPPED, UNKNOWN: _UNKNOWN}.get(row.kind, 0) for row in rows), tuple(rows)


def _is_sret(result: Lowered, header: Header) -> bool:
    """Whether the first parameter is where the result goes; LLVM takes the attribute off functions that only it calls."""
    return result.kind == "sret" and (header.sret or (header.result == "void" and header.parameters[:1] == ("ptr",)))


def _members(result: str) -> list[str]:
    """The values that are returned: LLVM writes a pair as `{ i64, double }`."""
    if result == "void":
        return []
    return result.strip("{} ").split(", ") if result.startswith("{") else [result]


def _best(readings: Sequence[_Reading]) -> _Reading:
    cheapest = min(readings, key=lambda reading: reading.cost)
    ties = [reading for reading in readings if reading.cost == cheapest.cost]
    agree = all((one.rows, one.returned) == (other.rows, other.returned) for one, other in pairwise(ties))
    return replace(cheapest, is_certain=cheapest.is_certain and agree)
