"""The blocks of a function, which of them never return, and its loops."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import c_int, c_uint, c_void_p
from dataclasses import dataclass, field
from typing import Any

from pipeline.analyses.graphs import dominators, in_cycles, reachable
from pipeline.llvm import Module, Value

_RETURN = 1  # LLVMOpcode

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "IsConditional": (c_int, [c_void_p]),
    "IsABranchInst": (c_void_p, [c_void_p]),
    "GetCondition": (c_void_p, [c_void_p]),
    "SetCondition": (None, [c_void_p, c_void_p]),
    "GetNumSuccessors": (c_uint, [c_void_p]),
    "GetSuccessor": (c_void_p, [c_void_p, c_uint]),
    "SetSuccessor": (None, [c_void_p, c_uint, c_void_p]),
}


Edge = tuple[Value, Value]
"""From one block to another."""


@dataclass
class Loop:
    """A natural loop: all that reaches an edge back to the header without leaving."""

    header: Value
    latches: list[Value] = field(default_factory=list)
    """The blocks that lead back to the header."""
    blocks: set[Value] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The blocks of a function as they were at a time."""

    ends: dict[Value, Value]
    """Each block's last instruction, the entry's first."""
    predecessors: dict[Value, list[Value]]
    """The blocks that lead to each, as often as they do."""


class ControlFlow:
    """The blocks of a function.  Handles are those of the module."""

    def __init__(self, module: Module, function: Value) -> None:
        self.api = module.api
        self.api.load(_SIGNATURES)
        self._module, self._function = module, function
        self._blocks = module.once_in(function, "blocks", lambda: self._found(function))
        self.ends = self._blocks.ends
        self.predecessors = self._blocks.predecessors

    def _found(self, function: Value) -> _Blocks:
        ends = {block: int(self.api.GetBasicBlockTerminator(block)) for block in self._module.blocks(function)}
        predecessors: dict[Value, list[Value]] = {}
        for block, end in ends.items():
            for successor in self.successors(end):
                predecessors.setdefault(successor, []).append(block)
        return _Blocks(ends, predecessors)

    def successors(self, end: Value) -> list[Value]:
        """The blocks to which a block's last instruction leads."""
        return [int(self.api.GetSuccessor(end, index)) for index in range(self.api.GetNumSuccessors(end))]

    def never_returning(self) -> set[Value]:
        """The blocks from which no path leads to a return."""
        return set(
            self._module.once_in(
                self._function, ("never", self._blocks), lambda: set(self.ends) - self.leading_to(self.returns())
            )
        )

    def returns(self) -> list[Value]:
        """The blocks that return."""
        return [block for block, end in self.ends.items() if self.api.GetInstructionOpcode(end) == _RETURN]

    def leading_to(self, blocks: Iterable[Value], but: Iterable[Value] = ()) -> set[Value]:
        """These blocks and all from which a path leads to one of them, on which none of `but` is."""
        return reachable(self.predecessors, blocks, but)

    def is_passed_by(self, block: Value, on_the_way_to: Iterable[Value]) -> bool:
        """Whether a path from the entry leads to one of the other blocks and not through this one."""
        return next(iter(self.ends)) in self.leading_to(on_the_way_to, but=[block])

    def loops(self) -> list[Loop]:
        """The natural loops, the inner ones before those that they are in."""
        return list(self._module.once_in(self._function, ("loops", self._blocks), self._loops))

    def _loops(self) -> list[Loop]:
        graph = {block: dict.fromkeys(self.successors(end)) for block, end in self.ends.items()}
        nearest = dominators(graph, next(iter(self.ends)))
        found: dict[Value, Loop] = {}
        for block in nearest:
            for header in graph[block]:
                if _dominates(nearest, header, block):
                    found.setdefault(header, Loop(header)).latches.append(block)
        for loop in found.values():
            loop.blocks = {loop.header} | (self.leading_to(loop.latches, but=[loop.header]) & nearest.keys())
        return sorted(found.values(), key=lambda loop: len(loop.blocks))

    def entered_amid(self) -> set[Value]:
        """The blocks of cycles that are no loops, as nothing is on every way into them."""
        back = edges_back(self.loops())
        ways = {block: [to for to in self.successors(end) if (block, to) not in back] for block, end in self.ends.items()}
        return in_cycles(ways) & reachable(ways, [next(iter(self.ends))])

    def exiting(self, loop: Loop) -> list[Value]:
        """The blocks of a loop from which it may be left, and not by a panic."""
        outside = set(self.ends) - loop.blocks - self.never_returning()
        return [block for block in self.ends if block in loop.blocks and outside & set(self.successors(self.ends[block]))]

    def choices(self) -> list[Value]:
        """The branches on a condition."""
        return [end for end in self.ends.values() if self.api.IsABranchInst(end) and self.api.IsConditional(end)]

    def condition(self, branch: Value) -> Value:
        """What a branch goes by."""
        return int(self.api.GetCondition(branch))

    def decide(self, branch: Value, by: Value) -> None:
        """Let a branch go by another condition."""
        self.api.SetCondition(branch, by)

    def lead(self, end: Value, away_from: Value, to: Value) -> None:
        """Let a block's last instruction lead to another block instead of one that it leads to."""
        for index, successor in enumerate(self.successors(end)):
            if successor == away_from:
                self.api.SetSuccessor(end, index, to)


def edges_back(loops: Iterable[Loop]) -> dict[Edge, Loop]:
    """By which edges each loop runs once more."""
    return {(latch, loop.header): loop for loop in loops for latch in loop.latches}


def _dominates(nearest: dict[Value, Value], one: Value, other: Value) -> bool:
    while other != one and nearest.get(other, other) != other:
        other = nearest[other]
    return other == one
