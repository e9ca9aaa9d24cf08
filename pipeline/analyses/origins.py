"""Where a pointer that is called comes from, as far as it can be followed: choices, parameters, and what lies on the stack."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_void_p
from dataclasses import dataclass, field
from itertools import pairwise

from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_SIGNATURES = {"IsAGlobalValue": (c_void_p, [c_void_p])}
CONST = "enzyme_const"
PRIMALS = {CONST, "enzyme_dup", "enzyme_dupnoneed"}
"""After each of these, in a call of Enzyme's, stands what the primal is given."""


def from_outside(inspector: Inspector, pointer: Value) -> list[str]:
    """The names of functions and variables outside of the program that may give the pointer; none where none is found.

    By `dlsym`, or a C library's function or variable.  A function of another library that is named here is no stranger:
    Enzyme knows it or refuses it.
    """
    inspector.api.load(_SIGNATURES)
    trail = _Trail(inspector)
    trail.follow(pointer)
    return list(trail.strangers)


@dataclass
class _Trail:
    """What was followed, and what was found."""

    inspector: Inspector
    known: set[Value] = field(default_factory=set)
    strangers: dict[str, None] = field(default_factory=dict)

    def follow(self, value: Value) -> None:
        """Follow a value to all that it may be."""
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value not in self.known:
                self.known.add(value)
                waiting += self._before(value)

    def _before(self, value: Value) -> list[Value]:
        """What a value was a step earlier; what comes from outside is noted."""
        inspector, module = self.inspector, self.inspector.module
        if inspector.is_choice(value):
            return inspector.chosen(value)
        if inspector.api.IsAArgument(value):
            return list(_given(inspector, value))
        if inspector.is_plain_load(value):
            return self._stored(value)
        if module.is_call(value) and not inspector.is_fresh_memory(value):  # which is an enum's other arm: never called
            self._note(module.callee(value))
        return []

    def _note(self, value: Value) -> None:
        """Note a function or a variable that is defined elsewhere."""
        name = self.inspector.module.name(value)
        if (
            self.inspector.api.IsAGlobalValue(value)
            and self.inspector.api.IsDeclaration(value)
            and not name.startswith("llvm.")
        ):
            self.strangers[name] = None

    def _stored(self, load: Value) -> list[Value]:
        """What is stored where a pointer is read, if that is on the stack, be it a caller's."""
        inspector = self.inspector
        base, offset, bits = inspector.slot(load)
        self._note(base)
        stores = [
            (place, store)
            for place in _places(inspector, base)
            for store in filter(inspector.is_plain_store, inspector.module.instructions(inspector.module.parent(place)))
        ]
        return [inspector.operands(store)[0] for place, store in stores if inspector.slot(store) == (place, offset, bits)]


def _places(inspector: Inspector, base: Value) -> Iterator[Value]:
    """The stack slots that a pointer may be the address of."""
    known: set[Value] = set()
    waiting = [base]
    while waiting:
        value = waiting.pop()
        if value not in known:
            known.add(value)
            if inspector.api.IsAAllocaInst(value):
                yield value
            elif inspector.api.IsAArgument(value):
                waiting += _given(inspector, value)


def _given(inspector: Inspector, parameter: Value) -> Iterator[Value]:
    """What callers, and who asks for a derivative, give for a parameter."""
    module = inspector.module
    function = inspector.function_of(parameter)
    position = inspector.parameters(function).index(parameter)
    for call in filter(module.is_call, module.users(function)):
        given = module.arguments(call)
        if module.callee(call) != function:
            given = [after for mark, after in pairwise(given) if module.name(mark) in PRIMALS]
        yield from given[position : position + 1]
