"""The corpus under every strategy: `python -m tests.idioms.strategies [--record] [NAME…]`.

Functions that are right by `single-module-merge` at level 3 are built by the real `./doit build`, some in one crate, with fast
math off: by each strategy the derivatives are right, and the same to the last bit, or the function is refused.  What `slice`
merges the whole program for is built by itself, so that nothing else is merged with it, and so is what is refused among others.
With `--record` what came of them is kept in `strategies.csv`, and `docs/strategies.md` is written of what is there.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.fuzz import oracle
from tests.fuzz.record import commit
from tests.fuzz.together import AT_ONCE, Functions
from tests.idioms import record
from tests.idioms.__main__ import MODES
from tests.idioms.corpus import Idiom, corpus
from tests.programs import Verdict, Way
from tests.table.__main__ import written_between
from tests.workbench import ROOT, Workbench

STRATEGIES = ("slice", "single-module-merge", "fat-lto")

DOCUMENT = ROOT / "docs" / "strategies.md"
BEGIN, END = "<!-- written by `python -m tests.idioms.strategies --record` -->", "<!-- until here -->"
ROWS = Path(__file__).with_name("strategies.csv")

_EXACTLY = "enzyme.fast_math=false"

_BY_CHANCE = "by chance"


class Row(NamedTuple):
    """What became of a function by each strategy."""

    area: str
    name: str
    commit: str
    slice: str
    single_module_merge: str
    fat_lto: str
    """`right`, or what else, and why in general words."""
    is_sliced: str
    """`yes`, or `no` where the whole program is merged for it."""
    agree: str
    """`to the last bit`, `to 1e-12` (relative to the largest number), or `no`, of those that are right; `by chance`, where it
    is not twice the same by one strategy either."""


class Twice(Functions[Idiom]):
    """The crate of `Functions`, run twice: what goes through a hash map may do so in another order."""

    def __init__(self, rights: Mapping[Idiom, Sequence[float]], modes: Sequence[str]) -> None:
        super().__init__(rights, modes)
        self.varying: set[Idiom] = set()

    def run(self, programs: Sequence[Idiom], binary: Path) -> dict[Idiom, Verdict]:
        """See `Functions.run`."""
        super().run(programs, binary)
        before = dict(self.got)
        verdicts = super().run(programs, binary)
        self.varying.update(program for program in programs if before.get(program) != self.got.get(program))
        return verdicts


def judge(idioms: Sequence[Idiom], folder: Path) -> list[Row]:
    """What becomes of each by every strategy."""
    rights = oracle.right_by_function(idioms, folder / "oracle")
    by = {strategy: Twice(rights, MODES) for strategy in STRATEGIES}
    bench = Workbench(folder / "crate")
    verdicts = {
        strategy: functions.judge_apart(list(rights), Way("3", strategy, (_EXACTLY,)), bench)
        for strategy, functions in by.items()
    }
    rows = []
    for idiom in rights:
        its = {strategy: verdicts[strategy][idiom] for strategy in STRATEGIES}
        numbers = [by[strategy].got[idiom] for strategy, verdict in its.items() if verdict.kind == "right"]
        is_sliced = "yes" if idiom in by["slice"].sliced else "no"
        said = {strategy.replace("-", "_"): _in_short(verdict) for strategy, verdict in its.items()}
        agree = _BY_CHANCE if any(idiom in functions.varying for functions in by.values()) else agreement(numbers)
        rows.append(Row(idiom.area, idiom.name, commit(), **said, is_sliced=is_sliced, agree=agree))
    return rows


def _in_short(verdict: Verdict) -> str:
    return "right" if verdict.kind == "right" else f"{verdict.kind}: {verdict.said.partition(chr(10))[0]}"


def agreement(numbers: Sequence[Sequence[str]]) -> str:
    """How near what the strategies print is to each other, relative to the largest."""
    if all(its == numbers[0] for its in numbers):
        return "to the last bit"
    largest = max(abs(float(number)) for number in numbers[0])
    pairs = [(float(one), float(other)) for its in numbers[1:] for one, other in zip(numbers[0], its, strict=True)]
    return "to 1e-12" if all(abs(one - other) <= 1e-12 * largest for one, other in pairs) else "no"


def read(given: Path = ROWS) -> list[Row]:
    """All rows that are kept."""
    return [Row(*cells) for cells in record.cells(given)]


def add(rows: Iterable[Row], to: Path = ROWS) -> None:
    """Put rows into the place of those on the same functions, in the corpus' order."""
    known = {(row.area, row.name): row for row in [*read(to), *rows]}
    kept = [known[idiom.area, idiom.name] for idiom in corpus() if (idiom.area, idiom.name) in known]
    record.write(Row._fields, kept, to)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """How many are right by each strategy, how many agree; and which are not, and do not."""
    yield from ("", "| strategy | functions | right | refused | other |", "|---|---|---|---|---|")
    for strategy in STRATEGIES:
        counts = Counter(_of(row, strategy).partition(":")[0] for row in rows)
        other = len(rows) - counts["right"] - counts["refused"]
        yield f"| `{strategy}` | {len(rows)} | {counts['right']} | {counts['refused']} | {other} |"
    exactly, nearly, no = (sum(row.agree == how for row in rows) for how in ("to the last bit", "to 1e-12", "no"))
    by_chance = sum(row.agree == _BY_CHANCE for row in rows)
    yield f"\nOf these {exactly} are the same to the last bit by all strategies that build them, {nearly} to 1e-12, {no} are"
    yield f"not; not twice the same by one strategy either: {by_chance}, as a hash map has another order in each run."
    yield f"For {sum(row.is_sliced == 'no' for row in rows)} `slice` merges the whole program."
    yield "What is not right by all, and what is not the same:\n"
    for row in rows:
        said = {strategy: _of(row, strategy) for strategy in STRATEGIES}
        if set(said.values()) == {said["slice"]} != {"right"}:
            yield f"- `{row.name}`: {said['slice']}, by all"
        elif set(said.values()) != {"right"}:
            yield f"- `{row.name}`: {', '.join(f'`{strategy}` {kind}' for strategy, kind in said.items() if kind != 'right')}"
        elif row.agree != "to the last bit":
            yield f"- `{row.name}`: {'not twice the same' if row.agree == _BY_CHANCE else f'the same {row.agree}'}"
    yield ""


def _of(row: Row, strategy: str) -> str:
    return str(getattr(row, strategy.replace("-", "_")))


def write() -> None:
    """Write the document of all that is kept."""
    written_between(BEGIN, END, DOCUMENT, table(read()))


def chosen(names: Sequence[str] = ()) -> list[Idiom]:
    """Those of the corpus that are right where they are alone, which is by `single-module-merge`."""
    idioms = corpus(names)
    verdicts = record.verdicts(record.read(), idioms, ["3"])["3"]
    return [idiom for idiom, verdict in zip(idioms, verdicts, strict=True) if verdict.kind == "right"]


def main(names: Sequence[str], *, is_recorded: bool) -> None:
    """Judge them, and say what came out."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    idioms = chosen(names)
    every: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        for begin in range(0, len(idioms), AT_ONCE):
            rows = judge(idioms[begin : begin + AT_ONCE], Path(scratch))
            every += rows
            if is_recorded:
                add(rows)
    print("\n".join(table(every)))
    if is_recorded:
        write()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="keep what came out, and write docs/strategies.md")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    main(given.names, is_recorded=given.record)
