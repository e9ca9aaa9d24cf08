"""The costs as text, and as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pipeline.perf.cost import Cost, Differentiated
from pipeline.perf.tape import Iterations, Kept

VERSION = 1
"""Of the JSON; `docs/perf.md` describes it."""

_GROWS = {
    "on entry": "how often this loop runs is known when it begins: it has memory of its own in each iteration of the outer one",
    "after": "how often this loop runs is known only when it has: its memory grows as it runs, by doubling, and is copied",
}
_ADDRESS = 8
"""The bytes of an address: that of an inner loop's own memory is kept in each iteration of the outer one."""
_COUNTED = "a `for` over a slice or over a range that does not change says it before"


def show(costs: Sequence[Cost], folder: Path) -> None:
    """Print the costs, with the lines of the source in `folder`."""
    for differentiated, kept in costs:
        print("\n".join([*_head(differentiated, kept), *_body(kept, folder), ""]))


def as_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """What `--json` prints."""
    return {"version": VERSION, "functions": [_function(*cost) for cost in costs]}


def _head(differentiated: Differentiated, kept: Sequence[Kept]) -> Iterator[str]:
    yield f"{differentiated.function}  {differentiated.place}"
    if differentiated.forward:
        yield f"   {', '.join(differentiated.forward)}, forward mode: no tape"
    if differentiated.reverse:
        named = f"   {', '.join(differentiated.reverse)}, reverse mode: "
        sums = [f"{_bytes(count)} in each {_when(*where)}" for where, count in _sums(kept).items()]
        for line in sums or ["no tape"]:
            yield f"{named}{line}"
            named = " " * len(named)


def _sums(kept: Sequence[Kept]) -> dict[tuple[str, tuple[Iterations, ...]], int]:
    """The bytes of each loop nest, or of the calls of each function, together."""
    sums: dict[tuple[str, tuple[Iterations, ...]], int] = defaultdict(int)
    for one in kept:
        sums[one.function, one.loops] += one.bytes
        for depth, loop in enumerate(one.loops):
            if depth and loop.counted in _GROWS:
                sums[one.function, one.loops[:depth]] += _ADDRESS
    return dict(sums)


def _body(kept: Sequence[Kept], folder: Path) -> Iterator[str]:
    told: set[Iterations] = set()
    for one in kept:
        yield ""
        yield f"   {one.what}, {_bytes(one.bytes)} in each {_when(one.function, one.loops)}"
        yield from _at(one.place, folder)
        yield f"      = why: {one.reason.why}"
        yield from _at(one.reason.place, folder)
        if one.reason.help:
            yield f"      = help: {one.reason.help}"
        for loop in one.loops:
            if loop.counted in _GROWS and loop not in told:
                told.add(loop)
                yield f"      = note: {_GROWS[loop.counted]}"
                yield from _at(loop.place, folder)
                yield f"      = help: {_COUNTED}"


def _when(function: str, loops: Sequence[Iterations]) -> str:
    if not loops:
        return f"call of `{function}`" if function else "call"
    places = " in the one at ".join(loop.place or "a place not known" for loop in reversed(loops))
    return f"iteration of the loop at {places}{f', in each call of `{function}`' if function else ''}"


def _at(place: str | None, folder: Path) -> Iterator[str]:
    """A place, and its line in the source."""
    if place is None:
        return
    yield f"      --> {place}"
    file, _, position = place.partition(":")
    number = int(position.partition(":")[0])
    source = folder / file
    lines = source.read_text(errors="replace").splitlines() if source.is_file() else []
    if 0 < number <= len(lines):
        yield f"       |   {lines[number - 1].strip()}"


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"


def _function(differentiated: Differentiated, kept: Sequence[Kept]) -> dict[str, Any]:
    return {
        "function": differentiated.function,
        "place": differentiated.place,
        "reverse": list(differentiated.reverse),
        "forward": list(differentiated.forward),
        "tape": [
            {"bytes": count, "function": function or None, "loops": [asdict(loop) for loop in loops]}
            for (function, loops), count in _sums(kept).items()
        ],
        "kept": [asdict(one) for one in kept],
    }
