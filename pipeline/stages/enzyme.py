"""enzyme: the derivatives are synthesised.

Enzyme is the one in the `catalyst` executable (`enzyme_driver`); another build of it can serve behind the same interface.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

from pipeline import process
from pipeline.advice import in_words_of_rust, of_what_is_called
from pipeline.analyses.call_tree import Places, inline_assembly, places_in_user_code
from pipeline.enzyme_driver import Diagnostic, EnzymeDriver
from pipeline.errors import UserError
from pipeline.ladder import Rung
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.slice import Slicer
from pipeline.stages import MODULE, Inputs
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.tape import Tape
from pipeline.toolchain import Tool

Derivative = Mapping[str, Any]
"""A derivative as abi_fixup tells it."""

Wanted = Sequence[Sequence[Derivative]]
"""Derivatives that are wanted, those of one shim together."""

# Enzyme names the function in its own form only; of a crate with many derivatives the user knows the rest.
_NOTES = 3

_CAUSES = 3
"""What is wrong in one function is told so often; the log has the rest."""

_TOGETHER = 16
"""How many shims Enzyme is shown at once; these groups go side by side.

Whatever the number of processors: what comes out is the same on every machine.
"""


RUNGS = "rungs.json"
"""A list of the derivatives that Enzyme refuses at first, each with its rung of the ladder; only where there are some."""

Flags = Mapping[str, bool | int | float | str]
NO_FLAGS: Flags = {}

AT_FIRST = Rung("", "as it is")
"""Not on the ladder yet."""
_ADDED = ".added"
"""How the name of a file ends that has what a rung's repairs have added to the module."""

_ALWAYS: Flags = {
    # What a loop reads would be copied as a whole before it, though a later run of it reads what an earlier one writes
    # (docs/enzyme-issues/copied-before-the-loop.ll).
    "enzyme-loop-invariant-cache": False,
    # Local memory would be written anew in the reverse sweep instead of kept: a product of matrices that takes the place of
    # one of its factors in a loop comes out wrong by that.
    "enzyme-rematerialize": False,
    # A loop of no effect would be taken for one of a single run, and what the first of several runs did not keep be freed
    # (docs/enzyme-issues/no-effect.ll).
    "enzyme-inactive-dynamic": False,
    # Types are followed through four pointers, not six: in a `BTreeMap` that is a tenth of the time (docs/abi.md).
    "enzyme-max-type-depth": 4,
    # And over the first 256 bytes of what each leads to, not 500: what lies beyond has the type that its use says.
    "enzyme-max-type-offset": 256,
}

_OUTLIVING: Flags = {
    # Memory is freed where the function frees it on all ways; else all would be, and the caller would find freed memory.
    "enzyme-free-internal-allocations": False
}
"""For derivatives of functions whose memory may outlive them (`Derivative.outlives`)."""

_NO_RUN = re.compile(r"^ +(%\S+) = getelementptr ([^,]*), ptr .*, i64 (?:undef|poison)(?:,|$)", re.MULTILINE)
"""An element of what Enzyme has kept, and of which type that is; or of the program's own that nobody reads."""
_READ = r" = load .*, ptr {}, .*!invariant\.group"
"""How Enzyme reads what it has kept, unless what was made of that is not known to last."""
_OF_NO_RUN = "what a loop came to is asked outside of it, of no known run"
_SOMEWHERE = "it is somewhere in this function, or in what it calls"
_AS_A_FUNCTION = "put the loop into a function `#[inline(never)]`"


@dataclass(frozen=True)
class Made:
    """Derivatives that were wanted together, and the parts of the module that have them."""

    wanted: Wanted
    parts: Sequence[Path]


@dataclass(frozen=True)
class Refused:
    """Derivatives that were wanted together, and why they are refused."""

    wanted: Sequence[Derivative]
    why: Sequence[Diagnostic]


Outcomes: TypeAlias = Callable[[], "list[Made | Refused]"]


class _UnsoundError(Exception):
    """What the audit refuses."""

    def __init__(self, refused: list[Refused]) -> None:
        super().__init__("the audit refuses some derivatives")
        self.refused = refused


