"""The blocks of a function, and which of them never return."""

from __future__ import annotations

from ctypes import c_int, c_uint, c_void_p
from typing import Any

from pipeline.llvm import Module, Value

_RETURN = 1  # LLVMOpcode

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "IsConditional": (c_int, [c_void_p]),
    "IsABranchInst": (c_void_p, [c_void_p]),
    "GetCondition": (c_void_p, [c_void_p]),
    "SetCondition": (None, [c_void_p, c_void_p]),
    "GetNumSuccessors": (c_uint, [c_void_p]),
    "GetSuccessor": (c_void_p, [c_void_p, c_uint]),
}


class ControlFlow:
    """The blocks of a function.  Handles are those of the module."""

    def __init__(self, module: Module, function: Value) -> None:
        self.api = module.api
        self.api.load(_SIGNATURES)
        self.ends = {block: int(self.api.GetBasicBlockTerminator(block)) for block in module.blocks(function)}
        """Each block's last instruction."""

    def successors(self, end: Value) -> list[Value]:
        """The blocks to which a block's last instruction leads."""
        return [int(self.api.GetSuccessor(end, index)) for index in range(self.api.GetNumSuccessors(end))]

    def never_returning(self) -> set[Value]:
        """The blocks from which no path leads to a return."""
        predecessors: dict[Value, list[Value]] = {}
        for block, end in self.ends.items():
            for successor in self.successors(end):
                predecessors.setdefault(successor, []).append(block)
        returning: set[Value] = set()
        waiting = [block for block, end in self.ends.items() if self.api.GetInstructionOpcode(end) == _RETURN]
        while waiting:
            block = waiting.pop()
            if block not in returning:
                returning.add(block)
                waiting += predecessors.get(block, [])
        return set(self.ends) - returning

    def choices(self) -> list[Value]:
        """The branches on a condition."""
        return [end for end in self.ends.values() if self.api.IsABranchInst(end) and self.api.IsConditional(end)]

    def condition(self, branch: Value) -> Value:
        """What a branch goes by."""
        return int(self.api.GetCondition(branch))

    def decide(self, branch: Value, by: Value) -> None:
        """Let a branch go by another condition."""
        self.api.SetCondition(branch, by)
