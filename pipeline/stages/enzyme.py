"""enzyme: the derivatives are synthesised.

Enzyme is the one in the `catalyst` executable (`enzyme_driver`); another build of it can serve behind the same interface.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.audit import audit
from pipeline.call_tree import inline_assembly
from pipeline.enzyme_driver import Diagnostic, EnzymeDriver
from pipeline.errors import UserError
from pipeline.slice import Slicer
from pipeline.stages import MODULE, Inputs
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.toolchain import Tool

# Enzyme names the function in its own form only; of a crate with many derivatives the user knows the rest.
_NOTES = 3


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
        derivatives = json.loads((inputs["module"] / DERIVATIVES).read_text())
        if not derivatives:
            (out / MODULE).hardlink_to(inputs["module"] / MODULE)
            log.write_text("no derivatives\n")
            return
        module, shims = inputs["module"] / MODULE, [d["shim"] for d in derivatives]
        reverse, forward = ([d["shim"] for d in derivatives if d["mode"] == mode] for mode in ("reverse", "forward"))
        if found := audit(self.libllvm, module, reverse, forward):
            raise UserError(_refusal(found, derivatives))
        part, text, rest = (out / name for name in ("part.bc", "part.ll", "rest.bc"))
        self.slicer.cut(module, shims, part, rest, log)
        diagnostics = self.driver.differentiate(part, text, self.all_flags(), log)
        if diagnostics:
            diagnostics += self._suspects(diagnostics, module, derivatives)
            raise UserError(_refusal(diagnostics, derivatives))
        process.run_tool([self.llvm_as, "-o", part, text], log=log)
        self.slicer.join(module, part, rest, out / MODULE, log)
        for path in (part, text, rest):
            path.unlink()

    def _suspects(self, diagnostics: list[Diagnostic], module: Path, derivatives: list[dict[str, str]]) -> list[Diagnostic]:
        """Where Enzyme broke down without a word of the cause: what is known to break it."""
        if not any(diagnostic.broke_down for diagnostic in diagnostics):
            return []
        assembly = inline_assembly(self.libllvm, module, [d["shim"] for d in derivatives])
        return [Diagnostic("inline assembly cannot be differentiated", piece.place) for piece in assembly]

    def all_flags(self) -> list[str]:
        """The config's flags as Enzyme reads them."""
        flags = [f"--{name}={_flag(value)}" for name, value in sorted(self.flags.items())]
        return flags if self.fast_math else [*flags, "--enzyme-fast-math=0"]


def _flag(value: bool | int | float | str) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _refusal(diagnostics: list[Diagnostic], derivatives: list[dict[str, str]]) -> str:
    asked = "\n".join(
        f"  = note: `{d['derivative']}` was asked for, {d['mode']} mode of `{d['primal']}` at {d['place']}"
        for d in derivatives[:_NOTES]
    )
    if len(derivatives) > _NOTES:
        asked += f"\n  = note: and {len(derivatives) - _NOTES} more derivatives"
    said = "\n".join(diagnostic.render() for diagnostic in diagnostics)
    return f"{said}\n{asked}"
