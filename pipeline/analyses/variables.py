"""What lies at an address, by debug info: a variable on the stack, what a reference leads to, what a `Box` was made for.

And the function's result, in the place that its caller has for it, and what is handed on in such places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ctypes import c_int, c_uint, c_void_p
from dataclasses import replace
from typing import Any

from pipeline.analyses.allocations import is_allocation
from pipeline.analyses.debug_info import (
    base_type,
    boxed,
    elements_at,
    is_aggregate,
    is_pointer,
    kept_at,
    parameter_types,
    signature_types,
    type_name,
)
from pipeline.analyses.layout import INTEGER, POINTER_BITS, Layout, Word, kinds_at, words, words_of_zeros
from pipeline.headers import ENDING
from pipeline.llvm import Module, Value, text
from pipeline.llvm_inspect import Inspector

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "GetFirstDbgRecord": (c_void_p, [c_void_p]),
    "GetNextDbgRecord": (c_void_p, [c_void_p]),
    "DbgRecordGetKind": (c_int, [c_void_p]),
    "DbgVariableRecordGetValue": (c_void_p, [c_void_p, c_uint]),
    "DbgVariableRecordGetVariable": (c_void_p, [c_void_p]),
    "DbgVariableRecordGetExpression": (c_void_p, [c_void_p]),
    "PrintValueToString": (c_void_p, [c_void_p]),
}
_LABEL, _DECLARE, _VALUE = 0, 1, 2  # LLVMDbgRecordKind
_REFERENCE = "&"  # how the type of a pointer is called of which Rust says what lies there
_DEAD = "dead_on_return"
_PLAIN: Layout = words
NAME, FILE, TYPE = 1, 2, 3  # of the operands of DILocalVariable
_WHOLE_OR_PART = re.compile(r"!DIExpression\((?:DW_OP_LLVM_fragment, (\d+), \d+)?\)")


def records(module: Module, instruction: Value) -> Iterator[Value]:
    """What debug info says of variables before an instruction."""
    module.api.load(_SIGNATURES)
    record = module.api.GetFirstDbgRecord(instruction)
    while record:
        if module.api.DbgRecordGetKind(record) != _LABEL:
            yield int(record)
        record = module.api.GetNextDbgRecord(record)


def described(module: Module, record: Value) -> tuple[Value, list[Value]]:
    """The value of which a record says which variable it is, or of which it is the address; and the variable's operands."""
    variable = module.api.MetadataAsValue(module.context, module.api.DbgVariableRecordGetVariable(record))
    return int(module.api.DbgVariableRecordGetValue(record, 0) or 0), module.metadata_operands(variable)


def types_of_variables(module: Module, function: Value) -> set[Value]:
    """The types of a function's variables, and those of what was inlined into it, as far as values or places are known."""
    found = (record for instruction in module.instructions(function) for record in records(module, instruction))
    variables = {int(module.api.DbgVariableRecordGetVariable(record)) for record in found}
    return {ty for variable in variables if (ty := module.said(_type, variable))}


def first_byte(module: Module, record: Value) -> int | None:
    """From which byte on a record's value, or what it is the address of, is of the variable; None where it is computed with."""
    expression = module.api.DbgVariableRecordGetExpression(record)
    return module.said(_first_byte, expression)


def _first_byte(module: Module, expression: Value) -> int | None:
    written = module.api.PrintValueToString(module.api.MetadataAsValue(module.context, expression))
    match = _WHOLE_OR_PART.search(text(written))
    module.api.DisposeMessage(written)
    return int(match[1] or 0) // 8 if match else None


def result_in_memory(inspector: Inspector, function: Value) -> Value:
    """The type of what a function returns in the place that its first parameter leads to; 0 where it does not, or nobody knows.

    Functions with another header (`headers`) have no debug info of their own: those in whose place they are have.
    """
    module, name = inspector.module, inspector.module.name(function)
    if name.endswith(ENDING):
        is_void = inspector.return_type(inspector.function_type(function)) == inspector.void_type()
        written = module.named([name.removesuffix(ENDING)]) if is_void else []
    else:
        written = [function] if inspector.returns_by_pointer(function) else []
    return next((types[0] for types in (signature_types(module, one) for one in written) if types), 0)