@dataclass(frozen=True)
class Enzyme:
    """Output: `module.bc` with every derivative in it; `rungs.json` where the ladder was climbed."""

    driver: EnzymeDriver
    slicer: Slicer
    libllvm: Tool
    tape: Tape
    flags: Flags
    fast_math: bool
    ladder: tuple[Rung, ...] = ()
    """What is tried one after the other where Enzyme refuses."""

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
            unsound: list[Refused] = []
            try:
                audit = partial(self._audit, module, wanted)
                made, by_rung, refused = self._climbed(module, wanted, folder / "all", log, [audit])
            except _UnsoundError as error:  # then Enzyme is not asked for these
                unsound = error.refused
                sound = [its for its in wanted if not any(its == one.wanted for one in unsound)]
                made, by_rung, refused = self._climbed(module, sound, folder / "sound", log)
            if refused := [*unsound, *refused]:
                raise UserError(_refusal(self._explained(module, refused, log)))
            visible = self.slicer.rest(module, _shims(wanted), folder / "rest.bc")
            self.slicer.join([part for one in made for part in one.parts], folder / "rest.bc", visible, out / MODULE, log)
        if by_rung:
            (out / RUNGS).write_text(json.dumps(by_rung, indent=1))

    def _climbed(
        self, module: Path, wanted: Wanted, folder: Path, log: Path, beside: Sequence[Outcomes] = ()
    ) -> tuple[list[Made], list[Derivative], list[Refused]]:
        """What Enzyme makes, be it on a rung of the ladder; what it makes on which rung; and what it refuses on all of them.

        That is refused for the cause that it had at first.  What Enzyme did not end with is not tried again: it takes minutes.
        `beside` is called while Enzyme is asked at first.
        """
        (folder / "first").mkdir(parents=True)
        made, refused = _sorted(self._differentiated(module, wanted, AT_FIRST, folder / "first", log, beside))
        by_rung: list[Derivative] = []
        for number, rung in enumerate(self.ladder):
            place = folder / f"rung{number}"
            place.mkdir()
            again = [one.wanted for one in refused if not any(why.endless for why in one.why)]
            had, _ = _sorted(self._differentiated(module, again, rung, place, log))
            made += had
            climbed = [its for one in had for its in one.wanted]
            refused = [one for one in refused if one.wanted not in climbed]
            by_rung += [{**derivative, "rung": rung.name} for its in climbed for derivative in its]
        return made, by_rung, refused

    def _explained(self, module: Path, refused: Sequence[Refused], log: Path) -> list[Refused]:
        """Why, in words of Rust, and from where in the user's code."""
        places = places_in_user_code(self.libllvm, module, (_shims([one.wanted]) for one in refused))
        explained = [replace(one, why=_explained(one.why, of)) for one, of in zip(refused, places, strict=True)]
        with log.open("a") as whole:
            whole.write("".join(f"{why.render()}\n" for one in explained for why in one.why))
        return explained

    def _audit(self, module: Path, wanted: Wanted) -> list[Made | Refused]:
        """Nothing, where the audit finds nothing: then what Enzyme makes counts.  Raises: _UnsoundError where it does."""
        if refused := self._audited(module, wanted):
            raise _UnsoundError(refused)
        return []

    def _audited(self, module: Path, wanted: Wanted) -> list[Refused]:
        """What the audit refuses, shim by shim: it looks at all at once, and where it finds something at each."""
        from pipeline.audit import audit, audit_each

        found = audit(self.libllvm, module, _shims(wanted, "reverse"), _shims(wanted, "forward"))
        if not found or len(wanted) == 1:
            return [Refused(its, found) for its in wanted if found]
        each = audit_each(self.libllvm, module, ((_shims([its], "reverse"), _shims([its], "forward")) for its in wanted))
        return [Refused(its, why) for its, why in zip(wanted, each, strict=True) if why]

    def _differentiated(
        self, module: Path, wanted: Wanted, rung: Rung, folder: Path, log: Path, beside: Sequence[Outcomes] = ()
    ) -> list[Made | Refused]:
        """Parts of the module that have these derivatives, a few in each; the parts are made side by side.

        On a rung each has its own: of those that were refused one by one, most will be again.
        """
        size = _TOGETHER if rung is AT_FIRST else 1
        alike = [[its for its in wanted if _outlives([its]) == outlives] for outlives in (False, True)]
        chunks = [some[begin : begin + size] for some in alike for begin in range(0, len(some), size)]
        groups = {folder / f"{i:05}": its for i, its in enumerate(chunks)}
        for place in groups:
            place.mkdir()
        calls: list[Outcomes] = [partial(self._parts, module, its, rung, place) for place, its in groups.items()]
        calls[1:1] = beside  # after the first, as what takes longest is Enzyme
        try:
            return [each for outcomes in process.side_by_side(calls) for each in outcomes]
        finally:
            with log.open("ab") as whole:
                for place in groups:
                    whole.write((place / "log").read_bytes() if (place / "log").exists() else b"")

    def _parts(self, module: Path, wanted: Wanted, rung: Rung, folder: Path) -> list[Made | Refused]:
        """The part that has these; where Enzyme refuses it, what becomes of one half of the shims, and of the other."""
        part = folder / f"{len(list(folder.iterdir()))}.bc"
        found = self._differentiate(module, wanted, rung, part, folder / "log")
        if not found:
            return [Made(wanted, [part, *part.parent.glob(f"{part.stem}{_ADDED}")])]
        if len(wanted) == 1:
            return [Refused(wanted[0], found)]
        return [each for half in _halves(wanted) for each in self._parts(module, half, rung, folder)]

    def _differentiate(self, module: Path, wanted: Wanted, rung: Rung, part: Path, log: Path) -> list[Diagnostic]:
        """Write the part of the module that has these derivatives; or why there is none."""
        text, shims = part.with_suffix(".ll"), _shims(wanted)
        if unsound := self.show(module, wanted, rung, part):
            return unsound
        found = self.driver.differentiate(part, text, self.flags_for(wanted, rung), log) or self._asked_of_no_run(text, part)
        if found:
            return found + self._suspects(found, module, shims)
        self.tape.provide(text, _in_words(wanted), part)
        text.unlink()
        return []

    def show(self, module: Path, wanted: Wanted, rung: Rung, part: Path) -> list[Diagnostic]:
        """Write what Enzyme is shown of the module; or what the audit refuses after the rung's repairs.

        What these have added to the module lies beside the part.
        """
        from pipeline.repairs import OF_RUNGS

        if not rung.repairs:
            self.slicer.part(module, _shims(wanted), part)
            return self._untold(module, wanted, rung)
        prepared = part.with_suffix(".prepared")
        with Module(self.libllvm, module) as opened:
            for name in rung.repairs:
                OF_RUNGS[name](Editor(opened), opened.named(_shims(wanted)))
                opened.write(prepared)
                # Where the audit sees less after the next one, it has seen this.
                if found := self._unsound(prepared, wanted, rung):
                    return found
        self.slicer.added(prepared, module, part.with_suffix(_ADDED))
        self.slicer.part(prepared, _shims(wanted), part)
        return []

    def _unsound(self, prepared: Path, wanted: Wanted, rung: Rung) -> list[Diagnostic]:
        """What the audit refuses of a module that a rung's repairs have prepared."""
        from pipeline.audit import audit

        found = audit(self.libllvm, prepared, _shims(wanted, "reverse"), _shims(wanted, "forward"))
        return found or self._untold(prepared, wanted, rung)

    def _untold(self, module: Path, wanted: Wanted, rung: Rung) -> list[Diagnostic]:
        """What Enzyme is not told the type of, on a rung on which it must be."""
        from pipeline.audit import untold

        asked = _shims(wanted, "reverse"), _shims(wanted, "forward")
        return untold(self.libllvm, module, *asked) if rung.is_told else []

    def _asked_of_no_run(self, text: Path, part: Path) -> list[Diagnostic]:
        """What derivatives look up for no known run of a loop, as far as it is to be seen (`analyses/asked_outside.py`)."""
        made = text.read_text()
        asked = {kind for _, kind in _NO_RUN.findall(made)}
        if not asked or not (_is_read(made) or asked - self._undefined(part)):
            return []
        return [Diagnostic(_OF_NO_RUN, help=_AS_A_FUNCTION)]

    def _undefined(self, part: Path) -> set[str]:
        """Of which types elements are undefined before Enzyme, as in a hash map that is not optimised."""
        with Module(self.libllvm, part) as module:
            return {kind for _, kind in _NO_RUN.findall(module.as_text())}

    def _suspects(self, found: list[Diagnostic], module: Path, shims: Sequence[str]) -> list[Diagnostic]:
        """Where Enzyme broke down without a word of the cause: what is known to break it."""
        if not any(diagnostic.broke_down for diagnostic in found):
            return []
        assembly = inline_assembly(self.libllvm, module, shims)
        return [Diagnostic("inline assembly cannot be differentiated", piece.place) for piece in assembly]

    def flags_for(self, wanted: Wanted, rung: Rung) -> list[str]:
        """The flags by which these are differentiated on a rung, as Enzyme reads them."""
        return self.all_flags({**rung.flags, **(_OUTLIVING if _outlives(wanted) else {})})

    def all_flags(self, others: Flags = NO_FLAGS) -> list[str]:
        """The config's flags, and others, as Enzyme reads them."""
        flags = [f"--{name}={_flag(value)}" for name, value in sorted({**_ALWAYS, **self.flags, **others}.items())]
        return flags if self.fast_math else [*flags, "--enzyme-fast-math=0"]


