"""The cells, one after the other: what they have in common the second finds in the cache; one that fails stops no other."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Protocol

from pipeline import request
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.matrix import ci
from pipeline.request import Request
from pipeline.runs import FAILED, RAN

FRESH = "fresh"
"""How it came that nothing was to do."""

PLAN, BINARIES, CHECK = "plan", "binaries", "gradcheck"
"""What a cell goes through beside its stages."""


@dataclass(frozen=True)
class StageResult:
    """What came of a stage: `fresh`, `hit`, `fetched`, `ran` or `failed`, in how many seconds, and why it failed."""

    stage: str
    how: str
    seconds: float = 0.0
    key: str = ""
    error: str = ""
    tree: str = ""


@dataclass(frozen=True)
class CellResult:
    """What came of a cell, as far as it came."""

    name: str
    product: str
    stages: tuple[StageResult, ...]

    @property
    def failure(self) -> StageResult | None:
        """The stage that failed, if one did."""
        return next((each for each in self.stages if each.how == FAILED), None)

    @property
    def seconds(self) -> float:
        """What it took."""
        return sum(each.seconds for each in self.stages)


class Means(Protocol):
    """What it takes to build a cell."""

    def open(self, asked: Request) -> Build:
        """Plan it.  Raises: UserError where that cannot be."""

    def build_binaries(self, asked: Request, build: Build) -> list[bool]:
        """Build the binaries that the artifact may start; of each, whether something was to do.  Raises: UserError."""

    def check(self, asked: Request, build: Build) -> str | None:
        """Check its derivatives, if the config says so: why that failed, or nothing; None where nothing was to check."""

    def close(self, build: Build) -> None:
        """Leave the cache as the next one wants it."""


def run(cells: Mapping[str, Request], means: Means) -> list[CellResult]:
    """Build all cells; what is said meanwhile goes to stderr."""
    return [_run_cell(name, asked, means, f"{i} of {len(cells)}") for i, (name, asked) in enumerate(cells.items(), 1)]


def _run_cell(name: str, asked: Request, means: Means, which: str) -> CellResult:
    with redirect_stdout(sys.stderr), ci.group(name, which):
        begin = time.monotonic()
        try:
            build = means.open(asked)
        except (UserError, OSError) as error:
            result = CellResult(name, "", (_failed(PLAN, begin, error),))
        else:
            result = CellResult(name, request.shown(build.product), tuple(_carried_out(build, asked, means)))
            means.close(build)
    if result.failure:
        ci.annotate(name, result.failure.stage, result.failure.error)
    return result


def _carried_out(build: Build, asked: Request, means: Means) -> Iterator[StageResult]:
    """Bring the stages up to date, and check the program; nothing after what fails."""
    wanted = list(filter(asked.rerun.wants, build.steps))
    build.look_ahead(wanted)
    for name in wanted:
        result = _stage(build, name)
        yield result
        if result.how == FAILED:
            return
    if asked.rerun.last:
        return
    for after in (_binaries, _checked):
        if told := after(build, asked, means):
            yield told
            if told.how == FAILED:
                return


def _binaries(build: Build, asked: Request, means: Means) -> StageResult | None:
    begin = time.monotonic()
    try:
        binaries = means.build_binaries(asked, build)
    except (UserError, OSError) as error:
        return _failed(BINARIES, begin, error)
    return StageResult(BINARIES, RAN if any(binaries) else FRESH, time.monotonic() - begin) if binaries else None


def _checked(build: Build, asked: Request, means: Means) -> StageResult | None:
    begin = time.monotonic()
    try:
        failed = means.check(asked, build)
    except OSError as error:
        return _failed(CHECK, begin, error)
    return None if failed is None else StageResult(CHECK, FAILED if failed else RAN, time.monotonic() - begin, error=failed)


def _stage(build: Build, name: str) -> StageResult:
    begin = time.monotonic()
    try:
        if build.is_fresh(name) and (made := build.made(name)):
            return StageResult(name, FRESH, 0.0, made.key, tree=made.tree)
        sys.stderr.write(f"   {name}\n")
        build.carry_out(name)
        made = build.made(name)
    except (UserError, OSError) as error:
        return _failed(name, begin, error)
    if made is None:  # somebody has taken it away in this moment
        return StageResult(name, RAN, time.monotonic() - begin)
    return StageResult(name, made.how, time.monotonic() - begin, made.key, tree=made.tree)


def _failed(stage: str, begin: float, error: UserError | OSError) -> StageResult:
    """What failed, and say so where it did."""
    told = error.message if isinstance(error, UserError) else f"error: {error.filename or stage}: {error.strerror}"
    print(told, file=sys.stderr, flush=True)
    return StageResult(stage, FAILED, time.monotonic() - begin, error=told)
