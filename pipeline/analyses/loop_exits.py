"""Exits of loops of which Enzyme believes too much when it counts a loop's runs (its MustExitScalarEvolution.cpp).

It takes every exit, on its own, for one that is sure to be met (`loopIsFiniteByAssumption`): a pointer that goes by steps of
two, and another that meets the end where the first one jumps over it, are counted as if both met it.  And where a loop goes on
while `x >= end`, it takes `end - 1` for a sum without carry (`computeExitLimitFromICmp`), which only `0 - 1` would be: a
loop over `windows(n)` counts as one run.  And of a loop's only exit it makes `i == end` where `i >= end` was asked
(`CanonicalizeLatches` in its CacheUtility.cpp), even where the end changes, or `i` is past it from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import gcd

from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.hidden import APART, POSITIVE
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

# LLVMIntPredicate, unsigned and signed.
_MORE, _AT_LEAST, _LESS, _AT_MOST = {34, 38}, {35, 39}, {36, 40}, {37, 41}
_ENDS = {(34, True): 0, (35, False): 1, (36, True): 1, (37, False): 0}
"""Which operand of an unsigned comparison is the end of a loop that goes on below it while that is true, or false."""


def doubtful(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[Value]:
    """The branches that leave a loop where it meets something, which it may not; none where it has no other exit."""
    choices = set(flow.choices())
    branches = [flow.ends[block] for block in flow.exiting(loop) if flow.ends[block] in choices]
    conditions = [(branch, one) for branch in branches for one in parts(inspector, flow.condition(branch))]
    if len(conditions) < 2:
        return []
    found = (branch for branch, one in conditions if inspector.is_equality(one) and not _is_met(inspector, loop, one))
    return list(dict.fromkeys(found))


def coming_back(inspector: Inspector, flow: ControlFlow, loop: Loop) -> set[Value]:
    """Where exits of a loop lead from which no path leads to a return but through the loop again."""
    edges = [(block, after) for block in flow.exiting(loop) for after in flow.successors(flow.ends[block])]
    ends = {_followed(inspector, flow, loop, *edge) for edge in edges if edge[1] not in loop.blocks}
    return ends - flow.never_returning() - flow.leading_to(flow.returns(), but=loop.blocks)


def _followed(inspector: Inspector, flow: ControlFlow, loop: Loop, before: Value, block: Value) -> Value:
    """The first block behind an edge from which it is open where to go on, or that is of the loop again.

    Past a branch that is decided by the way it is come by Enzyme's own passes lead first (`simplifycfg`).
    """
    passed = set[Value]()
    while block not in passed | loop.blocks and (following := _only_way(inspector, flow, before, block)):
        passed.add(block)
        before, block = block, following
    return block


def _only_way(inspector: Inspector, flow: ControlFlow, before: Value, block: Value) -> Value:
    """Where a block leads if it is come to from another one; 0 where that is open."""
    end = flow.ends[block]
    ways = flow.successors(end)
    if len(ways) == 1:
        return ways[0]
    condition = flow.condition(end) if end in flow.choices() else 0
    if not condition or not inspector.api.IsAPHINode(condition) or inspector.api.GetInstructionParent(condition) != block:
        return 0
    known = inspector.number(inspector.incoming_from(condition, before))
    return 0 if known is None else ways[0 if known else 1]


def miscounted(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[Value]:
    """The branches by which a loop goes on while something is at least as large as something that is no constant."""
    choices = set(flow.choices())
    branches = (flow.ends[block] for block in flow.exiting(loop) if flow.ends[block] in choices)
    return [branch for branch in branches if _may_go_on_at_least(inspector, flow, loop, branch)]


def ordered(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[Value]:
    """The only branch that leaves a loop, if it asks whether what goes by steps of one is less than what it may not meet."""
    branches = [flow.ends[block] for block in flow.exiting(loop)]
    if len(branches) != 1 or branches[0] not in flow.choices():
        return []
    condition = flow.condition(branches[0])
    if not inspector.api.IsAICmpInst(condition) or inspector.is_equality(condition):
        return []
    least = least_end(inspector, flow, loop, branches[0])
    if least and _is_positive(inspector, inspector.operands(condition)[least[1]]):
        return []
    ways = permutations(inspector.operands(condition))
    return branches if any(_may_pass(inspector, loop, counted, end) for counted, end in ways) else []


def least_end(inspector: Inspector, flow: ControlFlow, loop: Loop, branch: Value) -> tuple[Value, int] | None:
    """The comparison that ends a loop, and which operand of it is the end, if that is met but where it is 0: `++i < end`.

    It is, where each run asks.
    """
    comparison = flow.condition(branch)
    goes_on = flow.successors(branch)[0] in loop.blocks
    number = _ENDS.get((inspector.api.GetICmpPredicate(comparison), goes_on))
    if number is None or [flow.ends[latch] for latch in loop.latches] != [branch]:
        return None
    end, counted = (inspector.operands(comparison)[index] for index in (number, 1 - number))
    is_raised = not is_in(inspector, loop, end) and _is_first_one(inspector, loop, counted)
    return (comparison, number) if is_raised else None


def _is_first_one(inspector: Inspector, loop: Loop, counted: Value) -> bool:
    """Whether something is 1 in a loop's first run, and one more in each."""
    if not inspector.is_sum(counted):
        return False
    phi, one = inspector.operands(counted)
    if not _is_phi_of(inspector, loop, phi):
        return False
    starts, steps = _incoming(inspector, loop, phi)
    return steps == {counted} and inspector.number(one) == 1 and {inspector.number(start) for start in starts} == {0}


