"""Values that a loop carries from one run to the next in a way that Enzyme has a shortcut for, which is wrong or endless.

Of `p = if c { p } else { g(x) }`, a header's phi and a select of it, Enzyme's reverse mode follows the last choice alone
(`createSelectInstAdjoint` in its AdjointGenerator.h): right for what `p` is in the end, and wrong without a word where the
loop itself uses `p`.  Of `p = p / x` it divides by the product of all `x`, which may be zero or too large to be a number.
Any value that is not made of its own last one it computes anew where it is wanted (`legalRecompute` in its GradientUtils.cpp);
where the last one decides between others, as in `n = if n == 0 { 0 } else { m }`, it looks for that, and breaks down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_DIVISION = 16  # LLVMOpcode: fdiv

Carried = tuple[Value, Value]
"""A header's phi, and the instruction of the loop that makes its next value of it."""


def shortcuts(inspector: Inspector, loop: Loop) -> list[Carried]:
    """Those of a loop that would come out wrong."""
    return [
        (phi, following)
        for phi, following in _next_values(inspector, loop)
        if inspector.is_float(phi)
        and (_is_divided(inspector, phi, following) or _is_chosen_and_used(inspector, loop, phi, following))
    ]


def decided_by_themselves(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[Carried]:
    """Those of a loop whose next value is not made of them but chosen, and they may have decided how."""
    deciding = _makings(inspector, loop, (inspector.operands(end)[0] for end in _decisions(flow, loop)))
    makings = ((phi, following, _makings(inspector, loop, [following])) for phi, following in _next_values(inspector, loop))
    return [
        (phi, following)
        for phi, following, its in makings
        if phi in deciding and phi not in its and any(map(inspector.api.IsAPHINode, its - set(_phis(inspector, loop))))
    ]


def _decisions(flow: ControlFlow, loop: Loop) -> Iterator[Value]:
    """The ends of blocks that choose between ways that stay in the loop."""
    for block in loop.blocks:
        if len(set(flow.successors(flow.ends[block])) & loop.blocks) > 1:
            yield flow.ends[block]


def _makings(inspector: Inspector, loop: Loop, values: Iterable[Value]) -> set[Value]:
    """The instructions of a loop of which values are made, they themselves among them."""
    known: set[Value] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value in known or not inspector.api.IsAInstruction(value):
            continue
        if inspector.api.GetInstructionParent(value) in loop.blocks:
            known.add(value)
            waiting += inspector.operands(value)
    return known


def _next_values(inspector: Inspector, loop: Loop) -> Iterator[Carried]:
    """What a loop carries, where one instruction makes the next value however the run ends."""
    for phi in _phis(inspector, loop):
        following = {inspector.incoming_from(phi, latch) for latch in loop.latches}
        if len(following) == 1:
            yield phi, following.pop()


def _phis(inspector: Inspector, loop: Loop) -> list[Value]:
    return [i for i in inspector.module.instructions_of(loop.header) if inspector.api.IsAPHINode(i)]


def _is_divided(inspector: Inspector, phi: Value, following: Value) -> bool:
    is_division = inspector.api.IsABinaryOperator(following) and inspector.api.GetInstructionOpcode(following) == _DIVISION
    return bool(is_division) and inspector.operands(following)[0] == phi


def _is_chosen_and_used(inspector: Inspector, loop: Loop, phi: Value, following: Value) -> bool:
    """Whether the next value is chosen between the phi and another, and the loop uses it before the next run."""
    if not inspector.api.IsASelectInst(following) or phi not in inspector.chosen(following):
        return False
    users = set(inspector.module.users(following)) - {phi}
    return any(inspector.api.GetInstructionParent(user) in loop.blocks for user in users)
