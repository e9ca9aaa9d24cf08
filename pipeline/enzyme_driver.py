"""How an Enzyme is run: a module in; a module as text, or diagnostics, out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipeline import process
from pipeline.errors import UserError
from pipeline.llvm import IN_PLACE
from pipeline.printed import place_of
from pipeline.toolchain import Tool


@dataclass(frozen=True)
class Diagnostic:
    """A refusal: what Enzyme says, and the Rust place it says it of (`file:line:column`), where there is one.

    `broke_down` is true where Enzyme did not refuse but ended by a fault of its own, `endless` where it did not end.
    """

    message: str
    place: str | None = None
    broke_down: bool = False
    is_deep: bool = False
    """Whether it is in what the place calls, and not in the user's own code."""
    notes: tuple[str, ...] = ()
    """What else there is to know of it."""
    help: str = ""
    """What the user can do."""
    endless: bool = False

    def render(self) -> str:
        """The refusal as the user reads it."""
        where = [f"  --> {self.place}"] if self.place else []
        more = [f"  = note: {note}" for note in self.notes] + ([f"  = help: {self.help}"] if self.help else [])
        return "\n".join([f"error: {self.message}", *where, *more])


class EnzymeDriver(Protocol):
    """An Enzyme.  A driver is a frozen value whose fields are part of the stage's key."""

    def differentiate(self, module: Path, text: Path, flags: Sequence[str], log: Path) -> list[Diagnostic]:
        """Differentiate the bitcode `module` as it is into the text IR `text`; an empty list where that went well."""


@dataclass(frozen=True)
class Catalyst:
    """The Enzyme that is linked into PennyLane's `catalyst` executable.

    By itself this would run O2 before Enzyme, and make anew what was repaired; it passes over the stages up to its
    checkpoint.
    """

    catalyst: Tool
    patience_s: int
    """How many seconds of processor time it may take for a module: of some functions it would never end."""
    is_for_another: bool = False
    """Whether what is differentiated is for another machine, of the same sizes and orders of bytes, than it takes it for."""

    def differentiate(self, module: Path, text: Path, flags: Sequence[str], log: Path) -> list[Diagnostic]:
        """See `EnzymeDriver.differentiate`.

        Where it refuses its exit code may be 0 all the same, and the text is there: a line says `error: … Enzyme: …`.  On
        standard output it writes the text and ends; into a file it would write it once more, and an object file.
        """
        argv: list[process.Argument] = [self.catalyst, "--tool=llc", module, "-o", "-", *flags, "--checkpoint-stage=O2Opt"]
        argv += ["--vectorize-loops=false", "--vectorize-slp=false", *IN_PLACE, *_NO_CHOICES, *_LOOPS_STAY, *_NO_GROUPS]
        finished = process.run(argv, log=log, stdout=text, patience_s=self.patience_s)
        diagnostics = read_diagnostics(finished.output)
        if not diagnostics and not (finished.succeeded and text.stat().st_size):
            text.unlink()
            if unknown := _NO_OPTION.search(finished.output):
                raise UserError(
                    f"error: enzyme: {unknown[1]}\n  = help: `enzyme.flags` in the config has it; `docs/config.md`", exit_code=3
                )
            if finished.verdict == "SIGXCPU":
                said = f"Enzyme does not end: it was given {self.patience_s} s (`enzyme.patience_s` in the config)"
                return [Diagnostic(said, endless=True)]
            return [Diagnostic(f"Enzyme broke down ({finished.verdict}){_assertion(finished.output)}", broke_down=True)]
        if not diagnostics:
            differentiated = text.read_bytes()
            if _LEFT.search(differentiated):
                return [Diagnostic("Enzyme left a derivative undone, and does not say why")]
            if self.is_for_another:
                differentiated = _TARGET.sub(b"", differentiated)
            text.write_bytes(_FAST.sub(_without_surprises, _GROUP.sub(b"", differentiated)))
        return diagnostics


