"""What a differentiated function calls, however indirectly, and what in there no Enzyme can differentiate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.llvm import Module, Value
from pipeline.toolchain import Tool

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class InlineAssembly:
    """A piece of inline assembly in the call tree: its Rust place, where debug info has one."""

    place: str | None


def inline_assembly(libllvm: Tool, path: Path, primals: Iterable[str]) -> list[InlineAssembly]:
    """The inline assembly in the functions (names in the module) and in all they call."""
    import networkx as nx

    with Module(libllvm, path) as module:
        calls = call_graph(module)
        roots = [function for function in module.functions() if module.name(function) in set(primals)]
        reached = {function for root in roots for function in (root, *nx.descendants(calls, root))}
        places = {module.place(call) for function in reached for call in _assembly_calls(module, function)}
    return [InlineAssembly(place) for place in sorted(places, key=str)]


def call_graph(module: Module) -> nx.DiGraph[Value]:
    """Who calls whom directly, by handles of the module."""
    import networkx as nx

    graph: nx.DiGraph[Value] = nx.DiGraph()
    for function in module.functions():
        graph.add_node(function)
        for call in _calls(module, function):
            if module.is_function(module.callee(call)):
                graph.add_edge(function, module.callee(call))
    return graph


def _assembly_calls(module: Module, function: Value) -> Iterator[Value]:
    return (call for call in _calls(module, function) if module.is_inline_assembly(module.callee(call)))


def _calls(module: Module, function: Value) -> Iterator[Value]:
    return (instruction for instruction in module.instructions(function) if module.is_call(instruction))
