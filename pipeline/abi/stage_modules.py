"""The modules that a stage left, and what the shims reach in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from pipeline.abi.headers import Reader
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Module, Value
from pipeline.places import Places
from pipeline.toolchain import Tool

_OF_TOOLS = ("llvm.", "__enzyme_", "__crategrad_")
"""Names of functions that are none: LLVM's intrinsics, and what abi_fixup and Enzyme replace."""


class StageModules:
    """The modules after a stage, each read when it is needed."""

    def __init__(self, libllvm: Tool, name: str, paths: Sequence[Path], places: Places, opened: ExitStack) -> None:
        self.name = name
        self._libllvm = libllvm
        self._paths = list(paths)
        self._places = places
        self._opened = opened
        self._readers: list[Reader] = []
        self.reached: dict[str, frozenset[str]] = {}
        """What each shim reaches, by name."""
        self.natives: dict[str, frozenset[str]] = {}
        """What that calls and has no body here, intrinsics aside."""

    def __bool__(self) -> bool:
        return bool(self._paths)

    def readers(self) -> Iterator[Reader]:
        """Those of all modules, in order."""
        for number, path in enumerate(self._paths):
            if number == len(self._readers):
                self._readers.append(Reader(self._opened.enter_context(Module(self._libllvm, path, self._places.told))))
            yield self._readers[number]

    def find(self, symbol: str) -> tuple[Reader, Value] | None:
        """The function of that name, where it has a body."""
        if not symbol:
            return None
        found = ((reader, reader.functions.get(symbol)) for reader in self.readers())
        return next(((reader, function) for reader, function in found if function), None)

    def follow(self, shims: Iterable[str]) -> None:
        """Find out what the shims reach."""
        for reader in self.readers():
            for shim in shims:
                tree = call_tree(reader.inspector, reader.module.named([shim]))
                self.reached[shim] = frozenset(reader.module.name(function) for function in tree)
                self.natives[shim] = frozenset(name for function in tree for name in _natives(reader, function))

    def declaration(self, symbol: str) -> tuple[Reader, Value] | None:
        """The function of that name, where it has no body."""
        found = ((reader, reader.declarations.get(symbol)) for reader in self.readers())
        return next(((reader, function) for reader, function in found if function), None)

    @cached_property
    def everything_reached(self) -> frozenset[str]:
        """What any shim reaches."""
        return frozenset().union(*self.reached.values())

    @cached_property
    def inlined(self) -> set[str]:
        """What was inlined into that."""
        reached = [found for symbol in self.everything_reached if (found := self.find(symbol))]
        return {name for reader, function in reached for name in reader.inlined([function])}


def _natives(reader: Reader, function: Value) -> Iterator[str]:
    callees = (reader.module.callee(call) for call in calls(reader.inspector, function))
    names = (reader.module.name(callee) for callee in callees if reader.module.is_function(callee))
    return (name for name in names if name in reader.declarations and not name.startswith(_OF_TOOLS))
