"""What a differentiated function calls, however indirectly, and what in there no Enzyme can differentiate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import Tool

if TYPE_CHECKING:
    import networkx as nx


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


def call_tree(inspector: Inspector, roots: Iterable[Value]) -> nx.DiGraph[Value]:
    """The functions with a body that the roots reach by direct calls, the roots among them: who calls whom.

    Cut at what never returns, and behind what is inactive: neither has a derivative.
    """
    import networkx as nx

    tree: nx.DiGraph[Value] = nx.DiGraph()
    waiting = list(roots)
    tree.add_nodes_from(waiting)
    while waiting:
        caller = waiting.pop()
        for call in calls(inspector, caller):
            callee = inspector.module.callee(call)
            if not inspector.module.is_defined(callee) or inspector.is_inactive(callee):
                continue
            if callee not in tree:
                waiting.append(callee)
            tree.add_edge(caller, callee)
    return tree


def recursive(tree: nx.DiGraph[Value]) -> set[Value]:
    """The functions that call themselves, be it through others."""
    import networkx as nx

    cycles = (cycle for cycle in nx.strongly_connected_components(tree) if len(cycle) > 1)
    return {function for cycle in cycles for function in cycle} | set(nx.nodes_with_selfloops(tree))


def calls(inspector: Inspector, function: Value) -> list[Value]:
    """The calls in a function that may return, as instructions."""
    module = inspector.module
    found = (instruction for instruction in module.returning_instructions(function) if module.is_call(instruction))
    return [call for call in found if not _never_returns(inspector, call)]


def indirect_calls(inspector: Inspector, function: Value) -> list[Value]:
    """Those of a pointer: it is not known what they call."""
    module = inspector.module
    callees = ((call, module.callee(call)) for call in calls(inspector, function))
    return [call for call, callee in callees if not module.is_function(callee) and not module.is_inline_assembly(callee)]


def _never_returns(inspector: Inspector, call: Value) -> bool:
    callee = inspector.module.callee(call)
    is_function = inspector.module.is_function(callee)
    return inspector.call_has_attribute(call, "noreturn") or (is_function and inspector.has_attribute(callee, "noreturn"))


def _assembly_calls(module: Module, function: Value) -> Iterator[Value]:
    instructions = (instruction for instruction in module.instructions(function) if module.is_call(instruction))
    return (call for call in instructions if module.is_inline_assembly(module.callee(call)))
