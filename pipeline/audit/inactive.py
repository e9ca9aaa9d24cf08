"""Functions that are said to have no derivative, and out of which a float comes all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipeline.analyses.call_tree import calls
from pipeline.analyses.counting import is_parsed
from pipeline.analyses.effects import Effects, asks_the_system
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_GIVES = "a function that is said to have no derivative returns a float, or something that it calls writes one: `{}`"


def functions(inspector: Inspector, tree: Sequence[Value]) -> Iterator[Diagnostic]:
    """Those that a derivative calls as they stand, but for what has no place in a source: a pass's own; and for the user's.

    What reads a float from a text is one out of which constants come (`repairs/parsed.py`).
    """
    effects, known = Effects(inspector), dict[Value, bool]()
    for call in (call for function in tree for call in calls(inspector, function)):
        callee = inspector.module.callee(call)
        is_inactive = inspector.module.is_defined(callee) and inspector.is_inactive(callee)
        is_known = not inspector.module.subprogram(callee) or inspector.is_inactive_by_user(callee)
        if not is_inactive or is_known or is_parsed(inspector, call):
            continue
        if callee not in known:
            known[callee] = not asks_the_system(inspector, callee) and effects.gives_floats(callee)
        if known[callee]:
            yield finding(inspector, call, _GIVES.format(inspector.module.name(callee)))
