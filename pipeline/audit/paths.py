"""Loops whose iterations reverse mode would miscount, and values whose adjoint it would not add up as it should."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.asked_outside import begun_anew
from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.joins import misjudged
from pipeline.analyses.loop_choices import shortcuts
from pipeline.analyses.loop_exits import coming_back, doubtful, miscounted, ordered
from pipeline.analyses.overwritten import overwritten
from pipeline.analyses.promises import promising
from pipeline.analyses.results import at_risk
from pipeline.analyses.reused import Reused
from pipeline.analyses.twins import twins
from pipeline.analyses.undefined import computed_with, undefined_at_first
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_AMID = "a loop is entered at several places, here among others, and would be taken to run once"
_ONLY_WAY_OUT = "this loop is left for the loop around it, and for all else: how often it runs would be miscounted"
_JUMPED_OVER = "what this loop ends on may be jumped over, and it ends on something else, too: its runs would be miscounted"
_ORDERED = "this loop ends where what it counts is as large as something else, and would end only where it is equal"
_AT_LEAST = "this loop goes on while something is at least as large as something else, and its runs would be miscounted"
_BEGUN = (
    "a run of this loop begins with what is computed of how an inner one ended, and would begin with that of another run of it"
)
_TWINS = "this loop reads what another one reads, as often, and what it reads would be taken for what that one has read"

_UNDEFINED = "what this loop carries is undefined before its first run, and may be taken for what the same run makes"
_COMPUTED = "what is computed with here may be undefined, and the derivative by what it is computed with would be anything"
_REUSED = "a value of another type is written where this was read, and reverse mode would read what was written"
_OVERWRITTEN = "what is read here is written over by a later run of the loop, and reverse mode would read what was written"

_TWICE = "a float comes here twice from the same place, by several cases of a `match`, and its adjoint would count twice"
_CARRIED = "of a value that this loop carries only the last choice, or the product of what divides it, would be followed"
_MISJUDGED = "three ways come together here, and for which it was a branch would be asked that not all have passed"
_PROMISED = "what is asked here is sure only behind what was asked before, and reverse mode would ask it everywhere"
_PASSED_BY = "what is returned here would be lost where a call in one of the branches before is not made"


def of_loops(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Loops that are the only way out of a loop around them, those that Enzyme takes to end where they may not, and values.

    Of the first it keeps how often they ran at some exits only; of the second it takes each exit for one that is met, or counts
    them as one run; of values that they carry it follows less, at times, than the loop does with them.
    """
    flow = ControlFlow(inspector.module, function)
    loops = flow.loops()
    if amid := flow.entered_amid():
        yield finding(inspector, next(end for block, end in flow.ends.items() if block in amid), _AMID)
    for loop in loops:
        if coming_back(inspector, flow, loop):
            yield finding(inspector, flow.ends[loop.header], _ONLY_WAY_OUT)
        for branch in doubtful(inspector, flow, loop):
            yield finding(inspector, branch, _JUMPED_OVER)
        for branch in miscounted(inspector, flow, loop):
            yield finding(inspector, branch, _AT_LEAST)
        for branch in ordered(inspector, flow, loop):
            yield finding(inspector, branch, _ORDERED)
    for join, _ in misjudged(inspector, flow, loops):
        yield finding(inspector, flow.ends[join], _MISJUDGED)
    yield from _of_values(inspector, flow, loops)


def _of_values(inspector: Inspector, flow: ControlFlow, loops: Sequence[Loop]) -> Iterator[Diagnostic]:
    for phi in begun_anew(inspector, loops):
        yield finding(inspector, phi, _BEGUN)
    for loop in twins(inspector, flow):
        yield finding(inspector, flow.ends[loop.header], _TWINS)
    for load in dict.fromkeys(one.load for one in overwritten(inspector, flow)):
        yield finding(inspector, load, _OVERWRITTEN)
    for load, _ in Reused(inspector, flow).loads():
        yield finding(inspector, load, _REUSED)
    for loop in loops:
        for _, following in shortcuts(inspector, loop):
            yield finding(inspector, following, _CARRIED)


def undefined(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Values that a loop carries and that are undefined at first, and floats that may be and are computed with."""
    for phi in undefined_at_first(inspector, ControlFlow(inspector.module, function)):
        yield finding(inspector, phi, _UNDEFINED)
    for phi in computed_with(inspector, function):
        yield finding(inspector, phi, _COMPUTED)


def added_twice(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Floats that come to a place by several cases of a `switch`."""
    for phi in inspector.phis_of_one_block_twice(function):
        yield finding(inspector, phi, _TWICE)


def results_lost(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Results of functions that would be kept in one branch only."""
    for end in at_risk(inspector, function):
        yield finding(inspector, end, _PASSED_BY)


def promised(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What conditions are computed of and promises something that may not be so where reverse mode computes it again."""
    for value in promising(inspector, function):
        yield finding(inspector, value, _PROMISED)
