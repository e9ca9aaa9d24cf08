"""The linker as stages call it: the C compiler, what that starts, and what it puts into every program of its own accord."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline import process
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.toolchain import Tool

_STARTED = ("collect2", "ld")
_PLUGIN = "liblto_plugin.so"

# As rustc's links of std end; what a program of nothing is linked of is what each program is linked of.
_NOTHING = ("-Wl,--trace", "-Wl,--unresolved-symbols=ignore-all", "-nodefaultlibs", "-o", "/dev/null")
_SYSTEM = tuple(f"-l{name}" for name in ("gcc_s", "util", "rt", "pthread", "m", "dl", "c", "gcc"))
_KINDS = ("-pie", "-no-pie", "-shared")


@dataclass(frozen=True)
class Linker:
    """The C compiler, the programs and plugins that do its work, and the system's part of every program."""

    cc: Tool
    starts: Mapping[str, Tool] = field(default_factory=dict)
    """`collect2`, `ld`, and what `ld` loads."""
    system: str = ""
    """Digest of the start-up objects, of the C library and the compiler's own."""


def find_linker(cc: Tool, digests: Digests) -> Linker:
    """The linker behind a C compiler; which files it takes it is asked anew when one of those that it took has changed.

    Raises: UserError where it is not there, or cannot link.
    """
    return digests.once("linker", cc, lambda: _linker(cc, digests))


def _linker(cc: Tool, digests: Digests) -> Linker:
    if not cc.path.is_file():
        raise UserError(f"error: {cc.path} is missing\n  = help: `./doit doctor` says how to get it")

    def ask() -> tuple[tuple[dict[str, str], list[str]], list[str]]:
        starts, system = _starts(cc), _system(cc)
        return (starts, system), [str(cc.path), *starts.values(), *system]

    starts, system = digests.follow("linker", cc.path, ask)
    lines = (f"{Path(path).name} {digests.file(Path(path))}" for path in system)
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return Linker(cc, {name: Tool(Path(path)) for name, path in starts.items()}, digest)


def _starts(cc: Tool) -> dict[str, str]:
    """The programs by their names; a compiler that does without one has none of that name."""
    programs = {name: process.ask([cc, f"-print-prog-name={name}"]).output.strip() for name in _STARTED}
    found = {name: shutil.which(path, path=process.PATH) for name, path in programs.items()}
    plugin = process.ask([cc, f"-print-file-name={_PLUGIN}"]).output.strip()
    if Path(plugin).is_file():
        found[_PLUGIN] = plugin
    return {name: path for name, path in found.items() if path}


def _system(cc: Tool) -> list[str]:
    """The files that are linked into programs and shared libraries of nothing."""
    found: set[str] = set()
    for kind in _KINDS:
        answer = process.ask([cc, kind, *_NOTHING, *_SYSTEM])
        if not answer.succeeded:
            raise UserError(
                f"error: {cc.path} cannot link a program of nothing ({answer.verdict})\n{process.tail(answer.output)}\n"
                "  = help: `./doit doctor` says which packages are wanted"
            )
        found |= {line for line in answer.output.splitlines() if Path(line).is_file()}
    return sorted(found)
