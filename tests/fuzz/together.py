"""What becomes of functions as users build them: many in one crate, by the real `./doit build` and a config's strategy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.stages.llvm_link import BESIDE_OBJECTS
from pipeline.strategies.slice import WHOLE
from tests.fuzz import oracle, runner
from tests.fuzz.oracle import DOUBLE, Precision, S, Source
from tests.fuzz.runner import MODES, compared, derived
from tests.programs import BROKE_DOWN, Judge, Verdict, Way, run
from tests.workbench import Workbench

AT_ONCE = 16
"""Functions in one crate: one that has the whole program merged, or is refused, is looked for among these."""

_MERGED = "merged"
_NAMED = re.compile(r"::p(\d{4})::")


class Functions(Judge[S]):
    """The crate of `tests.fuzz.runner`, built and run as a whole."""

    def __init__(self, rights: Mapping[S, Sequence[float]], modes: Sequence[str], precision: Precision = DOUBLE) -> None:
        self.rights = rights
        self.modes = modes
        self.precision = precision
        self.got: dict[S, list[str]] = {}
        """What each function printed last, a text for each number."""
        self.sliced: set[S] = set()
        """Those whose program was not merged as a whole."""

    def write(self, programs: Sequence[S], bench: Workbench) -> None:
        """See `Judge.write`."""
        runner.write(programs, bench, self.modes, self.precision)

    def run(self, programs: Sequence[S], binary: Path) -> dict[S, Verdict]:
        """See `Judge.run`: `merged`, where several were to be sliced and are not."""
        linked = binary.parent / "stages" / "03-llvm_link"
        if (linked / BESIDE_OBJECTS).exists():
            self.sliced.update(programs)
        if (linked / WHOLE).exists() and len(programs) > 1:
            return dict.fromkeys(programs, Verdict(_MERGED, (linked / WHOLE).read_text()))
        verdicts: dict[S, Verdict] = {}
        while len(verdicts) < len(programs):
            stdout, death = run(binary, str(len(verdicts)))
            lines = stdout.splitlines()
            for program in programs[len(verdicts) :]:
                names = derived(program, self.modes, self.precision).lines
                its, lines = lines[: len(names)], lines[len(names) :]
                if len(its) < len(names):
                    verdicts[program] = Verdict("crash", death)
                    break
                self.got[program] = " ".join(its).split()
                verdicts[program] = compared(names, its, self.rights[program], self.precision)
        return verdicts

    def judge_apart(self, programs: Sequence[S], way: Way, bench: Workbench) -> dict[S, Verdict]:
        """What becomes of each; by itself of what the whole program is merged for, or is refused among others."""
        verdicts: dict[S, Verdict] = {}
        self.judge(programs, way, bench, verdicts)
        merged = [program for program, verdict in verdicts.items() if verdict.kind == _MERGED]
        refused = [[program] for program, verdict in verdicts.items() if verdict.kind == "refused" and len(programs) > 1]
        for some in (*refused, *(apart(merged, verdicts[merged[0]].said) if merged else ())):
            verdicts |= self.judge_apart(some, way, bench)
        return verdicts


def apart(merged: Sequence[S], why: str) -> tuple[Sequence[S], Sequence[S]]:
    """The function for which the whole program is merged, and the others; two halves, where nobody says which it is."""
    named = _NAMED.search(why)
    begin, end = (int(named[1]), int(named[1]) + 1) if named and int(named[1]) < len(merged) else (0, len(merged) // 2)
    return merged[begin:end], [*merged[:begin], *merged[end:]]


def judge(
    functions: Sequence[Source], way: Way, folder: Path, modes: Sequence[str] = MODES, precision: Precision = DOUBLE
) -> list[Verdict]:
    """What becomes of each function when it is built in a way; the verdicts are those of `runner.judge`."""
    found: list[Verdict] = []
    for begin in range(0, len(functions), AT_ONCE):
        some = functions[begin : begin + AT_ONCE]
        rights = dict(zip(some, oracle.rights(some, folder / "oracle", precision), strict=True))
        tests = {function: right for function, right in rights.items() if isinstance(right, list)}
        verdicts = {function: oracle.verdict(said) for function, said in rights.items() if isinstance(said, str)}
        if tests:
            verdicts |= Functions(tests, modes, precision).judge_apart(list(tests), way, Workbench(folder / "crate"))
        found += [_broken_down(verdicts[function]) for function in some]
    return found


def _broken_down(verdict: Verdict) -> Verdict:
    """The verdict, where it is a stage that died and no program."""
    return Verdict(BROKE_DOWN, verdict.said) if verdict.kind == "crash" and BROKE_DOWN in verdict.said else verdict
