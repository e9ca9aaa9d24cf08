"""The ledger as tables and as JSON, and the choice of functions by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pipeline import by_name
from pipeline.abi.entry import Entry, Left, Typed
from pipeline.abi.matching import Matched, Row
from pipeline.abi.verdicts import ADJUSTED, AS_EXPECTED, NOT_MODELLED, REFUSED, RESTORED
from pipeline.by_name import last
from pipeline.stages.abi_fixup import Derivative

VERSION = 1
"""The version of the JSON."""

_COLOURS = {AS_EXPECTED: "green", ADJUSTED: "cyan", RESTORED: "yellow", REFUSED: "red", NOT_MODELLED: "magenta"}
_WIDE = 10_000


def chosen(entries: Sequence[Entry], name: str) -> list[Entry]:
    """The entries whose function is called so: by the end of its path (`f`, `module::f`) or of its derivative, else by a part.

    Raises: UserError with the nearest names where there is none.
    """
    return by_name.chosen(entries, name, _names, "is differentiated here, or called by one that is")


def as_json(entries: Sequence[Entry]) -> dict[str, Any]:
    """What `--json` prints; `docs/abi.md` describes it."""
    return {"version": VERSION, "functions": [_function(entry) for entry in entries]}


def show(entries: Sequence[Entry]) -> None:
    """Print the ledger; as wide as it needs where it does not go to a terminal."""
    console = Console(highlight=False)
    if console.is_terminal:
        _show_all(console, entries)
        return
    wide = Console(highlight=False, width=_WIDE)
    with wide.capture() as captured:
        _show_all(wide, entries)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _show_all(console: Console, entries: Sequence[Entry]) -> None:
    for entry in entries:
        _show(console, entry)
    counted = Counter(entry.verdict.word for entry in entries)
    words = [f"{counted[word]} {word}" for word in _COLOURS if counted[word]]
    console.print(f"{len(entries)} function{'' if len(entries) == 1 else 's'}: {', '.join(words)}")


def _show(console: Console, entry: Entry) -> None:
    console.print(Text.assemble((entry.function, "bold"), f"  {entry.place}"))
    why = f": {entry.verdict.why}" if entry.verdict.why else ""
    said = Text.assemble((entry.verdict.word, _COLOURS[entry.verdict.word]), why)
    rung = [Text(f"differentiated by the rung `{entry.rung}` of the ladder")] if entry.rung else []
    for line in (*map(Text, _rust(entry)), said, *rung):
        console.print(_indented(line))
    for table in (_headers(entry), *_mappings(entry)):
        console.print()
        console.print(_indented(table))
    console.print()


def _indented(line: RenderableType) -> Padding:
    return Padding(line, (0, 0, 0, 3), expand=False)


def _rust(entry: Entry) -> Iterator[str]:
    if entry.derivative:
        of_it = entry.derivative
        width = [str(of_it.width)] if of_it.width > 1 else []
        yield f"#[autodiff_{of_it.mode}({', '.join([of_it.derivative, *width, *of_it.activities])})]"
    else:
        yield f"called by {', '.join(entry.called_by)}"
    result = f" -> {entry.result.type}" if entry.result else ""
    typed = [f"{argument.name}: {argument.type}" for argument in entry.arguments or ()]
    arguments = "?" if entry.arguments is None else ", ".join(typed)
    yield f"fn {last(entry.function)}({arguments}){result}"


def _headers(entry: Entry) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_row("Expected", escape(entry.expected or NOT_MODELLED))
    for left in entry.stages:
        note = "" if left.state == "there" else left.state if not left.header else f"  ({left.state})"
        table.add_row(f"after {left.after}", escape(f"{left.header}{note}"))
    return table


def _mappings(entry: Entry) -> Iterator[Table]:
    """A table for each stretch of stages with the same mapping; where all inlined the function, what it would have been."""
    there = [left for left in entry.stages if left.mapping]
    for mapping, lefts in groupby(there, key=lambda left: left.mapping):
        assert mapping is not None, "only stages that have one are there"
        names = [left.after for left in lefts]
        yield _mapping(mapping, names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}")
    if not there and entry.lowered.rows:
        yield _mapping(entry.lowered, "rustc")


def _mapping(mapping: Matched, stages: str) -> Table:
    table = Table("Rust", "class", "Expected", box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(f"Actual, after {stages}")
    for row in mapping.rows:
        table.add_row(escape(row.path), row.kind, escape(row.expected), escape(_actual(row)))
    if not mapping.is_certain:
        table.caption = "types alone do not tell which argument it is: another reading would fit as well"
    return table


def _actual(row: Row) -> str:
    """The LLVM arguments, by position; what is promoted or packed has its fields beside it."""
    if row.kind == "promoted":
        return ", ".join(f"%{at} {ty} = {part}" for at, ty, part in zip(row.at, row.actual, row.parts, strict=True))
    packed = f" = {', '.join(row.parts)}" if row.parts else ""
    if not row.at:
        return ", ".join(row.actual) + packed
    return ", ".join(f"%{at} {ty}" for at, ty in zip(row.at, row.actual, strict=True)) + packed


def _names(entry: Entry) -> list[str]:
    return [entry.function, *([entry.derivative.derivative] if entry.derivative else [])]


def _function(entry: Entry) -> dict[str, Any]:
    of_it = entry.derivative
    return {
        "function": entry.function,
        "symbol": entry.symbol or None,
        "place": entry.place or None,
        "derivative": of_it and _asked(of_it, entry.rung),
        "called_by": list(entry.called_by),
        "arguments": None if entry.arguments is None else [_typed(argument) for argument in entry.arguments],
        "result": entry.result and _typed(entry.result),
        "expected": {"header": entry.expected or None, "mapping": _matched(entry.lowered)},
        "stages": [_stage(left) for left in entry.stages],
        "verdict": entry.verdict.word,
        "why": entry.verdict.why or None,
    }


def _asked(derivative: Derivative, rung: str) -> dict[str, Any]:
    named = {"name": derivative.derivative, "mode": derivative.mode, "width": derivative.width, "shim": derivative.shim}
    return {**named, "rung": rung or None}


def _typed(typed: Typed) -> dict[str, Any]:
    return {"name": typed.name, "type": typed.type, "activity": typed.activity or None}


def _stage(left: Left) -> dict[str, Any]:
    mapping = {"mapping": _matched(left.mapping), "certain": left.mapping.is_certain} if left.mapping else {}
    return {"after": left.after, "state": left.state, "header": left.header or None, **mapping}


def _matched(mapping: Matched) -> dict[str, Any]:
    return {"arguments": [_row(row) for row in mapping.arguments], "result": [_row(row) for row in mapping.result]}


def _row(row: Row) -> dict[str, Any]:
    return {
        "rust": row.path,
        "class": row.kind,
        "expected": row.expected or None,
        "actual": list(row.actual),
        "at": list(row.at),
        "parts": list(row.parts),
    }
