"""What of a graph of many crates is drawn, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.errors import CommandLineError

if TYPE_CHECKING:
    import networkx as nx

MOST = 120
"""How many crates a drawing has where nobody says how many."""

THROUGH = "through"
"""The kind of an edge that stands for a way through crates which are left out."""


def choose(crates: nx.DiGraph, most: int) -> nx.DiGraph:
    """The crates to draw: all, or where they are more than `most` first the user's own, then those that hold derivatives or
    use the frontend, then what these depend on directly, and then the others, the nearest to the chosen one first.

    What would then hang in the air is joined to the last crate before it that is drawn, by an edge for what lies between.

    Raises: UserError where none may be drawn.
    """
    if most < 1:
        raise CommandLineError(f"error: --most={most}: expected 1 or more")
    if len(crates) <= most:
        return crates.copy()
    chosen = next(node for node, is_chosen in crates.nodes.data("chosen") if is_chosen)
    kept = set(_by_weight(crates, chosen)[:most])
    drawn = crates.subgraph(kept).copy()
    for node, before, between in list(_hanging(crates, chosen, kept)):
        drawn.add_edge(before, node, kinds=[THROUGH], between=between)
    return drawn


def _by_weight(crates: nx.DiGraph, chosen: str) -> list[str]:
    """The crates, those that matter most first."""
    import networkx as nx

    own = [node for node, origin in crates.nodes.data("origin") if origin == "workspace"]
    holders = [node for node, data in crates.nodes.items() if data["derivatives"] or data["uses_autodiff"]]
    direct = [each for node in (chosen, *own, *holders) for each in crates.successors(node)]
    weights: dict[str, int] = {}
    for weight, nodes in enumerate(([chosen], own, holders, direct, crates)):
        for node in nodes:
            weights.setdefault(node, weight)
    distances = nx.single_source_shortest_path_length(crates, chosen)
    return sorted(crates, key=lambda node: (weights[node], distances[node], node))


def _hanging(crates: nx.DiGraph, chosen: str, kept: set[str]) -> Iterator[tuple[str, str, int]]:
    """Each crate that no edge among those kept leads to, the last kept one on the way to it, and how many lie between."""
    import networkx as nx

    ways = nx.single_source_shortest_path(crates, chosen)
    reached = {chosen, *nx.descendants(crates.subgraph(kept), chosen)}
    for node in sorted(kept - reached, key=lambda each: len(ways[each])):
        way = ways[node]
        before = max(at for at, each in enumerate(way[:-1]) if each in kept)
        if between := len(way) - 2 - before:
            yield node, way[before], between
