"""Blocks where three ways come together, and of which reverse mode would ask a branch that not both of two have passed.

Enzyme looks for one branch that parts a way from the other two, and for a second one that parts these
(`branchToCorrespondingTarget` in its GradientUtils.cpp).  Of the second it sees that what leads there leads to neither way past
it, and looks no further back: where a way leads past it after all, its condition is asked of no run, and is anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pipeline.analyses.control_flow import ControlFlow, Edge, Loop, edges_back
from pipeline.llvm import Value

_Ways = dict[Edge, set[Value]]
"""By which of the blocks before a join it may be entered after an edge."""


def misjudged(flow: ControlFlow, loops: Iterable[Loop]) -> Iterator[tuple[Value, list[Value]]]:
    """Such blocks, and the two before each that are not told apart."""
    back = edges_back(loops)
    for join, predecessors in flow.predecessors.items():
        before = [block for block in dict.fromkeys(predecessors) if (block, join) not in back]
        if len(before) == 3:
            pair = _misjudged_pair(flow, join, _ways(flow, join, before, back))
            if pair:
                yield join, [block for block in before if block in pair]


def _ways(flow: ControlFlow, join: Value, before: list[Value], back: Collection[Edge]) -> _Ways:
    ways: _Ways = {}
    waiting = [((block, join), block) for block in before]
    while waiting:
        edge, by = waiting.pop()
        if by not in ways.setdefault(edge, set()):
            ways[edge].add(by)
            begin = edge[0]
            waiting += [((one, begin), by) for one in flow.predecessors.get(begin, []) if (one, begin) not in back]
    return ways


def _misjudged_pair(flow: ControlFlow, join: Value, ways: _Ways) -> set[Value]:
    reached = dict.fromkeys(block for block, _ in ways)
    parting = {block: [ways.get((block, after), set()) for after in flow.successors(flow.ends[block])] for block in reached}
    seconds = [block for block, its in parting.items() if len(its) == 2 and all(len(way) == 1 for way in its)]
    for first, its in parting.items():
        if sorted(map(len, its)) == [1, 2] and len(set.union(*its)) == 3 and not flow.is_passed_by(first, [join]):
            pair = max(its, key=len)
            for second in seconds:
                is_asked = set.union(*parting[second]) == pair and not _leads_past(flow, ways, second, pair)
                if is_asked and any(first in flow.leading_to([block], but=[second]) for block in pair):
                    return pair
    return set()


def _leads_past(flow: ControlFlow, ways: _Ways, block: Value, pair: set[Value]) -> bool:
    """Whether what leads to a block leads to one of a pair past it, too."""
    edges = ((one, after) for one in flow.predecessors.get(block, []) for after in flow.successors(flow.ends[one]))
    return any(edge[1] != block and ways.get(edge, set()) & pair for edge in edges)
