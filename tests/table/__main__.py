"""Tries every header in every mode at every level, and random headers, and writes `docs/table.md`.

python -m tests.table [FOLDER]: the crates are built in FOLDER, or in one that is gone afterwards.
"""

from __future__ import annotations

import logging
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.table import catalogue, composite
from tests.table.headers import LEVELS, MODES, Header
from tests.table.runner import Verdict, Verdicts, judge
from tests.workbench import ROOT

TABLE = ROOT / "docs" / "table.md"
BEGIN, END = "<!-- written by `python -m tests.table` -->", "<!-- until here -->"
SEED, COUNT = 1, 2000


def main(folder: Path) -> None:
    """Everything, then the table."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    listed = judge(catalogue.everything(), folder)
    random = judge(composite.programs(SEED, COUNT), folder)
    before, _, rest = TABLE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    TABLE.write_text(f"{before}{BEGIN}\n{chr(10).join(table(listed, random))}\n{END}{after}")


def table(listed: Verdicts, random: Verdicts) -> Iterator[str]:
    """The figures, a row for each header, and the reasons."""
    reasons: dict[str, int] = {}
    yield "\n| | programs | right | refused | wrong | crash |\n|---|---|---|---|---|---|"
    for name, verdicts in (("headers below", listed), (f"random headers, seed {SEED}", random)):
        counts = Counter(verdict.kind for verdict in verdicts.values())
        figures = (f"{counts[kind]} ({counts[kind] / len(verdicts):.1%})" for kind in ("right", "refused", "wrong", "crash"))
        yield f"| {name} | {len(verdicts)} | {' | '.join(figures)} |"
    headers = dict.fromkeys(program.header for program in listed)
    yield f"\n{len(headers)} headers; levels {', '.join(LEVELS)} unless a cell says which.\n"
    yield f"| header | {' | '.join(mode.shown for mode in MODES)} |\n|---|{'---|' * len(MODES)}"
    for header in headers:
        yield f"| `{header.shown.replace('|', chr(92) + '|')}` | {' | '.join(_cells(header, listed, reasons))} |"
    random_reasons = Counter(_reason(verdict.said) for verdict in random.values() if verdict.kind != "right")
    yield "\nReasons:\n"
    yield from (f"{number}. {reason}" for reason, number in reasons.items())
    yield "\nOf the random headers:\n"
    yield from (f"- {count}: {reason}" for reason, count in random_reasons.most_common())
    yield ""


def _cells(header: Header, verdicts: Verdicts, reasons: dict[str, int]) -> Iterator[str]:
    for mode in MODES:
        its = {program.level: v for program, v in verdicts.items() if program.header == header and program.mode == mode}
        yield _cell(its, reasons)


def _cell(its: dict[str, Verdict], reasons: dict[str, int]) -> str:
    """`right`, or what happened at which levels, with the number of its reason."""
    outcomes: dict[str, list[str]] = {}
    for level, verdict in its.items():
        number = "" if verdict.kind == "right" else f" [{reasons.setdefault(_reason(verdict.said), len(reasons) + 1)}]"
        outcomes.setdefault(f"{verdict.kind}{number}", []).append(level)
    if len(outcomes) == 1 and len(its) == len(LEVELS):
        return next(iter(outcomes))
    return "; ".join(f"{outcome} ({' '.join(levels)})" for outcome, levels in outcomes.items())


def _reason(said: str) -> str:
    """A message without the names and registers of one program."""
    plain = re.sub(r"got \[.*", "the number is another", said.partition(":   %")[0])
    plain = re.sub(
        r", and `\w+[^`]*` is|, but `\w+` is .*|: `_\w+`|`derivative` ", lambda m: ", and it is" if "and" in m[0] else "", plain
    )
    return re.sub(r" \(`.*?`\)|[%@][\w.]+|<analysis>.*", "", plain)[:200].strip(" :")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch))
