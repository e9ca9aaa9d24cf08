"""Values and blocks named by numbers, by which they are known again in what Enzyme says of them and in what it makes of them.

Enzyme names what it makes after what it is made of: `%v7._malloccache` is the memory in which `%v7.` is kept.  A value that was
inlined or copied has a suffix, `%v7.i`, `%v7.3`, for which the point makes room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ctypes import c_void_p
from typing import Any

from pipeline.llvm import Module, Value, text
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "BasicBlockAsValue": (c_void_p, [c_void_p]),
    "PrintValueToString": (c_void_p, [c_void_p]),
}
_RESULT = re.compile(r"\s*%\"?v(\d+)\.[^ ]* = ")
_NAME = re.compile(r'%"?(v\d+\.)[^\s,)\]]*')
_BEHIND = re.compile(r"( #\d+)?(, (align|!).*|$)", re.DOTALL)


def number(module: Module) -> None:
    """Name all values and blocks of a module by numbers."""
    editor = Editor(module)
    editor.api.load(_SIGNATURES)
    blocks = [block for function in _bodies(module) for block in module.blocks(function)]
    for index, block in enumerate(blocks):
        editor.rename(int(editor.api.BasicBlockAsValue(block)), f"b{index}.")
    void = editor.void_type()
    values = [i for function in _bodies(module) for i in module.instructions(function) if editor.api.TypeOf(i) != void]
    parameters = [parameter for function in _bodies(module) for parameter in editor.parameters(function)]
    for index, value in enumerate([*values, *parameters]):
        editor.rename(value, f"v{index}.")


def _bodies(module: Module) -> Iterable[Value]:
    return filter(module.is_defined, module.functions())


class Numbered:
    """A module whose values have numbers: what a line of Enzyme's, or a name, says which of them it is of."""

    def __init__(self, inspector: Inspector) -> None:
        module = self.module = inspector.module
        module.api.load(_SIGNATURES)
        self._instructions: dict[str, Value] = {}
        self._headers: dict[str, Value] = {}
        for function in _bodies(module):
            for block in module.blocks(function):
                self._headers[module.name(int(module.api.BasicBlockAsValue(block)))] = block
                for instruction in module.instructions_of(block):
                    self._instructions[module.name(instruction) or _key(self._printed(instruction))] = instruction
            self._instructions |= {module.name(parameter): parameter for parameter in inspector.parameters(function)}

    def value(self, name: str) -> Value:
        """The value of a name that begins with its number; 0 for any other."""
        found = re.match(r"v\d+\.", name)
        return self._instructions.get(found[0], 0) if found else 0

    def instruction(self, line: str) -> Value:
        """The instruction that is printed on a line, as Enzyme has it by then; 0 where it is none of these."""
        if result := _RESULT.match(line):
            return self._instructions.get(f"v{result[1]}.", 0)
        key = _key(line)
        return self._instructions.get(key, 0) or self._nearest(key)

    def _nearest(self, key: str) -> Value:
        """The instruction that does the same to most of the same values: Enzyme counts addresses in its own way."""
        values = set(_NAME.findall(key))
        same = (other for other in self._instructions if other.partition("%")[0] == key.partition("%")[0])
        nearest = max(same, key=lambda other: len(values & set(_NAME.findall(other))), default="")
        return self._instructions[nearest] if values & set(_NAME.findall(nearest)) else 0

    def block(self, name: str) -> Value:
        """The block of a name that begins with its number; 0 for any other."""
        found = re.match(r"b\d+\.", name)
        return self._headers.get(found[0], 0) if found else 0

    def _printed(self, instruction: Value) -> str:
        message = self.module.api.PrintValueToString(instruction)
        try:
            return text(message)
        finally:
            self.module.api.DisposeMessage(message)


def _key(printed: str) -> str:
    """An instruction without a result, by what it does to which values."""
    return _NAME.sub(r"%\1", _BEHIND.sub("", printed, count=1)).strip()
