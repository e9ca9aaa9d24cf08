"""opt2: optimisation after differentiation, vectorising and unrolling included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.repairs.opaque import FUNCTIONS
from pipeline.stages import MODULE, Inputs
from pipeline.toolchain import Tool


@dataclass(frozen=True)
class Opt2:
    """Output: `module.bc`, optimised at `level` (0 to 3)."""

    opt: Tool
    level: int

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run LLVM's default pipeline, and inline what abi_fixup had kept from it."""
        passes = f"-passes=forceattrs,default<O{self.level}>"
        inlined = [f"-force-remove-attribute={name}:noinline" for name in FUNCTIONS]
        inlined += [f"-force-attribute={name}:alwaysinline" for name in FUNCTIONS]
        process.run_tool([self.opt, passes, *inlined, "-o", out / MODULE, inputs["module"] / MODULE], log=log)
