"""The modules that a stage left, and what the shims reach in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from pipeline.abi.headers import Reader
from pipeline.call_tree import call_tree
from pipeline.llvm import Module, Value
from pipeline.toolchain import Tool


class StageModules:
    """The modules after a stage, each read when it is needed."""

    def __init__(self, libllvm: Tool, name: str, paths: Sequence[Path], opened: ExitStack) -> None:
        self.name = name
        self._libllvm = libllvm
        self._paths = list(paths)
        self._opened = opened
        self._readers: list[Reader] = []
        self.reached: dict[str, frozenset[str]] = {}
        """What each shim reaches, by name."""

    def __bool__(self) -> bool:
        return bool(self._paths)

    def readers(self) -> Iterator[Reader]:
        """Those of all modules, in order."""
        for number, path in enumerate(self._paths):
            if number == len(self._readers):
                self._readers.append(Reader(self._opened.enter_context(Module(self._libllvm, path))))
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
                tree = call_tree(reader.editor, reader.module.named([shim]))
                self.reached[shim] = frozenset(reader.module.name(function) for function in tree)

    @cached_property
    def everything_reached(self) -> frozenset[str]:
        """What any shim reaches."""
        return frozenset().union(*self.reached.values())

    @cached_property
    def inlined(self) -> set[str]:
        """What was inlined into that."""
        reached = [found for symbol in self.everything_reached if (found := self.find(symbol))]
        return {name for reader, function in reached for name in reader.inlined([function])}
