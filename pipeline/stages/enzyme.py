"""enzyme: the derivatives are synthesised.

Enzyme is the one in the `catalyst` executable (`enzyme_driver`); another build of it can serve behind the same interface.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pipeline import process
from pipeline.analyses.call_tree import inline_assembly
from pipeline.audit import audit
from pipeline.enzyme_driver import Diagnostic, EnzymeDriver
from pipeline.errors import UserError
from pipeline.slice import Slicer
from pipeline.stages import MODULE, Inputs
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.toolchain import Tool

Derivative = Mapping[str, str]
"""A derivative as abi_fixup tells it."""

# Enzyme names the function in its own form only; of a crate with many derivatives the user knows the rest.
_NOTES = 3


@dataclass(frozen=True)
class Attempt:
    """What became of derivatives that were wanted together: the part of the module that has them, or why they are refused."""

    wanted: Sequence[Derivative]
    part: Path
    refused: Sequence[Diagnostic] = ()


@dataclass(frozen=True)
class Enzyme:
    """Output: `module.bc` with every derivative in it."""

    driver: EnzymeDriver
    slicer: Slicer
    llvm_as: Tool
    libllvm: Tool
    flags: Mapping[str, bool | int | float | str]
    fast_math: bool

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Differentiate.  A module without derivatives goes through as it is.

        Raises: UserError with Enzyme's own words and the Rust place where it refuses, or with the audit's.
        """
        import tempfile

        derivatives = json.loads((inputs["module"] / DERIVATIVES).read_text())
        if not derivatives:
            (out / MODULE).hardlink_to(inputs["module"] / MODULE)
            log.write_text("no derivatives\n")
            return
        module = inputs["module"] / MODULE
        by_shim = groupby(sorted(derivatives, key=itemgetter("shim")), itemgetter("shim"))
        with tempfile.TemporaryDirectory(dir=out) as folder:
            attempts = self._attempts(module, [list(its) for _, its in by_shim], Path(folder), log)
            if refused := [attempt for attempt in attempts if attempt.refused]:
                raise UserError(_refusal(refused))
            rest = Path(folder, "rest.bc")
            self.slicer.rest(module, [d["shim"] for d in derivatives], rest, log)
            self.slicer.join(module, [attempt.part for attempt in attempts], rest, out / MODULE, log)

    def _attempts(self, module: Path, wanted: Sequence[Sequence[Derivative]], folder: Path, log: Path) -> list[Attempt]:
        """All derivatives of all shims at once; where that is refused, those of one half of the shims, and of the other."""
        attempt = self._attempt(module, [d for derivatives in wanted for d in derivatives], folder, log)
        if not attempt.refused or len(wanted) == 1:
            return [attempt]
        middle = len(wanted) // 2
        return [each for half in (wanted[:middle], wanted[middle:]) for each in self._attempts(module, half, folder, log)]

    def _attempt(self, module: Path, wanted: Sequence[Derivative], folder: Path, log: Path) -> Attempt:
        """Write the part of a module that has these derivatives, unless the audit or Enzyme refuses them."""
        attempt = Attempt(wanted, part=folder / f"part{len(list(folder.iterdir()))}.bc")
        text, shims = attempt.part.with_suffix(".ll"), [d["shim"] for d in wanted]
        reverse, forward = ([d["shim"] for d in wanted if d["mode"] == mode] for mode in ("reverse", "forward"))
        if found := audit(self.libllvm, module, reverse, forward):
            return replace(attempt, refused=found)
        self.slicer.part(module, shims, attempt.part, log)
        if found := self.driver.differentiate(attempt.part, text, self.all_flags(), log):
            return replace(attempt, refused=found + self._suspects(found, module, shims))
        process.run_tool([self.llvm_as, "-o", attempt.part, text], log=log)
        text.unlink()
        return attempt

    def _suspects(self, found: list[Diagnostic], module: Path, shims: Sequence[str]) -> list[Diagnostic]:
        """Where Enzyme broke down without a word of the cause: what is known to break it."""
        if not any(diagnostic.broke_down for diagnostic in found):
            return []
        assembly = inline_assembly(self.libllvm, module, shims)
        return [Diagnostic("inline assembly cannot be differentiated", piece.place) for piece in assembly]

    def all_flags(self) -> list[str]:
        """The config's flags as Enzyme reads them."""
        flags = [f"--{name}={_flag(value)}" for name, value in sorted(self.flags.items())]
        return flags if self.fast_math else [*flags, "--enzyme-fast-math=0"]


def _flag(value: bool | int | float | str) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _refusal(attempts: Sequence[Attempt]) -> str:
    """Each cause once, and after it the derivatives that are refused for it."""
    wanted: dict[str, list[Derivative]] = {}
    for attempt in attempts:
        said = "\n".join(diagnostic.render() for diagnostic in attempt.refused)
        wanted.setdefault(said, []).extend(attempt.wanted)
    return "\n".join(f"{said}\n{_asked(derivatives)}" for said, derivatives in wanted.items())


def _asked(derivatives: Sequence[Derivative]) -> str:
    asked = [
        f"  = note: `{d['derivative']}` was asked for, {d['mode']} mode of `{d['primal']}` at {d['place']}"
        for d in derivatives[:_NOTES]
    ]
    more = len(derivatives) - _NOTES
    return "\n".join([*asked, f"  = note: and {more} more derivatives"] if more > 0 else asked)
