"""Variables of the program that a derivative would need a shadow of, and that have none."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.analyses.call_tree import calls
from pipeline.analyses.debug_info import name_of_variable
from pipeline.analyses.foreign import MANGLED
from pipeline.audit.finding import finding
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_THREAD_LOCAL = "a thread-local that may hold floats cannot be differentiated"
_STDS_THREAD_LOCAL = "what std keeps in a thread-local here has no derivative"
_STDS = "what std keeps in a static here has no derivative"
_STATIC = "a static that may hold floats, and is written here or may be, cannot be differentiated: `{}`"


def thread_locals(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Those that are not known to be inactive: Enzyme ends with an assertion."""
    for call in calls(inspector, function):
        if inspector.is_thread_local_address(call) and not inspector.is_said_inactive(call):
            is_stds = not name_of_variable(inspector.module, inspector.module.arguments(call)[0])
            yield finding(inspector, call, _STDS_THREAD_LOCAL if is_stds else _THREAD_LOCAL)


def statics(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """Those that may change and are not known to be inactive: Enzyme wants a shadow of each, or breaks down."""
    for instruction in inspector.module.returning_instructions(function):
        for variable in inspector.changing_variables_named(instruction):
            is_known = inspector.is_variable_inactive(variable) or inspector.has_shadow(variable)
            is_harmless = is_known or inspector.leaves_alone(instruction) or inspector.asks_enzyme(instruction)
            if not is_harmless and not inspector.is_thread_local_address(instruction):
                name = name_of_variable(inspector.module, variable) or _name_of_c(inspector.module.name(variable))
                yield finding(inspector, instruction, _STATIC.format(name) if name else _STDS)


def _name_of_c(symbol: str) -> str:
    """The name of a variable of C: it has no debug info, and its symbol is no name of rustc's making.

    Clang puts the name of the function before that of one in it (`next.table`), and LLVM after it what it keeps of it.
    """
    begin = symbol.partition(".")[0]
    return symbol if begin.isidentifier() and begin != "anon" and not symbol.startswith(MANGLED) else ""
