"""Functions that cannot be inlined away and pack floats into integers get a header that goes by pointer.

They call themselves, or are what a dispatcher calls.  What was an integer is written to memory by who has it and read by who
wants it; the other repairs make floats of these words, as of any others.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs.inline import CLEAN, lasting, packed_parameter_sizes, returns_packed_floats

ENDING = ".by_pointer"
"""What is added to the name of such a function."""


def recursive_headers(editor: Editor, shims: Sequence[Value]) -> list[str]:
    """Give a new header to each such function that the shims reach; a line for each."""
    tree = call_tree(editor, shims)
    headers = [_Header(editor, function) for function in lasting(editor, tree)]
    headers = [header for header in headers if header.changes]
    if not headers:
        return []
    by_function = {header.function: header for header in headers}
    for caller in tree:
        for call in calls(editor, caller):
            if header := by_function.get(editor.module.callee(call)):
                header.replace(call, caller)
    for header in headers:
        header.take_over()
    editor.run_passes("always-inline")
    for function in call_tree(editor, shims):
        editor.run_passes(CLEAN, function)
    return [f"by_pointer: {editor.module.name(header.function)}" for header in headers]


def say_what_is_read(editor: Editor, shims: Sequence[Value]) -> None:
    """Tell Enzyme of the floats in the memory that such headers go through: of a recursive call it does not find out."""
    for function in call_tree(editor, shims):
        places = set(editor.parameters(function)) if _is_by_pointer(editor, function) else set()
        for call in calls(editor, function):
            if _is_by_pointer(editor, editor.module.callee(call)):
                places |= set(editor.module.arguments(call))
        for load in editor.module.instructions(function) if places else ():
            if editor.is_plain_load(load) and editor.is_float(load) and editor.slot(load)[0] in places:
                editor.say_number(load)


def _is_by_pointer(editor: Editor, function: Value) -> bool:
    return editor.module.name(function).endswith(ENDING)


class _Header:
    """A function, and the one that takes its place: some parameters and the result are pointers to what they were."""

    def __init__(self, editor: Editor, function: Value) -> None:
        self.editor = editor
        self.function = function
        self.ty = editor.function_type(function)
        sizes = packed_parameter_sizes(editor, function)
        self.is_pointer = [editor.integer_bits(ty) in sizes for ty in editor.parameter_types(self.ty)]
        self.result = editor.return_type(self.ty) if returns_packed_floats(editor, function) else 0
        self.changes = any(self.is_pointer) or bool(self.result)
        self.by_pointer = self._declare() if self.changes else 0

    def _declare(self) -> Value:
        pointer = self.editor.pointer_type()
        parameters = [pointer] if self.result else []
        for ty, is_pointer in zip(self.editor.parameter_types(self.ty), self.is_pointer, strict=True):
            parameters.append(pointer if is_pointer else ty)
        result = self.editor.void_type() if self.result else self.editor.return_type(self.ty)
        name = f"{self.editor.module.name(self.function)}{ENDING}"
        made = self.editor.internal_function(name, result, parameters)
        self.editor.copy_attributes(self.function, made, but=("memory", "noinline"))
        return made

    def replace(self, call: Value, caller: Value) -> None:
        """Call the new function in the place of `call`, through memory of the caller's own."""
        editor, arguments = self.editor, []
        slot = editor.stack_slot(caller, self.result) if self.result else 0
        slots = [editor.stack_slot(caller, ty) if p else 0 for p, ty in self._parameters()]
        with editor.module.before(call) as builder:
            for argument, place in zip(editor.module.arguments(call), slots, strict=True):
                if place:
                    editor.api.BuildStore(builder, argument, place)
                arguments.append(place or argument)
            arguments = [slot, *arguments] if slot else arguments
            value = editor.call(builder, editor.function_type(self.by_pointer), self.by_pointer, arguments)
            if slot:
                value = editor.load_members(builder, self.result, slot)
        editor.replace(call, value)

    def take_over(self) -> None:
        """Give the new function the body of the old one, inlined."""
        editor = self.editor
        parameters = editor.parameters(self.by_pointer)
        out = parameters.pop(0) if self.result else 0
        with editor.block(self.by_pointer) as builder:
            arguments = [
                editor.api.BuildLoad2(builder, ty, parameter, b"") if is_pointer else parameter
                for parameter, (is_pointer, ty) in zip(parameters, self._parameters(), strict=True)
            ]
            value = editor.call(builder, self.ty, self.function, arguments)
            editor.inline_call(value)
            if out:
                editor.store_members(builder, value, self.result, out)
            is_void = out or editor.return_type(self.ty) == editor.void_type()
            editor.api.BuildRetVoid(builder) if is_void else editor.api.BuildRet(builder, value)

    def _parameters(self) -> list[tuple[bool, Value]]:
        return list(zip(self.is_pointer, self.editor.parameter_types(self.ty), strict=True))
