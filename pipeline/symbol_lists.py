"""What modules and objects define, as `llvm-nm` says; of std it is listed once, for every slice to come."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec

from pipeline import process
from pipeline.errors import UserError
from pipeline.toolchain import Tool


class Names(msgspec.Struct):
    """The names that a module defines: for all modules to see, and for itself alone."""

    visible: list[str] = []
    local: list[str] = []


class Listed(msgspec.Struct):
    """What the modules in a folder define, by their paths in it, and what objects do."""

    modules: dict[str, Names]
    objects: list[str]


def listed(llvm_nm: Tool, modules: Sequence[Path], objects: Sequence[Path]) -> tuple[dict[str, Names], list[str], list[str]]:
    """What these modules define, by their paths; what these objects, and those in archives, define for others; and what they
    want of others.

    The modules are most of it, so that two processes read half of them each.
    """
    of_modules = partial(_lines, llvm_nm, "--defined-only", "--print-file-name")
    of_objects = partial(_lines, llvm_nm, "--extern-only", *objects)
    halves = [half for half in (modules[::2], modules[1::2]) if half]
    *in_modules, in_objects = process.side_by_side([*(partial(of_modules, *half) for half in halves), of_objects])
    found = {os.fspath(module): Names() for module in modules}
    for line in chain(*in_modules):
        file, _, symbol = line.rpartition(": ")
        words = symbol.split()
        if len(words) == 3:  # else it says that a file has none
            names = found[file]
            (names.local if words[1].islower() else names.visible).append(words[2])
    said = [line.split() for line in in_objects]
    return found, [each[2] for each in said if len(each) == 3], [each[1] for each in said if each[:1] == ["U"]]


def write(llvm_nm: Tool, modules: Iterable[Path], objects: Iterable[Path], file: Path) -> None:
    """List what these modules, which lie below the folder of the file, and these objects define."""
    found, defined, _ = listed(llvm_nm, sorted(modules), sorted(objects))
    of_file = {str(Path(path).relative_to(file.parent)): names for path, names in found.items()}
    file.write_bytes(msgspec.json.encode(Listed(of_file, defined)))


def read(file: Path) -> Listed:
    """What was listed there."""
    return msgspec.json.decode(file.read_bytes(), type=Listed)


def _lines(llvm_nm: Tool, *arguments: process.Argument) -> list[str]:
    answer = process.ask([llvm_nm, "--quiet", *arguments])
    if not answer.succeeded:
        raise UserError(f"error: llvm-nm cannot read what is to be merged\n{process.tail(answer.output)}")
    return answer.output.splitlines()
