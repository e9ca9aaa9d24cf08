"""F16: no two things have the same key, though their text is full of what keys are written with."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.digests import Digests
from pipeline.key import stage_key
from tests.conftest import Rounds

PIECES = [
    '"',
    "'",
    "\\",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\0",
    " ",
    "=",
    "null",
    "true",
    "1",
    "-",
    "1.0",
    "mapping",
    "tool",
    "é",
]


@dataclass(frozen=True)
class Holder:
    """A stage that holds anything."""

    value: Any
    other: Any


def anything(dice: random.Random, depth: int) -> Any:
    text = "".join(dice.choices(PIECES, k=dice.randrange(4)))
    kind = dice.randrange(7 if depth else 5)
    if kind == 5:
        return tuple(anything(dice, depth - 1) for _ in range(dice.randrange(3)))
    if kind == 6:
        return {"".join(dice.choices(PIECES, k=2)): anything(dice, depth - 1) for _ in range(dice.randrange(3))}
    return (text, text, dice.randrange(3), dice.random() < 0.5, None)[kind]


def meaning(value: Any) -> Any:
    """What tells one value from another: its types, too; but not the order of a mapping."""
    if isinstance(value, dict):
        return ("mapping", tuple(sorted((name, meaning(item)) for name, item in value.items())))
    if isinstance(value, tuple):
        return ("tuple", *map(meaning, value))
    return (type(value).__name__, repr(value))


def test_different_things_have_different_keys(tmp_path: Path, rounds: Rounds) -> None:
    dice = random.Random(16)
    digests = Digests(tmp_path / "digests.json")
    found: dict[str, str] = {}
    count = rounds(2_000, 100_000)
    for _ in range(count):
        value, other = anything(dice, 2), anything(dice, 2)
        inputs = {str(anything(dice, 0)): "".join(dice.choices(PIECES, k=2)) for _ in range(dice.randrange(3))}
        meant = repr((meaning(value), meaning(other), sorted(inputs.items())))
        assert found.setdefault(stage_key(Holder(value, other), inputs, digests), meant) == meant
    pairs = len(found) * (len(found) - 1) // 2
    assert pairs > 100_000
    rounds.tell(f"F16: {pairs:,} pairs of different things: 0 keys in common")
