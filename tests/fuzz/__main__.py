"""Tries random functions: `python -m tests.fuzz [--count N] [--seed N] [--levels 0,3] [--shrink N]
[--mixed | --headers | --single] [--record]`.

Prints how many came out right, refused, wrong or crashed at each level; then each that is not right, shrunk where it is
wrong or a crash, with the seed that gives it again.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz import record
from tests.fuzz.generate import function
from tests.fuzz.oracle import DOUBLE, IN_SINGLE
from tests.fuzz.runner import AT_ONCE, HEADERS, LEVELS, MIXED, MODES_OF, judge
from tests.fuzz.shrink import ROUNDS, Failure, cause, shrink
from tests.fuzz.tree import Function
from tests.programs import Verdict

LOG = logging.getLogger("fuzz")

KINDS = ("right", "refused", "broke down", "wrong", "crash", "invalid")


def main(count: int, seed: int, levels: Sequence[str], rounds: int, numbers: str, *, is_recorded: bool) -> None:
    """Print the table, then the failures."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    modes = MODES_OF[numbers]
    precision = IN_SINGLE if numbers == "f32" else DOUBLE
    functions = [function(seed + number, numbers) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        verdicts: dict[str, list[Verdict]] = {level: [] for level in levels}
        for begin in range(0, count, AT_ONCE):
            for level, its in verdicts.items():
                tried = functions[begin : begin + AT_ONCE]
                some = judge(tried, level, Path(folder), modes, precision)
                verdicts[level] = its + some
                for one, verdict in zip(tried, some, strict=True):
                    if verdict.kind not in {"right", "invalid"}:
                        LOG.info("%s, level %s: %s: %s", one, level, verdict.kind, verdict.said.partition("\n")[0])
                if is_recorded:  # at once: a long run may be ended
                    record.add(record.run(level, seed + begin, some, numbers))
        print("\n".join(table(verdicts)), flush=True)
        for level, its in verdicts.items():
            print("\n".join(refusals(level, functions, its)), flush=True)
            failures = [Failure(f, v, modes) for f, v in zip(functions, its, strict=True) if v.kind in {"wrong", "crash"}]
            shrink(failures, level, Path(folder), rounds, precision)
            print("\n".join(line for failure in failures for line in shown(level, failure)), flush=True)
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


def shown(level: str, failure: Failure) -> Iterator[str]:
    """A failure, and the function."""
    yield f"\n{failure.function}, level {level}: {failure.verdict.kind}: {failure.verdict.said}"
    numbers = {MIXED: " --mixed", HEADERS: " --headers"}.get(failure.modes, "")
    yield f"again by: python -m tests.fuzz --count 1 --seed {failure.function.seed} --levels {level}{numbers}\n"
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
    parser.add_argument("--record", action="store_true", help="add the counts to those of all runs, in docs/idioms.md")
    given = parser.parse_args()
    main(given.count, given.seed, given.levels, given.shrink, given.numbers, is_recorded=given.record)