def _is_read(made: str) -> bool:
    """Whether an element that is undefined is read as Enzyme reads what it has kept."""
    places = ((function, place) for function in made.split("\n}\n") for place, _ in _NO_RUN.findall(function))
    return any(re.search(_READ.format(re.escape(place)), function) for function, place in places)


def rungs_taken(output: Path) -> dict[tuple[str, str], str]:
    """The rung by which each derivative, named with its shim, was had, of those that Enzyme refuses at first."""
    listed = output / RUNGS
    return {(d["derivative"], d["shim"]): d["rung"] for d in json.loads(listed.read_text())} if listed.exists() else {}


def _sorted(outcomes: Sequence[Made | Refused]) -> tuple[list[Made], list[Refused]]:
    return [one for one in outcomes if isinstance(one, Made)], [one for one in outcomes if isinstance(one, Refused)]


def _flag(value: bool | int | float | str) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _explained(found: Sequence[Diagnostic], places: Places) -> list[Diagnostic]:
    """What was found, each thing at each place in the user's code once; what is deep in std, or has no place, last."""
    each: dict[tuple[str, str | None], Diagnostic] = {}
    for explained in (_moved(in_words_of_rust(why), places) for why in found):
        each.setdefault((explained.message, explained.place), explained)
    return sorted(each.values(), key=lambda why: (why.place is None, why.is_deep))


