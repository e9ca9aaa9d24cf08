"""What is computed though it may not be chosen: a product with what is no number there, a quotient by zero, a root of it.

LLVM makes `select n == 1, a, b / (n - 1)` of a branch, and `select d.is_nan(), 0, theta * d`.  In reverse mode the adjoint of
what is not chosen is zero, and zero times an infinite slope, or times NaN, is NaN.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.hidden import NEEDED
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_STEEP = re.compile(r"llvm\.(?:sqrt|log|log2|log10|pow|powi)\..*")
"""The slope is infinite at zero."""
_MOST_WAYS = 4

Way = tuple[tuple[Value, bool], ...]
"""Conditions, each with what it is then."""
Needed = tuple[Way, ...]
"""When something is chosen: in each of these ways."""


@dataclass(frozen=True)
class Unchosen:
    """What is computed for arms of choices alone."""

    value: Value
    place: Value
    """The first of the choices."""
    needed: Needed
    open: tuple[int, ...] = ()
    """The numbers of operands that may be anything where it is not needed, and would make a slope no number."""


def unchosen(inspector: Inspector, function: Value) -> list[list[Unchosen]]:
    """What of each block's choices there is to mend: each before what is computed of it."""
    choices: dict[Value, list[Value]] = {}
    for instruction in inspector.module.instructions(function):
        if inspector.api.IsASelectInst(instruction) and inspector.is_float(instruction):
            choices.setdefault(int(inspector.api.GetInstructionParent(instruction)), []).append(instruction)
    if not choices:
        return []
    loops = ControlFlow(inspector.module, function).loops()  # the inner ones first
    around = {block: loop.header for loop in reversed(loops) for block in loop.blocks}
    groups = (_Group(inspector, around, block, its).found() for block, its in choices.items())
    return [group for group in groups if any(one.open for one in group)]


def chosen_late(inspector: Inspector, function: Value) -> tuple[Value, Value] | None:
    """A choice of what several blocks have led to, and that phi; something is computed in one of them for it alone.

    None where there is no other.  What else is chosen from, and the condition, are known in these blocks, too.
    """
    module, api = inspector.module, inspector.api
    for choice in filter(api.IsASelectInst, module.instructions(function)):
        block = api.GetInstructionParent(choice)
        here = [one for one in inspector.operands(choice) if api.IsAInstruction(one) and api.GetInstructionParent(one) == block]
        if inspector.is_float(choice) and len(here) == 1 and api.IsAPHINode(here[0]) and _is_for(inspector, here[0], choice):
            computed = [one for one in inspector.chosen(here[0]) if is_computed(inspector, one)]
            is_for_it = any(_is_for(inspector, one, here[0]) for one in computed)
            if is_for_it and not any(loop.header == block for loop in ControlFlow(module, function).loops()):
                return choice, here[0]
    return None


def is_guard(inspector: Inspector, value: Value) -> bool:
    """Whether something is chosen where it is needed, or else a number."""
    if not inspector.api.IsASelectInst(value):
        return False
    condition, _, otherwise = inspector.operands(value)
    return inspector.is_call_of(condition, NEEDED) and bool(inspector.api.IsAConstantFP(otherwise))


def is_computed(inspector: Inspector, value: Value) -> bool:
    """Whether a value is computed by LLVM's own arithmetic, or chosen."""
    return inspector.is_float_arithmetic(value) or inspector.is_intrinsic(value) or bool(inspector.api.IsASelectInst(value))


def _is_for(inspector: Inspector, value: Value, user: Value) -> bool:
    """Whether a value has no other user."""
    return set(inspector.module.users(value)) == {user}


