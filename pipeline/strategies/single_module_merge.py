"""single-module-merge: every module of the crates, and what they need of std, through `llvm-link` into one.

std was linked into one module by build_std already; of that, only what is needed is read (`--only-needed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.errors import UserError
from pipeline.stages import optimise
from pipeline.stages.build_std import STD_MODULE
from pipeline.strategies import FIRST, Artifacts, Given
from pipeline.toolchain import Tool

BESIDE_OBJECTS = False


def strategy(given: Given) -> SingleModuleMerge:
    """See `Named.strategy`."""
    return SingleModuleMerge(given.tools.llvm_link, given.tools.llvm_nm, given.tools.opt, given.kept)


@dataclass(frozen=True)
class SingleModuleMerge:
    """Merge by `llvm-link`; internalise by `opt` but for what is exported and what native objects call."""

    llvm_link: Tool
    llvm_nm: Tool
    opt: Tool
    kept: tuple[str, ...] = ()
    """What only later stages call."""

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> bool:
        """See `Strategy.merge`."""
        self.join(artifacts, module, log)
        optimise(self.opt, FIRST, module, module, log)
        return False

    def join(self, artifacts: Artifacts, module: Path, log: Path) -> None:
        """Write the module as rustc handed its parts over."""
        merged = module.with_suffix(".merged")
        process.run_tool([self.llvm_link, "-o", merged, *artifacts.crates], log=log)
        if artifacts.std:
            std = artifacts.std / STD_MODULE
            process.run_tool([self.llvm_link, "--only-needed", "-o", merged, merged, std], log=log)
        self.internalise(merged, [*artifacts.exports, *self._called_by_natives(artifacts), *self.kept], module, log)
        merged.unlink()

    def internalise(self, merged: Path, names: Iterable[str], module: Path, log: Path) -> None:
        """Write a merged module to `module`, with nothing to be seen from outside but these names, or patterns."""
        public = module.with_suffix(".public")
        public.write_text("".join(f"{name}\n" for name in names))
        internalise = ["-passes=internalize,globaldce", f"-internalize-public-api-file={public}"]
        process.run_tool([self.opt, *internalise, "-o", module, merged], log=log)
        public.unlink()

    def _called_by_natives(self, artifacts: Artifacts) -> list[str]:
        # Without a std of bitcode the toolchain's own libraries are in the line: they call the allocator, for one.
        natives: list[process.Argument] = [
            *artifacts.natives,
            *(argument for argument in artifacts.arguments if str(argument).endswith(".rlib")),
        ]
        if not natives:
            return []
        answer = process.ask([self.llvm_nm, "--undefined-only", "--format=just-symbols", "--quiet", *natives])
        if not answer.succeeded:
            raise UserError(f"error: llvm-nm cannot read the native objects\n{process.tail(answer.output)}")
        lines = (line.strip() for line in answer.output.splitlines())
        return sorted({line for line in lines if line and not line.endswith(":")})
