"""All sides of a program run in turn, round after round, and what comes of that: leasts, medians, ratios, the noise."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.gradient import running
from bench.gradient.running import Reading, Time
from bench.gradient.suite import Program
from pipeline.errors import UserError

AGAIN = "again"
"""The first Rust binary under a second name: what it differs by is noise."""

CPP = "C++ "
"""How the names of C++'s sides begin."""

WIDTH = 8
"""The directions of `slopes`."""


@dataclass(frozen=True)
class Row:
    """A program measured with one strategy; times in seconds, the rest ratios of leasts."""

    program: str
    sizes: tuple[int, ...]
    strategy: str
    rust: Mapping[str, Time]
    cpp: Mapping[str, Time]
    """Of each function the faster of C++'s sides, by its least."""
    cpp_way: str
    """Which side that is for the gradient."""
    noise: float
    """How far from 1 the ratio of two leasts of the same binary is, at most, over its functions."""
    tape_kb: tuple[int, int]
    """By how much the first gradient raises the most memory that Rust's process has had, and C++'s faster one's."""
    cpp_wrong: tuple[str, ...] = ()
    """C++'s sides that do not count: their gradient is not Rust's, which its own forward mode bears out."""

    @property
    def over_cpp(self) -> float:
        """The gradient with the value, Rust over C++."""
        return self.rust["gradient"].least / self.cpp["gradient"].least

    @property
    def over_cpp_median(self) -> float:
        """The same of medians."""
        return self.rust["gradient"].median / self.cpp["gradient"].median

    @property
    def over_cpp_without_value(self) -> float:
        """The gradient without the value, Rust over C++."""
        return self.rust["gradient_only"].least / self.cpp["gradient_only"].least

    @property
    def over_primal(self) -> float:
        """Rust's gradient over its primal."""
        return self.rust["gradient"].least / self.rust["primal"].least

    @property
    def cpp_over_primal(self) -> float:
        """C++'s gradient over its primal."""
        return self.cpp["gradient"].least / self.cpp["primal"].least

    @property
    def direction_of_many(self) -> float:
        """Forward mode: the time of one direction of `WIDTH`, over that of one alone."""
        return self.rust["slopes"].least / WIDTH / self.rust["slope"].least


def measure(
    program: Program, sides: Mapping[str, Path], rounds: int, seconds: float, environment: Mapping[str, str] = {}
) -> list[Row]:
    """A row for each strategy.  `sides` are binaries by strategy, and those of C++ by `CPP` and their way.

    Raises: UserError where a side fails, where two strategies differ, or where no side of C++ agrees with Rust.
    """
    wrong = _wrong(program, {name: _run(program, name, binary, 0.0, environment) for name, binary in sides.items()})
    first = next(iter(sides.values()))
    again = Path(shutil.copy(first, first.with_name(AGAIN)))
    measured = {name: binary for name, binary in sides.items() if name not in wrong} | {AGAIN: again}
    readings: dict[str, list[Reading]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, binary in measured.items():
            readings[name].append(_run(program, name, binary, seconds, environment))
    without_cpp = tuple(name.removeprefix(CPP) for name in wrong)
    return [replace(row, cpp_wrong=without_cpp) for row in rows(program, readings)]


def _run(program: Program, name: str, binary: Path, seconds: float, environment: Mapping[str, str]) -> Reading:
    words = [] if name.startswith(CPP) else [program.name]
    return running.run(binary, [*words, str(seconds), *program.arguments], environment)


def _wrong(program: Program, readings: Mapping[str, Reading]) -> list[str]:
    """The sides of C++ that differ from Rust.  What Rust's gradient is, its forward mode has borne out (`running.run`)."""
    first, expected = next(iter(readings.items()))
    differing = {name: list(running.differences(expected, reading)) for name, reading in readings.items()}
    wrong = [name for name, lines in differing.items() if lines]
    ways = [name for name in readings if name.startswith(CPP)]
    if not {*wrong} < {*ways}:
        what = "\n".join(f"  | {name}: {line}" for name in wrong for line in differing[name])
        raise UserError(f"error: bench_gradient: {program.name}: these differ from {first} by more than 1e-9\n{what}")
    return wrong


def rows(program: Program, readings: Mapping[str, Sequence[Reading]]) -> list[Row]:
    """What comes of the readings of all rounds, by side."""
    times = {name: over_rounds(its) for name, its in readings.items()}
    ways = [name for name in times if name.startswith(CPP)]
    strategies = [name for name in times if name != AGAIN and name not in ways]
    functions = times[ways[0]].keys()
    faster = {function: min((times[way][function] for way in ways), key=lambda time: time.least) for function in functions}
    fastest = min(ways, key=lambda way: times[way]["gradient"].least)
    noise = max(abs(time.least / times[AGAIN][name].least - 1) for name, time in times[strategies[0]].items())
    return [
        Row(
            program.name,
            program.sizes,
            strategy,
            times[strategy],
            faster,
            fastest.removeprefix(CPP),
            noise,
            (_tape_kb(readings[strategy]), _tape_kb(readings[fastest])),
        )
        for strategy in strategies
    ]


def over_rounds(readings: Sequence[Reading]) -> dict[str, Time]:
    """Of each function the least of all rounds, and the median of their medians."""
    return {
        name: Time(
            min(reading.times[name].least for reading in readings),
            statistics.median(reading.times[name].median for reading in readings),
        )
        for name in readings[0].times
    }


def _tape_kb(readings: Sequence[Reading]) -> int:
    return int(statistics.median(after - before for before, after in (reading.resident_kb for reading in readings)))
