"""What the functions of `f64` and `f32` give at their edges: `python -m tests.maths` writes it to `docs/maths.md`."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from tests.table.__main__ import written_between
from tests.workbench import ROOT, doit

CRATE = ROOT / "tests" / "crates" / "maths"
DOCUMENT = ROOT / "docs" / "maths.md"
BEGIN, END = "<!-- written by `python -m tests.maths` -->", "<!-- until here -->"
TOLERANCES = {"f64": 1e-12, "f32": 2e-6}
"""Relative, absolute below 1."""


@dataclass(frozen=True)
class Point:
    """A function at a point: its value and slopes as plain Rust has them, and as both modes gave them."""

    function: str
    type: str
    at: tuple[float, ...]
    is_edge: bool
    plain: float
    slopes: tuple[float, ...]
    values: tuple[float, ...]
    reverse: tuple[float, ...]
    forward: tuple[float, ...]

    @property
    def is_right(self) -> bool:
        """Whether all that was given is what it should be; NaN is right where it is NaN."""
        values = all(self._is_close(value, self.plain) for value in self.values)
        return values and all(map(self._is_close, (*self.reverse, *self.forward), self.slopes * 2))

    def _is_close(self, got: float, right: float) -> bool:
        tolerance = TOLERANCES[self.type]
        return math.isnan(got) == math.isnan(right) and (
            math.isnan(got) or math.isclose(got, right, rel_tol=tolerance, abs_tol=tolerance)
        )


def points(*settings: str) -> list[Point]:
    """What the program says when it is built with these settings."""
    built = doit("build", f"crate={CRATE}", *settings)
    assert built.returncode == 0, built.stdout + built.stderr
    argv = [CRATE / "target" / "crategrad" / "default" / "maths"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return [_point(json.loads(line)) for line in said.splitlines()]


def _point(said: dict[str, str]) -> Point:
    numbers = {
        name: tuple(map(float, text.split())) for name, text in said.items() if name not in {"function", "type", "point"}
    }
    return Point(
        said["function"],
        said["type"],
        numbers["at"],
        said["point"] == "edge",
        numbers["plain"][0],
        numbers["slopes"],
        numbers["value"] + numbers["values"],
        numbers["reverse"],
        numbers["forward"],
    )


def table(found: list[Point]) -> Iterator[str]:
    """A row for each edge; `f32` has one of its own where it differs."""
    yield from ("", "| function | at | value | reverse | forward |", "|---|---|---|---|---|")
    edges = [point for point in found if point.is_edge]
    rows = {(point.function, _shown(point.at)): _cells(point) for point in edges if point.type == "f64"}
    for point in edges:
        cells = _cells(point)
        if point.type == "f64" or cells != rows[point.function, _shown(point.at)]:
            name = f"`{point.function}`{'' if point.type == 'f64' else ' of `f32`'}"
            yield f"| {' | '.join([name, _shown(point.at), *cells])} |"
    yield ""


def _cells(point: Point) -> list[str]:
    slopes = (tuple(slope + 0.0 for slope in given) for given in (point.reverse, point.forward))  # of 0 no sign is promised
    return [_shown((point.plain,)), *map(_shown, slopes)]


def _shown(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{number:.4g}".replace("nan", "NaN").replace("-NaN", "NaN").replace("inf", "∞") for number in numbers)


if __name__ == "__main__":
    written_between(BEGIN, END, DOCUMENT, table(points()))
