"""opt1: optimisation before differentiation.  No vectorising and no unrolling: both are hard on the adjoint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline.stages import MODULE, Inputs, optimise
from pipeline.toolchain import Tool


@dataclass(frozen=True)
class Opt1:
    """Output: `module.bc`, optimised at `level` (0 to 3)."""

    opt: Tool
    level: int

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run LLVM's default pipeline with the loop transformations off."""
        optimise(self.opt, self.level, inputs["module"] / MODULE, out / MODULE, log)
