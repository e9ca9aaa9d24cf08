"""What a stage's task does, and when."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipeline import commands, standing
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.rerun import Rerun
from pipeline.tasks.outcomes import action_of, fail

if TYPE_CHECKING:
    from doit.exceptions import TaskFailed

_IF_IT_RUNS = "if it runs"
"""What a stage's task knows of a run that only somebody's wish makes; by this way it reaches doit's other processes."""


class Freshness:
    """doit's question whether a stage is up to date; its text, which `./doit info` prints, says why it is not."""

    def __init__(self, build: Build, name: str, rerun: Rerun) -> None:
        self._build = build
        self._name = name
        self._rerun = rerun

    def __call__(self, task: Any, values: dict[str, Any]) -> bool:
        """Whether the stage need not run; why it runs all the same is noted on the task."""
        is_known = bool(values) and self._build.is_fresh(self._name)
        insisted = self._insisted(task)
        # What doit has forgotten the cache may have; what is fresh runs only where somebody insists.
        because = insisted or ("it was asked for all the same (-a)" if is_known else "")
        task.meta = {_IF_IT_RUNS: because} if because else {}
        return is_known and not insisted

    def _insisted(self, task: Any) -> str:
        """Why a stage is to run whatever the cache says."""
        if self._rerun.forces(self._name):
            return f"from={self._rerun.first}"
        # With -s doit takes a task's dependencies away: the user debugs this stage, and wants to see it run.
        alone = not task.task_dep and self._build.steps[self._name].inputs
        return "it was asked for alone (-s)" if alone else ""

    def __repr__(self) -> str:
        if self._rerun.forces(self._name):
            return f"from={self._rerun.first}"
        return standing.state_of(self._build, self._name).why or "doit has forgotten it; the cache has not"


def look_ahead(build: Build, wanted: Sequence[str]) -> None:
    """Ask the remote cache for what is wanted, but in one of doit's other processes."""
    if not multiprocessing.parent_process():  # one of -n's, whose stages others may carry out
        build.look_ahead(wanted)


def carry_out(build: Build, rerun: Rerun, task: Any) -> TaskFailed | dict[str, str]:
    """Bring a stage up to date; what it made goes into doit's state."""
    try:
        build.carry_out(task.name, because=(task.meta or {}).get(_IF_IT_RUNS, ""))
    except UserError as error:
        action_of(commands.keep)(build, rerun)
        return fail(error)
    except OSError as error:  # of the crate's target folder; those of the cache are dealt with there
        return fail(UserError(f"error: {error.filename or task.name}: {error.strerror}"))
    finally:
        if multiprocessing.parent_process():  # one of -n's, which ends without a word
            build.digests.save()
            build.store.finish_sending()
    return {"made": task.name}


def remove_outputs(build: Build, name: str) -> None:
    """What `./doit clean` does for a stage."""
    build.clean(name)
