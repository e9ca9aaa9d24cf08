"""What became of each idiomatic function when it was judged last: a row for each and each level in `verdicts.csv`.

To judge them all takes the better part of an hour: so each row has the commit that it was of, and may be judged anew alone.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.idioms.corpus import Idiom
from tests.programs import Verdict

VERDICTS = Path(__file__).with_name("verdicts.csv")


class Row(NamedTuple):
    """The last verdict on a function at a level."""

    area: str
    name: str
    level: str
    commit: str
    kind: str
    said: str
    """Why, in general words, where it is not right."""

    @property
    def verdict(self) -> Verdict:
        """What the row says."""
        return Verdict(self.kind, self.said)


def read(given: Path = VERDICTS) -> list[Row]:
    """All rows."""
    return [Row(*each) for each in cells(given)]


def add(rows: Iterable[Row], corpus: Sequence[Idiom], to: Path = VERDICTS) -> None:
    """Put rows into the place of those on the same functions and levels, in the corpus' order; what is of none of it goes."""
    order = {(idiom.area, idiom.name): position for position, idiom in enumerate(corpus)}
    every: list[Row] = [*read(to), *rows]
    kept = {(row.area, row.name, row.level): row for row in every if (row.area, row.name) in order}
    in_order = sorted(kept.values(), key=lambda row: (order[row.area, row.name], row.level))
    write(Row._fields, in_order, to)


def cells(given: Path) -> list[list[str]]:
    """The rows of a table, without what stands above them."""
    with given.open(newline="") as file:
        return list(csv.reader(file))[1:]


def write(fields: Sequence[str], rows: Sequence[Sequence[str]], to: Path) -> None:
    """A table of these fields."""
    with to.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([fields, *rows])


def verdicts(rows: Iterable[Row], corpus: Sequence[Idiom], levels: Sequence[str]) -> dict[str, list[Verdict]]:
    """The verdicts on the whole corpus at each level.

    Raises: KeyError where a function was not judged yet.
    """
    known = {(row.area, row.name, row.level): row.verdict for row in rows}
    return {level: [known[idiom.area, idiom.name, level] for idiom in corpus] for level in levels}
