"""Tries every header in every mode at every level, and random headers; writes `docs/table.md`, and its sum to `docs/abi.md`.

python -m tests.table [LEVELS [COUNT]]: at those levels only (`0,3`), and so many random headers.
"""

from __future__ import annotations

import logging
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.programs import LEVELS, Verdict
from tests.table import catalogue, composite
from tests.table.headers import MODES, Header, Mode, Program
from tests.table.runner import Verdicts, judge
from tests.workbench import ROOT

TABLE, SUM = ROOT / "docs" / "table.md", ROOT / "docs" / "abi.md"
BEGIN, END = "<!-- written by `python -m tests.table` -->", "<!-- until here -->"
SEED, COUNT = 1, 2000
KINDS = ("right", "refused", "wrong", "crash")


def main(levels: str = ",".join(LEVELS), count: str = str(COUNT)) -> None:
    """Everything, then the table."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    programs = [*catalogue.everything(), *composite.programs(SEED, int(count))]
    with tempfile.TemporaryDirectory() as folder:
        verdicts = judge([program for program in programs if program.level in levels.split(",")], Path(folder))
    listed = set(catalogue.everything())
    by_list = [{p: verdict for p, verdict in verdicts.items() if (p in listed) == is_listed} for is_listed in (True, False)]
    written_between(BEGIN, END, TABLE, table(*by_list))
    written_between(BEGIN, END, SUM, figures(*by_list))


def written_between(begin: str, end: str, document: Path, lines: Iterable[str]) -> None:
    """Put lines between the markers of a document."""
    before, _, rest = document.read_text().partition(begin)
    _, _, after = rest.partition(end)
    document.write_text("\n".join([f"{before}{begin}", *lines, f"{end}{after}"]))


def figures(listed: Verdicts, random: Verdicts) -> Iterator[str]:
    """How many programs came out how; and of the listed ones, how many are right in each mode at each level."""
    yield from ("", "| | programs | right | refused | wrong | crash | not tried |", "|---|---|---|---|---|---|---|")
    yield _figures(f"{len(catalogue.HEADERS)} headers", listed, len(catalogue.everything()))
    yield _figures(f"random headers, seed {SEED}", random, COUNT)
    yield f"\n| right, of so many | {' | '.join(f'level {level}' for level in LEVELS)} |"
    yield f"|---|{'---|' * len(LEVELS)}"
    for mode in MODES:
        kinds = [[v.kind for p, v in listed.items() if (p.mode, p.level) == (mode, level)] for level in LEVELS]
        cells = [f"{its.count('right')} of {len(its)}" for its in kinds]
        yield f"| {mode.shown} | {' | '.join(cells)} |"
    yield ""


def table(listed: Verdicts, random: Verdicts) -> Iterator[str]:
    """A row for each header, and the reasons."""
    cells: dict[Header, dict[Mode, Verdicts]] = {header: {} for header in catalogue.HEADERS}
    for program, verdict in listed.items():
        cells[program.header].setdefault(program.mode, {})[program] = verdict
    numbers: dict[str, int] = {}
    levels = [level for level in LEVELS if any(program.level == level for program in listed)]
    yield f"\nAt the levels {', '.join(levels)} unless a cell says at which.\n"
    yield f"| header | {' | '.join(mode.shown for mode in MODES)} |"
    yield f"|---|{'---|' * len(MODES)}"
    for header, row in cells.items():
        yield f"| `{header.shown}` | {' | '.join(_cell(row.get(mode, {}), levels, numbers) for mode in MODES)} |"
    yield "\nWhy:\n"
    yield from (f"{number}. {reason}" for reason, number in numbers.items())
    reasons = Counter(_reason(program, verdict) for program, verdict in random.items() if verdict.kind != "right")
    yield "\nOf the random headers:\n"
    yield from (f"- {count}: {reason}" for reason, count in reasons.most_common())
    yield ""


def _figures(name: str, verdicts: Verdicts, programs: int) -> str:
    """Shares are of all programs that there are: what was not tried is not right."""
    counts = Counter(verdict.kind for verdict in verdicts.values())
    counts["not tried"] = programs - len(verdicts)
    figures = [f"{counts[kind]} ({counts[kind] / programs:.1%})" for kind in (*KINDS, "not tried")]
    return f"| {' | '.join([name, str(programs), *figures])} |"


def _cell(verdicts: Verdicts, levels: list[str], numbers: dict[str, int]) -> str:
    """`right`, or what happened at which levels, with the number of its reason."""
    if not verdicts:
        return "not tried"
    outcomes: dict[str, list[str]] = {}
    for program, verdict in verdicts.items():
        reason = "" if verdict.kind == "right" else _reason(program, verdict)
        outcome = f"{verdict.kind} [{numbers.setdefault(reason, len(numbers) + 1)}]" if reason else verdict.kind
        outcomes.setdefault(outcome, []).append(program.level)
    if len(outcomes) == 1 and len(verdicts) == len(levels):
        return next(iter(outcomes))
    return "; ".join(f"{outcome} at {' '.join(at)}" for outcome, at in outcomes.items())


def _reason(program: Program, verdict: Verdict) -> str:
    """In general words: without the names and the registers of one program."""
    if verdict.kind == "wrong":
        return "a number is another than the closed form's"
    return catalogue.refusal(program) or re.split(r": *(?:[`%<]|$)", verdict.said)[0]


if __name__ == "__main__":
    main(*sys.argv[1:])
