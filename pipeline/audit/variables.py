"""Variables of the program that a derivative would need a shadow of, and that have none."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import calls
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_THREAD_LOCAL = "a thread-local that may hold floats cannot be differentiated: hand the value in as an argument"


def thread_locals(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Those that are not known to be inactive: Enzyme ends with an assertion."""
    for call in calls(inspector, function):
        if inspector.is_thread_local_address(call) and not inspector.is_said_inactive(call):
            yield finding(inspector, call, _THREAD_LOCAL)