class _Group:
    """The choices of a block, and what is computed for them alone; but nothing that is computed once for a whole loop."""

    def __init__(self, inspector: Inspector, around: dict[Value, Value], block: Value, choices: list[Value]) -> None:
        self._inspector = inspector
        self._around = around
        self._block = block
        self._choices = dict.fromkeys(choices)
        self._position = {one: number for number, one in enumerate(inspector.module.instructions_of(block))}

    def found(self) -> list[Unchosen]:
        found: dict[Value, Unchosen] = {}
        waiting = [arm for choice in self._choices for arm in self._inspector.operands(choice)[1:]]
        while waiting:
            value = waiting.pop(0)
            if value not in found and self._is_computed_here(value) and (one := self._for_choices(value, found)):
                found[value] = one
                waiting += self._inspector.operands(value)
        counting: set[Value] = set()
        for value in found:  # what is computed of a value comes first
            if not self._is_linear(value) or counting & set(self._inspector.module.users(value)):
                counting.add(value)
        return [self._with_open(one, found) if one.value in counting else one for one in reversed(found.values())]

    def _is_computed_here(self, value: Value) -> bool:
        if not is_computed(self._inspector, value) or not self._inspector.is_float(value):
            return False
        block = int(self._inspector.api.GetInstructionParent(value))
        return self._around.get(block, 0) == self._around.get(self._block, 0)

    def _for_choices(self, value: Value, found: dict[Value, Unchosen]) -> Unchosen | None:
        """When it is needed; None where that is always, or the conditions are not known before the first choice."""
        ways: dict[Way, None] = {}
        places = []
        for user in self._inspector.module.users(value):
            one, chosen = found.get(user), self._chosen(user, value)
            if one is None and not (chosen and user in self._choices):
                return None
            ways |= {tuple(dict.fromkeys((*way, *chosen))): None for way in (one.needed if one else ((),))}
            places.append(one.place if one else user)
        needed = tuple(way for way in ways if not any(set(other) < set(way) for other in ways))
        place = min(places, key=self._position.__getitem__)
        if not needed or len(needed) > _MOST_WAYS or not all(self._is_known(one, place) for way in needed for one, _ in way):
            return None
        return Unchosen(value, place, needed)

    def _chosen(self, user: Value, value: Value) -> Way:
        """By which condition a user takes a value, if it is a choice."""
        if not self._inspector.api.IsASelectInst(user):
            return ()
        condition, *arms = self._inspector.operands(user)
        return () if arms == [value, value] else ((condition, arms[0] == value),)

    def _is_known(self, condition: Value, place: Value) -> bool:
        return self._position.get(condition, -1) < self._position[place]

    def _is_linear(self, value: Value) -> bool:
        """Whether the derivative is the same whatever the operands are."""
        return bool(self._inspector.api.IsASelectInst(value)) or self._inspector.is_linear(value)

    def _with_open(self, one: Unchosen, found: dict[Value, Unchosen]) -> Unchosen:
        operands = enumerate(self._inspector.operands(one.value))  # a call's last one is the function
        given = [
            (n, each) for n, each in operands if not self._inspector.api.IsConstant(each) and self._inspector.is_float(each)
        ]
        is_open = (n for n, each in given if not self._is_harmless(one, n, each, found))
        return replace(one, open=tuple(is_open))

    def _is_harmless(self, one: Unchosen, number: int, operand: Value, found: dict[Value, Unchosen]) -> bool:
        """Whether an operand is a number where what is computed is not needed, and none that makes the slope infinite."""
        if not self._is_steep_by(one.value, number) and (operand in found or self._inspector.makes_number(operand)):
            return True
        if is_guard(self._inspector, operand) or is_guard(self._inspector, one.value):
            return True
        if not self._inspector.api.IsASelectInst(operand):
            return False
        condition, *arms = self._inspector.operands(operand)
        is_other = [all((condition, not taken) in way for way in one.needed) for taken in (True, False)]
        return any(is_so and self._inspector.api.IsAConstantFP(arm) for is_so, arm in zip(is_other, arms, strict=True))

    def _is_steep_by(self, instruction: Value, number: int) -> bool:
        """Whether the slope is infinite where an operand is zero."""
        if self._inspector.is_quotient(instruction):
            return number == 1
        module = self._inspector.module
        is_call = module.is_call(instruction) and number == 0
        return is_call and bool(_STEEP.fullmatch(module.name(module.callee(instruction))))
