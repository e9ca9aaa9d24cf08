"""The cells as so many parts of about the same cost, by what the recorded runs took.

Each machine's records are its own.  So what one of them says of all cells is written into a file, by which all divide alike.
What several cells make alike is made once where they are in the same part; so a part is not charged for it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from pipeline.config import ConfigError
from pipeline.errors import UserError
from pipeline.runs import FAILED, Runs
from pipeline.why import short

Costs: TypeAlias = Mapping[str, float]
"""Seconds by the key of what they made."""

_File = dict[str, dict[str, Annotated[float, msgspec.Meta(ge=0, le=1e9)]]]
_HOW = "`./doit matrix --costs >FILE` writes one, where the cells were built"


def recorded(runs: Runs) -> Costs:
    """What the tools took for each stage when it was last carried out, be it now or for an entry of the cache."""
    last = {event.stage: event for run in runs.all() for event in run.events if event.how != FAILED and event.key}
    return {event.key: event.tool_seconds for event in last.values()}


def written(costs: Mapping[str, Costs]) -> str:
    """The costs of all cells as a file has them, a line each."""
    lines = (
        f"{_json(name)}: {_json({short(key): round(cost[key], 2) for key in sorted(cost)})}" for name, cost in costs.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def read(file: Path, cells: Iterable[str]) -> dict[str, Costs]:
    """What such a file says of these cells.

    Raises: UserError where it cannot be read, ConfigError where it is none.
    """
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_File)
    except OSError as error:
        raise UserError(f"error: costs={file}: {error.strerror}\n  = help: {_HOW}") from error
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{file}: {error}", _HOW) from error
    return {name: found.get(name, {}) for name in cells}


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


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
