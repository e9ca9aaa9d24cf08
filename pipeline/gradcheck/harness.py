"""The program that was built for gradcheck: which functions it can check, and what it finds at each point.

It is the user's own program, which checks instead of running `main` where the environment asks for it
(`rust/autodiff/src/check/harness.rs`).  Each function is checked by a process of its own: one that panics ends none but its
own.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from pipeline import process
from pipeline.config import Ranges
from pipeline.errors import CommandLineError, UserError
from pipeline.request import Points

RIGHT = "right"
WRONG = "wrong"
STOPPED = "stopped"
NOT_CHECKED = "not checked"


_PATIENCE_S = 100
"""For a function at all points: one that loops until something converges may never end at a point of chance."""

_WAY_OUT = "  = help: say where the function can be called: `#[autodiff::domain(x = 0.0..1.0)]` (docs/check.md)"


@dataclass(frozen=True)
class Program:
    """The program, and what it is run with: the folder, and the environment."""

    file: Path
    folder: Path
    environment: Mapping[str, str]


class Function(msgspec.Struct, frozen=True):
    """A function that the program can check."""

    function: str
    place: str
    derivatives: tuple[str, ...]
    arguments: tuple[str, ...] = ()

    @property
    def position(self) -> tuple[str, int, int]:
        """Its place, to sort by: file, line and column."""
        file, line, column = self.place.rsplit(":", 2)
        return file, int(line), int(column)

    def is_called(self, name: str) -> bool:
        """True for the end of its path (`f`, `module::f`), and for the name of a derivative."""
        return f"::{self.function}".endswith(f"::{name}") or name in self.derivatives


@dataclass(frozen=True)
class Check:
    """What a check depends on beside the programs: for the key under which it is known to have passed."""

    points: Points
    ranges: Ranges


class Point(msgspec.Struct, frozen=True):
    """What the program says of a function at a point."""

    seed: int
    verdict: str
    what: str = ""
    compared: int = 0
    mismatches: int = 0
    kinks: int = 0
    undecided: int = 0
    worst: dict[str, float] = {}
    text: str = ""


@dataclass(frozen=True)
class Checked:
    """A function in one build: a verdict, and why."""

    function: Function
    build: str
    verdict: str
    why: str = ""
    points: tuple[Point, ...] = field(default=())

    @property
    def is_failure(self) -> bool:
        """True where something is wrong, or went wrong."""
        return self.verdict in (WRONG, STOPPED)

    @property
    def worst(self) -> dict[str, float]:
        """The largest relative error by each argument, over all points."""
        names = dict.fromkeys(name for point in self.points for name in point.worst)
        return {name: max(point.worst.get(name, 0.0) for point in self.points) for name in names}


def functions(program: Program) -> list[Function]:
    """The functions that a program can check.

    Raises: UserError where the program does not say.
    """
    finished, lines = _run(program, {})
    if not finished.succeeded:
        raise UserError(
            f"error: the program built for gradcheck ended with {finished.verdict}\n{process.tail(finished.output)}"
        )
    return [msgspec.json.decode(line, type=Function) for line in lines]


def chosen(known: Sequence[Function], names: Sequence[str]) -> list[Function]:
    """The functions of those names; all of them if there are no names.

    Raises: UserError for a name that none has, and where there is no function at all.
    """
    others = "  = help: methods, generic and unsafe functions are checked by `autodiff::gradcheck!` where they are used"
    if not known:
        raise UserError(f"error: there is nothing to check: no free function here has an #[autodiff…] attribute\n{others}")
    for name in names:
        if not any(function.is_called(name) for function in known):
            there = ", ".join(sorted(function.function for function in known))
            raise CommandLineError(
                f"error: gradcheck can call no function `{name}` here\n  = help: there are: {there}\n{others}"
            )
    return [function for function in known if not names or any(function.is_called(name) for name in names)]


def ranges_of(known: Sequence[Function], ranges: Ranges) -> dict[Function, dict[str, str]]:
    """The ranges of each function's arguments.

    Raises: UserError for a function that gradcheck does not know, and for an argument that a function does not have.
    """
    found: dict[Function, dict[str, str]] = {}
    for name, its in ranges.items():
        for function in chosen(known, [name]):
            if strangers := its.keys() - set(function.arguments):
                there = ", ".join(function.arguments) or "none"
                what = f"`gradcheck.ranges.{name}.{min(strangers)}`: `{function.function}` has no such argument"
                raise UserError(f"error: {what}\n  --> {function.place}\n  = help: its arguments are: {there}")
            found.setdefault(function, {}).update(its)
    return found


def check(program: Program, function: Function, build: str, points: Points, ranges: Mapping[str, str] = {}) -> Checked:
    """What the program finds of a function; the numbers of an argument are in its range, if there is one."""
    variables = {"FUNCTION": function.place, "POINTS": points.count, "SEED": points.seed, "LENGTH": points.length}
    variables["RANGES"] = "\n".join(f"{argument}={text}" for argument, text in ranges.items())
    try:
        finished, lines = _run(program, {name: str(value) for name, value in variables.items()})
    except TimeoutError:
        return Checked(function, build, STOPPED, f"it takes longer than {_PATIENCE_S} s\n{_WAY_OUT}")
    found = tuple(msgspec.json.decode(line, type=Point) for line in lines)
    if not finished.succeeded:
        return Checked(function, build, STOPPED, _last_words(finished, points.seed + len(found)), found)
    return _judged(function, build, found)


def _last_words(finished: process.Finished, seed: int) -> str:
    # Without the number of the process, which is another one each time.
    said = re.sub(r"^thread .*? \(\d+\) panicked", "panicked", finished.output.strip(), flags=re.MULTILINE)
    said = "\n".join(line for line in said.splitlines() if "RUST_BACKTRACE" not in line)
    return f"{finished.verdict} at the point of seed {seed}\n{process.tail(said, 4)}\n{_WAY_OUT}"


def _judged(function: Function, build: str, points: tuple[Point, ...]) -> Checked:
    """One verdict for all points: one that is wrong counts for all, and one at least must have been checked."""
    wrong = next((point for point in points if point.verdict == WRONG), None)
    if wrong:
        return Checked(function, build, WRONG, wrong.text, points)
    unknown = next((point for point in points if point.verdict == "unknown"), None)
    if unknown:
        help_line = "derive `Clone`, `autodiff::check::Numbers` and `Generate` for its type"
        return Checked(function, build, NOT_CHECKED, f"no `{unknown.what}` can be made: {help_line}", points)
    if not any(point.verdict == RIGHT for point in points):
        why = "no finite values at any point: say where it is defined, `#[autodiff::domain(x = 0.0..1.0)]`"
        return Checked(function, build, NOT_CHECKED, why, points)
    if not any(point.compared for point in points):
        return Checked(function, build, NOT_CHECKED, "nothing moves: every activity is `Const`", points)
    return Checked(function, build, RIGHT, "", points)


def _run(program: Program, asked: dict[str, str]) -> tuple[process.Finished, list[bytes]]:
    """How the program ended, and the lines that it wrote."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch, "lines")
        variables = {f"CRATEGRAD_GRADCHECK_{name}": value for name, value in asked.items()}
        environment = {**program.environment, "RUST_BACKTRACE": "0", "CRATEGRAD_GRADCHECK": str(out), **variables}
        finished = process.ask([program.file], env=environment, cwd=program.folder, timeout_s=_PATIENCE_S)
        return finished, out.read_bytes().splitlines() if out.exists() else []
