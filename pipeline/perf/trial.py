"""A shim differentiated once more, as the stage enzyme does it, but with numbers for names and with Enzyme's remarks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import UserError
from pipeline.ladder import Rung
from pipeline.llvm import Module
from pipeline.perf.numbering import number
from pipeline.perf.remarks import FLAG, Remarks, read_remarks
from pipeline.stages.enzyme import Enzyme, Wanted


@dataclass(frozen=True)
class Trial:
    """A differentiation."""

    given: Path
    """The module that Enzyme was given, with numbers."""
    made: Path
    """What it made of it, as text."""
    remarks: Remarks


def differentiate(stage: Enzyme, module: Path, wanted: Wanted, rung: Rung, folder: Path) -> Trial:
    """Make derivatives of the module that the stage reads, on the rung that they took; files go to `folder`.

    Raises: UserError where Enzyme does not do again what it has done in the build.
    """
    given, made, log = folder / "given.bc", folder / "made.ll", folder / "log"
    log.touch()
    stage.show(module, wanted, rung, given)
    with Module(stage.libllvm, given) as shown:
        number(shown)
        shown.write(given)
    begin = log.stat().st_size
    found = stage.driver.differentiate(given, made, [*stage.flags_for(wanted, rung), f"--{FLAG}=1"], log)
    if found:
        refused = "\n".join(diagnostic.render() for diagnostic in found)
        raise UserError(f"error: Enzyme differentiates this in a build, and refuses it with its remarks on\n{refused}")
    return Trial(given, made, read_remarks(log.read_text(errors="replace")[begin:]))
