"""The places that panics tell of (`core::panic::Location`), apart from the module: a line above them leaves it as it is.

rustc has a constant for each, with its line and column.  The module refers to them in a table of another object, which is made
of what they are now; no derivative depends on them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Sequence
from ctypes import POINTER, c_int, c_uint, c_void_p
from typing import Any, NamedTuple

from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.places import number_of
from pipeline.strategies import DERIVATIVE

_LOCATIONS, _LINES = ".locations", ".lines"
"""What the names of the tables end with."""

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "ConstInBoundsGEP2": (c_void_p, [c_void_p, c_void_p, POINTER(c_void_p), c_uint]),
    "SetGlobalConstant": (None, [c_void_p, c_int]),
}
_TARGET = re.compile(r"^target .*", re.MULTILINE)
_SIZE, _ALIGNMENT = 24, 8
_ENTRY = "{ ptr, i64, i32, i32 }"
_NUMBERS = struct.Struct("<QII")


class Location(NamedTuple):
    """What a panic tells: a file, a line and a column."""

    file: bytes
    line: int
    column: int


def called_from_outside(module: Module) -> list[str]:
    """The names of the derivatives that objects outside of the module call."""
    return [name for name in map(module.name, module.functions()) if name.endswith(DERIVATIVE)]


def leave_out(editor: Editor, names: Collection[str]) -> list[Location]:
    """Refer to such constants in the table of who asks for derivatives by these names; what is in it, in order."""
    known = {variable: location for variable in editor.module.variables() if (location := _location(editor, variable))}
    offsets = {location: _SIZE * number for number, location in enumerate(dict.fromkeys(known.values()))}
    if offsets:
        table = declare(editor, min(names) + _LOCATIONS, _SIZE * len(offsets))
        for variable, location in known.items():
            editor.api.ReplaceAllUsesWith(variable, element(editor, table, offsets[location]))
            editor.api.DeleteGlobal(variable)
    return list(offsets)


def tables(text: str, names: Collection[str], locations: Sequence[Location], lines: Sequence[str]) -> str:
    """Another module's text, for the target of this one, with that table, and one of lines as they are told."""
    if not names:
        return ""
    files = {file: f"@{number}" for number, file in enumerate(dict.fromkeys(place.file for place in locations))}
    entries = [f"{_ENTRY} {{ ptr {files[p.file]}, i64 {len(p.file)}, i32 {p.line}, i32 {p.column} }}" for p in locations]
    values = {
        _LOCATIONS: f"[{len(entries)} x {_ENTRY}] [{', '.join(entries)}]",
        _LINES: _text(b"".join(line.encode().ljust(_SIZE, b"\0") for line in lines)),
    }
    parts = _TARGET.findall(text)
    parts += [f"{name} = private unnamed_addr constant {_text(file + bytes(1))}" for file, name in files.items()]
    parts += [f'@"{min(names)}{what}" = hidden constant {value}, align {_ALIGNMENT}' for what, value in values.items()]
    return "".join(f"{part}\n" for part in parts)


def told_when_run(editor: Editor, place: str | None) -> list[str | Value]:
    """A place in debug info as the program is to tell it: words, and of one that is a number the address of words."""
    file, _, position = (place or "").partition(":")
    number = number_of(position)
    names = called_from_outside(editor.module) if number is not None else []
    if number is None or not names:
        return [f"{place}"]
    table = editor.module.globals_named(min(names) + _LINES) or [declare(editor, min(names) + _LINES, 0)]
    return [f"{file}:", element(editor, table[0], _SIZE * number)]


def declare(editor: Editor, symbol: str, size: int) -> Value:
    """A constant of the other object, of so many bytes; 0 is any number."""
    api = editor.api
    api.load(_SIGNATURES)
    made = int(api.AddGlobal(editor.module.handle, api.ArrayType2(editor.integer(8), size), symbol.encode()))
    api.SetGlobalConstant(made, 1)
    api.SetAlignment(made, _ALIGNMENT)
    editor.publish(made)
    editor.say_inactive(made)
    return made


def element(editor: Editor, table: Value, offset: int) -> Value:
    """The address of what is so many bytes from a table's beginning."""
    return int(editor.api.ConstInBoundsGEP2(editor.integer(8), table, (c_void_p * 1)(editor.module.int64(offset)), 1))


def _text(data: bytes) -> str:
    escaped = "".join(f"\\{byte:02X}" for byte in data)
    return f'[{len(data)} x i8] c"{escaped}"'


def _location(editor: Editor, variable: Value) -> Location | None:
    """What a constant of rustc's tells; None for any other variable: the file has a NUL behind it that does not count."""
    module, api = editor.module, editor.api
    value = api.GetInitializer(variable) if editor.is_internal(variable) and module.has_value(variable) else 0
    if not value or not api.IsGlobalConstant(variable) or not api.IsAConstantStruct(value) or api.GetNumOperands(value) != 2:
        return None
    file, numbers = module.bytes_at(api.GetOperand(value, 0)), module.bytes_of(api.GetOperand(value, 1))
    if not file or not file.endswith(b"\0") or not numbers or len(numbers) != _NUMBERS.size:
        return None
    length, line, column = _NUMBERS.unpack(numbers)
    return Location(file[:-1], line, column) if length == len(file) - 1 else None
