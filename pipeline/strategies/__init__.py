"""Merge strategies: many modules in, the one module to differentiate out.  One file each; a fourth is one file more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Artifacts:
    """What there is to merge.

    `crates`: the modules of the crate and its dependencies, in the order of the link line.
    `natives`: objects and archives without bitcode, std's included; they may call into the module.
    `std`: the folder that build_std made, or None where std is not bitcode.
    `arguments`: the strings of the link line, in order.
    """

    crates: tuple[Path, ...]
    natives: tuple[Path, ...]
    std: Path | None
    arguments: tuple[str, ...]


class Strategy(Protocol):
    """What all strategies have in common; a strategy is a frozen value whose fields are part of the stage's key."""

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> None:
        """Write the merged module, internalised but for what the rest of the program refers to, to `module`."""
