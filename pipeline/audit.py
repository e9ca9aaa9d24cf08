"""The last check: what would come out wrong without a word, on the very module that Enzyme differentiates.

It knows nothing of the repairs.  What they mended is not here any more; what they could not mend, or were not let to, is
refused.  Only what may return is looked at: a panic has no derivative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pipeline.call_tree import call_tree, calls, indirect_calls
from pipeline.debug_info import (
    floats_reached,
    holds_float,
    is_aggregate,
    shared_words,
    signature_types,
    types_around,
    types_in,
)
from pipeline.enzyme_driver import Diagnostic
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.toolchain import Tool

_POINTER = "what is called here through a pointer would count as constant: {} functions of the program have that type"
_PACKED = "a function that has floats in the integers of its header would lose their derivatives: `{}`"
_MIXED = "a function that returns floats beside integers would lose their derivatives: `{}`"
_VARIADIC = "a variadic function cannot be differentiated: `{}`"
_TAKEN = "the bits of an integer are taken for a float here, and a derivative with regard to what they were would be lost"
_LOOKED_AT = "the bits of a float are moved as an integer here, and their derivative would be lost"
_MOVED = "a word that may hold floats is moved as an integer here, and their derivatives would be lost"
_CONSTANT = "a constant that may be a float is stored as an integer here, and forward mode would take it for its own tangent"

_WIDTHS = {16, 32, 64, 128}
_FLOATS = {"f16": 16, "f32": 32, "f64": 64, "f128": 128}
_EXPONENTS = {16: 5, 32: 8, 64: 11}
"""How many bits of a float of each width are its exponent."""
_IN_REGISTERS = 128
"""Bits of the largest aggregate that rustc returns as an integer."""


def audit(libllvm: Tool, path: Path, shims: Iterable[str], forward: Iterable[str] = ()) -> list[Diagnostic]:
    """What would come out wrong in the functions (names in the module) that are differentiated, and in all they call.

    `forward` are those of them that are differentiated in forward mode.
    """
    with Module(libllvm, path) as module:
        rules = _Audit(Editor(module))
        found = [finding for function in rules.tree(shims) for finding in rules.of(function)]
        for shim in forward:
            found += rules.of_tangents(rules.tree([shim]))
    return list(dict.fromkeys(found))


def findings(editor: Editor, function: Value) -> Iterator[Diagnostic]:
    """What would come out wrong in one function, whatever the mode."""
    yield from _Audit(editor).of(function)


class _Audit:
    """The rules, each of which gives what it finds in a function."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.module = editor.module
        self.api = editor.api

    def tree(self, shims: Iterable[str]) -> list[Value]:
        """The functions that are looked at: those of these names, and all they call."""
        return [f for f in call_tree(self.editor, self.module.named(shims)) if not _is_inactive(self.editor, f)]

    def of(self, function: Value) -> Iterator[Diagnostic]:
        """What all rules find."""
        for call in indirect_calls(self.editor, function):
            yield self._at(call, _POINTER.format(self._count(self.editor.called_type(call)) or "no"))
        for call in calls(self.editor, function):
            yield from self._called(call)
        for instruction in self.module.returning_instructions(function):
            if self.editor.is_plain_load(instruction) and self._moves_floats(instruction):
                yield self._at(instruction, _MOVED)
            elif self.api.IsABitCastInst(instruction):
                yield from self._cast(instruction)

    def of_tangents(self, tree: Sequence[Value]) -> Iterator[Diagnostic]:
        """Constants that may be floats and are stored as integers: forward mode stores them to the shadow, too."""
        stores = [i for f in tree for i in self.module.returning_instructions(f) if self.editor.is_plain_store(i)]
        stores = [store for store in stores if any(map(self._is_normal_float, self._sources(self.editor.operands(store)[0])))]
        types = {ty for function in tree for ty in types_in(self.module, function)} if stores else set()
        shared = frozenset().union(*(shared_words(self.module, ty) for ty in types))
        for store in stores:
            if self.editor.integer_bits(self.editor.accessed_type(store)) in shared:
                yield self._at(store, _CONSTANT)

    def _sources(self, value: Value) -> set[Value]:
        """What a value is chosen from; the value itself where it is not chosen."""
        known: set[Value] = set()
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value not in known:
                known.add(value)
                waiting += self.editor.chosen(value) if self.editor.is_choice(value) else []
        return {value for value in known if not self.editor.is_choice(value)}

    def _is_normal_float(self, value: Value) -> bool:
        """Whether the bits of a constant are those of a float that is neither next to nothing nor beyond all numbers."""
        bits = self.editor.integer_bits(self.api.TypeOf(value))
        if bits not in _EXPONENTS or not self.api.IsAConstantInt(value):
            return False
        largest = (1 << _EXPONENTS[bits]) - 1
        return 0 < int(self.api.ConstIntGetZExtValue(value)) >> (bits - 1 - _EXPONENTS[bits]) & largest < largest

    def _count(self, ty: Value) -> int:
        return sum(self.editor.function_type(function) == ty for function in self.module.functions())

    def _called(self, call: Value) -> Iterator[Diagnostic]:
        callee = self.module.callee(call)
        if self.module.is_function(callee) and self._is_foreign_variadic(callee):
            yield self._at(call, _VARIADIC.format(self.module.name(callee)))
        if not self.module.is_defined(callee) or _is_inactive(self.editor, callee):
            return
        returned = self.editor.members(self.editor.return_type(self.editor.function_type(callee)))
        if any(map(self.editor.float_name, returned)) and any(map(self.editor.integer_bits, returned)):
            yield self._at(call, _MIXED.format(self.module.name(callee)))
        elif self._has_packed_result(callee) or self._has_packed_parameter(callee):
            yield self._at(call, _PACKED.format(self.module.name(callee)))

    def _is_foreign_variadic(self, function: Value) -> bool:
        is_variadic = bool(self.api.IsFunctionVarArg(self.editor.function_type(function)))
        return is_variadic and not self.module.is_defined(function) and not self.editor.is_enzymes(function)

    def _has_packed_result(self, function: Value) -> bool:
        """Whether debug info speaks of a float that is returned, and LLVM of integers alone."""
        result = (signature_types(self.module, function) or [0])[0]
        returned = self.editor.members(self.editor.return_type(self.editor.function_type(function)))
        is_integer = all(self.editor.integer_bits(member) for member in returned)
        return bool(result) and is_integer and self._is_small(result, _IN_REGISTERS)

    def _has_packed_parameter(self, function: Value) -> bool:
        """Whether there is an integer of the very size of an aggregate with a float in it."""
        types = [ty for ty in signature_types(self.module, function)[1:] if ty]
        sizes = {self.module.type_bits(ty) for ty in types if self._is_small(ty, _IN_REGISTERS // 2)}
        parameters = self.editor.parameter_types(self.editor.function_type(function))
        return any(self.editor.integer_bits(ty) in sizes for ty in parameters)

    def _is_small(self, ty: Value, bits: int) -> bool:
        return is_aggregate(self.module, ty) and self.module.type_bits(ty) <= bits and holds_float(self.module, ty)

    def _cast(self, cast: Value) -> Iterator[Diagnostic]:
        given = self.api.TypeOf(self.api.GetOperand(cast, 0))
        if self.editor.integer_bits(given) and self.editor.float_name(self.api.TypeOf(cast)):
            yield self._at(cast, _TAKEN)
        is_float_of_bits = self.editor.float_name(given) and self.editor.integer_bits(self.api.TypeOf(cast))
        if is_float_of_bits and not all(map(self.editor.counts_only, self.module.users(cast))):
            yield self._at(cast, _LOOKED_AT)

    def _moves_floats(self, load: Value) -> bool:
        """Whether an integer is loaded to be chosen from and stored, and may be, or be made of, floats."""
        bits = self.editor.integer_bits(self.api.TypeOf(load))
        if bits not in _WIDTHS or not self._is_stored_only(load):
            return False
        widths = [_FLOATS[name] for name in self._floats_around(load)]
        return any(width <= bits for width in widths)

    def _is_stored_only(self, load: Value) -> bool:
        known: set[Value] = set()
        waiting = [load]
        while waiting:
            value = waiting.pop()
            if value in known:
                continue
            known.add(value)
            users = self.module.users(value)
            if not all(self.editor.is_choice(user) or self._stores(user, value) for user in users):
                return False
            waiting += filter(self.editor.is_choice, users)
        return True

    def _stores(self, user: Value, value: Value) -> bool:
        return self.editor.is_plain_store(user) and bool(self.api.GetOperand(user, 0) == value)

    def _floats_around(self, instruction: Value) -> frozenset[str]:
        """The float types that the function is about in which the instruction was written; all, where that is not known."""
        for types in types_around(self.module, instruction):
            if types:
                return frozenset().union(*(floats_reached(self.module, ty) for ty in types))
        return frozenset(_FLOATS)

    def _at(self, instruction: Value, message: str) -> Diagnostic:
        return Diagnostic(message, self.module.users_place(instruction))


def _is_inactive(editor: Editor, function: Value) -> bool:
    return editor.has_text_attribute(function, "enzyme_inactive")
