"""enzyme: the derivatives are synthesised.

Enzyme is the one in the `catalyst` executable (`enzyme_driver`); another build of it can serve behind the same interface.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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

Wanted = Sequence[Sequence[Derivative]]
"""Derivatives that are wanted, those of one shim together."""

# Enzyme names the function in its own form only; of a crate with many derivatives the user knows the rest.
_NOTES = 3

_TOGETHER = 16
"""How many shims Enzyme is shown at once; these groups go side by side.

Whatever the number of processors: what comes out is the same on every machine.
"""


@dataclass(frozen=True)
class Refused:
    """Derivatives that were wanted together, and why they are refused."""

    wanted: Sequence[Derivative]
    why: Sequence[Diagnostic]


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
        wanted = [list(its) for _, its in by_shim]
        with tempfile.TemporaryDirectory(dir=out) as scratch:
            folder = Path(scratch)
            refused = self._audited(module, wanted)
            sound = [its for its in wanted if not any(its == one.wanted for one in refused)]
            outcomes = [*refused, *self._differentiated(module, sound, folder, log)]
            if refused := [one for one in outcomes if isinstance(one, Refused)]:
                raise UserError(_refusal(refused))
            self.slicer.rest(module, _shims(wanted), folder / "rest.bc", log)
            parts = [one for one in outcomes if isinstance(one, Path)]
            self.slicer.join(module, parts, folder / "rest.bc", out / MODULE, log)

    def _audited(self, module: Path, wanted: Wanted) -> list[Refused]:
        """What the audit refuses, shim by shim: it looks at all at once, and where it finds something at each half."""
        reverse, forward = (_shims(wanted, mode) for mode in ("reverse", "forward"))
        found = audit(self.libllvm, module, reverse, forward)
        if not found:
            return []
        if len(wanted) == 1:
            return [Refused(wanted[0], found)]
        return [each for half in _halves(wanted) for each in self._audited(module, half)]

    def _differentiated(self, module: Path, wanted: Wanted, folder: Path, log: Path) -> list[Path | Refused]:
        """Parts of the module that have these derivatives, a few in each; the parts are made side by side."""
        scratch = [folder / f"{begin:05}" for begin in range(0, len(wanted), _TOGETHER)]
        for place in scratch:
            place.mkdir()
        groups = [wanted[begin : begin + _TOGETHER] for begin in range(0, len(wanted), _TOGETHER)]
        calls = [partial(self._parts, module, its, place) for its, place in zip(groups, scratch, strict=True)]
        try:
            return [each for outcomes in process.side_by_side(calls) for each in outcomes]
        finally:
            with log.open("ab") as whole:
                for place in scratch:
                    whole.write((place / "log").read_bytes() if (place / "log").exists() else b"")

    def _parts(self, module: Path, wanted: Wanted, folder: Path) -> list[Path | Refused]:
        """The part that has these; where Enzyme refuses it, what becomes of one half of the shims, and of the other."""
        part = folder / f"{len(list(folder.iterdir()))}.bc"
        found = self._differentiate(module, _shims(wanted), part, folder / "log")
        if not found:
            return [part]
        if len(wanted) == 1:
            return [Refused(wanted[0], found)]
        return [each for half in _halves(wanted) for each in self._parts(module, half, folder)]

    def _differentiate(self, module: Path, shims: Sequence[str], part: Path, log: Path) -> list[Diagnostic]:
        """Write the part of the module that has the derivatives of these shims; or why there is none."""
        text = part.with_suffix(".ll")
        self.slicer.part(module, shims, part, log)
        if found := self.driver.differentiate(part, text, self.all_flags(), log):
            return found + self._suspects(found, module, shims)
        process.run_tool([self.llvm_as, "-o", part, text], log=log)
        text.unlink()
        return []

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


def _shims(wanted: Wanted, mode: str | None = None) -> list[str]:
    """The shims of these derivatives; of those of one mode, if that is given."""
    return list(dict.fromkeys(d["shim"] for its in wanted for d in its if mode in (None, d["mode"])))


def _halves(wanted: Wanted) -> tuple[Wanted, Wanted]:
    middle = len(wanted) // 2
    return wanted[:middle], wanted[middle:]


def _refusal(refused: Sequence[Refused]) -> str:
    """Each cause once, and after it the derivatives that are refused for it."""
    wanted: dict[str, list[Derivative]] = {}
    for one in refused:
        wanted.setdefault("\n".join(why.render() for why in one.why), []).extend(one.wanted)
    return "\n".join(f"{said}\n{_asked(derivatives)}" for said, derivatives in wanted.items())


def _asked(derivatives: Sequence[Derivative]) -> str:
    asked = [
        f"  = note: `{d['derivative']}` was asked for, {d['mode']} mode of `{d['primal']}` at {d['place']}"
        for d in derivatives[:_NOTES]
    ]
    more = len(derivatives) - _NOTES
    return "\n".join([*asked, f"  = note: and {more} more derivatives"] if more > 0 else asked)
