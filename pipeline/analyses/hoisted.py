"""What is for a branch or a choice alone, and LLVM computes before: before a loop, or once for several places.

`if d > limit { a / b }` in a loop is a quotient before the loop then, be it wanted in no run of it.  In reverse mode its
adjoint is zero, and zero times an infinite slope, or times NaN, is NaN.  What the user computes before is left, where that is
more than one operation: it has a place in the source, which LLVM takes from what it moves; but not from one that it makes of
several.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from pipeline.analyses.control_flow import ControlFlow, Loop, on_every_way
from pipeline.analyses.graphs import nearest_common
from pipeline.analyses.unchosen import is_computed, is_guard
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_EVEN = ("llvm.fabs.", "llvm.copysign.", "llvm.minnum.", "llvm.maxnum.", "llvm.minimum", "llvm.maximum")
"""A slope of these is a number whatever they are of."""


@dataclass(frozen=True)
class Hoisted:
    """A float that is computed too early for some of its users."""

    value: Value
    users: Sequence[Value]
    block: Value
    """Where it is to be computed for these."""
    is_before_loop: bool
    """Whether that is before the loop that begins with this block, and not in it: it has no block of its own before it."""


def hoisted(inspector: Inspector, function: Value) -> Hoisted | None:
    """What is computed too early in a function; None where there is no other."""
    candidates = [i for i in inspector.module.instructions(function) if _is_moved(inspector, i) and _is_steep(inspector, i)]
    if not candidates:
        return None
    places = _Places(inspector, ControlFlow(inspector.module, function))
    return next((found for value in reversed(candidates) if (found := places.of(value))), None)


def made_on_each_way(inspector: Inspector, function: Value) -> list[Value]:
    """The phis to whose block each way leads by the same operation: LLVM has added it where it lacked (GVN's PRE)."""
    phis = (i for i in inspector.module.instructions(function) if inspector.api.IsAPHINode(i) and inspector.is_float(i))
    ways = ((phi, *dict.fromkeys(inspector.chosen(phi))) for phi in phis)
    return [phi for phi, one, *more in ways if more and all(inspector.is_same_arithmetic(one, other) for other in more)]


def _is_moved(inspector: Inspector, value: Value) -> bool:
    """Whether a float may be computed elsewhere: LLVM has moved it, or one operation is as soon done as its result is had."""
    if not inspector.is_float(value) or not _is_computed(inspector, value):
        return False
    if _is_placeless(inspector, value):
        return True
    users = inspector.module.users(value)
    return inspector.is_float_arithmetic(value) and not any(_is_placeless(inspector, user) for user in users)


def _is_placeless(inspector: Inspector, value: Value) -> bool:
    return _is_computed(inspector, value) and not inspector.api.GetDebugLocLine(value)


def _chooses(inspector: Inspector, user: Value) -> bool:
    """Whether it is a choice of the program's, and no guard of ours."""
    return bool(inspector.api.IsASelectInst(user)) and not is_guard(inspector, user)


def _is_computed(inspector: Inspector, value: Value) -> bool:
    return is_computed(inspector, value) or _is_passed_on(inspector, value)


def _is_passed_on(inspector: Inspector, value: Value) -> bool:
    api = inspector.api
    return bool(api.IsASelectInst(value) or api.IsAFPExtInst(value) or api.IsAFPTruncInst(value))


def _is_steep(inspector: Inspector, value: Value) -> bool:
    """Whether a slope of it may be infinite or no number; or of what it is computed of, which comes along then."""
    known: set[Value] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if _may_be_infinite(inspector, one):
            return True
        known.add(one)
        is_even = not inspector.is_float_arithmetic(one) or inspector.is_linear(one)
        waiting += [each for each in inspector.operands(one) if is_even and each not in known and _is_moved(inspector, each)]
    return False


def _may_be_infinite(inspector: Inspector, value: Value) -> bool:
    """Whether a slope may be, of this by itself, where nothing guards it."""
    operands = inspector.operands(value)
    if _is_passed_on(inspector, value) or inspector.is_linear(value) or inspector.is_call_of(value, _EVEN):
        return False
    is_guarded = any(is_guard(inspector, operand) for operand in operands)
    return not is_guarded and (inspector.is_intrinsic(value) or not inspector.api.IsConstant(operands[-1]))


def _choices_for(inspector: Inspector, users: Iterable[Value]) -> list[Value]:
    """The choices that users are, or compute something for; none where something else uses that."""
    found: dict[Value, None] = {}
    known: set[Value] = set()
    waiting = list(users)
    while waiting:
        user = waiting.pop()
        if _chooses(inspector, user):
            found[user] = None
        elif user not in known:
            known.add(user)
            its = inspector.module.users(user) if _is_computed(inspector, user) and not is_guard(inspector, user) else []
            if not its:
                return []
            waiting += its
    return list(found)


class _Places:
    """Where in a function values are computed, and where they are wanted."""

    def __init__(self, inspector: Inspector, flow: ControlFlow) -> None:
        self._inspector, self._flow = inspector, flow
        self._nearest = flow.nearest()
        numbers = {block: number for number, block in enumerate(self._nearest)}
        self._common = partial(nearest_common, self._nearest, numbers)
        self._around: dict[Value, Loop] = {}
        for loop in flow.loops():
            for block in loop.blocks:
                self._around.setdefault(block, loop)

    def of(self, value: Value) -> Hoisted | None:
        """For all users of a value, or those that are in one block, if it is computed too early for them."""
        here = int(self._inspector.api.GetInstructionParent(value))
        by_block: dict[Value, list[Value]] = {}
        for user in dict.fromkeys(self._inspector.module.users(value)):
            by_block.setdefault(reduce(self._common, self._blocks_of(user, value)), []).append(user)
        if not by_block or not self._nearest.keys() >= {here, *by_block}:
            return None
        everyone = [user for its in by_block.values() for user in its]
        if place := self._place(here, reduce(self._common, by_block), everyone):
            return Hoisted(value, everyone, *place)
        if len(by_block) == 1:
            return self._decided_late(value, *next(iter(by_block.items())))
        if not any(_choices_for(self._inspector, its) for its in by_block.values()):
            return None
        apart = ((users, self._place(here, block, users, is_one_of_several=True)) for block, users in by_block.items())
        return next((Hoisted(value, users, *place) for users, place in apart if place), None)

    def _decided_late(self, value: Value, block: Value, users: Sequence[Value]) -> Hoisted | None:
        """For one of several users in a block, where a condition comes after the first of their choices."""
        choices = _choices_for(self._inspector, users) if len(users) > 1 else []
        position = {one: number for number, one in enumerate(self._inspector.module.instructions_of(block))}
        first = min((position.get(choice, 0) for choice in choices), default=0)
        is_late = any(position.get(self._inspector.operands(choice)[0], 0) > first for choice in choices)
        return Hoisted(value, users[-1:], block, is_before_loop=False) if is_late else None

    def _place(
        self, here: Value, wanted_in: Value, users: Sequence[Value], *, is_one_of_several: bool = False
    ) -> tuple[Value, bool] | None:
        """A block of its own: for choices that where they are, else a branch in a loop; None where what is here will do.

        What is one of several may have come from any branch.
        """
        if wanted_in != here and _choices_for(self._inspector, users):
            return wanted_in, False
        block = wanted_in
        while (loop := self._around.get(block)) and here not in loop.blocks:
            if not all(on_every_way(self._nearest, block, latch) for latch in loop.latches):
                return block, False
            before = self._nearest[loop.header]
            is_entered_by_a_branch = self._flow.successors(self._flow.ends[before]) != [loop.header]
            if is_entered_by_a_branch and (self._around.get(before) or is_one_of_several):
                return loop.header, True
            block = before
        may_be_passed_by = here in self._flow.leading_to(self._flow.returns(), but=[block])
        return (block, False) if is_one_of_several and block != here and may_be_passed_by else None

    def _blocks_of(self, user: Value, value: Value) -> list[Value]:
        """Where a user wants a value: a phi does in the blocks that it comes from."""
        if not self._inspector.api.IsAPHINode(user):
            return [int(self._inspector.api.GetInstructionParent(user))]
        incoming = zip(self._inspector.chosen(user), self._inspector.incoming_blocks(user), strict=True)
        return [block for one, block in incoming if one == value]
