"""The only place that knows doit: stages as its tasks, our errors as its failures."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pipeline import commands, request
from pipeline.build import Build
from pipeline.errors import CommandLineError, UserError
from pipeline.graph.choosing import MOST
from pipeline.platforms import HOST
from pipeline.rerun import Rerun
from pipeline.stages import NAMES
from pipeline.tasks.checks import check, gradcheck, is_checked
from pipeline.tasks.console import Reporter, end_quietly_on_signals
from pipeline.tasks.matrix import run_matrix
from pipeline.tasks.opening import new_digests, open_build, read_asked
from pipeline.tasks.ours import bench_gradient_task, run_doctor, test_task
from pipeline.tasks.outcomes import Task, action_of, fail
from pipeline.tasks.program import build_binaries, execute, summarise, tidy
from pipeline.tasks.stages import Freshness, carry_out, look_ahead, remove_outputs
from pipeline.tasks.telling import look_after_cache, show_graph, show_ledger

AHEAD = "_look_ahead"
"""The task that asks the remote cache for all stages, before the first of them."""

_JSON: dict[str, Any] = {"name": "as_json", "long": "json", "type": bool, "default": False, "help": "print JSON"}
"""The option of the tasks that tell something."""

_JUNIT: dict[str, Any] = {"name": "junit", "long": "junit", "default": "", "help": "write JUnit's XML there"}
"""The option of those that judge something."""


class Tasks:
    """doit's tasks for the crate and the config of the command line.

    What keeps them from being planned (a missing tool, a folder that is no crate) is told by the tasks that need it, and
    only when they run: `list`, `doctor` and `test` work without.
    """

    def __init__(self) -> None:
        end_quietly_on_signals()
        digests = new_digests()
        self._asked = read_asked(digests)
        self._build: Build | None = None
        self._error: UserError | None = None
        try:
            self._build = open_build(self._asked, digests)
        except UserError as error:
            self._error = error
        self._digests = digests
        atexit.register(digests.save)  # once a run: it takes as long as a small stage

    def doit_config(self) -> dict[str, Any]:
        """DOIT_CONFIG: the main job by default, our reporter, and a state of its own for each crate, artifact and config."""
        runs = self._build is None or (self._build.crate.artifact.runs and not self._asked.rerun.last)
        return {
            "default_tasks": ["execute" if runs else "build"],
            "backend": "crategrad",
            "dep_file": str(request.cache_folder() / "doit" / f"{self._asked.name}.json"),
            "reporter": Reporter,
            "verbosity": 2,
        }

    def stage(self, name: str) -> Task | None:
        """The task of a stage; None where the config leaves it out."""
        build = self._build
        if build is None:
            return self._refusing()
        if name not in build.steps:
            return None
        if self._asked.rerun.dry:
            return self._forecast(replace(self._asked.rerun, last=name))
        return {
            "actions": [(carry_out, [build, self._asked.rerun])],
            "uptodate": [Freshness(build, name, self._asked.rerun)],
            "targets": [str(build.handle(name)), *([str(build.product)] if name == "link" else [])],
            "task_dep": list(build.steps[name].inputs.values()),
            "clean": [(remove_outputs, [build, name])],
            "io": {"capture": False},
        }

    def look_ahead(self) -> Task | None:
        """The task before all stages of a program; None where there is nobody to be asked."""
        if self._build is None or not self._looks_ahead:
            return None
        rerun = self._asked.rerun
        wanted = [name for name in self._build.steps if rerun.wants(name) and not rerun.forces(name)]
        return {"actions": [(look_ahead, [self._build, wanted])], "io": {"capture": False}}

    @property
    def _looks_ahead(self) -> bool:
        return self._build is not None and self._build.store.remote is not None and not self._asked.rerun.dry

    def program(self, *, run: bool) -> Task:
        """The task that builds the program and says where it is, or runs it."""
        build = self._build
        if build is None:
            return self._refusing()
        rerun = self._asked.rerun
        if rerun.dry:
            return self._forecast(rerun)
        if run and rerun.last:
            nothing = CommandLineError(
                f"error: until={rerun.last} leaves no program to run\n  = help: ./doit build until={rerun.last}"
            )
            return {"actions": [(fail, [nothing])], "io": {"capture": False}}
        keep = (action_of(commands.keep), [build, rerun])
        first = [AHEAD] if self._looks_ahead else []
        if rerun.last:
            wanted = [name for name in build.steps if rerun.wants(name)]
            return {
                "actions": [keep, (action_of(summarise), [build, rerun]), (tidy, [build])],
                "task_dep": [*first, *wanted],
                "io": {"capture": False},
            }
        checks = [
            keep,
            (action_of(build_binaries), [build, self._asked]),
            *([(check, [self._asked, build.digests])] if is_checked(self._asked, build) else []),
        ]
        if run and not build.crate.artifact.runs:
            why = UserError(f"error: {build.crate.artifact} does not run\n  = help: `build` it: {request.shown(build.product)}")
            return {"actions": [(fail, [why])], "io": {"capture": False}}
        told, ran, tidied = (
            (action_of(summarise), [build, rerun]),
            (execute, [build, self._asked]),
            (tidy, [build]),
        )
        end = [tidied, ran] if run else [told, tidied]
        return {"actions": [*checks, *end], "task_dep": [*first, *build.steps], "io": {"capture": False}}

    def _forecast(self, rerun: Rerun) -> Task:
        """A task that says what would be done, in place of one that does it."""
        return {"actions": [(action_of(commands.forecast), [self._build, rerun])], "io": {"capture": False}}

    def abi(self) -> Task:
        """The task of the ABI ledger.  It runs abi_fixup itself: a refusal is one of its verdicts."""
        options = {"params": [_JSON], "pos_arg": "functions"}
        build = self._build
        if build is None:
            return {**self._refusing(), **options}
        if "abi_fixup" not in build.steps:
            why = UserError("error: there are no headers to tell of: the config says `autodiff: false`")
            return {"actions": [(fail, [why])], "io": {"capture": False}, **options}
        before = [name for name in NAMES[: NAMES.index("abi_fixup")] if name in build.steps]
        return {"actions": [(show_ledger, [build])], "task_dep": before, "io": {"capture": False}, **options}

    def perf(self) -> Task:
        """The task of the cost report.  It differentiates once more what the stages up to enzyme have made."""
        task = self._asking(commands.perf, [_JSON])
        build = self._build
        if build is None:
            return task
        if "enzyme" not in build.steps:
            return {**task, "actions": [(fail, [UserError("error: there is no tape: the config says `autodiff: false`")])]}
        if build.edit:
            why = UserError("error: perf looks at what the stages make of your sources: there with= has no place")
            return {**task, "actions": [(fail, [why])]}
        return {**task, "task_dep": [name for name in NAMES[: NAMES.index("enzyme") + 1] if name in build.steps]}

    def gradcheck(self) -> Task:
        """The task of gradcheck.  It has builds of its own, which no other task needs."""
        options = {"params": [_JUNIT], "pos_arg": "functions"}
        if self._build is None:
            return {**self._refusing(), **options}
        if not self._build.crate.artifact.runs:
            why = UserError(f"error: {self._build.crate.artifact} does not run: only a program can check its derivatives")
            return {"actions": [(fail, [why])], "io": {"capture": False}, **options}
        if self._asked.config.target != HOST:
            why = UserError(f"error: gradcheck runs programs of this machine's alone, not for {self._asked.config.target}")
            return {"actions": [(fail, [why])], "io": {"capture": False}, **options}
        if self._build.edit:
            why = UserError("error: gradcheck builds the program anew, to check itself: there with= has no place")
            return {"actions": [(fail, [why])], "io": {"capture": False}, **options}
        return {"actions": [(gradcheck, [self._asked, self._build.digests])], "io": {"capture": False}, **options}

    def matrix(self) -> Task:
        """The task of the matrix.  Each cell has a build of its own: one that cannot be planned fails alone."""
        params = [
            _JSON,
            _JUNIT,
            {"name": "github", "long": "github", "type": bool, "default": False, "help": "print a job matrix, build nothing"},
            {"name": "jobs", "long": "jobs", "default": "", "help": "so many jobs, not one for each cell"},
            {"name": "costs", "long": "costs", "type": bool, "default": False, "help": "print what cells cost, build nothing"},
        ]
        action = (run_matrix, [self._asked, self._digests])
        return {"actions": [action], "params": params, "pos_arg": "words", "io": {"capture": False}}

    def graph(self) -> Task:
        """The task of the graphs.  It builds nothing."""
        options = {
            "params": [
                {**_JSON, "help": "print JSON, draw nothing"},
                {"name": "out", "long": "out", "default": "", "help": "the file to draw into"},
                {"name": "most", "long": "most", "type": int, "default": MOST, "help": "draw so many crates at most"},
            ]
        }
        if self._build is None:
            return {**self._refusing(), **options}
        return {"actions": [(show_graph, [self._build, self._asked])], "io": {"capture": False}, **options}

    def why(self) -> Task:
        """The task that tells how stages stand and why.  It builds nothing."""
        diff = {
            "name": "with_diff",
            "long": "diff",
            "type": bool,
            "default": False,
            "help": "print the lines of IR that differ",
        }
        return self._asking(commands.why, [_JSON, diff])

    def history(self) -> Task:
        """The task that tells of the last runs."""
        trace = {"name": "trace", "long": "trace", "default": "", "help": "write a trace for Perfetto there"}
        return self._asking(commands.history, [_JSON, trace])

    def replay(self) -> Task:
        """The task that makes of a stage what can be sent to somebody."""
        return self._asking(commands.replay, [])

    def _asking(self, command: Callable[..., None], params: list[dict[str, Any]]) -> Task:
        """A task that asks something of the build, with options and words of its own."""
        options = {"params": params, "pos_arg": "words"}
        if self._build is None:
            return {**self._refusing(), **options}
        return {"actions": [(action_of(command), [self._build])], "io": {"capture": False}, **options}

    def cache(self) -> Task:
        """The task that looks after the cache; most of what it does wants no crate."""
        return {"actions": [(look_after_cache, [self._planned])], "pos_arg": "words", "io": {"capture": False}}

    def test(self) -> Task:
        """The task of the test suite."""
        return test_task()

    def bench_gradient(self) -> Task:
        """The task of the benchmark."""
        return bench_gradient_task()

    def doctor(self) -> Task:
        """The task that looks for the tools."""
        return {"actions": [run_doctor], "io": {"capture": False}}

    def _planned(self) -> Build:
        if self._build is None:
            assert self._error is not None
            raise self._error
        return self._build

    def _refusing(self) -> Task:
        return {"actions": [(fail, [self._error])], "io": {"capture": False}}
