"""llvm_link: many modules to one, by the strategy that the config names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pipeline.stages import MODULE, Inputs
from pipeline.stages.build_std import NATIVE as STD_NATIVE
from pipeline.stages.crate_bitcode import BITCODE, LINK_LINE
from pipeline.strategies import Artifacts, Strategy


@dataclass(frozen=True)
class LlvmLink:
    """Output: `module.bc`, the whole program as one module, internalised but for what the rest of it refers to."""

    strategy: Strategy

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Gather what the crate and std left, and merge it."""
        self.strategy.merge(_artifacts(inputs["crate"], inputs.get("std")), out / MODULE, log)


def _artifacts(crate: Path, std: Path | None) -> Artifacts:
    line = json.loads((crate / LINK_LINE).read_text())["arguments"]
    parts = [argument for argument in line if isinstance(argument, dict)]
    crates = [m for p in parts if "bitcode" in p for m in sorted((crate / BITCODE / p["bitcode"]).glob("*.bc"))]
    natives = [crate / part["native"] for part in parts if "native" in part]
    natives += sorted((std / STD_NATIVE).glob("*.a")) if std else []
    arguments = tuple(argument for argument in line if isinstance(argument, str))
    return Artifacts(tuple(crates), tuple(natives), std, arguments)
