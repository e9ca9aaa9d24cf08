"""What random functions have come to so far: a row for each crate of them in `runs.csv`, and their sums in `docs/idioms.md`.

A silent error is so rare by now that no single run tells much: runs add up, each with the commit that it was of.
"""

from __future__ import annotations

import csv
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.programs import Verdict
from tests.table.__main__ import written_between
from tests.workbench import ROOT

RUNS = Path(__file__).with_name("runs.csv")
DOCUMENT = ROOT / "docs" / "idioms.md"
BEGIN, END = "<!-- written by `python -m tests.fuzz --record` -->", "<!-- until here, by it -->"
ALONE = "alone"
"""How functions are built, if nothing else is said (`Run.built`)."""
LAST = 5000
"""Functions that the last runs together have at least, where there are so many."""
_OVER = {
    "f64": "over `f64`",
    "f32": "over `f32`",
    "mixed": "over `f64` beside constants and what is written",
    "headers": "with headers of their own, over `f64`",
}


@dataclass(frozen=True)
class Run:
    """What became of functions with seeds in a row, at one level."""

    commit: str
    built: str
    """How: `alone`, each by itself through the stages of `single-module-merge`; or the strategy by which some at once were."""
    numbers: str
    """What they were of: `f64`, `f32`; `mixed`, `f64` with constants and numbers that may be written beside them; `headers`."""
    level: str
    first: int
    """The first seed."""
    right: int
    refused: int
    broke_down: int
    wrong: int
    crash: int
    invalid: int

    @property
    def tests(self) -> int:
        """How many functions were a test."""
        return self.right + self.refused + self.broke_down + self.wrong + self.crash


KINDS = tuple(field.name for field in fields(Run))[5:-1]


def run(level: str, first: int, verdicts: Sequence[Verdict], numbers: str, built: str = ALONE) -> Run:
    """The row of these verdicts, for the commit that is checked out."""
    counts = Counter(verdict.kind.replace(" ", "_") for verdict in verdicts)
    return Run(commit(), built, numbers, level, first, *(counts[kind] for kind in (*KINDS, "invalid")))


def commit() -> str:
    """The commit that is checked out, with a `+` where there is something beside it that is not committed."""
    found = _git("rev-parse", "--short", "HEAD").stdout.strip()
    return f"{found}+" if _git("diff", "--quiet", "HEAD", "--", "pipeline", "rust").returncode else found


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def add(its: Run, to: Path = RUNS) -> None:
    """Write a row at the end."""
    with to.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(astuple(its))


def read(given: Path = RUNS) -> list[Run]:
    """All rows, the oldest first."""
    with given.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Run(commit, built, numbers, level, *map(int, counts)) for commit, built, numbers, level, *counts in rows]


def write() -> None:
    """Put the sums into the document."""
    written_between(BEGIN, END, DOCUMENT, list(told(read())))


def told(runs: Sequence[Run]) -> Iterator[str]:
    """The sums by numbers and levels, of all, and of the last ones."""
    yield from ("", f"| random functions | tests | {' | '.join(kind.replace('_', ' ') for kind in KINDS)} |")
    yield f"|---|---|{'---|' * len(KINDS)}"
    for built, numbers, level in sorted({_way(one) for one in runs}, key=lambda way: (way[0] == ALONE, way), reverse=True):
        its = [one for one in runs if _way(one) == (built, numbers, level)]
        yield _row(f"{_OVER[numbers]}, level {level}{'' if built == ALONE else f', built by `{built}`'}", its)
    yield _row("all", runs)
    last = list(_last(runs))
    yield _row(f"the last ones, since commit {last[0].commit}", last) if last else ""
    yield ""


def _way(run: Run) -> tuple[str, str, str]:
    return run.built, run.numbers, run.level


def _row(what: str, runs: Iterable[Run]) -> str:
    counts = Counter[str]()
    for one in runs:
        counts.update({kind: getattr(one, kind) for kind in ("tests", *KINDS)})
    shares = [f"{counts[kind]} ({counts[kind] / max(1, counts['tests']):.2%})" for kind in KINDS]
    return f"| {what} | {' | '.join([str(counts['tests']), *shares])} |"


def _last(runs: Sequence[Run]) -> list[Run]:
    """The last rows that have so many tests together."""
    found: list[Run] = []
    for one in reversed(runs):
        if sum(other.tests for other in found) >= LAST:
            break
        found.insert(0, one)
    return found
