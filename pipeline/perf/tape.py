"""What a derivative keeps between its two sweeps: how much of it, how often, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from pipeline.abi.headers import Reader
from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.call_tree import call_tree, recursive
from pipeline.analyses.control_flow import Loop
from pipeline.analyses.hidden import APART, POSITIVE, is_of
from pipeline.llvm import Module, Value
from pipeline.perf.numbering import Numbered
from pipeline.perf.origins import Origins
from pipeline.perf.reasons import Reason, Reasons, of_address, of_call, of_end, of_loop, of_memory, of_work
from pipeline.perf.trial import Trial
from pipeline.places import NO_NUMBERS, Places
from pipeline.toolchain import Tool

_CACHE = re.compile(r"(.+?)_(?:malloc|realloc)?cache")
_PLAIN = re.compile(r"(v\d+\.)[i\d.]*")
"""The name of a value, be it inlined or copied, and not of what Enzyme has made of it."""
_HALF = "augmented_"
"""How the name begins of the half of a function that goes forwards."""
_RECORD = "tapemem"
"""What Enzyme calls the memory that such a half leaves for the other."""
_LIMIT, _SHADOW = "loopLimit", "'"
"""How the name begins of how often a loop ran; and what is in that of a shadow."""
_OF_CALLS = "_augmented", "subcache", "tapeld"
"""What is in the names of what a forward half has returned."""
_COMPUTED, _LEFT = "what is computed here", "what a call leaves for its reverse half"


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


def read_tape(libllvm: Tool, trial: Trial, shim: str, places: Places = NO_NUMBERS) -> list[Kept]:
    """What the derivative of a shim keeps, in the order of the source."""
    with Module(libllvm, trial.given, places.told) as given, Module(libllvm, trial.made, places.told) as made:
        return sorted(_Tape(given, made, trial, shim).kept(), key=lambda one: in_source_order(one.place))


class _Tape:
    def __init__(self, given: Module, made: Module, trial: Trial, shim: str) -> None:
        self.given, self.made, self.shim = Reader(given), Reader(made), shim
        self.numbered = Numbered(self.given.inspector)
        self.reasons = Reasons(self.given.inspector, self.numbered, trial.remarks)
        self.uncounted = set(map(self.numbered.block, trial.remarks.uncounted))
        self.uncounted_yet = set(map(self.numbered.block, trial.remarks.uncounted_yet))
        tree = call_tree(self.given.inspector, given.named([shim]))
        self.recursive = {given.name(function) for function in recursive(tree)}
        self.origins = cache(lambda reader, function: Origins(reader.inspector, function))

    def kept(self) -> Iterator[Kept]:
        """What has memory of its own, for each iteration of a loop, and what calls leave for their reverse half."""
        known: set[Value] = set()
        for function in self.made.functions.values():
            named = {self.made.module.name(one): one for one in self.made.module.instructions(function)}
            caches = dict.fromkeys(match[1] for match in map(_CACHE.match, named) if match)
            plain = (match[1] for match in map(_PLAIN.fullmatch, caches) if match)
            for value in map(self.numbered.value, plain):
                if value not in known and self._loops(value):
                    known.add(value)
                    yield self._value(value)
            others = (name for name in caches if not _PLAIN.fullmatch(name))
            for name in others:
                if found := self._of_name(function, named, name):
                    yield self._other(function, name, *found)
            yield from (self._record(function, one) for name, one in named.items() if name.startswith(_RECORD))

    def _of_name(self, function: Value, named: Mapping[str, Value], name: str) -> tuple[Value, int] | None:
        """The instruction in a loop of that name or, where it is gone, its address in the cache; and the value's bytes."""
        in_loop = self.origins(self.made, function).loops
        for its, one in named.items():
            if re.fullmatch(rf"{re.escape(name)}(\.i)*", its) and in_loop(one):
                return one, self._size(self.made, one)
        caches = (one for its, one in named.items() if (match := _CACHE.match(its)) and match[1] == name)
        for place in (user for one in caches for user in self.made.module.users(one)):
            if self.made.api.IsAGetElementPtrInst(place) and in_loop(place):
                return place, self.made.inspector.size_of(int(self.made.api.GetGEPSourceElementType(place)))
        return None

    def _loops(self, value: Value) -> list[Loop]:
        """The loops of a value; outside of them it stays in a register."""
        if not value or not self.given.api.IsAInstruction(value):
            return []
        return self.origins(self.given, self.given.module.parent(value)).loops(value)

    def _value(self, value: Value) -> Kept:
        origins, function = self._origins_of(value), self.given.module.parent(value)
        what, reason = self._what(value)
        loops = tuple(Iterations(origins.place_of_loop(loop), self._counted(loop)) for loop in self._loops(value))
        named = self._name(self.given.module.name(function))
        return Kept(what, self._size(self.given, value), origins.place(value), loops, named, reason)

    def _origins_of(self, value: Value) -> Origins:
        return self.origins(self.given, self.given.module.parent(value))

    def _what(self, value: Value) -> tuple[str, Reason]:
        """What a value is, and why it is kept."""
        inspector, origins = self.given.inspector, self._origins_of(value)
        if is_allocation(inspector, value):
            return "the address of memory that is allocated here", of_memory()
        if is_of(inspector, (POSITIVE, APART), value):
            return "what a loop ends on", of_end()
        reason = self.reasons.reason(origins, value)
        if inspector.is_plain_load(value):
            memory = origins.memory(inspector.operands(value)[0])
            return f"what is read of `{memory}`" if memory else "what is read here", reason
        variable = origins.variable(value)
        if self.given.api.TypeOf(value) == inspector.pointer_type():
            return f"the address of `{variable}`" if variable else "an address", reason
        if variable:
            return f"`{variable}`", reason
        return "the result of a call" if self.given.module.is_call(value) else _COMPUTED, reason

    def _other(self, function: Value, name: str, instruction: Value, size: int) -> Kept:
        """What Enzyme made of a value, or has of a call, and keeps."""
        value = self.numbered.value(name)
        if value and _SHADOW in name:
            is_allocated = is_allocation(self.given.inspector, value)
            reason = of_memory() if is_allocated else of_address()
            return replace(self._value(value), what="the address of a shadow", bytes=size, reason=reason)
        origins = self.origins(self.made, function)
        if any(word in name for word in _OF_CALLS):
            what, reason = _LEFT, self._of_call(self._called(instruction))
        elif value:
            what, reason = self._what(value)
        else:
            what, reason = ("how often a loop in it ran", of_loop()) if name.startswith(_LIMIT) else (_COMPUTED, of_work())
        loops = tuple(Iterations(origins.place_of_loop(loop), "before") for loop in origins.loops(instruction))
        named = self._name(self.made.module.name(function).removeprefix(_HALF))
        place = self._origins_of(value).place(value) if value else origins.place(instruction)
        return Kept(what, size, place, loops, named, reason)

    def _record(self, function: Value, allocation: Value) -> Kept:
        """The memory that the forward half of a function that calls itself leaves."""
        origins, symbol = self.origins(self.made, function), self.made.module.name(function).removeprefix(_HALF)
        size = self.made.inspector.number(self.made.module.arguments(allocation)[0]) or 0
        loops = tuple(Iterations(origins.place_of_loop(loop), "before") for loop in origins.loops(allocation))
        place = self._place(symbol) or origins.place(allocation)
        return Kept(_LEFT, size, place, loops, self._name(symbol), self._of_call(symbol))

    def _called(self, value: Value) -> str:
        """The function whose forward half has returned a value, or what that is a part of."""
        while value and not self.made.module.is_call(value):
            operands = self.made.inspector.operands(value) if self.made.api.IsAInstruction(value) else []
            value = operands[0] if operands and not self.made.inspector.is_choice(value) else 0
        return self.made.module.name(self.made.module.callee(value)).removeprefix(_HALF) if value else ""

    def _of_call(self, symbol: str) -> Reason:
        return of_call(self._name(symbol), is_recursive=symbol in self.recursive)

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
