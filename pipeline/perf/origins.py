"""What a user calls a value or the memory behind a pointer, and where in the source a value and a loop are."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.analyses.control_flow import ControlFlow, Loop
from pipeline.analyses.variables import FILE, NAME, described, first_byte, records
from pipeline.llvm import Value
from pipeline.llvm_inspect import Inspector

_FOLDER = 1  # of the operands of DIFile
_USERS_FOLDER = "."
_OF_FOR = "iter"
"""What rustc calls the iterator of a `for`."""


class Origins:
    """A function's values as its user knows them."""

    def __init__(self, inspector: Inspector, function: Value) -> None:
        self.inspector = inspector
        self.module = inspector.module
        self.flow = ControlFlow(self.module, function)
        self._loops = self.flow.loops()
        self._records: dict[Value, list[tuple[Value, list[Value]]]] = {}
        for instruction in self.module.instructions(function):
            for record in records(self.module, instruction):
                value, variable = described(self.module, record)
                self._records.setdefault(value, []).append((record, variable))

    def loops(self, instruction: Value) -> list[Loop]:
        """The loops that an instruction is in, the outermost first."""
        block = int(self.module.api.GetInstructionParent(instruction))
        return [loop for loop in reversed(self._loops) if block in loop.blocks]

    def is_carried(self, phi: Value) -> bool:
        """True for what a run of a loop hands to the next."""
        return any(loop.header == self.module.api.GetInstructionParent(phi) for loop in self.loops(phi))

    def variable(self, value: Value) -> str:
        """The user's variable that a value is or, of an address, that has it; of a choice, that of what is chosen."""
        is_address = self.inspector.api.TypeOf(value) == self.inspector.pointer_type()
        sources = self.inspector.sources(value) if self.inspector.is_choice(value) else []
        for record, variable in (found for one in (value, *sources) for found in self._records.get(one, ())):
            begin = first_byte(self.module, record)
            if self._is_users(variable) and begin is not None and (is_address or begin == 0):
                return self.module.metadata_string(variable[NAME])
        return ""

    def memory(self, pointer: Value) -> str:
        """The user's variable by which the memory is known that a pointer leads into, be it through others."""
        waiting, known = [pointer], set[Value]()
        while waiting:
            for base in self.inspector.bases(waiting.pop(0)):
                if found := self.variable(base):
                    return found
                if base not in known and self.inspector.is_plain_load(base):
                    waiting.append(self.inspector.operands(base)[0])
                known.add(base)
        return ""

    def place(self, value: Value) -> str | None:
        """Where a value is made: what a loop hands on, where the next is computed."""
        if not self.inspector.api.IsAInstruction(value):
            return None
        if not self.inspector.is_choice(value):
            return self.module.users_place(value)
        made = [one for one in self.inspector.sources(value) if self.inspector.api.IsAInstruction(one)]
        inside = {block for loop in self.loops(value)[-1:] for block in loop.blocks}
        made.sort(key=lambda one: self.module.api.GetInstructionParent(one) not in inside)
        return self._first([*made, value]) or self.module.place(value)

    def place_of_loop(self, loop: Loop) -> str | None:
        """Where a loop is, by the first of its instructions that is known to be in the user's own source."""
        blocks = [loop.header, *(block for block in self.flow.ends if block in loop.blocks and block != loop.header)]
        return self._first(instruction for block in blocks for instruction in self.module.instructions_of(block))

    def _first(self, instructions: Iterable[Value]) -> str | None:
        """The first place in the user's own source; what the compiler has added has line 0."""
        places = map(self.module.own_place, instructions)
        return next((place for place in places if place and not place.endswith(":0:0")), None)

    def _is_users(self, variable: list[Value]) -> bool:
        file = self.module.metadata_operands(variable[FILE]) if variable[FILE] else []
        name = self.module.metadata_string(variable[NAME])
        return bool(file) and self.module.metadata_string(file[_FOLDER]) == _USERS_FOLDER and name != _OF_FOR
