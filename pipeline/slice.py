"""The part of a program that Enzyme is shown: who asks for derivatives, and what is differentiated.

Enzyme's passes optimise all that they are shown, each function in their own way.  What no derivative reaches does not pass
through them, and comes out as it went in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline import process
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.errors import UserError
from pipeline.llvm import Module, Value
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import Tool

TRIGGER = "__enzyme_autodiff_trigger"
"""Enzyme looks for this name before it does anything: without it a program of forward mode alone would stay as it is."""


@dataclass(frozen=True)
class Slicer:
    """The tools that take a module apart, and put it together again."""

    llvm_extract: Tool
    llvm_link: Tool
    llvm_nm: Tool
    opt: Tool
    libllvm: Tool

    def part(self, module: Path, shims: Iterable[str], part: Path, log: Path) -> None:
        """Write what Enzyme needs of a module to differentiate these.

        What the rest refers to, too, is visible in both; constants are in both with their values.
        """
        with Module(self.libllvm, module) as whole:
            inspector, primals = Inspector(whole), whole.named(shims)
            functions = [*_asking(inspector, primals), *_reached(inspector, primals)]
            names = [whole.name(f) for f in dict.fromkeys(functions)]
        self._extract(module, names, part, log)
        with Module(self.libllvm, part) as shown:
            shown.declare(TRIGGER)
            shown.write(part)

    def rest(self, module: Path, shims: Iterable[str], rest: Path, log: Path) -> None:
        """Write all of a module but who asks for the derivatives of these."""
        with Module(self.libllvm, module) as whole:
            names = [whole.name(f) for f in _asking(Inspector(whole), whole.named(shims))]
        self._extract(module, names, rest, log, "--delete")

    def join(self, module: Path, differentiated: Sequence[Path], rest: Path, out: Path, log: Path) -> None:
        """Put the parts together: what is in several is as it was in `module`, and visible is what was visible there.

        Who asks is inlined into who wants the derivative.
        """
        joined, public = out.with_suffix(".joined"), out.with_suffix(".public")
        first, *others = [*differentiated, rest]
        process.run_tool([self.llvm_link, "-o", joined, first, *(f"--override={part}" for part in others)], log=log)
        public.write_text(self._visible(module))
        internalise = ["-passes=internalize,always-inline", f"-internalize-public-api-file={public}"]
        process.run_tool([self.opt, *internalise, "-o", out, joined], log=log)
        joined.unlink()
        public.unlink()

    def _extract(self, module: Path, functions: Iterable[str], out: Path, log: Path, *options: str) -> None:
        named = (f"--func={name}" for name in functions)
        process.run_tool([self.llvm_extract, "--keep-const-init", *options, *named, "-o", out, module], log=log)

    def _visible(self, module: Path) -> str:
        answer = process.ask([self.llvm_nm, "--extern-only", "--defined-only", "--format=just-symbols", module])
        if not answer.succeeded:
            raise UserError(f"error: llvm-nm cannot read {module}\n{process.tail(answer.output)}")
        return answer.output


def _reached(inspector: Inspector, shims: Iterable[Value]) -> list[Value]:
    """What the shims call, what they ask derivatives of, and what stands in the constants that are used there.

    Not what is inactive: LLVM, which runs with Enzyme, would look through it.
    """
    found: dict[Value, None] = {}
    waiting = list(shims)
    while waiting:
        active = (f for f in call_tree(inspector, waiting) if not inspector.is_inactive(f))
        called = [function for function in active if function not in found]
        found |= dict.fromkeys(called)
        found_in = (inspector.functions_in_constants, partial(_asked, inspector))
        mentioned = dict.fromkeys(f for function in called for find in found_in for f in find(function))
        waiting = [f for f in mentioned if f not in found and not inspector.is_inactive(f)]
    return list(found)


def _asked(inspector: Inspector, function: Value) -> list[Value]:
    """What a function asks Enzyme for derivatives of."""
    asking = (call for call in calls(inspector, function) if inspector.is_enzymes(inspector.module.callee(call)))
    return [inspector.module.arguments(call)[0] for call in asking]


def _asking(inspector: Inspector, shims: Collection[Value]) -> list[Value]:
    """The functions that ask Enzyme for derivatives of these."""
    module = inspector.module
    calls = (user for function in module.functions() if inspector.is_enzymes(function) for user in module.users(function))
    return list(dict.fromkeys(module.parent(call) for call in calls if module.arguments(call)[0] in shims))
