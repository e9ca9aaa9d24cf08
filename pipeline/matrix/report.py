"""What came of a matrix: cell by stage as a table, in Markdown, as JSON; and JUnit's XML for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipeline.matrix.combining import Settings
from pipeline.matrix.running import BINARIES, CHECK, FRESH, PLAN, CellResult, StageResult
from pipeline.runs import FAILED, HIT, RAN
from pipeline.stages import NAMES
from pipeline.store import replacing

VERSION = 1
"""Of the JSON; `docs/matrix.md` describes it."""

_COLOURS = {FAILED: "red", RAN: "yellow"}
_WORDS = {HIT: "from cache", "fetched": "from the remote cache", FRESH: "up to date"}


def show(results: Sequence[CellResult]) -> None:
    """Print the table, and what failed."""
    from rich.table import Table
    from rich.text import Text

    from pipeline.tables import print_table

    head, *rows = _rows(results)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in head:
        table.add_column(title, no_wrap=True)
    for row in rows:
        table.add_row(*(Text(entry, _COLOURS.get(entry.partition(" ")[0], "")) for entry in row))
    print_table(table)
    for cell, failed in _failures(results):
        print(f"\n{cell.name}, {failed.stage}:\n{failed.error}")
    print(f"\n{in_short(results)}")


def markdown(results: Sequence[CellResult]) -> str:
    """The same for GitHub's page of a job."""
    head, *rows = [f"| {' | '.join(row)} |" for row in _rows(results)]
    line = f"|{'---|' * (len(_stages(results)) + 2)}"
    told = [f"\n**{cell.name}**, {failed.stage}:\n\n```\n{failed.error}\n```" for cell, failed in _failures(results)]
    return "\n".join(["### ./doit matrix", "", head, line, *rows, *told, "", in_short(results)])


def _rows(results: Sequence[CellResult]) -> list[list[str]]:
    """The entries of the table, its head first."""
    stages = _stages(results)
    rows = [["cell", *stages, "seconds"]]
    for result in results:
        by_name = {each.stage: each for each in result.stages}
        entries = [_entry(by_name[name]) if name in by_name else "-" for name in stages]
        rows.append([result.name, *entries, f"{result.seconds:.2f}"])
    return rows


def _stages(results: Iterable[CellResult]) -> list[str]:
    """What any of the cells has come to, in order."""
    there = {each.stage for result in results for each in result.stages}
    return [name for name in (PLAN, *NAMES, BINARIES, CHECK) if name in there]


def _entry(result: StageResult) -> str:
    return f"{result.how} {result.seconds:.2f} s" if result.how in (RAN, FAILED) else result.how


def _failures(results: Iterable[CellResult]) -> list[tuple[CellResult, StageResult]]:
    return [(result, result.failure) for result in results if result.failure]


def in_short(results: Sequence[CellResult]) -> str:
    """How many cells, how many of them failed, and how their stages came."""
    counted = Counter(each.how for result in results for each in result.stages)
    stages = ", ".join(f"{number} {_WORDS.get(how, how)}" for how, number in counted.items())
    cells = f"{len(results)} cell{'' if len(results) == 1 else 's'}, {len(_failures(results))} failed"
    return f"{cells}; stages: {stages}; {sum(result.seconds for result in results):.2f} s"


def as_json(results: Sequence[CellResult], settings: Mapping[str, Settings]) -> dict[str, Any]:
    """What `--json` prints."""
    return {"version": VERSION, "cells": [_json_of(result, settings[result.name]) for result in results]}


def _json_of(result: CellResult, settings: Settings) -> dict[str, Any]:
    stages = [
        {"stage": each.stage, "how": each.how, "seconds": each.seconds, "key": each.key, "tree": each.tree, "error": each.error}
        for each in result.stages
    ]
    return {
        "cell": result.name,
        "settings": {key: node.value for key, node in settings.items()},
        "failed": result.failure is not None,
        "seconds": result.seconds,
        "product": result.product,
        "stages": stages,
    }


def write_junit(results: Sequence[CellResult], path: Path) -> None:
    """A suite for each cell, a case for each of its stages, as CI servers read it."""
    import junitparser

    xml = junitparser.JUnitXml()
    for result in results:
        suite = junitparser.TestSuite(result.name)
        for each in result.stages:
            case = junitparser.TestCase(each.stage, classname=result.name, time=round(each.seconds, 3))
            if each.how == FAILED:
                outcome = junitparser.Failure(each.error.partition("\n")[0], FAILED)
                outcome.text = each.error
                case.result = [outcome]
            suite.add_testcase(case)
        xml.add_testsuite(suite)
    with replacing(path) as new:
        xml.write(str(new), pretty=True)
