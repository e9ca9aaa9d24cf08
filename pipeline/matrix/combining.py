"""From axes to cells: every combination, less what is excluded, and what is included, as GitHub Actions does it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from pipeline.yaml_source import Node

Settings: TypeAlias = Mapping[str, Node]
"""Keys of a config, dotted, and `config` itself, with where and as what they were set."""


@dataclass
class Combination:
    """What a cell sets: by the axes, or by what was included as a cell of its own; and what was added to that."""

    own: Settings
    added: dict[str, Node] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        """All of it."""
        return {**self.own, **self.added}


def combined(axes: Mapping[str, Sequence[Node]], include: Sequence[Settings], exclude: Sequence[Settings]) -> list[Combination]:
    """The cells.  What is included joins each combination of which it changes no axis; where there is none, it is a new one."""
    made = [one for one in combinations(axes) if not any(fits(each, one.own) for each in exclude)]
    new = []
    for settings in include:
        of_axes = {key: node for key, node in settings.items() if key in axes}
        joined = [one for one in made if fits(of_axes, one.own)]
        for one in joined:
            one.added |= {key: node for key, node in settings.items() if key not in axes}
        if not joined:
            new.append(Combination(settings))
    return [*made, *new]


def combinations(axes: Mapping[str, Sequence[Node]]) -> list[Combination]:
    """Each value of each axis with each of the others; of no axes none."""
    if not axes:
        return []
    return [Combination(dict(zip(axes, values, strict=True))) for values in product(*axes.values())]


def fits(settings: Settings, own: Settings) -> bool:
    """True where all of these settings are among those."""
    return all(key in own and text(own[key]) == text(node) for key, node in settings.items())


def text(node: Node) -> str:
    """The value as JSON has it: `1`, `true` and `"1"` are three."""
    return json.dumps(node.value, ensure_ascii=False)