def _moved(diagnostic: Diagnostic, places: Places) -> Diagnostic:
    """The refusal at the place in the user's code that leads to where it is."""
    known = places.get(diagnostic.place or "")
    return of_what_is_called(diagnostic, *known) if known and known.place != diagnostic.place else diagnostic


def _shims(wanted: Wanted, mode: str | None = None) -> list[str]:
    """The shims of these derivatives; of those of one mode, if that is given."""
    return list(dict.fromkeys(d["shim"] for its in wanted for d in its if mode in (None, d["mode"])))


def _outlives(wanted: Wanted) -> bool:
    return any(derivative["outlives"] for its in wanted for derivative in its)


def _in_words(wanted: Wanted) -> dict[str, str]:
    """What each derivative is, by its name; one name may stand for several."""
    words: dict[str, list[str]] = {}
    for derivative in (each for its in wanted for each in its):
        words.setdefault(derivative["derivative"], []).append(f"`{derivative['derivative']}` of `{derivative['primal']}`")
    return {name: " or ".join(dict.fromkeys(of)) for name, of in words.items()}


def _halves(wanted: Wanted) -> tuple[Wanted, Wanted]:
    middle = len(wanted) // 2
    return wanted[:middle], wanted[middle:]


def _refusal(refused: Sequence[Refused]) -> str:
    """Each cause once, and after it the derivatives that are refused for it."""
    wanted: dict[tuple[Diagnostic, ...], list[Derivative]] = {}
    for one in refused:
        wanted.setdefault(tuple(one.why[:_CAUSES]), []).extend(one.wanted)
    return "\n".join(f"{_said(why, of[0]['place'])}\n{_asked(of)}" for why, of in wanted.items())


def _said(causes: Sequence[Diagnostic], function: str) -> str:
    """The causes; what has no place is somewhere in the function that is differentiated."""
    placed = (why if why.place else replace(why, place=function, notes=(*why.notes, _SOMEWHERE)) for why in causes)
    return "\n".join(why.render() for why in placed)


def _asked(derivatives: Sequence[Derivative]) -> str:
    asked = [
        f"  = note: `{d['derivative']}` was asked for, {d['mode']} mode of `{d['primal']}` at {d['place']}"
        for d in derivatives[:_NOTES]
    ]
    more = len(derivatives) - _NOTES
    return "\n".join([*asked, f"  = note: and {more} more derivatives"] if more > 0 else asked)
