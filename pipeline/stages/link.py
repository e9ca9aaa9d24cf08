"""link: the executable, by the real linker with the arguments that cargo and rustc gave it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.stages import Inputs
from pipeline.stages.build_std import NATIVE as STD_NATIVE
from pipeline.stages.codegen import OBJECT
from pipeline.stages.crate_bitcode import LINK_LINE
from pipeline.toolchain import Tool


@dataclass(frozen=True)
class Link:
    """Output: the executable under the binary's name."""

    cc: Tool

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Link; where bitcode stood in the line stands the one object, and std's native parts where std stood."""
        line = json.loads((inputs["crate"] / LINK_LINE).read_text())
        arguments = list(_arguments(line["arguments"], inputs))
        process.run_tool([self.cc, *arguments, "-o", out / line["binary"]], log=log)


def _arguments(line: list[str | dict[str, str]], inputs: Inputs) -> Iterator[process.Argument]:
    if "object" in inputs:
        yield inputs["object"] / OBJECT
    for argument in line:
        if isinstance(argument, str):
            yield argument
        elif "native" in argument:
            yield inputs["crate"] / argument["native"]
        elif "std" in argument:
            native = inputs["std"] / STD_NATIVE / f"{argument['std']}.a"
            if native.exists():
                yield native
