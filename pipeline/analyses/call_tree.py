"""What a differentiated function calls, however indirectly, and what in there no Enzyme can differentiate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipeline.analyses.graphs import in_cycles
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import Tool

CallTree = dict[Value, dict[Value, None]]
"""Functions, in the order in which they are met, and what each calls."""

Kind = tuple[Value, int | None]
"""The type of what a pointer's call calls, and at which byte of a vtable its address stood."""


@dataclass(frozen=True)
class InlineAssembly:
    """A piece of inline assembly in the call tree: its Rust place, where debug info has one."""

    place: str | None


def inline_assembly(libllvm: Tool, path: Path, primals: Iterable[str]) -> list[InlineAssembly]:
    """The inline assembly in the functions (names in the module) and in all they call."""
    with Module(libllvm, path) as module:
        functions = call_tree(Inspector(module), module.named(primals))
        places = {module.place(call) for function in functions for call in _assembly_calls(module, function)}
    return [InlineAssembly(place) for place in sorted(places, key=str)]


class InUserCode(NamedTuple):
    """The place in the user's own crate that leads to an instruction, such as one in std, and the place of that itself."""

    place: str
    leads_to: str


Places = dict[str, InUserCode]
"""By a place as it is told, and as Enzyme prints it."""


def places_in_user_code(libllvm: Tool, path: Path, primals: Iterable[Iterable[str]]) -> list[Places]:
    """Those in the functions (names in the module, some together) and in all they call."""
    with Module(libllvm, path) as module:
        inspector = Inspector(module)
        steps = cache(lambda function: list(_steps(inspector, function)))
        return [_places(steps, module.named(names)) for names in primals]


_Step = tuple[str | None, str | None, str | None, Value]
"""The place of an instruction as it is told, and as it is printed; that in the user's own crate; what is called, or 0."""


def _steps(inspector: Inspector, function: Value) -> Iterator[_Step]:
    """Those of each instruction of a function; of what is called only what is looked into."""
    module = inspector.module
    for instruction in module.instructions(function):
        callee = module.callee(instruction) if module.is_call(instruction) else 0
        is_seen = bool(callee) and module.is_defined(callee) and not inspector.is_inactive(callee)
        places = module.place(instruction), module.printed_place(instruction), module.own_place(instruction)
        yield *places, callee if is_seen else 0


def _places(steps: Callable[[Value], list[_Step]], roots: Iterable[Value]) -> Places:
    found = Places()
    waiting: list[tuple[Value, str | None]] = [(function, None) for function in roots]
    known = {function for function, _ in waiting}
    while waiting:
        function, caller = waiting.pop(0)
        for place, printed, itself, callee in steps(function):
            own = itself or caller
            if place and printed and own:
                found.setdefault(place, InUserCode(own, place))
                found.setdefault(printed, InUserCode(own, place))
            if callee and callee not in known:
                known.add(callee)
                waiting.append((callee, own))
    return found


def call_tree(inspector: Inspector, roots: Iterable[Value]) -> CallTree:
    """The functions with a body that the roots reach by direct calls, the roots among them: who calls whom.

    Cut at what never returns, and behind what is inactive: neither has a derivative.
    """
    waiting = tuple(roots)
    return dict(inspector.module.once(("call tree", waiting), lambda: _call_tree(inspector, waiting)))


def _call_tree(inspector: Inspector, roots: Iterable[Value]) -> CallTree:
    waiting = list(roots)
    tree: CallTree = {root: {} for root in waiting}
    while waiting:
        caller = waiting.pop()
        for callee in dict.fromkeys(callee for _, callee in _calling(inspector, caller)):
            if not inspector.module.is_defined(callee) or inspector.is_inactive(callee) or _ends(inspector, callee):
                continue
            if callee not in tree:
                waiting.append(callee)
                tree[callee] = {}
            tree[caller][callee] = None
    return tree


def recursive(tree: CallTree) -> set[Value]:
    """The functions that call themselves, be it through others."""
    return in_cycles(tree)


def calls(inspector: Inspector, function: Value) -> list[Value]:
    """The calls in a function that may return, as instructions."""
    return [call for call, callee in _calling(inspector, function) if not _ends(inspector, callee)]


def _calling(inspector: Inspector, function: Value) -> list[tuple[Value, Value]]:
    """The calls in a function, each with what it calls, but for those that say themselves that they do not return."""
    return inspector.module.once_in(function, "calling", lambda: _found(inspector, function))


def _found(inspector: Inspector, function: Value) -> list[tuple[Value, Value]]:
    module = inspector.module
    found = filter(module.is_call, module.returning_instructions(function))
    return [(call, module.callee(call)) for call in found if not inspector.call_has_attribute(call, "noreturn")]


def _ends(inspector: Inspector, callee: Value) -> bool:
    """Whether what is called is a function that never returns."""
    known = inspector.module.once("ends", dict[Value, bool])
    if callee not in known:
        known[callee] = inspector.module.is_function(callee) and inspector.has_attribute(callee, "noreturn")
    return known[callee]


def indirect_calls(inspector: Inspector, function: Value) -> list[Value]:
    """Those of a pointer: it is not known what they call."""
    module = inspector.module
    callees = ((call, module.callee(call)) for call in calls(inspector, function))
    return [call for call, callee in callees if not module.is_function(callee) and not module.is_inline_assembly(callee)]


def candidates(inspector: Inspector, kind: Kind) -> list[Value]:
    """The functions that such a call can call: a method, what stands at its place in a vtable; else, whose address is taken.

    Of those without a body Enzyme knows some, and refuses the others.
    """
    module, (ty, slot) = inspector.module, kind
    if slot is not None:
        members = [inspector.member_at(constant, slot) for constant in module.constants()]
        return list(dict.fromkeys(m for m in members if m and module.is_function(m) and inspector.function_type(m) == ty))
    functions = [function for function in module.functions() if inspector.function_type(function) == ty]
    return [f for f in functions if any(not module.is_call(user) or module.callee(user) != f for user in module.users(f))]


def _assembly_calls(module: Module, function: Value) -> Iterator[Value]:
    instructions = (instruction for instruction in module.instructions(function) if module.is_call(instruction))
    return (call for call in instructions if module.is_inline_assembly(module.callee(call)))
