"""llvm_link: many modules to one, by the strategy that the config names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.stages import MODULE, Inputs
from pipeline.stages.build_std import COMPILED
from pipeline.stages.build_std import NATIVE as STD_NATIVE
from pipeline.stages.crate_bitcode import BITCODE, LINK_LINE
from pipeline.strategies import Artifacts, Strategy

BESIDE_OBJECTS = "beside_objects"


@dataclass(frozen=True)
class LlvmLink:
    """Output: `module.bc`, the program as one module, or what is to be differentiated of it, internalised but for what the rest
    of it refers to; and where that rest is objects, the empty file `beside_objects`.
    """

    strategy: Strategy

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Gather what the crate and std left, and merge it."""
        if self.strategy.merge(_artifacts(inputs["crate"], inputs.get("std")), out / MODULE, log):
            (out / BESIDE_OBJECTS).touch()


def _artifacts(crate: Path, std: Path | None) -> Artifacts:
    link = json.loads((crate / LINK_LINE).read_text())
    line = link["arguments"]
    parts = [argument for argument in line if isinstance(argument, dict)]
    crates = [m for p in parts if "bitcode" in p for m in sorted((crate / BITCODE / p["bitcode"]).glob("*.bc"))]
    natives = [crate / part["native"] for part in parts if "native" in part]
    natives += sorted((std / STD_NATIVE).glob("*.a")) if std else []
    compiled = [crate / part["compiled"] for part in parts if "compiled" in part]
    compiled += sorted((std / COMPILED).glob("*.a")) if std else []
    options = [f"{part['option']}{crate / part['file']}" for part in parts if "option" in part]
    given = (argument if isinstance(argument, str) else crate / argument["native"] for argument in line if _is_given(argument))
    arguments = (*options, *given)
    return Artifacts(tuple(crates), tuple(natives), tuple(compiled), std, arguments, tuple(link["exports"]))


def _is_given(argument: Any) -> bool:
    """Whether it is the linker's as it stands."""
    return isinstance(argument, str) or "native" in argument
