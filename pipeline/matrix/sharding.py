"""The cells as so many parts of about the same cost, by what the recorded runs took.

What several cells make alike is made once where they are in the same part; so a part is not charged for it twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pipeline.runs import FAILED, Runs

Costs: TypeAlias = Mapping[str, float]
"""Seconds by the key of what they made."""


def recorded(runs: Runs) -> Costs:
    """What the tools took for each stage when it was last carried out, be it now or for an entry of the cache."""
    last = {event.stage: event for run in runs.all() for event in run.events if event.how != FAILED and event.key}
    return {event.key: event.tool_seconds for event in last.values()}


def parts(costs: Mapping[str, Costs], count: int) -> list[list[str]]:
    """So many parts of the cells, each cell in one of them, in their own order; the same for the same costs.

    The dearest goes first, each to where it adds least as long as that part is not to do more than its share, and else to
    where least is to be done after it.  A cell of which nothing is known costs what the others do on average.
    """
    known = [sum(cost.values()) for cost in costs.values() if cost]
    usual = sum(known) / len(known) if known else 1.0
    charged: dict[str, Costs] = {name: cost or {f"all of {name}": usual} for name, cost in costs.items()}
    share = expected(charged, list(charged)) / count
    made: list[dict[str, float]] = [{} for _ in range(count)]
    cells: list[set[str]] = [set() for _ in range(count)]

    def burden(part: int, cost: Costs) -> tuple[bool, float, int]:
        before, after = sum(made[part].values()), sum({**made[part], **cost}.values())
        return after > share, after if after > share else after - before, len(cells[part])

    for name in sorted(charged, key=lambda name: -sum(charged[name].values())):
        chosen = min(range(count), key=lambda part: burden(part, charged[name]))
        made[chosen] |= charged[name]
        cells[chosen].add(name)
    return [[name for name in costs if name in of_part] for of_part in cells]


def expected(costs: Mapping[str, Costs], chosen: Sequence[str]) -> float:
    """The seconds that these cells are expected to take together."""
    made: dict[str, float] = {}
    for name in chosen:
        made |= costs[name]
    return sum(made.values())
