"""Choices between floats of which Enzyme follows another one than is taken."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import calls
from pipeline.analyses.extremes import is_extreme, may_lose
from pipeline.analyses.unwanted import unwanted
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_UNWANTED = "an infinite slope, or NaN, of what is computed here and may not be wanted would make a derivative NaN"
_EXTREME = "of the larger or the smaller of two floats the derivative of NaN may be taken here, where the other one is a number"


def extremes(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """The larger or the smaller of two floats, where that counts which may be NaN."""
    for call in calls(inspector, function):
        if is_extreme(inspector, call) and may_lose(inspector, call):
            yield finding(inspector, call, _EXTREME)


def not_wanted(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What may be computed and not wanted, with a slope that may be no number: of zero, the adjoint, more would be made."""
    if value := unwanted(inspector, function):
        yield finding(inspector, value, _UNWANTED)
