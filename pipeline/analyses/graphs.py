"""Directed graphs of a few hundred nodes: what they are asked takes less time than to import networkx."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from pipeline.llvm import Value

Graph = Mapping[Value, Iterable[Value]]
"""Of each node those that follow it, in an order that is always the same."""


def in_cycles(graph: Graph) -> set[Value]:
    """The nodes from which a path leads back to themselves."""
    before = reversed_graph(graph)
    found: set[Value] = set()
    placed: set[Value] = set()
    for root in reversed(list(_left(graph, graph))):  # Kosaraju: whatever of the rest leads to this one, it leads to, too
        component = reachable(before, [root], but=placed)
        placed |= component
        if len(component) > 1 or root in graph[root]:
            found |= component
    return found


def reversed_graph(graph: Graph) -> dict[Value, list[Value]]:
    """The same nodes, with what precedes each."""
    before: dict[Value, list[Value]] = {node: [] for node in graph}
    for node, following in graph.items():
        for after in following:
            before[after].append(node)
    return before


def reachable(graph: Graph, nodes: Iterable[Value], but: Iterable[Value] = ()) -> set[Value]:
    """These nodes and all to which a path leads from one of them, on which none of `but` is.

    A node that the graph does not have leads nowhere.
    """
    found: set[Value] = set()
    waiting, closed = list(nodes), set(but)
    while waiting:
        node = waiting.pop()
        if node not in found and node not in closed:
            found.add(node)
            waiting += graph.get(node, ())
    return found


def dominators(graph: Graph, entry: Value) -> dict[Value, Value]:
    """Of each node that is reached the nearest other one that is on every path to it, and of the entry itself.

    Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm.  Nodes stand after what dominates them.
    """
    order = list(_left(graph, [entry]))[::-1]
    number = {node: position for position, node in enumerate(order)}
    before, found = reversed_graph(graph), {entry: entry}

    def nearest_common(one: Value, other: Value) -> Value:
        while one != other:
            if number[one] > number[other]:
                one = found[one]
            else:
                other = found[other]
        return one

    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            nearest = reduce(nearest_common, (each for each in before[node] if each in found))
            changed |= found.get(node) != nearest
            found[node] = nearest
    return found


def _left(graph: Graph, roots: Iterable[Value]) -> Iterator[Value]:
    """All that the roots reach, each when all that is reached first from it has been left: depth first, in postorder."""
    seen: set[Value] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(graph[root]))]
        while path:
            node, following = path[-1]
            new = next((each for each in following if each not in seen), None)
            if new is None:
                path.pop()
                yield node
            else:
                seen.add(new)
                path.append((new, iter(graph[new])))
