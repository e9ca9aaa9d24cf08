"""fat-lto: the linker's own fat LTO makes the one module; it knows best what must stay visible."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.linker import Linker
from pipeline.stages import optimise
from pipeline.stages.build_std import BITCODE
from pipeline.strategies import FIRST, Artifacts, Given
from pipeline.toolchain import Tool

BESIDE_OBJECTS = False


def strategy(given: Given) -> FatLto:
    """See `Named.strategy`."""
    return FatLto(given.linker, given.tools.lld, given.tools.opt, given.kept)


@dataclass(frozen=True)
class FatLto:
    """Merge by lld with `--lto-emit-llvm`, called through the C compiler as rustc calls its linker."""

    linker: Linker
    lld: Tool
    opt: Tool
    kept: tuple[str, ...] = ()
    """What only later stages call."""

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> bool:
        """See `Strategy.merge`.  Placeholders and Enzyme's functions are undefined until Enzyme has run."""
        std = sorted((artifacts.std / BITCODE).rglob("*.bc")) if artifacts.std else []
        lto = ["--lto-emit-llvm", "--lto-O0", "--unresolved-symbols=ignore-all", "--gc-sections"]
        lto += [f"--undefined={name}" for name in self.kept]
        argv: list[process.Argument] = [
            self.linker.cc,
            f"-B{self.lld.path.parent}",
            "-fuse-ld=lld",
            *(f"-Wl,{flag}" for flag in lto),
        ]
        of_std = [native for native in artifacts.natives if native not in artifacts.arguments]
        argv += [*artifacts.crates, "-Wl,--start-lib", *std, "-Wl,--end-lib", *of_std]
        process.run_tool([*argv, *artifacts.arguments, "-o", module], log=log)
        optimise(self.opt, FIRST, module, module, log)
        return False
