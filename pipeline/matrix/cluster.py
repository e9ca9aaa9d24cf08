"""The cells on a Dask cluster that is running: each stage is a task, which a worker does by a `./doit` in its own checkout.

Results come by the remote cache, so that what a worker has made is there when the worker is gone.  A task is called by the
key of what it makes: what two cells have in common is one task, and Dask gives the task of a worker that dies to another.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import process, request
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.matrix import running
from pipeline.matrix.running import CHECK, CellResult, StageResult
from pipeline.request import Request
from pipeline.runs import FAILED, HIT

if TYPE_CHECKING:
    from distributed import Client, Future

HOW_TO_GET_IT = ".venv/bin/pip install --no-deps --require-hashes -r requirements-cluster.lock"

_PATIENCE_S = 20
_PATHS = ("crate", "matrix", "config")
_NOT_FOR_WORKERS = ("on", "shard", "costs")

# A worker that is killed must not leave a `./doit` behind, which would do what another worker is doing by then.
_ENDS_WITH_ITS_WORKER = ("setpriv", "--pdeathsig=TERM")


@dataclass
class _Course:
    """A cell on its way through the stages."""

    name: str
    asked: Request
    build: Build
    left: list[str]
    """The stages that are to come; the last of all is no stage: the check of the derivatives."""
    trees: dict[str, str] = field(default_factory=dict)
    """What the stages before have made."""
    results: list[StageResult] = field(default_factory=list)
    began: set[str] = field(default_factory=set)
    """The tasks that are this cell's own: what another cell has begun is a hit here."""


def run(cells: Mapping[str, Request], means: running.Means, address: str) -> list[CellResult]:
    """Have the workers build all cells, and bring home what they have made; a cell that cannot be shared is built here.

    Raises: UserError where there is no cluster, or no way to have of it what it makes.
    """
    if not os.environ.get("CRATEGRAD_REMOTE"):
        raise UserError(
            f"error: on={address}: what workers make comes by a remote cache, and CRATEGRAD_REMOTE names none\n"
            "  = help: set it here and where the workers are started (docs/cache.md)"
        )
    courses = dict(_courses(cells, means))
    with _cluster(address) as client:
        _carry_out(client, list(courses.values()))
    homes = running.run(cells, means)
    return [_result(courses.get(home.name), home) for home in homes]


def _courses(cells: Mapping[str, Request], means: running.Means) -> Iterator[tuple[str, _Course]]:
    """The cells whose stages others can make; of those that cannot be planned it is told when they are built here."""
    for name, asked in cells.items():
        try:
            build = means.open(asked)
        except (UserError, OSError):
            continue
        if build.store.remote:
            stages = [*build.steps, *([CHECK] if asked.config.check else [])]
            yield name, _Course(name, asked, build, stages)


@contextmanager
def _cluster(address: str) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError:
        raise UserError(f"error: on={address}: Dask is not installed here\n  = help: {HOW_TO_GET_IT}") from None
    try:
        client = Client(address, timeout=_PATIENCE_S)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).partition("\n")[0] or "no answer"
        raise UserError(f"error: on={address}: there is no Dask scheduler: {why}") from None
    try:
        yield client
    finally:
        client.close()  # what is waiting is forgotten with it


def _carry_out(client: Client, courses: Sequence[_Course]) -> None:
    """Hand out the next stage of each cell, and of each that is done the one after it, until none is left."""
    from distributed import as_completed

    done = as_completed()
    waiting: dict[str, list[_Course]] = {}
    futures: dict[str, Future] = {}

    def hand_out(course: _Course) -> None:
        while course.left:
            name = _task_name(course)
            if name not in futures:
                course.began.add(name)
                futures[name] = client.submit(subprocess.run, _command(course), capture_output=True, text=True, key=name)
                done.add(futures[name])
            elif futures[name].done():
                _take(course, name, futures[name])
                continue
            waiting.setdefault(name, []).append(course)
            return

    for course in courses:
        hand_out(course)
    for future in done:
        for course in waiting.pop(future.key, []):
            _take(course, future.key, future)
            hand_out(course)


def _task_name(course: _Course) -> str:
    """What makes the same has the same name; a check is the cell's own."""
    stage = course.left[0]
    if stage == CHECK:
        return f"crategrad {CHECK} {course.name} {course.trees['link']}"
    return f"crategrad {stage} {course.build.key_of(stage, course.trees)}"


def _command(course: _Course) -> list[str]:
    """The `./doit` that brings the cell up to that stage; paths in this checkout are those of the worker's."""
    stage = course.left[0]
    variables = {name: value for name, value in course.asked.matrix.variables.items() if name not in _NOT_FOR_WORKERS}
    variables |= {name: _on_worker(variables[name]) for name in _PATHS if name in variables}
    until = [] if stage == CHECK else [f"until={stage}"]
    words = [f"{name}={value}" for name, value in variables.items()]
    return [*_ENDS_WITH_ITS_WORKER, "./doit", "matrix", course.name, "--json", *words, *until]


def _on_worker(path: str) -> str:
    """A path as a `./doit` in another checkout has it; a config's name stays."""
    place = Path(os.path.normpath(request.started_in() / Path(path).expanduser()))
    if not place.exists():
        return path
    return str(place.relative_to(request.ROOT)) if place.is_relative_to(request.ROOT) else str(place)


def _take(course: _Course, name: str, future: Future) -> None:
    """Note what came of a stage; nothing comes after what failed."""
    stage = course.left.pop(0)
    result, tree = _told(stage, future)
    if name not in course.began and result.how != FAILED:
        result = StageResult(stage, HIT, 0.0, result.key)
    course.results.append(result)
    course.trees[stage] = tree
    print(f"   {course.name}: {stage} {result.how} {result.seconds:.2f} s", file=sys.stderr, flush=True)
    if result.how == FAILED:
        print(result.error, file=sys.stderr, flush=True)
        course.left.clear()


def _told(stage: str, future: Future) -> tuple[StageResult, str]:
    """What a worker's `./doit` said of a stage, and the tree that it made."""
    if future.status != "finished":
        why = future.exception() if future.status == "error" else "the scheduler is gone"
        return StageResult(stage, FAILED, error=f"error: the cluster lost the task: {why}"), ""
    ended: subprocess.CompletedProcess[str] = future.result()
    try:
        stages: list[dict[str, Any]] = json.loads(ended.stdout)["cells"][0]["stages"]
        told = next(each for each in reversed(stages) if each["stage"] == stage or each["how"] == FAILED)
    except (ValueError, LookupError, StopIteration):
        why = f"error: a worker's ./doit ended with {process.verdict(ended.returncode)}\n{process.tail(ended.stderr)}"
        return StageResult(stage, FAILED, error=why), ""
    return StageResult(stage, told["how"], told["seconds"], told["key"], told["error"]), told["tree"]


def _result(course: _Course | None, home: CellResult) -> CellResult:
    """What came of a cell: what workers did, unless what is to be here did not come."""
    if course is None or not course.results or (home.failure and not _failed(course)):
        return home
    return CellResult(home.name, home.product, tuple(course.results))


def _failed(course: _Course) -> bool:
    return course.results[-1].how == FAILED