def _is_positive(inspector: Inspector, number: Value) -> bool:
    while inspector.is_call_of(number, APART):
        number = inspector.module.arguments(number)[0]
    return inspector.is_call_of(number, POSITIVE)


def runs_alike(inspector: Inspector, flow: ControlFlow, outer: Loop, inner: Loop) -> bool:
    """Whether a loop in another runs as often each time: only a count from a constant up to what does not change ends it."""
    branches = [flow.ends[block] for block in flow.exiting(inner)]
    if len(branches) != 1 or branches[0] not in flow.choices() or coming_back(inspector, flow, inner):
        return False
    condition = flow.condition(branches[0])
    ways = permutations(inspector.operands(condition)) if inspector.api.IsAICmpInst(condition) else ()
    return any(not is_in(inspector, outer, end) and _counts_from_a_constant(inspector, inner, counted) for counted, end in ways)


def _counts_from_a_constant(inspector: Inspector, loop: Loop, counted: Value) -> bool:
    """Whether something goes by steps of one from a constant on."""
    phi, _ = inspector.origin(counted)
    if not _is_phi_of(inspector, loop, phi):
        return False
    starts, steps = _incoming(inspector, loop, phi)
    return {inspector.origin(step) for step in steps} == {(phi, 1)} and all(map(inspector.api.IsAConstantInt, starts))


def _may_pass(inspector: Inspector, loop: Loop, counted: Value, end: Value) -> bool:
    """Whether something goes by steps of one from a constant on, and may be past an end that it was never equal to."""
    if inspector.api.IsAConstantInt(end) or not _counts_from_a_constant(inspector, loop, counted):
        return False
    phi, _ = inspector.origin(counted)
    starts, _ = _incoming(inspector, loop, phi)
    begins_at_zero = counted == phi and all(inspector.api.ConstIntGetZExtValue(start) == 0 for start in starts)
    return is_in(inspector, loop, end) or not begins_at_zero


def _may_go_on_at_least(inspector: Inspector, flow: ControlFlow, loop: Loop, branch: Value) -> bool:
    condition = flow.condition(branch)
    goes_on = flow.successors(branch)[0] in loop.blocks
    ways = [goes_on] if inspector.api.IsAICmpInst(condition) else [True, False]  # a `not` may be among what it is made of
    return any(_is_at_least(inspector, loop, one, way) for one in parts(inspector, condition) for way in ways)


def _is_at_least(inspector: Inspector, loop: Loop, comparison: Value, goes_on: bool) -> bool:
    """Whether a comparison that is true (or, if not `goes_on`, false) says that what changes in a loop is at least as large."""
    operands = inspector.operands(comparison)
    if not inspector.api.IsAICmpInst(comparison) or any(map(inspector.api.IsAConstantInt, operands)):
        return False
    changes = [is_in(inspector, loop, one) for one in operands]
    predicate = inspector.api.GetICmpPredicate(comparison)
    at_least, at_most = (_AT_LEAST, _AT_MOST) if goes_on else (_LESS, _MORE)
    return bool(changes[0] and predicate in at_least) or bool(changes[1] and predicate in at_most)


def _is_phi_of(inspector: Inspector, loop: Loop, value: Value) -> bool:
    return bool(inspector.api.IsAPHINode(value)) and inspector.api.GetInstructionParent(value) == loop.header


def _incoming(inspector: Inspector, loop: Loop, phi: Value) -> tuple[set[Value], set[Value]]:
    """What a phi of a loop's header begins as, and what it goes on as."""
    starts: set[Value] = set()
    steps: set[Value] = set()
    for value, block in zip(inspector.chosen(phi), inspector.incoming_blocks(phi), strict=True):
        (steps if block in loop.blocks else starts).add(value)
    return starts, steps


def is_in(inspector: Inspector, loop: Loop, value: Value) -> bool:
    """Whether a value is made in the loop, and may change there."""
    return bool(inspector.api.IsAInstruction(value)) and inspector.api.GetInstructionParent(value) in loop.blocks


def parts(inspector: Inspector, condition: Value) -> Iterator[Value]:
    """What a condition is made of by and, or, not."""
    if inspector.is_logic(condition):
        for operand in inspector.operands(condition):
            yield from parts(inspector, operand)
    elif inspector.is_local(condition):
        yield condition


def _is_met(inspector: Inspector, loop: Loop, comparison: Value) -> bool:
    """Whether what counts in a loop surely meets what it is compared with: by steps of one, or by steps that divide the way."""
    for counted, end in permutations(inspector.operands(comparison)):
        phi, done = inspector.origin(counted)
        if not _is_phi_of(inspector, loop, phi):
            continue
        starts, steps = ({inspector.origin(value) for value in values} for values in _incoming(inspector, loop, phi))
        if len(steps) != 1 or len(starts) != 1:
            return False
        ((base, step),), ((start, way),) = steps, starts
        destination, rest = inspector.origin(end)
        return base == phi and (step == 1 or (start == destination and gcd(done, way, rest) % step == 0))
    return False
