"""What graphs are asked of small ones at random, against networkx."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from pipeline.analyses.graphs import dominators, in_cycles, reachable, reversed_graph


@pytest.mark.parametrize("seed", range(20))
def test_answers_are_those_of_networkx(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        nodes = chance.sample(range(1, 100), k=chance.randint(1, 14))
        graph = {node: dict.fromkeys(chance.choices(nodes, k=chance.randint(0, 3))) for node in nodes}
        theirs: nx.DiGraph[int] = nx.DiGraph()
        theirs.add_nodes_from(graph)
        theirs.add_edges_from((node, after) for node, following in graph.items() for after in following)
        cycles = [cycle for cycle in nx.strongly_connected_components(theirs) if len(cycle) > 1]
        assert in_cycles(graph) == {node for cycle in cycles for node in cycle} | set(nx.nodes_with_selfloops(theirs))
        entry = nodes[0]
        assert dominators(graph, entry) == {**nx.immediate_dominators(theirs, entry), entry: entry}
        assert reachable(reversed_graph(graph), [entry]) == {entry} | nx.ancestors(theirs, entry)
        assert reachable(graph, [entry], but=nodes[1:3]) == _left_of(theirs, entry, nodes[1:3])


def _left_of(graph: nx.DiGraph[int], entry: int, but: list[int]) -> set[int]:
    rest = graph.subgraph(set(graph) - set(but))
    return {entry, *nx.descendants(rest, entry)}
