"""Ends of loops that reverse mode computes again, and not of what they were made of.

How often a loop runs Enzyme asks again where it keeps something for each run of it (`getSubLimits` in its CacheUtility.cpp),
and follows what that is made of, all the way.  Where an earlier loop has chosen it, `n = if c { n + 1 } else { n }`, it takes
the choice apart: each arm it looks up as if it were in that loop still (`nextScope` in `unwrapM` in its GradientUtils.cpp), for
a run that is undefined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.asked_outside import users_outside
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.hidden import APART, HIDDEN, KEPT, is_of
from pipeline.analyses.twins import conditions, fixed
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def chosen_before(inspector: Inspector, flow: ControlFlow, loops: Sequence[Loop]) -> dict[Value, list[Value]]:
    """The integers an earlier loop chose of which ends of loops are made; and where each is used outside of that loop."""
    asked = [one for loop in loops for _, one in conditions(inspector, flow, loop)]
    made = _Made(inspector, loops)
    return {value: users_outside(inspector, value, loop.blocks) for value, loop in made.left_by(asked)}


def computed(inspector: Inspector, flow: ControlFlow, loops: Sequence[Loop]) -> dict[Value, list[Value]]:
    """What the ends and beginnings of loops in loops are that is computed of what lies in memory; and who uses each.

    In a function that is called Enzyme keeps what it wants later by the time it is called first; of such an end it wants what
    was loaded after all, and loads that once more when all is over (SCEV says what the end is made of, not which value it is).
    """
    inner = [loop for loop in loops if any(loop.blocks < other.blocks for other in loops)]
    asked = [value for loop in inner for value in (*_ends(inspector, flow, loop), *_beginnings(inspector, loop))]
    found = [value for value in dict.fromkeys(asked) if _is_computed(inspector, value) and _is_of_memory(inspector, value)]
    return {value: inspector.module.users(value) for value in found}


def _ends(inspector: Inspector, flow: ControlFlow, loop: Loop) -> Iterator[Value]:
    for _, one in conditions(inspector, flow, loop):
        yield from (inspector.operands(one)[number] for number in fixed(inspector, loop, one))


def _beginnings(inspector: Inspector, loop: Loop) -> Iterator[Value]:
    for phi in filter(inspector.api.IsAPHINode, inspector.module.instructions_of(loop.header)):
        before = [block for block in inspector.incoming_blocks(phi) if block not in loop.blocks]
        yield from (inspector.incoming_from(phi, block) for block in before)


def _is_computed(inspector: Inspector, value: Value) -> bool:
    is_integer = bool(inspector.integer_bits(inspector.api.TypeOf(value)))
    return is_integer and inspector.is_integer_arithmetic(value) and not inspector.is_choice(value)


def _is_of_memory(inspector: Inspector, value: Value) -> bool:
    """Whether a load is among what an integer is computed of."""
    waiting, seen = [value], set[Value]()
    while waiting:
        one = waiting.pop()
        if inspector.is_plain_load(one):
            return True
        if one not in seen and _is_computed(inspector, one):
            seen.add(one)
            waiting += inspector.operands(one)
    return False


class _Made:
    """What Enzyme computes again of what: it follows neither loads nor calls, but of those that hide something and are pure."""

    def __init__(self, inspector: Inspector, loops: Sequence[Loop]) -> None:
        self.inspector = inspector
        self.api = inspector.api
        self.loops = loops
        self.headers = {loop.header for loop in loops}

    def left_by(self, values: Sequence[Value]) -> Iterator[tuple[Value, Loop]]:
        """The integers, each with the loop that has chosen it, of which something outside of that loop is made."""
        seen: set[Value] = set()
        waiting = list(values)
        while waiting:
            user = waiting.pop()
            if user in seen or not self._is_followed(user):
                continue
            seen.add(user)
            for operand in self.inspector.operands(user):
                loop = self._left(operand, user)
                if loop and self._is_chosen(operand, loop):
                    if self.inspector.integer_bits(self.api.TypeOf(operand)):
                        yield operand, loop
                else:
                    waiting.append(operand)

    def _is_followed(self, value: Value) -> bool:
        if not self.api.IsAInstruction(value) or self.api.IsALoadInst(value):
            return False
        if not self.inspector.module.is_call(value):
            return True
        return is_of(self.inspector, HIDDEN, value) and not is_of(self.inspector, (KEPT, APART), value)

    def _left(self, operand: Value, user: Value) -> Loop | None:
        """The outermost loop that has an operand, and not its user."""
        if not self.api.IsAInstruction(operand):
            return None
        here, there = map(self.api.GetInstructionParent, (operand, user))
        left = [loop for loop in self.loops if here in loop.blocks and there not in loop.blocks]
        return left[-1] if left else None

    def _is_chosen(self, value: Value, loop: Loop) -> bool:
        """Whether a value is made of a choice in the loop, and not of what it counts alone."""
        seen: set[Value] = set()
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if one in seen or not self._is_followed(one) or self.api.GetInstructionParent(one) not in loop.blocks:
                continue
            seen.add(one)
            if self.api.IsAPHINode(one) and self.api.GetInstructionParent(one) not in self.headers:
                return True
            waiting += self.inspector.operands(one)
        return False
