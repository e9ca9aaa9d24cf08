"""What `./doit graph` prints, and its JSON."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pipeline.build import Build
from pipeline.standing import FRESH, WORDS
from pipeline.why import first_of

if TYPE_CHECKING:
    import networkx as nx

VERSION = 1
"""Of the JSON; `docs/graph.md` describes it."""


def as_json(build: Build, config: str, stages: nx.DiGraph, crates: nx.DiGraph, drawn: nx.DiGraph) -> dict[str, Any]:
    """What `--json` prints: both graphs whole, as networkx's `node_link_graph` reads them."""
    import networkx as nx

    for node, data in crates.nodes.items():
        data["drawn"] = node in drawn
    return {
        "version": VERSION,
        "artifact": str(build.product),
        "config": config,
        "stages": nx.node_link_data(stages, edges="edges"),
        "crates": nx.node_link_data(crates, edges="edges"),
    }


def show(where: str, stages: nx.DiGraph, crates: nx.DiGraph, left_out: str) -> None:
    """Say where the drawing is, what is not fresh and why, and what was left out."""
    print(where)
    counted = Counter(state for _, state in stages.nodes.data("state"))
    print(f"   stages: {', '.join(f'{counted[word]} {word}' for word in WORDS if counted[word])}")
    told: dict[tuple[str, str], list[str]] = {}
    for name, data in stages.nodes.items():
        if data["state"] != FRESH:
            told.setdefault((data["state"], data["why"]), []).append(name)
    for (word, why), names in told.items():
        print(f"   {word}: {', '.join(names)}: {why}")
    holders = [node for node, held in crates.nodes.data("derivatives") if held]
    print(f"   crates: {len(crates)}{f'; derivatives in {first_of(holders)}' if holders else ''}")
    if left_out:
        print(f"   {left_out}; --json has all")


def left_out(crates: nx.DiGraph, drawn: nx.DiGraph) -> str:
    """What the drawing has not, or nothing where it has all."""
    if len(drawn) == len(crates):
        return ""
    rest = sorted(set(crates) - set(drawn))
    return f"{len(rest)} of {len(crates)} crates are left out of the drawing, those farthest away: {first_of(rest)}"
