"""Blocks where three ways come together, and of which reverse mode would ask a branch that not all have passed.

Enzyme looks for one branch that parts a way from the other two, and for a second one that parts these
(`branchToCorrespondingTarget` in its GradientUtils.cpp).  Of the second it sees that what leads there leads to neither way past
it, and looks no further back: where a way leads past it after all, its condition is asked of no run, and is anything.  And the
second is asked whichever way the first took, before that is looked at: what the condition is read from may not be there.

Of more ways those by which a float comes that may have a derivative count alone, and all others together as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from pipeline.analyses.control_flow import ControlFlow, Edge, Loop, edges_back
from pipeline.analyses.hidden import KEPT, is_of
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_Ways = dict[Edge, set[Value]]
"""By which of the blocks before a join it may be entered after an edge."""


def misjudged(inspector: Inspector, flow: ControlFlow, loops: Collection[Loop]) -> Iterator[tuple[Value, list[Value]]]:
    """Such blocks, and those before each by which it is entered in the two ways that are not told apart."""
    back = edges_back(loops)
    for join, predecessors in flow.predecessors.items():
        before = [block for block in dict.fromkeys(predecessors) if (block, join) not in back]
        if len(before) > 2:
            ways, risks = _ways(flow, join, before, back), _Risks(inspector, flow, loops, join)
            for one_of in _thirds(inspector, join, before):
                thirds = {edge: {one_of[block] for block in its} for edge, its in ways.items()}
                if pair := _misjudged_pair(flow, loops, join, thirds, risks):
                    yield join, [block for block in before if one_of[block] in pair]
                    break


def _thirds(inspector: Inspector, join: Value, before: Sequence[Value]) -> Iterator[Mapping[Value, Value]]:
    """How the blocks before a join may count as three: each block with the one that it counts as."""
    if len(before) == 3:
        yield {block: block for block in before}
        return
    phis = [one for one in inspector.module.instructions_of(join) if inspector.api.IsAPHINode(one) and inspector.is_float(one)]
    incoming = [pair for phi in phis for pair in zip(inspector.incoming_blocks(phi), inspector.chosen(phi), strict=True)]
    alone = {block for block, value in incoming if inspector.is_local(value)}
    for pair in combinations([block for block in before if block in alone], 2):
        third = next(block for block in before if block not in pair)
        yield {block: block if block in pair else third for block in before}


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


def _misjudged_pair(flow: ControlFlow, loops: Collection[Loop], join: Value, ways: _Ways, risks: _Risks) -> set[Value]:
    reached = dict.fromkeys(block for block, _ in ways)
    parting = {block: [ways.get((block, after), set()) for after in flow.successors(flow.ends[block])] for block in reached}
    seconds = [block for block, its in parting.items() if len(its) == 2 and all(len(way) == 1 for way in its)]
    for first, its in parting.items():
        if sorted(map(len, its)) == [1, 2] and len(set.union(*its)) == 3 and not flow.is_passed_by(first, [join]):
            pair = max(its, key=len)
            for second in seconds:
                is_asked = set.union(*parting[second]) == pair and not _leads_past(flow, loops, ways, second, pair)
                if is_asked and (risks.are_taken_at(second) or _passes_by(flow, ways, first, second, join, pair)):
                    return pair
    return set()


def _passes_by(flow: ControlFlow, ways: _Ways, first: Value, second: Value, join: Value, pair: set[Value]) -> bool:
    """Whether from one block a way of a pair passes another block by."""
    ends = [block for (block, after), its in ways.items() if after == join and its <= pair]
    return any(first in flow.leading_to([block], but=[second]) for block in ends)


def _leads_past(flow: ControlFlow, loops: Collection[Loop], ways: _Ways, block: Value, pair: set[Value]) -> bool:
    """Whether what leads to a block leads to one of a pair past it, too."""
    edges = ((one, after) for one in _leading_at_once(flow, loops, block) for after in flow.successors(flow.ends[one]))
    return any(edge[1] != block and ways.get(edge, set()) & pair for edge in edges)


def _leading_at_once(flow: ControlFlow, loops: Collection[Loop], block: Value) -> set[Value]:
    """What leads to a block as Enzyme sees it: out of a loop there is a block between, unless all that leads there is in it.

    It brings each loop into LLVM's simple form first, the inner ones before those around them.
    """
    found, is_parted = set(flow.predecessors.get(block, [])), False
    for loop in sorted((loop for loop in loops if block not in loop.blocks), key=lambda loop: len(loop.blocks)):
        leaving = found & set(loop.blocks)
        if leaving and (is_parted or leaving != found):
            found -= leaving
            is_parted = True
    return found


class _Risks:
    """Conditions that are computed of what may not be there, or not be allowed, where their branch is not passed."""

    def __init__(self, inspector: Inspector, flow: ControlFlow, loops: Iterable[Loop], join: Value) -> None:
        self.inspector = inspector
        self.flow = flow
        self.join = join
        self.looped = {block for loop in loops if join not in loop.blocks for block in loop.blocks}
        self.is_certain: dict[Value, bool] = {}
        self.known: dict[Value, bool] = {}

    def are_taken_at(self, block: Value) -> bool:
        """Whether what a block ends on is computed of what memory holds, of a quotient, or of what a loop has made."""
        if block not in self.known:
            self.known[block] = self._are_taken_for(self.inspector.operands(self.flow.ends[block])[0])
        return self.known[block]

    def _are_taken_for(self, asked: Value) -> bool:
        seen: set[Value] = set()
        waiting = [asked]
        while waiting:
            value = waiting.pop()
            if value not in seen and self._may_be_passed_by(value):
                seen.add(value)
                if self._is_risk(value):
                    return True
                waiting += self.inspector.operands(value)
        return False

    def _may_be_passed_by(self, value: Value) -> bool:
        if not self.inspector.api.IsAInstruction(value) or is_of(self.inspector, KEPT, value):
            return False
        block = self.inspector.api.GetInstructionParent(value)
        if block not in self.is_certain:
            self.is_certain[block] = not self.flow.is_passed_by(block, [self.join])
        return not self.is_certain[block]

    def _is_risk(self, value: Value) -> bool:
        inspector = self.inspector
        is_call = inspector.module.is_call(value) and not (inspector.is_intrinsic(value) or inspector.is_own_inactive(value))
        is_risk = is_call or inspector.api.IsALoadInst(value) or inspector.divides_integers(value)
        return bool(is_risk) or inspector.api.GetInstructionParent(value) in self.looped