_NO_OPTION = re.compile(r"^\S*: ((?:Unknown command line argument '[^']*'|for the -\S+ option: .*))", re.MULTILINE)
_REFUSAL = re.compile(r"^error: (?:[^:]*:0:0: |(?P<place>[^\s:][^:]*:\d+:\d+): )?.*?Enzyme: (?P<message>.*)")
_ACTIVITIES = (" constantarg[", " constantinst[")  # what Enzyme knew of each instruction: for the log
# The passes that Enzyme runs first would make choices of branches: what is computed in a branch alone would be computed always,
# and of what is not chosen zero, the adjoint, times an infinite slope is NaN (`analyses/unwanted.py` sees those of before).
# One expensive instruction they would take whatever the threshold.
_NO_CHOICES = ("-phi-node-folding-threshold=0", "-two-entry-phi-node-folding-threshold=0", "-speculate-one-expensive-inst=0")
# Nor are loops unrolled or rotated that were not before the repairs: of the loops of one's runs Enzyme takes one for another
# (`repairs/loops.py`), and of what a rotated one carries it follows the last choice alone (`repairs/carried.py`).
_LOOPS_STAY = ("-unroll-full-max-count=0", "-rotation-max-header-size=0")
# Enzyme puts its caches into invariant groups.  Where LLVM takes a value instead of a cache's load, it gives the value's own
# load the cache's group, and two such loads of one place would be the same, whatever is written there in between.  And the
# cache of the way that was taken is written where a block is entered, and again where it branches: EarlyCSE would take the
# first.
_GROUP, _NO_GROUPS = re.compile(rb", !invariant\.group !\d+"), ("--enable-gvn-memdep=0", "--earlycse-mssa-optimization-cap=0")
# It says that everything is for the machine it was made for; what it is joined with says it as it is.
_TARGET = re.compile(rb"^target (?:datalayout|triple) = .*\n", re.MULTILINE)
# It also says of all arithmetic of its own that nothing is infinite or no number: of what is, anything could be made then.
# And with reciprocals allowed, x86 estimates those of `f32` and their square roots: 1 / sqrt(0) becomes NaN.
_FAST = re.compile(rb"^(  %.* = (?:tail )?(?:(fdiv)|f\w+|select|phi|call) )fast (?=((?:<\d+ x )?float\b)?)", re.MULTILINE)
_ANALYSIS, _CONTRADICTION = "<analysis>", "Illegal updateAnalysis"
_CONTRADICTING = re.compile(r"val: .* origin=(.*)")
_CONTRADICTED = "LLVM ERROR: Performed illegal updateAnalysis"  # where it is not at an instruction: it ends there
_PRINTED = (";", "define ")  # how the print of a function begins
_OF_WHICH = "oldFunc: "  # and then the function
_METADATA = re.compile(r", ![\w.]+ !\d+")
_LEFT = re.compile(rb"@__enzyme_(?:autodiff|fwddiff)\(")
_MEMMOVE = "didn't implement memmove"  # it goes on, and the gradient may be wrong
_ASSERTION = re.compile(r"Assertion `(?:0 && )?\"?(.*?)\"?' failed")


def read_diagnostics(output: str) -> list[Diagnostic]:
    """The refusals among the lines that Enzyme printed, each once; its warning of a wrong gradient is one, too."""
    lines = output.splitlines()
    refusals = ((number, match) for number, match in enumerate(map(_REFUSAL.match, lines)) if match)
    found = [
        Diagnostic(f"Enzyme: {_message(match['message'], lines[number + 1 :])}", match["place"] or _place(lines))
        for number, match in refusals
    ]
    if not found and _CONTRADICTED in lines:
        found.append(Diagnostic(f"Enzyme: {_message(_ANALYSIS, lines)}", _place(lines)))
    if _MEMMOVE in output:
        found.append(Diagnostic("Enzyme cannot differentiate an overlapping move (Vec::insert, remove, rotate …)"))
    return list(dict.fromkeys(found))


def _place(lines: Sequence[str]) -> str | None:
    """Of the instruction at which types contradict each other, in the module that Enzyme has printed then."""
    at = next((found[1] for found in map(_CONTRADICTING.match, lines) if found), "")
    return place_of(at, lines)


def _message(first_line: str, following: Sequence[str]) -> str:
    """What Enzyme says: on the line itself, or, where that begins the print of a function or of types, after it."""
    if first_line == _ANALYSIS:
        which = next((line for line in following if line.startswith(_CONTRADICTION)), "")
        return f"the same memory holds values of two types{which.removeprefix(_CONTRADICTION)}"
    first_line = first_line.removeprefix(_OF_WHICH)
    if not first_line.startswith(_PRINTED):
        return first_line
    after = _behind_functions([first_line, *following])
    said = itertools.takewhile(lambda line: not line.startswith("  "), after)
    words = (_METADATA.sub("", line) for line in said if line and not line.startswith(_ACTIVITIES))
    return " ".join(words) or "it does not say why; the log has the function"


def _behind_functions(lines: Sequence[str]) -> Sequence[str]:
    """What follows the print of a function, or of two: as it was, and what Enzyme made of it so far."""
    while lines and (not lines[0] or lines[0].startswith(_PRINTED)):
        end = lines.index("}") if lines[0] and "}" in lines else 0
        lines = lines[end + 1 :]
    return lines


def _without_surprises(fast: re.Match[bytes]) -> bytes:
    estimated = fast[2] and fast[3]
    return fast[1] + (b"reassoc nsz contract afn " if estimated else b"reassoc nsz arcp contract afn ")


def _assertion(output: str) -> str:
    failed = _ASSERTION.search(output)
    return f": {failed[1]}" if failed else ""
