"""Functions that take by pointer what they took by value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor

ENDING = ".by_pointer"
"""What is added to the name of such a function."""


class ByPointer:
    """A function, and the one that takes its place: some parameters, or the result, are pointers to what they were."""

    def __init__(self, editor: Editor, function: Value, parameters: Sequence[bool], *, result: bool) -> None:
        self.editor = editor
        self.function = function
        self.ty = editor.function_type(function)
        self.is_pointer = parameters
        self.result = editor.return_type(self.ty) if result else 0
        self.by_pointer = self._declare()

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
        """Give the new function the body of the old one, which the next run of `always-inline` inlines."""
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


def give(editor: Editor, headers: Sequence[ByPointer], calls: Iterable[tuple[Value, Value]]) -> None:
    """Have the new functions called in the place of the old ones, by these calls, each with who calls, and take over."""
    by_function = {header.function: header for header in headers}
    for call, caller in list(calls):
        if header := by_function.get(editor.module.callee(call)):
            header.replace(call, caller)
    for header in headers:
        header.take_over()
    editor.run_passes("always-inline")
