"""opt2: optimisation after differentiation, vectorising and unrolling included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.stages import MODULE, Inputs, keep_calls
from pipeline.toolchain import Tool

_NOT_THROUGH = ("-force-attribute=nounwind", "-force-remove-attribute=uwtable")
"""Options for the pass `forceattrs` by which nothing unwinds through the module: the unwinder finds no table for its functions,
and Rust's runtime ends the program."""


@dataclass(frozen=True)
class Opt2:
    """Output: `module.bc`, optimised at `level` (0 to 3)."""

    opt: Tool
    level: int
    aborts_alone: bool = False
    """Whether a panic ends the program here, and unwinds elsewhere."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run LLVM's default pipeline."""
        module = inputs["module"] / MODULE
        options = [f"-passes=forceattrs,default<O{self.level}>", *keep_calls(module, after=True)]
        options += _NOT_THROUGH if self.aborts_alone else ()
        process.run_tool([self.opt, *options, "-o", out / MODULE, module], log=log)
