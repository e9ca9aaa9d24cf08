"""Loops of which Enzyme takes what one reads for what another has read (`lookupM` in its GradientUtils.cpp).

Where it has kept what a loop reads, and a later loop reads the same memory by the same steps and as often, it takes the one
for the other; but it looks it up as if the first loop ran, whose count is 0 by then.  That they run as often it knows by
comparing their ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.addresses import roots
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.hidden import APART, HIDDEN, is_of
from pipeline.analyses.loop_exits import is_in, parts
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector


def twins(inspector: Inspector, flow: ControlFlow) -> Iterator[Loop]:
    """Loops that read what another reads and whose ends are in plain sight, but for one of them."""
    loops = flow.loops()
    read = {loop.header: set[Value]() for loop in loops}
    for load in _loads(inspector, flow):
        pointer = inspector.operands(load)[0]
        if loop := _varying_in(inspector, loops, load, pointer):
            read[loop.header] |= roots(inspector, pointer)
    seen: set[Value] = set()
    for loop in loops:
        if not read[loop.header] or is_apart(inspector, flow, loop):
            continue
        if read[loop.header] & seen:
            yield loop
        seen |= read[loop.header]


def conditions(inspector: Inspector, flow: ControlFlow, loop: Loop) -> list[tuple[Value, Value]]:
    """The branches that leave a loop, each with all that it goes by, one after the other."""
    choices = set(flow.choices())
    branches = [flow.ends[block] for block in flow.exiting(loop) if flow.ends[block] in choices]
    return [(branch, one) for branch in branches for one in parts(inspector, flow.condition(branch))]


def fixed(inspector: Inspector, loop: Loop, comparison: Value) -> list[int]:
    """Which of two numbers or pointers that are compared in the loop does not change there."""
    is_compared = inspector.api.IsAICmpInst(comparison) and is_in(inspector, loop, comparison)
    operands = inspector.operands(comparison) if is_compared else []
    return [number for number, operand in enumerate(operands) if not is_in(inspector, loop, operand)]


def is_apart(inspector: Inspector, flow: ControlFlow, loop: Loop) -> bool:
    """Whether nobody can tell how often a loop runs, or its end is one of its own."""
    asked = [one for _, one in conditions(inspector, flow, loop)]
    ends = [inspector.operands(one)[number] for one in asked for number in fixed(inspector, loop, one)]
    return all(is_of(inspector, HIDDEN, one) for one in asked) or any(is_of(inspector, APART, end) for end in ends)


def _loads(inspector: Inspector, flow: ControlFlow) -> Iterator[Value]:
    for block in flow.ends.keys() - flow.never_returning():
        yield from filter(inspector.is_plain_load, inspector.module.instructions_of(block))


def _varying_in(inspector: Inspector, loops: list[Loop], load: Value, pointer: Value) -> Loop | None:
    """The innermost loop around a load in which its address changes."""
    block = inspector.api.GetInstructionParent(load)
    around = [loop for loop in loops if block in loop.blocks]
    headers = {inspector.api.GetInstructionParent(phi) for phi in _phis(inspector, pointer)} if around else set()
    return next((loop for loop in around if loop.header in headers), None)


def _phis(inspector: Inspector, value: Value) -> Iterator[Value]:
    """All choices of which a value is made."""
    known: set[Value] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if one not in known and inspector.api.IsAInstruction(one):
            known.add(one)
            if inspector.api.IsAPHINode(one):
                yield one
            waiting += inspector.chosen(one) if inspector.is_choice(one) else inspector.operands(one)
