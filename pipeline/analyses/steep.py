"""What is computed though it may not be chosen, and has a slope without bound: a quotient, a root, a logarithm, a power.

LLVM makes `select n == 1, a, b / (n - 1)` of a branch.  In reverse mode the adjoint of what is not chosen is zero, and zero
times an infinite slope is NaN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_STEEP = re.compile(r"llvm\.(?:sqrt|log|log2|log10|pow|powi)\..*")


@dataclass(frozen=True)
class Steep:
    """An instruction that is there for one arm of a choice alone, and which of its operands makes its slope infinite."""

    choice: Value
    condition: Value
    if_true: bool
    """Whether it is for the arm that is chosen where the condition is true."""
    chain: tuple[Value, ...]
    """What is computed of it for the choice, that itself last."""
    operand: int

    @property
    def instruction(self) -> Value:
        """The instruction itself."""
        return self.chain[-1]


def unchosen(inspector: Inspector, function: Value) -> list[Steep]:
    """Those of a function that may be computed where they are not chosen, unless what they are computed of is then harmless."""
    choices = filter(inspector.api.IsASelectInst, list(inspector.module.instructions(function)))
    return [each for choice in choices if inspector.is_float(choice) for each in _for(inspector, choice)]


def _for(inspector: Inspector, choice: Value) -> Iterator[Steep]:
    condition, *arms = inspector.operands(choice)
    for if_true, arm in zip((True, False), arms, strict=True):
        for chain in _chains(inspector, arm, choice):
            operand = _operand(inspector, chain[-1])
            if operand is not None and not _is_harmless(inspector, inspector.operands(chain[-1])[operand], condition):
                yield Steep(choice, condition, if_true, chain, operand)


def _chains(inspector: Inspector, value: Value, user: Value) -> Iterator[tuple[Value, ...]]:
    """What is computed for a user alone, each with all that is computed of it on the way there."""
    is_computed = inspector.is_float_arithmetic(value) or inspector.is_intrinsic(value) or inspector.api.IsASelectInst(value)
    if not is_computed or set(inspector.module.users(value)) != {user}:
        return
    yield (value,)
    for operand in inspector.operands(value):
        yield from ((value, *chain) for chain in _chains(inspector, operand, value))


def _operand(inspector: Inspector, instruction: Value) -> int | None:
    """Which operand makes the slope infinite at zero; None where there is none, or it is a constant."""
    is_call = inspector.module.is_call(instruction)
    is_steep = is_call and bool(_STEEP.fullmatch(inspector.module.name(inspector.module.callee(instruction))))
    operand = 0 if is_steep else 1 if inspector.is_quotient(instruction) else None
    is_constant = operand is not None and inspector.api.IsConstant(inspector.operands(instruction)[operand])
    return None if is_constant else operand


def _is_harmless(inspector: Inspector, operand: Value, condition: Value) -> bool:
    """Whether an operand is a constant where the condition says that it does not count."""
    while inspector.api.IsASelectInst(operand):
        asked, *arms = inspector.operands(operand)
        if inspector.module.is_call(asked):  # behind which the condition is hidden
            asked, *_ = inspector.module.arguments(asked)
        others = [arm for arm in arms if not inspector.api.IsAConstantFP(arm)]
        if asked == condition and len(others) < len(arms):
            return True
        operand = others[0] if len(others) == 1 else 0
    return False
