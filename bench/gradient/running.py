"""A program run once: what it prints, and whether that agrees with itself and with what another prints."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pipeline import process
from pipeline.errors import UserError

TOLERANCE = 1e-9
"""How far two sides' numbers may be apart, over the larger."""

TIMED = ("primal", "gradient", "gradient_only", "slope", "slopes")
"""The functions of a program that are timed; C++ has no forward mode here."""

HELD = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(1 << 26)}
"""What has glibc keep the memory it was once given: no page of it faults twice."""


@dataclass(frozen=True)
class Time:
    """Seconds a call."""

    least: float
    median: float


@dataclass(frozen=True)
class Reading:
    """What a program printed."""

    numbers: Mapping[str, tuple[float, ...]]
    """The value, and of each block of the gradient (`block 0` …) its length, its norm and a sum with mixed weights."""
    times: Mapping[str, Time]
    """By the function's name."""
    resident_kb: tuple[int, int]
    """The most memory that the process had before the first gradient, and after it."""


def run(program: Path, arguments: Iterable[str], environment: Mapping[str, str] = {}) -> Reading:
    """Run a program of the suite.

    Raises: UserError where it fails, prints what cannot be read, or does not agree with itself.
    """
    argv = [os.fspath(program), *arguments]
    called = " ".join([program.name, *argv[1:]])
    ran = subprocess.run(argv, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if ran.returncode:
        verdict = process.verdict(ran.returncode)
        raise UserError(f"error: bench_gradient: {called} ended with {verdict}\n{process.tail(ran.stderr)}")
    try:
        reading = read(ran.stdout)
    except (KeyError, ValueError) as error:
        raise UserError(f"error: bench_gradient: {called} prints what is no measurement: {error}") from error
    if wrong := list(contradictions(reading)):
        raise UserError(f"error: bench_gradient: {called} does not agree with itself: {'; '.join(wrong)}")
    return reading


def read(output: str) -> Reading:
    """What a program printed: a name and numbers on each line.

    Raises: KeyError and ValueError where that is not what it is.
    """
    rows = [(line.split()[0], tuple(map(float, line.split()[1:]))) for line in output.splitlines()]
    numbers: dict[str, tuple[float, ...]] = {}
    for name, its in groupby(rows, key=itemgetter(0)):
        found = [numbers for _, numbers in its]
        numbers |= {f"{name} {i}": each for i, each in enumerate(found)} if name == "block" else {name: found[-1]}
    times = {name: Time(*numbers.pop(f"{name}_s")) for name in TIMED if f"{name}_s" in numbers}
    before, after = (int(numbers.pop(f"resident_{when}_kB")[0]) for when in ("before", "after"))
    if "value" not in numbers or "block 0" not in numbers or not {"primal", "gradient", "gradient_only"} <= times.keys():
        raise ValueError("there is no value, no gradient or no time")
    return Reading(numbers, times, (before, after))


def contradictions(reading: Reading) -> Iterator[str]:
    """Where a program's derivatives differ from each other, or their value from the primal's."""
    numbers = reading.numbers
    norm = math.hypot(*(its[1] for name, its in numbers.items() if name.startswith("block")))
    if not agree(numbers["value"], numbers["value_of_gradient"]):
        yield f"the value is {numbers['value'][0]!r}, with the gradient {numbers['value_of_gradient'][0]!r}"
    if not agree((norm,), (norm + norm * numbers["without_value"][0],)):
        yield f"the gradient without the value is another, by {numbers['without_value'][0]!r} of its norm"
    if "slope" not in numbers:
        return
    by_gradient, by_forward_mode = numbers["slope"]
    for what, slope in (("forward mode", by_forward_mode), ("forward mode of many directions", numbers["slopes"][-1])):
        if not agree((by_gradient,), (slope,), scale=norm):
            yield f"the slope by {what} is {slope!r}, by the gradient {by_gradient!r}"


def differences(one: Reading, other: Reading) -> Iterator[str]:
    """Where two sides of a program differ: their values, and each block of their gradients."""
    for name in ("value", *(name for name in one.numbers if name.startswith("block"))):
        mine, its = one.numbers[name], other.numbers.get(name, ())
        # The sum with mixed weights may cancel: it is held against the norm.
        if not agree(mine, its, scale=mine[1] if name.startswith("block") else 0.0):
            yield f"{name}: {mine} and {its}"


def agree(mine: Sequence[float], its: Sequence[float], scale: float = 0.0) -> bool:
    """Whether numbers are within `TOLERANCE` of each other, over the larger of each two and `scale`; NaN agrees with none."""
    return len(mine) == len(its) and all(
        a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), scale) < math.inf for a, b in zip(mine, its, strict=True)
    )
