"""link: the artifact, by the real linker with the arguments that cargo and rustc gave it; a static library by `ar`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline import process
from pipeline.linker import Linker
from pipeline.stages import Inputs
from pipeline.stages.build_std import COMPILED
from pipeline.stages.build_std import NATIVE as STD_NATIVE
from pipeline.stages.codegen import OBJECT
from pipeline.stages.crate_bitcode import LINK_LINE
from pipeline.stages.llvm_link import BESIDE_OBJECTS
from pipeline.strategies import APART
from pipeline.toolchain import Tool

_SAYS_WHICH = "-fuse-ld="


@dataclass(frozen=True)
class Link:
    """Output: an executable or a shared library, under its own name."""

    linker: Linker
    libraries: str = ""
    """Digest of the toolchain's own libraries, where std comes from these."""
    lld: Tool | None = None
    """What the C compiler is to start, as rustc has it by itself from 1.90 on; without, it is what the system has."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Link; where bitcode stood in the line stands the one object, and std's native parts where std stood."""
        link = json.loads((inputs["crate"] / LINK_LINE).read_text())
        line = list(_arguments(link["arguments"], inputs))
        process.run_tool([self.linker.cc, *self._started(line), *line, "-o", out / link["file"]], log=log)

    def _started(self, line: Sequence[str | Path]) -> list[str]:
        """Options that say which linker; none where the crate says it, by a build script."""
        if self.lld is None or any(str(argument).startswith(_SAYS_WHICH) for argument in line):
            return []
        return [f"-B{self.lld.path.parent}", f"{_SAYS_WHICH}lld"]


@dataclass(frozen=True)
class Archive:
    """Output: a static library under its own name."""

    llvm_ar: Tool
    file: str
    libraries: str = ""
    """As for `Link`."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Gather the objects that would be linked, and those in the archives among them, into one archive."""
        link = json.loads((inputs["crate"] / LINK_LINE).read_text())
        members = [each for each in _arguments(link["arguments"], inputs) if Path(each).suffix in (".o", ".a", ".rlib")]
        process.run_tool([self.llvm_ar, "qcsLD", out / self.file, *members], log=log)


def libraries_to_link(crate: Path) -> list[str]:
    """What whoever links the static library has to link, too: `-lm` and the like, of the crate_bitcode in `crate`."""
    arguments = json.loads((crate / LINK_LINE).read_text())["arguments"]
    return [each for each in arguments if isinstance(each, str) and each.startswith("-l")]


def _arguments(line: list[Any], inputs: Inputs) -> Iterator[str | Path]:
    merged = inputs.get("merged")
    is_beside = merged is not None and (merged / BESIDE_OBJECTS).exists()
    ours = [inputs["object"] / OBJECT] if "object" in inputs else []
    yield from [*ours, *sorted(merged.glob(APART))] if merged else ours
    for argument in line:
        if isinstance(argument, str):
            yield argument
        elif "native" in argument:
            yield inputs["crate"] / argument["native"]
        elif "compiled" in argument and is_beside:
            yield inputs["crate"] / argument["compiled"]
        elif "option" in argument:
            yield f"{argument['option']}{inputs['crate'] / argument['file']}"
        elif "std" in argument:
            folders = [COMPILED, STD_NATIVE] if is_beside else [STD_NATIVE]
            archives = (inputs["std"] / folder / f"{argument['std']}.a" for folder in folders)
            yield from (archive for archive in archives if archive.exists())
