"""Exits of loops that may be jumped over: Enzyme takes every one, on its own, for one that is sure to be met.

(`loopIsFiniteByAssumption` in its MustExitScalarEvolution.cpp.)  A pointer that goes by steps of two, and another that meets
the end where the first one jumps over it, are counted as if both met it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import gcd

from pipeline.control_flow import ControlFlow, Loop
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def doubtful(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[Value]:
    """The branches that leave a loop where it meets something, which it may not; none where it has no other exit."""
    choices = set(flow.choices())
    branches = [flow.ends[block] for block in flow.exiting(loop) if flow.ends[block] in choices]
    conditions = [(branch, one) for branch in branches for one in _parts(inspector, flow.condition(branch))]
    if len(conditions) < 2:
        return []
    found = (branch for branch, one in conditions if inspector.is_equality(one) and not _is_met(inspector, loop, one))
    return list(dict.fromkeys(found))


def _parts(inspector: Inspector, condition: Value) -> Iterator[Value]:
    """What a condition is made of by and, or, not."""
    if inspector.is_logic(condition):
        for operand in inspector.operands(condition):
            yield from _parts(inspector, operand)
    elif inspector.is_local(condition):
        yield condition


def _is_met(inspector: Inspector, loop: Loop, comparison: Value) -> bool:
    """Whether what counts in a loop surely meets what it is compared with: by steps of one, or by steps that divide the way."""
    for counted, end in permutations(inspector.operands(comparison)):
        phi, done = inspector.origin(counted)
        if not inspector.api.IsAPHINode(phi) or inspector.api.GetInstructionParent(phi) != loop.header:
            continue
        incoming = list(zip(inspector.chosen(phi), inspector.incoming_blocks(phi), strict=True))
        steps = {inspector.origin(value) for value, block in incoming if block in loop.blocks}
        starts = {inspector.origin(value) for value, block in incoming if block not in loop.blocks}
        if len(steps) != 1 or len(starts) != 1:
            return False
        ((base, step),), ((start, way),) = steps, starts
        destination, rest = inspector.origin(end)
        return base == phi and (step == 1 or (start == destination and gcd(done, way, rest) % step == 0))
    return False
