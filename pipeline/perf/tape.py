"""What a derivative keeps between its two sweeps: how much of it, how often, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pipeline.abi.headers import Reader
from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.call_tree import call_tree, recursive
from pipeline.analyses.control_flow import Loop
from pipeline.llvm import Module, Value
from pipeline.perf.numbering import Numbered
from pipeline.perf.origins import Origins
from pipeline.perf.reasons import Reason, Reasons, of_call, of_memory
from pipeline.perf.trial import Trial
from pipeline.toolchain import Tool

_CACHE = re.compile(r'%"?([^\s"%,]+?)_(?:malloc|realloc)?cache')
_VALUE = re.compile(r"(v\d+\.)[i\d.]*")
_SHADOW = re.compile(r"(v\d+\.)[i\d.]*'mi\S*")
_HALF = "augmented_"
"""How the name begins of the half of a function that goes forwards."""
_RECORD = "tapemem"
"""What Enzyme calls the memory that such a half leaves for the other."""


@dataclass(frozen=True)
class Iterations:
    """A loop in whose every iteration something is kept."""

    place: str | None
    counted: str
    """When it is known how often it runs: `before` the outermost loop, on `entry`, or only `after`."""


@dataclass(frozen=True)
class Kept:
    """Something that is kept: its bytes each time, and how often it is."""

    what: str
    bytes: int
    """Of a pointer its own, not of what it points to."""
    place: str | None
    loops: tuple[Iterations, ...]
    """The outermost first; where there are none, it is kept once in each call."""
    function: str
    """Whose loops, or calls, these are, if not the differentiated function's."""
    reason: Reason


def read_tape(libllvm: Tool, trial: Trial, shim: str) -> list[Kept]:
    """What the derivative of a shim keeps, in the order of the source."""
    with Module(libllvm, trial.given) as given, Module(libllvm, trial.made) as made:
        return sorted(_Tape(given, made, trial, shim).kept(), key=lambda one: in_source_order(one.place))


class _Tape:
    def __init__(self, given: Module, made: Module, trial: Trial, shim: str) -> None:
        self.given, self.made, self.shim = Reader(given), Reader(made), shim
        self.numbered = Numbered(self.given.inspector)
        self.reasons = Reasons(self.given.inspector, self.numbered, trial.remarks)
        self.uncounted = set(map(self.numbered.block, trial.remarks.uncounted))
        self.uncounted_yet = set(map(self.numbered.block, trial.remarks.uncounted_yet))
        self.caches = dict.fromkeys(_CACHE.findall(trial.made.read_text()))
        tree = call_tree(self.given.inspector, given.named([shim]))
        self.recursive = {given.name(function) for function in recursive(tree)}
        self.origins = cache(lambda reader, function: Origins(reader.inspector, function))

    def kept(self) -> Iterator[Kept]:
        """Values that have memory of their own, for each iteration of a loop, and what calls leave for their reverse half."""
        for value in self._values(_VALUE):
            yield self._value(value, *self._what(value))
        for value in self._values(_SHADOW):
            yield self._value(value, "the address of the shadow of memory that is allocated here", of_memory())
        others = [name for name in self.caches if not _VALUE.fullmatch(name) and not _SHADOW.fullmatch(name)]
        for function in self.made.functions.values():
            for instruction in self.made.module.instructions(function):
                name = self.made.module.name(instruction)
                if name.startswith(_RECORD) or any(name == other or name.startswith(f"{other}.") for other in others):
                    yield self._of_call(function, instruction)

    def _values(self, named: re.Pattern[str]) -> list[Value]:
        """The values in loops that have caches of such names; outside of loops these are registers."""
        names = dict.fromkeys(match[1] for match in map(named.fullmatch, self.caches) if match)
        values = (self.numbered.value(name) for name in names)
        return [value for value in values if value and self._loops(value)]

    def _loops(self, value: Value) -> list[Loop]:
        if not self.given.api.IsAInstruction(value):
            return []
        return self.origins(self.given, self.given.module.parent(value)).loops(value)

    def _value(self, value: Value, what: str, reason: Reason) -> Kept:
        function = self.given.module.parent(value)
        origins = self.origins(self.given, function)
        return Kept(
            what=what,
            bytes=self._size(self.given, value),
            place=origins.place(value),
            loops=tuple(Iterations(origins.place_of_loop(loop), self._counted(loop)) for loop in self._loops(value)),
            function=self._name(self.given.module.name(function)),
            reason=reason,
        )

    def _what(self, value: Value) -> tuple[str, Reason]:
        """What a value is, and why it is kept."""
        inspector, origins = self.given.inspector, self.origins(self.given, self.given.module.parent(value))
        if is_allocation(inspector, value):
            return "the address of memory that is allocated here", of_memory()
        reason = self.reasons.reason(origins, value)
        if inspector.is_plain_load(value):
            memory = origins.memory(inspector.operands(value)[0])
            return f"what is read of `{memory}`" if memory else "what is read here", reason
        variable = origins.variable(value)
        if self.given.api.TypeOf(value) == inspector.pointer_type():
            return f"the address of `{variable}`" if variable else "an address", reason
        if variable:
            return f"`{variable}`", reason
        return "the result of a call" if self.given.module.is_call(value) else "what is computed here", reason

    def _of_call(self, function: Value, instruction: Value) -> Kept:
        """What the forward half of a call leaves: in memory of its own, or for its caller to keep."""
        origins, module = self.origins(self.made, function), self.made.module
        is_record = module.name(instruction).startswith(_RECORD)
        size = module.arguments(instruction)[0] if is_record else 0
        half = module.name(function if is_record else module.callee(instruction) if module.is_call(instruction) else function)
        called, loops = half.removeprefix(_HALF), origins.loops(instruction)
        return Kept(
            what="what a call leaves for its reverse half",
            bytes=(self.made.inspector.number(size) or 0) if is_record else self._size(self.made, instruction),
            place=self._place(called) if is_record else origins.place(instruction),
            loops=tuple(Iterations(origins.place_of_loop(loop), "before") for loop in loops),
            function=self._name(module.name(function).removeprefix(_HALF)),
            reason=of_call(self._name(called), is_recursive=called in self.recursive),
        )

    def _counted(self, loop: Loop) -> str:
        return "after" if loop.header in self.uncounted else "on entry" if loop.header in self.uncounted_yet else "before"

    def _size(self, reader: Reader, value: Value) -> int:
        return reader.inspector.size_of(int(reader.api.TypeOf(value)))

    def _name(self, symbol: str) -> str:
        """What a function is called in Rust; nothing for the shim, whose body is the user's, and for who asks for it."""
        function = self.given.functions.get(symbol, 0)
        is_users = function and symbol != self.shim and self.given.module.subprogram(function)
        return self.given.path(function) if is_users else ""

    def _place(self, symbol: str) -> str | None:
        function = self.given.functions.get(symbol, 0)
        return self.given.place(function) or None if function else None


def in_source_order(place: str | None) -> tuple[str, list[int]]:
    """What places are sorted by."""
    file, _, position = (place or "").partition(":")
    return file, [int(number) for number in position.split(":") if number]
