"""The programs, and how large they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.errors import UserError
from pipeline.request import ROOT

FOLDER = ROOT / "bench" / "gradient"
CRATE = FOLDER / "rust"


@dataclass(frozen=True)
class Program:
    """A program of the suite; its sizes are in the order in which both its sides take them."""

    name: str
    sizes: tuple[int, ...]
    what: str
    """What the sizes are."""
    cost: str = ""
    """Where its gradient's time goes."""

    @property
    def cpp(self) -> Path:
        """Its C++ side."""
        return FOLDER / "cpp" / f"{self.name}.cpp"

    @property
    def arguments(self) -> list[str]:
        """The sizes on a command line."""
        return [str(size) for size in self.sizes]


PROGRAMS = (
    Program("gmm", (10, 25, 100), "dimensions, parts, points"),
    Program("bundle", (20, 500, 2000), "cameras, points, observations"),
    Program("lstm", (2, 24, 30), "layers, width, steps"),
    Program("kinematics", (20, 1000), "bones, points of the skin"),
    Program("brusselator", (32, 30), "side of the grid, steps"),
    Program("rk4", (1000,), "steps"),
    Program("fft", (4096,), "length, a power of two"),
    Program("softmax", (100, 64, 40), "samples, features, classes"),
    Program("spmv", (500, 10, 20), "rows, values of a row on average, times"),
    Program("nbody", (16, 50), "bodies, steps"),
    Program("kalman", (300,), "steps"),
    Program("option", (200, 50), "paths, steps"),
    Program("mlp", (50, 20, 32, 5), "samples, inputs, width within, outputs"),
)


def chosen(words: Sequence[str]) -> list[Program]:
    """The programs of these words, `name` or `name:SIZE,SIZE…`; all of them where there is no word.

    Raises: UserError for what is no program, or has not as many sizes.
    """
    known = {program.name: program for program in PROGRAMS}
    return [_chosen(word, known) for word in words] or list(PROGRAMS)


def _chosen(word: str, known: dict[str, Program]) -> Program:
    name, _, sizes = word.partition(":")
    if name not in known:
        raise UserError(
            f"error: bench_gradient: there is no program `{name}`\n  = help: there are {', '.join(known)}", exit_code=3
        )
    program = known[name]
    if not sizes:
        return program
    if not re.fullmatch(r"[1-9]\d{0,8}(,[1-9]\d{0,8})*", sizes) or sizes.count(",") + 1 != len(program.sizes):
        usual = ",".join(program.arguments)
        raise UserError(
            f"error: bench_gradient: {word}: expected {program.what}\n  = help: such as {name}:{usual}", exit_code=3
        )
    return replace(program, sizes=tuple(map(int, sizes.split(","))))
