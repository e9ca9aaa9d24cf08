"""Choices between floats of which Enzyme follows another one than is taken."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import calls
from pipeline.analyses.extremes import is_extreme, may_lose
from pipeline.analyses.hoisted import hoisted
from pipeline.analyses.unchosen import unchosen
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_UNCHOSEN = "an infinite slope, or NaN, of what is computed here and may not be chosen would make a derivative NaN"
_EXTREME = "of the larger or the smaller of two floats the derivative of NaN may be taken here, where the other one is a number"


def extremes(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """The larger or the smaller of two floats, where that counts which may be NaN."""
    for call in calls(inspector, function):
        if is_extreme(inspector, call) and may_lose(inspector, call):
            yield finding(inspector, call, _EXTREME)


def not_taken(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What is computed for one arm of a choice, or one branch, and may have a slope that is no number where it is not taken."""
    for one in (one for group in unchosen(inspector, function) for one in group if one.open):
        yield finding(inspector, one.value, _UNCHOSEN)
    if early := hoisted(inspector, function):
        yield finding(inspector, early.value, _UNCHOSEN)
