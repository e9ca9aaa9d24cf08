"""Merge strategies: many modules in, the one module to differentiate out.  One file each; a fourth is one file more.

A config names a strategy as its file is called.  The file has `BESIDE_OBJECTS` and `strategy` (`Named`).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pipeline.linker import Linker
    from pipeline.toolchain import Tools

NAMES = tuple(sorted(file.stem.replace("_", "-") for file in Path(__file__).parent.glob("[!_]*.py")))
"""Nothing of them is imported for it."""

FIRST = 2
"""The level of the first optimisation.

Every strategy merges the crates' bitcode as it is before rustc optimises, and does then what rustc would have done: so Enzyme
meets the same code by whichever strategy.
"""

DERIVATIVE = ".crategrad"
"""How the name ends of a derivative that objects outside of the module call."""

APART = "places.o"
"""The object that a strategy may leave beside the module: what is linked with it, and no later stage reads."""


@dataclass(frozen=True)
class Artifacts:
    """What there is to merge.

    `crates`: the modules of the crate and its dependencies, in the order of the link line.
    `natives`: objects and archives without bitcode, std's included; they may call into the module.
    `compiled`: objects and archives that have bitcode beside them, std's included.
    `std`: the folder that build_std made, or None where std is not bitcode.
    `arguments`: the options of the link line, and the natives that are not std's among them, in order: some options count for
    what follows them.
    `exports`: what is called from outside: `main` of a program, what a library for others than Rust exports.
    """

    crates: tuple[Path, ...]
    natives: tuple[Path, ...]
    compiled: tuple[Path, ...]
    std: Path | None
    arguments: tuple[str | Path, ...]
    exports: tuple[str, ...]


class Strategy(Protocol):
    """What all strategies have in common; a strategy is a frozen value whose fields are part of the stage's key."""

    def merge(self, artifacts: Artifacts, module: Path, log: Path) -> bool:
        """Write the module to differentiate, internalised but for what the rest of the program refers to, to `module`.

        True where that rest is linked as it was compiled; False where all of the program that has bitcode is in the module.
        """


@dataclass(frozen=True)
class Given:
    """What a strategy can be made of."""

    tools: Tools
    linker: Linker
    kept: tuple[str, ...]
    """What only later stages call."""
    unwinds: bool
    """Whether a panic unwinds, but for what is differentiated."""


class Named(Protocol):
    """What a strategy's file has."""

    BESIDE_OBJECTS: bool
    """Whether the program is rustc's own objects, and bitcode lies beside them, as it was before rustc optimised."""

    def strategy(self, given: Given) -> Strategy:
        """The strategy for a build."""


def named(name: str) -> Named:
    """The strategy that a config calls so."""
    return import_module(f"{__name__}.{name.replace('-', '_')}")
