"""The last check: what would come out wrong without a word, on the very module that Enzyme differentiates.

It knows nothing of the repairs.  What they mended is not here any more; what they could not mend, or were not let to, is
refused.  Only what may return is looked at: a panic has no derivative.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pipeline.call_tree import call_tree, calls, indirect_calls, recursive
from pipeline.control_flow import ControlFlow
from pipeline.debug_info import (
    FLOAT_BITS,
    floats_pointed_to,
    floats_reached,
    holds_float,
    is_aggregate,
    signature_types,
    types_around,
    types_in,
)
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector
from pipeline.loop_values import carried
from pipeline.toolchain import Tool

_POINTER = "what is called here through a pointer would count as constant: {} functions of the program have that type"
_PACKED = "a function that has floats in the integers of its header would lose their derivatives: `{}`"
_MIXED = "a function that returns floats beside integers would lose their derivatives: `{}`"
_VARIADIC = "a variadic function cannot be differentiated: `{}`"
_TAKEN = "the bits of an integer are taken for a float here, and a derivative with regard to what they were would be lost"
_LOOKED_AT = "the bits of a float are moved as an integer here, and their derivative would be lost"
_MOVED = "a word that may hold floats is moved as an integer here, and their derivatives would be lost"
_CONSTANT = "a constant that may be a float is stored as an integer here, and forward mode would take it for its own tangent"
_LOOP = "this loop is left for the loop around it, and for all else: how often it runs would be miscounted"
_CARRIED = "a loop carries or replaces this value, and uses it: of its adjoint only the last iteration's would count"
_TWICE = "a float comes here twice from the same place, by several cases of a `match`, and its adjoint would count twice"
_RECURSIVE = "an integer that a recursive function returns by pointer would be stored to a shadow that may not be there"

_WIDTHS = set(FLOAT_BITS.values())
_FORMATS = {"f32": "<f", "f64": "<d"}
"""How `struct` reads them."""
_NEXT_TO_NOTHING = 1e-37
"""What is smaller does no harm as a tangent; small integers are, read as floats."""
_TWO_FLOATS = 64
"""Bits of the smallest word that is taken apart: two `f32`."""
_SHIFTS, _OR = {20, 21}, 24  # LLVMOpcode
_IN_REGISTERS = 128
"""Bits of the largest aggregate that rustc returns as an integer."""


def audit(libllvm: Tool, path: Path, reverse: Iterable[str] = (), forward: Iterable[str] = ()) -> list[Diagnostic]:
    """What would come out wrong in the functions (names in the module) that are differentiated, and in all they call.

    By mode: a function may be differentiated in both.
    """
    with Module(libllvm, path) as module:
        rules, reverse, forward = _Audit(Inspector(module)), list(reverse), list(forward)
        found = [finding for function in rules.tree([*reverse, *forward]) for finding in rules.of(function)]
        found += [*rules.of_adjoints(reverse), *rules.of_loops(reverse), *rules.of_sums(reverse)]
        for shim in forward:
            found += rules.of_tangents(rules.tree([shim]))
    return list(dict.fromkeys(found))


def findings(inspector: Inspector, function: Value) -> Iterator[Diagnostic]:
    """What would come out wrong in one function, whatever the mode."""
    yield from _Audit(inspector).of(function)


class _Audit:
    """The rules, each of which gives what it finds in a function."""

    def __init__(self, inspector: Inspector) -> None:
        self.inspector = inspector
        self.module = inspector.module
        self.api = inspector.api

    def tree(self, shims: Iterable[str]) -> list[Value]:
        """The functions that are looked at: those of these names, and all they call."""
        return [f for f in call_tree(self.inspector, self.module.named(shims)) if not self.inspector.is_inactive(f)]

    def of(self, function: Value) -> Iterator[Diagnostic]:
        """What all rules find."""
        for call in indirect_calls(self.inspector, function):
            yield self._at(call, _POINTER.format(self._count(self.inspector.called_type(call)) or "no"))
        for call in calls(self.inspector, function):
            yield from self._called(call)
        for instruction in self.module.returning_instructions(function):
            if self.inspector.is_plain_load(instruction) and self._moves_floats(instruction):
                yield self._at(instruction, _MOVED)
            elif self.api.IsABitCastInst(instruction):
                yield from self._cast(instruction)

    def of_loops(self, shims: Sequence[str]) -> Iterator[Diagnostic]:
        """Loops that are the only way out of a loop around them: reverse mode keeps how often they ran at some exits only."""
        for function in self.tree(shims):
            flow = ControlFlow(self.module, function)
            for loop in flow.loops():
                if flow.exits_that_come_back(loop):
                    yield self._at(flow.ends[loop.header], _LOOP)

    def of_sums(self, shims: Sequence[str]) -> Iterator[Diagnostic]:
        """Values whose adjoint reverse mode does not add up as it should: carried through loops, or come here by a switch."""
        for function in self.tree(shims):
            yield from (self._at(instruction, _CARRIED) for instruction in carried(self.inspector, function))
            yield from (self._at(phi, _TWICE) for phi in self.inspector.phis_of_one_block_twice(function))

    def of_adjoints(self, shims: Sequence[str]) -> Iterator[Diagnostic]:
        """What is no float and a recursive function stores to its result's place: reverse mode stores it to a shadow, too.

        Where only floats are wanted of the recursive call, it has none.
        """
        repeated = recursive(call_tree(self.inspector, self.module.named(shims)))
        for function in (f for f in self.tree(shims) if f in repeated and self._returns_numbers_by_pointer(f)):
            place = self.inspector.parameters(function)[0]
            for instruction in filter(self.inspector.is_plain_store, self.module.returning_instructions(function)):
                ty = self.inspector.accessed_type(instruction)
                is_pointer = ty == self.inspector.pointer_type()
                is_constant = is_pointer and self.inspector.is_constant(self.inspector.operands(instruction)[0])
                if (self.inspector.integer_bits(ty) or is_constant) and self.inspector.slot(instruction)[0] == place:
                    yield self._at(instruction, _RECURSIVE)

    def _returns_numbers_by_pointer(self, function: Value) -> bool:
        """Whether the first parameter is the place of a result with no pointer to floats, or may be: without debug info."""
        ty = self.inspector.function_type(function)
        if self.inspector.return_type(ty) != self.inspector.void_type() or not self.inspector.parameter_types(ty):
            return False
        signature = signature_types(self.module, function)
        return not signature or (bool(signature[0]) and not floats_pointed_to(self.module, signature[0]))

    def of_tangents(self, tree: Sequence[Value]) -> Iterator[Diagnostic]:
        """Constants that may be floats and are stored as integers: forward mode may store them to the shadow, too."""
        types = {ty for function in tree for ty in types_in(self.module, function)}
        floats = {name for ty in types for name in floats_reached(self.module, ty)}
        for instruction in (i for function in tree for i in self.module.returning_instructions(function)):
            if self.inspector.is_plain_store(instruction):
                sources = self.inspector.sources(self.inspector.operands(instruction)[0])
                if any(self._may_hold(source, name) for source in sources for name in floats):
                    yield self._at(instruction, _CONSTANT)

    def _may_hold(self, value: Value, name: str) -> bool:
        """Whether a value is an integer constant in which a float of that type lies that is more than next to nothing."""
        bits = self.inspector.integer_bits(self.api.TypeOf(value))
        if name not in _FORMATS or bits not in {32, 64} or not self.api.IsAConstantInt(value):
            return False
        stored = int(self.api.ConstIntGetZExtValue(value)).to_bytes(bits // 8, "little")
        size = FLOAT_BITS[name] // 8
        found = (stored[begin : begin + size] for begin in range(0, len(stored) - size + 1, size))
        return any(abs(struct.unpack(_FORMATS[name], one)[0]) >= _NEXT_TO_NOTHING for one in found)

    def _count(self, ty: Value) -> int:
        return sum(self.inspector.function_type(function) == ty for function in self.module.functions())

    def _called(self, call: Value) -> Iterator[Diagnostic]:
        callee = self.module.callee(call)
        if self.module.is_function(callee) and self._is_foreign_variadic(callee):
            yield self._at(call, _VARIADIC.format(self.module.name(callee)))
        if not self.module.is_defined(callee) or self.inspector.is_inactive(callee):
            return
        returned = self.inspector.members(self.inspector.return_type(self.inspector.function_type(callee)))
        if any(map(self.inspector.float_name, returned)) and any(map(self.inspector.integer_bits, returned)):
            yield self._at(call, _MIXED.format(self.module.name(callee)))
        elif self._has_packed_result(callee) or self._has_packed_parameter(callee):
            yield self._at(call, _PACKED.format(self.module.name(callee)))

    def _is_foreign_variadic(self, function: Value) -> bool:
        is_variadic = bool(self.api.IsFunctionVarArg(self.inspector.function_type(function)))
        return is_variadic and not self.module.is_defined(function) and not self.inspector.is_enzymes(function)

    def _has_packed_result(self, function: Value) -> bool:
        """Whether debug info speaks of a float that is returned, and LLVM of integers alone."""
        result = (signature_types(self.module, function) or [0])[0]
        returned = self.inspector.members(self.inspector.return_type(self.inspector.function_type(function)))
        is_integer = all(self.inspector.integer_bits(member) for member in returned)
        return bool(result) and is_integer and self._is_small(result, _IN_REGISTERS)

    def _has_packed_parameter(self, function: Value) -> bool:
        """Whether there is an integer of the very size of an aggregate with a float in it."""
        types = [ty for ty in signature_types(self.module, function)[1:] if ty]
        sizes = {self.module.type_bits(ty) for ty in types if self._is_small(ty, _IN_REGISTERS // 2)}
        parameters = self.inspector.parameter_types(self.inspector.function_type(function))
        return any(self.inspector.integer_bits(ty) in sizes for ty in parameters)

    def _is_small(self, ty: Value, bits: int) -> bool:
        return is_aggregate(self.module, ty) and self.module.type_bits(ty) <= bits and holds_float(self.module, ty)

    def _cast(self, cast: Value) -> Iterator[Diagnostic]:
        given = self.api.TypeOf(self.api.GetOperand(cast, 0))
        if self.inspector.integer_bits(given) and self.inspector.float_name(self.api.TypeOf(cast)):
            yield self._at(cast, _TAKEN)
        is_float_of_bits = self.inspector.float_name(given) and self.inspector.integer_bits(self.api.TypeOf(cast))
        if is_float_of_bits and not all(map(self.inspector.counts_only, self.module.users(cast))):
            yield self._at(cast, _LOOKED_AT)

    def _moves_floats(self, load: Value) -> bool:
        """Whether an integer is loaded to be chosen from and stored, and may be, or be made of, floats."""
        bits = self.inspector.integer_bits(self.api.TypeOf(load))
        if bits not in _WIDTHS or not self._is_stored_only(load):
            return False
        widths = [FLOAT_BITS[name] for name in self._floats_around(load)]
        return any(width <= bits for width in widths)

    def _is_stored_only(self, load: Value) -> bool:
        """Whether what is loaded is stored, whole or in pieces, and nothing else but that a piece may be a tag."""
        known: set[Value] = set()
        waiting, is_stored = [load], False
        while waiting:
            value = waiting.pop()
            if value in known:
                continue
            known.add(value)
            for user in self.module.users(value):
                if self._stores(user, value):
                    is_stored = True
                elif self.inspector.is_choice(user) or self._rearranges(user):
                    waiting.append(user)
                elif not self.api.IsATruncInst(value):
                    return False
        return is_stored

    def _rearranges(self, user: Value) -> bool:
        """Whether an instruction takes a word of 64 bits or more apart, or puts its halves together."""
        if self.api.IsAZExtInst(user):
            return all(map(self._rearranges, self.module.users(user)))
        if self.api.IsATruncInst(user):
            return self._bits(self.api.GetOperand(user, 0)) >= _TWO_FLOATS
        joined = self.inspector.operands(user) if self._opcode(user) == _OR else [user]
        return any(map(self._is_moved_by_half, joined))

    def _is_moved_by_half(self, value: Value) -> bool:
        by = self.api.GetOperand(value, 1) if self._opcode(value) in _SHIFTS else 0
        is_known = bool(by) and self.api.IsAConstantInt(by) and self._bits(value) >= _TWO_FLOATS
        return bool(is_known) and 2 * int(self.api.ConstIntGetZExtValue(by)) >= self._bits(value)

    def _opcode(self, value: Value) -> int:
        return int(self.api.GetInstructionOpcode(value)) if self.api.IsABinaryOperator(value) else 0

    def _bits(self, value: Value) -> int:
        return self.inspector.integer_bits(self.api.TypeOf(value))

    def _stores(self, user: Value, value: Value) -> bool:
        return self.inspector.is_plain_store(user) and bool(self.api.GetOperand(user, 0) == value)

    def _floats_around(self, instruction: Value) -> frozenset[str]:
        """The float types that the function is about in which the instruction was written; all, where that is not known."""
        for types in types_around(self.module, instruction):
            if types:
                return frozenset().union(*(floats_reached(self.module, ty) for ty in types))
        return frozenset(FLOAT_BITS)

    def _at(self, instruction: Value, message: str) -> Diagnostic:
        return Diagnostic(message, self.module.users_place(instruction))
