"""What the ledger says of a function."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.abi.matching import Matched
from pipeline.abi.verdicts import Verdict
from pipeline.stages.abi_fixup import Derivative

THERE, INLINED, REMOVED, NOT_CALLED, NOT_RUN = "there", "inlined", "removed", "not called", "not run"
NO_BITCODE = "no bitcode"


@dataclass(frozen=True)
class Left:
    """What a stage left of a function.

    `state` is `there`, `not called` (it is there for others, or called through a pointer), `inlined`, `removed`,
    `no bitcode` (a native library's: the header is that of its declaration) or `not run`.
    """

    after: str
    state: str
    header: str = ""
    mapping: Matched | None = None


@dataclass(frozen=True)
class Typed:
    """An argument or result of a Rust header; `activity` is empty where Enzyme finds it out."""

    name: str
    type: str
    activity: str = ""


@dataclass(frozen=True)
class Entry:
    """A function of the ledger."""

    function: str
    symbol: str
    """Its name in the modules; empty where rustc inlined it already."""
    place: str
    derivative: Derivative | None
    """The derivative that is asked for; None for what a differentiated function calls."""
    called_by: tuple[str, ...]
    """The derivatives below which it is called."""
    arguments: tuple[Typed, ...] | None
    """None where debug info has no types of it."""
    result: Typed | None
    expected: str
    """The header that rustc's ABI gives it; empty where that is not modelled."""
    lowered: Matched
    """What that makes of each argument and of the result."""
    stages: tuple[Left, ...]
    verdict: Verdict
    rung: str = ""
    """The rung of the ladder by which Enzyme makes its derivative; empty where it needs none, or has not run."""
