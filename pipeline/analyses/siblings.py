"""Addresses on which Enzyme breaks down: made of what two loops count, of which neither is always run before the other.

To find out whether a write comes to what is read it subtracts the one address from the other (`overwritesToMemoryReadByLoop`
in its Utils.cpp), and LLVM cannot order a sum of two such counters.  Where each address is nothing but a counter it looks
before it subtracts; not where a counter is added to something that changes with it (`rows[j][i]` in a loop over `i`), or is
used when its loop is over.  Of an address in an inner loop it takes the last one, too: made of where that loop ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pipeline.analyses.addresses import address, terms
from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.loop_exits import is_in
from pipeline.analyses.twins import conditions, fixed
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def indices(inspector: Inspector, flow: ControlFlow) -> Iterator[tuple[Value, Value]]:
    """Steps to such addresses (`getelementptr`), each with an index that is made of such a counter."""
    made = _Made(inspector, flow)
    pointers = list(_accessed(inspector, flow)) if len(made.loops) > 1 else []
    parts = {
        pointer: made.whole([where.base, *where.terms]) for _, pointer in pointers for where in [address(inspector, pointer)]
    }
    counted = {header for its in parts.values() for header in its if header in made.loops}
    for block, pointer in pointers:
        if lost := {header for header in made.loose(parts[pointer], block) if made.has_sibling(header, counted)}:
            yield from made.steps(pointer, lost)


def _accessed(inspector: Inspector, flow: ControlFlow) -> Iterator[tuple[Value, Value]]:
    """What is read and written, with the block in which it is."""
    for block in flow.ends.keys() - flow.never_returning():
        for one in inspector.module.instructions_of(block):
            operands = inspector.operands(one)
            if inspector.is_plain_load(one) or inspector.is_plain_store(one):
                yield block, operands[-1]
            elif inspector.is_bulk_write(one):
                yield from ((block, operand) for operand in operands[:2] if not inspector.is_constant(operand))


class _Made:
    """What addresses are made of.  A loop's header stands for how often the loop ran."""

    def __init__(self, inspector: Inspector, flow: ControlFlow) -> None:
        self.inspector = inspector
        self.flow = flow
        self.loops = {loop.header: loop for loop in flow.loops()}
        self.ends: dict[Value, set[Value]] = {}

    def whole(self, parts: Collection[Value]) -> set[Value]:
        """These parts, and what the ends of their loops are made of."""
        found: set[Value] = set()
        waiting = list(parts)
        while waiting:
            part = waiting.pop()
            if part not in found:
                found.add(part)
                waiting += self._end(part) if part in self.loops else []
        return found

    def _end(self, header: Value) -> set[Value]:
        if header not in self.ends:
            asked = [one for _, one in conditions(self.inspector, self.flow, self.loops[header])]
            ends = [self.inspector.operands(one)[n] for one in asked for n in fixed(self.inspector, self.loops[header], one)]
            self.ends[header] = {term for end in ends for term in terms(self.inspector, end)}
        return self.ends[header]

    def loose(self, parts: Collection[Value], block: Value) -> Iterator[Value]:
        """The counters of an address in a block beside which something else changes, or whose loop is over."""
        others = [part for part in parts if part not in self.loops]
        for header in self.loops.keys() & set(parts):
            loop = self.loops[header]
            if block not in loop.blocks or any(is_in(self.inspector, loop, other) for other in others):
                yield header

    def has_sibling(self, header: Value, headers: Collection[Value]) -> bool:
        """Whether there is one among other loops that need not run before or after a loop."""
        is_passed_by = self.flow.is_passed_by
        return any(is_passed_by(header, [other]) and is_passed_by(other, [header]) for other in headers)

    def steps(self, pointer: Value, headers: Collection[Value]) -> Iterator[tuple[Value, Value]]:
        """The steps to an address by which it is made of these counters."""
        while self.inspector.api.IsAGetElementPtrInst(pointer):
            base, *its = self.inspector.operands(pointer)
            yield from ((pointer, index) for index in its if not self.whole(terms(self.inspector, index)).isdisjoint(headers))
            pointer = base
