"""opt1: optimisation before differentiation.  No vectorising and no unrolling: both are hard on the adjoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.stages import MODULE, Inputs
from pipeline.toolchain import Tool

# By pass options and never by loop metadata, which would still be there when opt2 wants to do what this forbids.
_GENTLE = ("-vectorize-loops=false", "-vectorize-slp=false", "-disable-loop-unrolling", "-unroll-runtime=false")


@dataclass(frozen=True)
class Opt1:
    """Output: `module.bc`, optimised at `level` (0 to 3)."""

    opt: Tool
    level: int

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run LLVM's default pipeline with the loop transformations off."""
        passes = f"-passes=default<O{self.level}>"
        process.run_tool([self.opt, passes, *_GENTLE, "-o", out / MODULE, inputs["module"] / MODULE], log=log)
