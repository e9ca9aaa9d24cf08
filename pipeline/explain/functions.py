"""Which functions of two modules differ, by name: their bodies, and not how debug info and attributes are numbered.

Modules are compared as text, printed by LLVM at once: what is inlined where is known by the places of instructions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, unified_diff
from pathlib import Path

from pipeline import as_before, process
from pipeline.llvm import Module
from pipeline.toolchain import Tool

_USERS_FOLDER = 'directory: "."'  # rustc's working folder, to which our rustc_wrapper maps it

_NAME = r'@("(?:[^"\\]|\\.)*"|[\w.$-]+)'
_FUNCTION = re.compile(rf"define .*?{_NAME}\(")
_VARIABLE = re.compile(rf"{_NAME} = (.*)")
_ATTRIBUTES = re.compile(r"attributes #(\d+) = (.*)")
_METADATA = re.compile(r"!(\d+) = (?:distinct )?!DI(\w+)\((.*)\)")
_REFERENCE = re.compile(r"(scope|inlinedAt|file): !(\d+)|(linkageName|name): \"([^\"]*)\"")
_PLACE = re.compile(r", !dbg !(\d+)")
_METADATA_USES = re.compile(r",? ![\w.]+ !\d+|, metadata !\d+|metadata !\d+")
_ESCAPES = {"$LT$": "<", "$GT$": ">", "$RF$": "&", "$BP$": "*", "$LP$": "(", "$RP$": ")", "$C$": ",", "$SP$": "@", "..": "::"}
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPES)))


@dataclass(frozen=True)
class Difference:
    """A function, or a variable, that is not the same in both: `changed`, `new` or `gone`."""

    name: str
    how: str
    inlined: tuple[str, ...] = ()
    """The functions of the user's of which it is that something changed, where they are inlined into this one."""
    diff: tuple[str, ...] = ()
    """The lines that differ, without numbers of metadata."""


@dataclass
class _Symbol:
    lines: list[str] = field(default_factory=list)
    places: list[str | None] = field(default_factory=list)
    """The number of the debug location of each line."""


def differences(libllvm: Tool, was: Path, now: Path) -> list[Difference]:
    """What differs between two modules; nothing, where that is debug info, or the order of things.

    Raises: UserError where one is no module.
    """
    before, after = _Printed(libllvm, was), _Printed(libllvm, now)
    found = []
    for name in sorted(before.symbols.keys() | after.symbols.keys()):
        old, new = before.symbols.get(name), after.symbols.get(name)
        if old is None or new is None:
            found.append(Difference(name, "new" if old is None else "gone"))
        elif old.lines != new.lines:
            inlined = sorted(set(_inlined(before, old, new)) | set(_inlined(after, new, old)))
            diff = tuple(unified_diff(old.lines, new.lines, "was", "is", n=2, lineterm=""))
            found.append(Difference(name, "changed", tuple(inlined), diff))
    return found


def demangled(names: Sequence[str], cxxfilt: Path) -> dict[str, str]:
    """Names as Rust has them, where LLVM's tool is there and knows them."""
    if not names or not cxxfilt.exists():
        return {name: name for name in names}
    with as_before.asking(cxxfilt):
        answer = process.ask([cxxfilt, *names])
    lines = answer.output.splitlines()
    return dict(zip(names, map(_in_rust, lines), strict=True)) if len(lines) == len(names) else {n: n for n in names}


def _in_rust(name: str) -> str:
    """A name without its hash, and without rustc's escapes, of which LLVM does not know."""
    name = re.sub(r"\$u([0-9a-f]+)\$", lambda code: chr(int(code[1], 16)), re.sub(r"::h[0-9a-f]{16}\b", "", name))
    return _ESCAPE.sub(lambda escape: _ESCAPES[escape[0]], name).replace("::_{", "::{").replace("::_<", "::<")


def _inlined(printed: _Printed, one: _Symbol, other: _Symbol) -> Iterator[str]:
    """The functions of the user's that the lines of one which the other has not are from."""
    for tag, begin, end, _, _ in SequenceMatcher(None, one.lines, other.lines, autojunk=False).get_opcodes():
        for place in one.places[begin:end] if tag != "equal" else ():
            if place and (name := printed.users_function(place)):
                yield name


class _Printed:
    """A module as text, taken apart."""

    def __init__(self, libllvm: Tool, path: Path) -> None:
        with Module(libllvm, path) as module:
            lines = module.as_text().splitlines()
        self._metadata = {m[1]: (m[2], m[3]) for line in lines if (m := _METADATA.match(line))}
        self._attributes = {m[1]: m[2] for line in lines if (m := _ATTRIBUTES.match(line))}
        self._constants: dict[str, str] = {}
        self.symbols: dict[str, _Symbol] = {}
        self._read(lines)

    def _read(self, lines: Sequence[str]) -> None:
        into: _Symbol | None = None
        for line in lines:
            if function := _FUNCTION.match(line):
                into = self.symbols.setdefault(function[1].strip('"'), _Symbol())
            elif variable := _VARIABLE.match(line):
                self._add_variable(variable[1].strip('"'), self._plain(variable[2]))
            if into is not None and not line.startswith("    #dbg_"):
                place = _PLACE.search(line)
                into.places.append(place[1] if place else None)
                into.lines.append(self._plain(line))
            if line == "}":
                into = None

    def _add_variable(self, name: str, value: str) -> None:
        if name.isdecimal():  # numbered: what it holds is its name
            self._constants[name] = hashlib.sha256(value.encode()).hexdigest()[:8]
        else:
            self.symbols[name] = _Symbol([value], [None])

    def _plain(self, line: str) -> str:
        """A line without what numbers of metadata there are, with attributes and numbered constants by what they say."""
        line = _METADATA_USES.sub("", line.partition("; preds")[0]).rstrip()
        line = re.sub(r"(?<=[ )])#(\d+)\b", lambda number: self._attributes.get(number[1], ""), line)
        return re.sub(r"@(\d+)\b", lambda number: f"@constant.{self._constants.get(number[1], number[1])}", line)

    def users_function(self, place: str | None) -> str | None:
        """The innermost function of the user's own crate that a place is in."""
        while place:
            fields = self._fields(place)
            scope = fields.get("scope")
            while scope and self._metadata.get(scope, ("", ""))[0] != "Subprogram":
                scope = self._fields(scope).get("scope")
            of_scope = self._fields(scope or "")
            if _USERS_FOLDER in self._metadata.get(of_scope.get("file", ""), ("", ""))[1]:
                return of_scope.get("linkageName") or of_scope.get("name")
            place = fields.get("inlinedAt")
        return None

    def _fields(self, number: str) -> Mapping[str, str]:
        found = _REFERENCE.findall(self._metadata.get(number, ("", ""))[1])
        return {name or called: value or text for name, value, called, text in found}
