"""Tries random functions: `python -m tests.fuzz [--count N] [--seed N] [--levels 0,3] [--shrink N]
[--mixed | --headers | --single] [--strategy NAME] [--record]`.

Prints how many came out right, refused, wrong or crashed at each level; then each that is not right, shrunk where it is
wrong or a crash, with the seed that gives it again.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline import strategies
from tests.fuzz import record, runner, together
from tests.fuzz.generate import function
from tests.fuzz.oracle import DOUBLE, IN_SINGLE
from tests.fuzz.record import ALONE
from tests.fuzz.runner import AT_ONCE, HEADERS, LEVELS, MIXED, MODES_OF
from tests.fuzz.shrink import ROUNDS, Failure, cause, shrink
from tests.fuzz.tree import Function
from tests.programs import Verdict, Way

LOG = logging.getLogger("fuzz")

KINDS = ("right", "refused", "broke down", "wrong", "crash", "invalid")


@dataclass(frozen=True)
class Trial:
    """How random functions are judged."""

    numbers: str
    """What they are of (`record.Run.numbers`)."""
    built: str
    """How (`record.Run.built`)."""
    folder: Path

    @property
    def modes(self) -> tuple[str, ...]:
        """Those that go with what they are of."""
        return MODES_OF[self.numbers]

    def judge(self, level: str, functions: Sequence[Function], modes: Sequence[str] = ()) -> list[Verdict]:
        """What becomes of them."""
        precision = IN_SINGLE if self.numbers == "f32" else DOUBLE
        if self.built == ALONE:
            return runner.judge(functions, level, self.folder, modes or self.modes, precision)
        return together.judge(functions, Way(level, self.built), self.folder, modes or self.modes, precision)

    def every(self, functions: Sequence[Function], levels: Sequence[str], *, is_recorded: bool) -> dict[str, list[Verdict]]:
        """The verdicts by level, told as they come."""
        verdicts: dict[str, list[Verdict]] = {level: [] for level in levels}
        for begin in range(0, len(functions), AT_ONCE):
            tried = functions[begin : begin + AT_ONCE]
            for level, its in verdicts.items():
                some = self.judge(level, tried)
                its.extend(some)
                for one, verdict in zip(tried, some, strict=True):
                    if verdict.kind not in {"right", "invalid"}:
                        LOG.info("%s, level %s: %s: %s", one, level, verdict.kind, verdict.said.partition("\n")[0])
                if is_recorded:  # at once: a long run may be ended
                    record.add(record.run(level, tried[0].seed, some, self.numbers, self.built))
        return verdicts


def main(trial: Trial, functions: Sequence[Function], levels: Sequence[str], rounds: int, *, is_recorded: bool) -> None:
    """Print the table, then the failures."""
    verdicts = trial.every(functions, levels, is_recorded=is_recorded)
    print("\n".join(table(verdicts)), flush=True)
    for level, its in verdicts.items():
        print("\n".join(refusals(level, functions, its)), flush=True)
        found = zip(functions, its, strict=True)
        failures = [Failure(one, verdict, trial.modes) for one, verdict in found if verdict.kind in {"wrong", "crash"}]
        shrink(failures, partial(trial.judge, level), rounds)
        print("\n".join(line for failure in failures for line in shown(level, failure, trial.built)), flush=True)
    if is_recorded:
        record.write()


def table(verdicts: dict[str, list[Verdict]]) -> Iterator[str]:
    """How many became what; shares are of those that are a test."""
    yield f"| level | {' | '.join(KINDS)} |"
    yield f"|---|{'---|' * len(KINDS)}"
    for level, its in verdicts.items():
        counts = Counter(verdict.kind for verdict in its)
        tests = max(1, len(its) - counts["invalid"])
        shares = [f"{counts[kind]} ({counts[kind] / tests:.1%})" for kind in KINDS[:-1]]
        yield f"| {' | '.join([level, *shares, str(counts['invalid'])])} |"


def refusals(level: str, functions: Sequence[Function], verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Why functions are refused, and which."""
    causes: dict[str, list[int]] = {}
    for refused, verdict in zip(functions, verdicts, strict=True):
        if verdict.kind in {"refused", "broke down"}:
            causes.setdefault(cause(verdict), []).append(refused.seed)
    for said, seeds in sorted(causes.items(), key=lambda one: -len(one[1])):
        yield f"level {level}, {len(seeds)} {said}: {', '.join(map(str, seeds))}"


def shown(level: str, failure: Failure, built: str) -> Iterator[str]:
    """A failure, and the function."""
    yield f"\n{failure.function}, level {level}: {failure.verdict.kind}: {failure.verdict.said}"
    numbers = {MIXED: " --mixed", HEADERS: " --headers"}.get(failure.modes, "")
    strategy = "" if built == ALONE else f" --strategy {built}"
    yield f"again by: python -m tests.fuzz --count 1 --seed {failure.function.seed} --levels {level}{numbers}{strategy}\n"
    yield failure.function.text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--levels", type=lambda text: text.split(","), default=LEVELS)
    parser.add_argument("--shrink", type=int, default=ROUNDS, help="rounds of cuts; 0 shows the functions as they are")
    numbers = parser.add_mutually_exclusive_group()
    for flag, kind, help_text in (
        ("--mixed", "mixed", "with constants, and numbers that may be written, beside the others"),
        ("--headers", "headers", "with headers of their own"),
        ("--single", "f32", "of `f32`"),
    ):
        numbers.add_argument(flag, dest="numbers", action="store_const", const=kind, default="f64", help=help_text)
    parser.add_argument(
        "--strategy", default=ALONE, choices=strategies.NAMES, help="some in one crate by `./doit build`; else each by itself"
    )
    parser.add_argument("--record", action="store_true", help="add the counts to those of all runs, in docs/idioms.md")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    chosen = [function(given.seed + number, given.numbers) for number in range(given.count)]
    with tempfile.TemporaryDirectory() as scratch:
        trial = Trial(given.numbers, given.strategy, Path(scratch))
        main(trial, chosen, given.levels, given.shrink, is_recorded=given.record)
