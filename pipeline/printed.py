"""Where in the source an instruction stands, by a module that Enzyme has printed with its debug info."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_METADATA = re.compile(r", ![\w.]+ !\d+")
_AT = re.compile(r", !dbg (!\d+)")
_ENDS = "}"
_NODE = re.compile(r"(!\d+) = (?:distinct )?!DI(\w+)\((.*)\)$")
_FILE, _SCOPE = re.compile(r"\bfile: (!\d+)"), re.compile(r"\bscope: (!\d+)")
_FILENAME = re.compile(r'\bfilename: "([^"]*)"')
_POSITION = re.compile(r"\bline: ([1-9]\d*), column: (\d+)")

Nodes = dict[str, tuple[str, str]]
"""The nodes of debug info by their numbers: what each is, and its fields as text."""


def place_of(instruction: str, printed: Sequence[str]) -> str | None:
    """`file:line:column` of an instruction, or of the first after it in its function that has one; None where none has."""
    wanted = _METADATA.sub("", instruction).strip()
    if not wanted:
        return None
    begin = next((number for number, line in enumerate(printed) if _METADATA.sub("", line).strip() == wanted), None)
    if begin is None:
        return None
    nodes: Nodes = {found[1]: (found[2], found[3]) for found in map(_NODE.match, printed) if found}
    end = next((number for number in range(begin, len(printed)) if printed[number] == _ENDS), len(printed))
    return next(_places(printed[begin:end], nodes), None)


def _places(lines: Sequence[str], nodes: Nodes) -> Iterator[str]:
    for line in lines:
        at = _AT.search(line)
        kind, fields = nodes.get(at[1], ("", "")) if at else ("", "")
        position, file = _POSITION.search(fields), _file(fields, nodes)
        if kind == "Location" and position and file:
            yield f"{file}:{position[1]}:{position[2]}"


def _file(fields: str, nodes: Nodes) -> str:
    """The file of what has these fields, or of the scope that it is in."""
    while found := _FILE.search(fields) or _SCOPE.search(fields):
        kind, fields = nodes.get(found[1], ("", ""))
        if kind == "File":
            name = _FILENAME.search(fields)
            return name[1] if name else ""
    return ""
