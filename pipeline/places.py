"""Places and names of a module's debug info, by number: what a comment or another name for a local moves is not in the module.

`numbered` takes lines, columns and names of locals out of a module's text, and puts numbers there, in the order in which they
appear: one for each line, and on it one for each column, as LLVM keeps the line of two instructions that it makes one of.  What
they stand for is told by a file beside the module, and whoever tells a user of a place asks it (`Places.told`).  So the stages
after it go by what the code is, not by where it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

FILE = "places.json"
"""The file beside a module that tells what its numbers stand for; where there is none, its debug info is as it was."""

_FIRST = 1_000_000_000
"""No source has so many lines: what has such a line has a number."""
_LOCAL = "crategrad.local."

_NUMBER = re.compile(rf"(?<=:)(1\d{{9}})(?::(\d+)\b)?|\b{re.escape(_LOCAL)}(\d+)\b")

_NODE = re.compile(r"(!\d+) = (?:distinct )?!DI(\w+)\((.*)")
_SCOPE, _FILE = re.compile(r"\bscope: (!\d+)"), re.compile(r"\bfile: (!\d+)")
_POSITION = re.compile(r"\bline: ([1-9]\d*)(?:, column: (\d+))?")
_LINE, _OF_LOCAL = re.compile(r"(?<=, )(line|scopeLine): ([1-9]\d*)"), re.compile(r", line: \d+")
_NAME = re.compile(r'\bname: "((?:[^"\\]|\\.)*)"')
_CLOSURE, _MEMBER = re.compile(r'\bname: "\{\w+_env#'), "tag: DW_TAG_member, "
_EMITTED = re.compile(r"\bemissionKind: \w+")
_DESCRIBED = re.compile(r"\\22file\\22:\\22(?P<file>[^,]*)\\22,\\22line\\22:(?P<line>\d+),\\22column\\22:(?P<column>\d+)}\\00")
_SIZE = re.compile(r"\[(\d+) x i8\]")


@dataclass(frozen=True)
class Places:
    """What the numbers in a module stand for; of one without numbers nothing."""

    lines: Sequence[str] = ()
    """By number a line, and after each its columns: `7`, `7:13`, `7:20`."""
    names: Sequence[str] = ()
    """By number what a user calls a local."""

    def __bool__(self) -> bool:
        return bool(self.lines or self.names)

    @classmethod
    def beside(cls, output: Path) -> Places:
        """Those of the module in a stage's output."""
        try:
            return cls(**json.loads((output / FILE).read_bytes()))
        except (OSError, ValueError, TypeError):  # without numbers, or damaged: then they are told as they are
            return cls()

    def write(self, output: Path) -> None:
        """Leave them beside the module."""
        (output / FILE).write_text(json.dumps({"lines": self.lines, "names": self.names}))

    def told(self, words: str) -> str:
        """Words with places and names of locals for their numbers."""
        return _NUMBER.sub(self._stands_for, words) if self else words

    def _stands_for(self, found: re.Match[str]) -> str:
        line, column, name = found.groups()
        known, number = (self.names, int(name)) if name else (self.lines, _number(line, column))
        if number >= len(known):
            return found[0]
        return f"{known[number]}:0" if column == "0" else known[number]


NO_NUMBERS = Places()


def number_of(position: str) -> int | None:
    """The number that a line and a column are; None where they are what they say."""
    found = _NUMBER.fullmatch(f":{position}", 1)
    return _number(found[1], found[2]) if found else None


def _number(line: str, column: str | None) -> int:
    return int(line) - _FIRST + int(column or 0)


def numbered(text: str) -> tuple[str, Places]:
    """The text of a module with numbers, and what they stand for; no debugger is to read this debug info any more."""
    lines = text.splitlines()
    numbering = _Numbering(lines)
    made = "".join(f"{numbering.line(line)}\n" for line in lines)
    return made, Places(numbering.lines, numbering.names)


class _Numbering:
    def __init__(self, lines: Sequence[str]) -> None:
        self.names: list[str] = []
        self._columns: dict[tuple[str, str], dict[str, int]] = {}
        """Of a line, named with its file or that file's node, the number of each column."""
        self._first: dict[tuple[str, str], int] = {}
        """The numbers of lines, as soon as all columns are known."""
        self._file_of: dict[str, str] = {}
        """The file that a scope is in, by its own node."""
        self._closures: set[str] = set()
        """What closures keep, as types: what is in it has the names of locals."""
        for node, kind, fields in (match.groups() for match in map(_NODE.match, lines) if match):
            if kind == "CompositeType" and _CLOSURE.search(fields):
                self._closures.add(node)
            elif kind != "Location" and (file := _FILE.search(fields)):
                self._file_of[node] = file[1]
        for line in lines:
            self.line(line)
        self.names.clear()
        number = _FIRST
        for place, columns in self._columns.items():
            self._first[place] = number
            number += 1 + len(columns)

    @property
    def lines(self) -> list[str]:
        """What the numbers of lines and columns stand for."""
        each = ([line, *(f"{line}:{column}" for column in columns)] for (_, line), columns in self._columns.items())
        return [place for places in each for place in places]

    def line(self, line: str) -> str:
        """A line of the module's text."""
        if node := _NODE.match(line) if line.startswith("!") else None:
            return self._node(node)
        return self._description(line) if line.startswith("@") else line

    def _node(self, node: re.Match[str]) -> str:
        number, kind, fields = node.groups()
        if kind in ("Location", "LexicalBlock"):
            return _POSITION.sub(partial(self._position, self._file(fields)), node[0], count=1)
        if kind == "LocalVariable":
            return _NAME.sub(self._local, _OF_LOCAL.sub("", node[0]), count=1)
        if kind == "CompileUnit":
            return _EMITTED.sub("emissionKind: NoDebug", node[0])
        if _MEMBER in fields and (scope := _SCOPE.search(fields)) and scope[1] in self._closures:
            return _NAME.sub(self._local, node[0], count=1)
        if found := _LINE.search(fields):
            line, _ = self._numbers(number, found[2])
            return _LINE.sub(rf"\1: {line}", node[0])
        return node[0]

    def _file(self, fields: str) -> str:
        """The file of what has a place."""
        if found := _FILE.search(fields):
            return found[1]
        scope = _SCOPE.search(fields)
        return self._file_of.get(scope[1], "") if scope else ""

    def _position(self, file: str, found: re.Match[str]) -> str:
        line, column = self._numbers(file, found[1], found[2])
        return f"line: {line}, column: {column}"

    def _local(self, name: re.Match[str]) -> str:
        self.names.append(name[1])
        return f'name: "{_LOCAL}{len(self.names) - 1}"'

    def _description(self, line: str) -> str:
        """What the frontend says of a derivative has the place of its function; its type has the text's length."""
        found = _DESCRIBED.search(line)
        if not found:
            return line
        numbers = self._numbers(found["file"], found["line"], found["column"])
        longer = sum(map(len, map(str, numbers))) - len(found["line"] + found["column"])
        return (
            _SIZE.sub(lambda size: f"[{int(size[1]) + longer} x i8]", line[: found.start()])
            + f"\\22file\\22:\\22{found['file']}\\22,\\22line\\22:{numbers[0]},\\22column\\22:{numbers[1]}}}\\00"
            + line[found.end() :]
        )

    def _numbers(self, file: str, line: str, column: str | None = None) -> tuple[int, int]:
        """What stands for a line in a file, or in a file's node, and for a column, or for none."""
        columns = self._columns.setdefault((file, line), {})
        number = columns.setdefault(column, 1 + len(columns)) if column else 0
        return self._first.get((file, line), _FIRST), number
