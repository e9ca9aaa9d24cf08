"""The last check: what would come out wrong without a word, on the very module that Enzyme differentiates.

It knows nothing of the repairs.  What they mended is not here any more; what they could not mend, or were not let to, is
refused.  Only what may return is looked at: a panic has no derivative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.unwanted import is_zero_strong
from pipeline.audit import bits, choices, headers, inactive, memory, paths, variables, words
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import Tool


def audit(libllvm: Tool, path: Path, reverse: Iterable[str] = (), forward: Iterable[str] = ()) -> list[Diagnostic]:
    """What would come out wrong in the functions (names in the module) that are differentiated, and in all they call.

    By mode: a function may be differentiated in both.
    """
    with Module(libllvm, path) as module:
        return _found(Inspector(module), list(reverse), list(forward))


def audit_each(libllvm: Tool, path: Path, asked: Iterable[tuple[list[str], list[str]]]) -> list[list[Diagnostic]]:
    """The same, of some functions after the other: of each those that are differentiated in reverse, and in forward mode."""
    with Module(libllvm, path) as module:
        inspector = Inspector(module)
        return [_found(inspector, reverse, forward) for reverse, forward in asked]


def untold(libllvm: Tool, path: Path, reverse: Iterable[str] = (), forward: Iterable[str] = ()) -> list[Diagnostic]:
    """What would come out wrong, besides, where Enzyme has types only of what surely runs (`ladder.Rung.is_told`)."""
    with Module(libllvm, path) as module:
        inspector = Inspector(module)
        found = [one for function in _tree(inspector, reverse) for one in memory.copied_untold(inspector, function)]
        both = _tree(inspector, [*reverse, *forward])
        return found + [one for function in both for one in memory.taken_for_numbers(inspector, function)]


def _found(inspector: Inspector, reverse: list[str], forward: list[str]) -> list[Diagnostic]:
    tree = _tree(inspector, [*reverse, *forward])
    found = [finding for function in tree for finding in findings(inspector, function)]
    found += [*inactive.functions(inspector, tree)]
    for function in _tree(inspector, reverse):
        for rule in (
            memory.taken_for_constant,
            memory.freed_twice,
            memory.shadow_forgotten,
            memory.told_apart,
            paths.of_loops,
            paths.added_twice,
            paths.results_lost,
            paths.promised,
            words.constants_among_floats,
        ):
            found += rule(inspector, function)
    found += [one for shim in inspector.module.named(reverse) for one in memory.given_up(inspector, shim)]
    weak = [shim for shim in inspector.module.named(reverse) if not is_zero_strong(inspector, shim)]
    found += [one for function in call_tree(inspector, weak) for one in choices.not_wanted(inspector, function)]
    found += memory.stored_by_recursion(inspector, _tree(inspector, reverse))
    found += memory.integers_over_floats(inspector, _tree(inspector, reverse))
    found += [one for function in _tree(inspector, forward) for one in memory.own_tangents(inspector, function)]
    found += memory.numbers_of_constants(inspector, _tree(inspector, forward))
    found += [one for shim in inspector.module.named(forward) for one in memory.not_in_tangent(inspector, shim)]
    for shim in forward:
        found += words.constants(inspector, _tree(inspector, [shim]))
    found += memory.copied_unguarded(inspector, inspector.module.named([*reverse, *forward]))
    return list(dict.fromkeys(found))


def findings(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What would come out wrong in one function, whatever the mode."""
    yield from headers.of_calls(inspector, function)
    yield from memory.taken_for_undefined(inspector, function)
    yield from memory.copied_as_one_type(inspector, function)
    yield from memory.copied_with_padding(inspector, function)
    yield from memory.exchanged(inspector, function)
    yield from variables.thread_locals(inspector, function)
    yield from variables.statics(inspector, function)
    yield from words.moved(inspector, function)
    yield from bits.computed(inspector, function)
    yield from choices.extremes(inspector, function)
    yield from paths.undefined(inspector, function)


def _tree(inspector: Inspector, shims: Iterable[str]) -> list[Value]:
    """The functions that are looked at: those of these names, and all they call."""
    return list(call_tree(inspector, inspector.module.named(shims)))