class Variables:
    """What is known of a function's memory, and of what was inlined: variables that stay in one place, references, boxes."""

    def __init__(self, inspector: Inspector, function: Value) -> None:
        self.inspector = inspector
        self._types = inspector.module.once_in(function, "variables", lambda: self._found(function))
        """What is at an address: the type, and from which byte of it on."""

    def _found(self, function: Value) -> dict[Value, set[tuple[Value, int]]]:
        inspector, module = self.inspector, self.inspector.module
        types: dict[Value, set[tuple[Value, int]]] = {}
        if result := result_in_memory(inspector, function):
            types[inspector.parameters(function)[0]] = {(result, 0)}
        for instruction in module.instructions(function):
            if box := self._boxed(instruction):
                types[instruction] = {(box, 0)}
            for address, ty in self._handed_on(instruction):
                types.setdefault(address, set()).add((ty, 0))
            for record in records(module, instruction):
                for address, known in self._described(record):
                    types.setdefault(address, set()).add(known)
        return types

    def _described(self, record: Value) -> Iterator[tuple[Value, tuple[Value, int]]]:
        """An address, and what lies there."""
        module = self.inspector.module
        kind, variable = module.api.DbgRecordGetKind(record), module.api.DbgVariableRecordGetVariable(record)
        # Of most values Rust says nothing of what lies there: these are not looked at any further.
        find = _TYPE_THERE.get(kind)
        ty = module.said(find, variable) if find else 0
        begin = first_byte(module, record) if ty else None
        if begin is not None:
            address = int(module.api.DbgVariableRecordGetValue(record, 0) or 0)
            if kind == _DECLARE or (begin == 0 and self.inspector.is_local(address)):
                yield address, (ty, begin)

    def _handed_on(self, call: Value) -> Iterator[tuple[Value, Value]]:
        """What is on the stack alone for a call: what is given by value, or returned, but by an address; and its type.

        Of what is given rustc says that it is dead then (`dead_on_return`).
        """
        inspector, module = self.inspector, self.inspector.module
        callee = module.callee(call) if module.is_call(call) else 0
        if not callee or not module.is_function(callee):
            return
        result, parameters = result_in_memory(inspector, callee), set(parameter_types(module, callee)) - {0}
        for position, address in enumerate(module.arguments(call)):
            if result and position == 0:
                yield from self._on_the_stack(address, {result})
            elif parameters and inspector.parameter_has_attribute(callee, position, _DEAD):
                yield from self._on_the_stack(address, parameters)

    def _on_the_stack(self, address: Value, types: set[Value]) -> Iterator[tuple[Value, Value]]:
        """A place on the stack with the one of some types that has as many bytes: a parameter may be two of LLVM's, or none."""
        if self.inspector.api.IsAAllocaInst(address):
            module, bits = self.inspector.module, 8 * self.inspector.size_of(self.inspector.allocated_type(address))
            fitting = [ty for ty in types if is_aggregate(module, ty) and module.type_bits(ty) == bits]
            yield from ((address, ty) for ty in fitting if len(fitting) == 1)

    def word(self, access: Value) -> str:
        """What the word is (`Word.kind`) that is loaded or stored; nothing, where debug info does not say it."""
        base, begin, bits = self.inspector.slot(access)
        size = (bits or POINTER_BITS) // 8
        found = self.words(base, begin, begin + size)
        return found[0].kind if [(word.begin, word.size) for word in found] == [(0, size)] else ""

    def kinds(self, access: Value) -> set[str]:
        """What the word may be (`Word.kind`) that is loaded or stored, in whatever variant; empty where it is not known."""
        base, begin, bits = self.inspector.slot(access)
        end = begin + (bits or POINTER_BITS) // 8
        found = [kinds_at(self.inspector.module, ty, begin + at, end + at) for ty, at in self._types.get(base, ())]
        return set[str]().union(*found) if all(found) else set()

    def words(self, base: Value, begin: int, end: int, layout: Layout = _PLAIN) -> list[Word]:
        """The words from one byte to another of what is at an address; none, where they are not known or not whole.

        What ends before, as the first member of a struct, says nothing of them.
        """
        types = ((ty, at) for ty, at in self._types.get(base, ()) if 8 * (begin + at) < self.inspector.module.type_bits(ty))
        layouts = {tuple(self._between(ty, begin + at, end + at, layout)) for ty, at in types}
        found = list(layouts.pop()) if len(layouts) == 1 else []
        is_whole = all(word.begin >= 0 and word.begin + word.size <= end - begin for word in found)
        return found if is_whole else []

    def all_words(self, base: Value, begin: int, end: int) -> list[Word]:
        """As `words`; none where what is known ends before: of the elements of a `Vec` the first may be known alone."""
        bits = self.inspector.module.type_bits
        ends = (bits(ty) - 8 * at for ty, at in self._types.get(base, ()))
        is_short = any(8 * begin < known < 8 * end for known in ends)
        return [] if is_short else self.words(base, begin, end)

    def part(self, base: Value, begin: int, end: int, layout: Layout = _PLAIN) -> list[Word] | None:
        """As `words`, of bytes that are all within what is at an address: none where that is padding, None: it is not known."""
        module, types = self.inspector.module, self._types.get(base, ())
        is_within = all(8 * (end + at) <= module.type_bits(ty) and layout(module, ty) for ty, at in types)
        if not types or not is_within:
            return None
        is_padding = not any(any(self._between(ty, begin + at, end + at, layout)) for ty, at in types)
        return self.words(base, begin, end, layout) or ([] if is_padding else None)

    def whole(self, base: Value, begin: int) -> Value:
        """The type of all that lies there, if just one is known, and that begins there; else 0."""
        types = self._types.get(base, set())
        return next((ty for ty, at in types if at + begin == 0), 0) if len(types) == 1 else 0

    def words_of_zeros(self, base: Value, begin: int, size: int) -> list[Word]:
        """The words in so many zeros at an address at which a value begins; none, where they are not known."""
        module, ty = self.inspector.module, self.whole(base, begin)
        return words_of_zeros(module, ty, size) if ty and 8 * size <= module.type_bits(ty) else []

    def kept(self, base: Value, begin: int) -> list[Value]:
        """The types that what lies there was made for: what a pointer there leads to, as that of a `Vec`."""
        return [one for ty, at in self._types.get(base, ()) for one in kept_at(self.inspector.module, ty, begin + at)]

    def elements(self, base: Value, begin: int) -> list[Value]:
        """The types of the elements, side by side, to which what lies there leads, by each variable there that says so."""
        found = (elements_at(self.inspector.module, ty, begin + at) for ty, at in self._types.get(base, ()))
        return list(filter(None, found))

    def is_integer(self, base: Value, begin: int, end: int) -> bool:
        """Whether whatever is known to be at an address has integers alone from one byte to another, in all variants."""
        module, types = self.inspector.module, self._types.get(base, ())
        return bool(types) and all(kinds_at(module, ty, begin + at, end + at) == {INTEGER} for ty, at in types)

    def _between(self, ty: Value, begin: int, end: int, layout: Layout) -> Iterator[Word]:
        for word in layout(self.inspector.module, ty):
            if word.begin < end and begin < word.begin + word.size:
                yield replace(word, begin=word.begin - begin)

    def _boxed(self, instruction: Value) -> Value:
        """The type that memory is allocated for by `Box::new`; 0 for anything else."""
        module = self.inspector.module
        if not is_allocation(self.inspector, instruction):
            return 0
        size = module.arguments(instruction)[0]
        ty = boxed(module, instruction) if self.inspector.api.IsAConstantInt(size) else 0
        return ty if ty and 8 * self.inspector.api.ConstIntGetZExtValue(size) == module.type_bits(ty) else 0


def _type(module: Module, variable: Value) -> Value:
    return module.metadata_operands(module.api.MetadataAsValue(module.context, variable))[TYPE]


def _referred_to(module: Module, variable: Value) -> Value:
    """The struct that a reference leads to; 0 for anything else: a number's place may be another variant's, of another type."""
    ty = _type(module, variable)
    is_reference = is_pointer(module, ty) and type_name(module, ty).startswith(_REFERENCE)
    found = base_type(module, ty) if is_reference else 0
    return found if found and is_aggregate(module, found) else 0


_TYPE_THERE = {_DECLARE: _type, _VALUE: _referred_to}
"""How the type of what lies at an address is found, by the kind of the record."""
