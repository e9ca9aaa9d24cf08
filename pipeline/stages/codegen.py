"""codegen: the module as an object file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.stages import MODULE, Inputs
from pipeline.toolchain import Tool

OBJECT = "program.o"


@dataclass(frozen=True)
class Codegen:
    """Output: `program.o`, position independent, a section each for functions and data so that the linker can drop them."""

    llc: Tool
    level: int
    cpu: str

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run LLVM's code generator."""
        flags = [f"-O{self.level}", f"-mcpu={self.cpu}", "-filetype=obj", "-relocation-model=pic"]
        flags += ["-function-sections", "-data-sections"]
        process.run_tool([self.llc, *flags, "-o", out / OBJECT, inputs["module"] / MODULE], log=log)
