"""The functions of a relocatable object, comparable with those of another."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SYMBOLS, _RELOCATIONS, _ZEROS = 2, 4, 8
_EXECUTABLE, _MERGEABLE = 0x4, 0x10
_OF_SECTION = 3
_ABSOLUTE, _BIAS = 1, 4
"""What is relative is so to the next instruction, four bytes after the place that is filled in."""

Code = tuple[bytes, tuple[Any, ...]]
"""Bytes, and what is to be put into them: where, of which kind, what is referred to, at which distance."""


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    flags: int
    link: int
    target: int
    entry: int
    data: bytes

    def entries(self, form: str) -> list[tuple[int, ...]]:
        return list(struct.iter_unpack(form, self.data))


def _text(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode()


class Object:
    """A 64-bit little-endian ELF object with a section of its own for each function and each datum."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        (start,), (count, names_of_sections) = struct.unpack_from("<Q", raw, 40), struct.unpack_from("<HH", raw, 60)
        headers = list(struct.iter_unpack("<IIQQQQIIQQ", raw[start : start + 64 * count]))
        names = raw[headers[names_of_sections][4] :]
        self.sections = [
            _Section(_text(names, name), kind, flags, link, target, entry, b"" if kind == _ZEROS else raw[at : at + size])
            for name, kind, flags, _, at, size, link, target, _, entry in headers
        ]
        (symbols,) = (section for section in self.sections if section.kind == _SYMBOLS)
        names = self.sections[symbols.link].data
        self.symbols = [
            (_text(names, name), info & 0xF, section, value) for name, info, _, section, value, _ in symbols.entries("<IBBHQQ")
        ]
        self.relocations = {s.target: s.entries("<QQq") for s in self.sections if s.kind == _RELOCATIONS}

    def functions(self) -> dict[str, Code]:
        """Each function by its name."""
        named = ((name, number) for name, kind, number, _ in self.symbols if name and kind != _OF_SECTION)
        return {name: self._content(number) for name, number in named if self._is_code(number) and not name.startswith(".")}

    def _is_code(self, number: int) -> bool:
        return number < len(self.sections) and bool(self.sections[number].flags & _EXECUTABLE)

    def _content(self, number: int, *above: int) -> Code:
        """What is in a section: functions are referred to by name, data by what is in them, as their names are numbers."""
        section, places = self.sections[number], self.relocations.get(number, [])
        return section.data, tuple(self._reference(place, (number, *above)) for place in places)

    def _reference(self, place: tuple[int, ...], above: tuple[int, ...]) -> tuple[Any, ...]:
        at, (symbol, kind), addend = place[0], divmod(place[1], 1 << 32), place[2]
        name, what, number, value = self.symbols[symbol]
        if number in above:
            return at, kind, above.index(number), addend
        if number == 0 or number >= len(self.sections) or self._is_code(number):
            return at, kind, name or self.sections[number].name, addend
        if not self.sections[number].flags & _MERGEABLE:
            return at, kind, self._content(number, *above), addend
        begin = value + (addend + (0 if kind == _ABSOLUTE else _BIAS) if what == _OF_SECTION else 0)
        return at, kind, self.sections[number].data[begin : begin + self.sections[number].entry]
