"""Tries the idiomatic functions: `python -m tests.idioms [--levels 0,3] [--record] [--held-out] [NAME…]`.

A name is a function's or an area's; without any all are tried, with `--held-out` those of `held_out`.  Prints what came of
them; with `--record` that is kept in `verdicts.csv`, and `docs/idioms.md` is written of what is there.
"""

from __future__ import annotations

import argparse
import logging
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz.__main__ import KINDS
from tests.fuzz.record import commit
from tests.fuzz.runner import AT_ONCE, judge
from tests.idioms import record
from tests.idioms.corpus import FOLDER, HELD_OUT, Idiom, corpus
from tests.programs import Verdict
from tests.table.__main__ import written_between
from tests.workbench import ROOT

DOCUMENT = ROOT / "docs" / "idioms.md"
BEGIN, END = "<!-- written by `python -m tests.idioms --record` -->", "<!-- until here -->"
BEGIN_HELD_OUT, END_HELD_OUT = "<!-- written by `python -m tests.idioms --record --held-out` -->", "<!-- until there -->"
LEVELS = ("0", "3")
LEVELS_HELD_OUT = ("3",)
MODES = ("reverse", "forward", "width 4")
_PARTICULARS = re.compile(r" prev:|: (?:\d+|no) functions|[%@`(\[\n]|  ")

Verdicts = dict[str, list[Verdict]]
"""At each level, the verdict on each function."""


def main(levels: Sequence[str], names: Sequence[str], folder: Path, *, is_recorded: bool) -> None:
    """Judge them, and say what came out."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    idioms = corpus(names, folder)
    verdicts: Verdicts = {level: [] for level in levels}
    with tempfile.TemporaryDirectory() as scratch:
        for begin in range(0, len(idioms), AT_ONCE):
            some = idioms[begin : begin + AT_ONCE]
            for level, its in verdicts.items():
                judged = judge(some, level, Path(scratch), MODES)
                its.extend(judged)
                if is_recorded:  # at once: a long run may be ended
                    record.add(_kept(some, level, judged), every())
    print("\n".join([*figures(verdicts), *rows(idioms, verdicts), *particulars(idioms, verdicts)]))
    if is_recorded:
        write()


def write() -> None:
    """Write the document of all that is kept."""
    written_between(BEGIN, END, DOCUMENT, _told(corpus(), LEVELS))
    written_between(BEGIN_HELD_OUT, END_HELD_OUT, DOCUMENT, _told(corpus(folder=HELD_OUT), LEVELS_HELD_OUT))


def every() -> list[Idiom]:
    """All that is ever judged."""
    return [*corpus(), *corpus(folder=HELD_OUT)]


def _told(idioms: Sequence[Idiom], levels: Sequence[str]) -> list[str]:
    kept = record.verdicts(record.read(), idioms, levels)
    return [*figures(kept), *rows(idioms, kept)]


def _kept(idioms: Sequence[Idiom], level: str, verdicts: Sequence[Verdict]) -> Iterator[record.Row]:
    for idiom, verdict in zip(idioms, verdicts, strict=True):
        said = "" if verdict.kind == "right" else _cause(verdict)
        yield record.Row(idiom.area, idiom.name, level, commit(), verdict.kind, said)


def figures(verdicts: Verdicts) -> Iterator[str]:
    """How many became what at each level."""
    yield from ("", f"| level | functions | {' | '.join(KINDS[:-1])} |", f"|---|---|{'---|' * len(KINDS[:-1])}")
    for level, its in verdicts.items():
        counts = Counter(verdict.kind for verdict in its)
        shares = [f"{counts[kind]} ({counts[kind] / len(its):.1%})" for kind in KINDS[:-1]]
        yield f"| {' | '.join([level, str(len(its)), *shares])} |"
    yield ""


def rows(idioms: Sequence[Idiom], verdicts: Verdicts) -> Iterator[str]:
    """A row for each function, and the causes in general words, the most frequent first."""
    causes = Counter(_cause(verdict) for its in verdicts.values() for verdict in its if verdict.kind != "right")
    numbers = {said: number for number, (said, _) in enumerate(causes.most_common(), 1)}
    yield f"| area | function | {' | '.join(f'level {level}' for level in verdicts)} |"
    yield f"|---|---|{'---|' * len(verdicts)}"
    for idiom, *its in zip(idioms, *verdicts.values(), strict=True):
        cells = [v.kind if v.kind == "right" else f"{v.kind} [{numbers[_cause(v)]}]" for v in its]
        yield f"| {idiom.area.replace('_', ' ')} | `{idiom.name}` | {' | '.join(cells)} |"
    yield "\nWhy:\n"
    yield from (f"{number}. {said} ({causes[said]} times)" for said, number in numbers.items())
    yield ""


def particulars(idioms: Sequence[Idiom], verdicts: Verdicts) -> Iterator[str]:
    """All that was said of what is not right."""
    for level, its in verdicts.items():
        for idiom, verdict in zip(idioms, its, strict=True):
            if verdict.kind != "right":
                yield f"{idiom}, level {level}: {verdict.kind}: {verdict.said}\n"


def _cause(verdict: Verdict) -> str:
    """In general words: without the names, the registers and the types of one function."""
    if verdict.kind == "wrong":
        return "a number is another than dual numbers give"
    return _PARTICULARS.split(verdict.said.removeprefix("error: "))[0].rstrip(": ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=lambda text: text.split(","))
    parser.add_argument("--held-out", action="store_true", help="those that nothing was mended for")
    parser.add_argument("--record", action="store_true", help="keep the verdicts, and write docs/idioms.md")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    levels = given.levels or (LEVELS_HELD_OUT if given.held_out else LEVELS)
    main(levels, given.names, HELD_OUT if given.held_out else FOLDER, is_recorded=given.record)
