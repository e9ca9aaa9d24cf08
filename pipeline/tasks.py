"""The only place that knows doit: stages as its tasks, our errors as its failures."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import doit.doit_cmd
from doit.exceptions import TaskFailed
from doit.reporter import ConsoleReporter

from pipeline import commands, process, request, standing
from pipeline.build import EDITED, Build, Made
from pipeline.cache import Cache
from pipeline.cargo_settings import settings_left_out
from pipeline.config import Config, ConfigError
from pipeline.crate import Crate, open_crate, sources_digest
from pipeline.digests import Digests
from pipeline.edited import Edit
from pipeline.errors import UserError
from pipeline.graph.choosing import MOST
from pipeline.key import stage_key
from pipeline.linker import find_linker
from pipeline.plan import Sources, plan
from pipeline.platforms import HOST, rust_for_target, started_on, tools_for_target
from pipeline.request import Request
from pipeline.rerun import Rerun
from pipeline.runs import Runs
from pipeline.stages import MODULE, NAMES
from pipeline.stages.abi_fixup import DERIVATIVES, RefusedError
from pipeline.stages.build_std import STD_MODULE, sources_of_std
from pipeline.stages.crate_bitcode import BITCODE
from pipeline.stages.enzyme import rungs_taken
from pipeline.stages.link import libraries_to_link
from pipeline.stages.prebuilt_std import libraries_of_std
from pipeline.store import Store
from pipeline.strategies.slice import WHOLE
from pipeline.toolchain import Rust, find_tools
from pipeline.toolchains import rust_for

if TYPE_CHECKING:
    from pipeline.abi.entry import Entry
    from pipeline.gradcheck.harness import Function
    from pipeline.remote import Remote

_STARTED = time.time()

Task = dict[str, Any]

_IF_IT_RUNS = "if it runs"
"""What a stage's task knows of a run that only somebody's wish makes; by this way it reaches doit's other processes."""

AHEAD = "_look_ahead"
"""The task that asks the remote cache for all stages, before the first of them."""

_JSON: dict[str, Any] = {"name": "as_json", "long": "json", "type": bool, "default": False, "help": "print JSON"}
"""The option of the tasks that tell something."""

_JUNIT: dict[str, Any] = {"name": "junit", "long": "junit", "default": "", "help": "write JUnit's XML there"}
"""The option of those that judge something."""


class Refused(TaskFailed):  # type: ignore[misc]
    """The failure of a task that ran nothing, because what was asked for makes no sense; the process ends with 3.

    It is told to doit, which knows 1 only: with `-n 2` the task is in another process than the one that ends.
    """


class Reporter(ConsoleReporter):  # type: ignore[misc]
    """doit's console, silent about what is up to date but was not asked for, and about the tasks that speak for themselves."""

    desc = "console, a line for each stage that runs"
    selected: tuple[str, ...] = ()
    has_refused = False

    def initialize(self, tasks: Any, selected_tasks: Any) -> None:
        """Know what the user named."""
        self.selected = tuple(selected_tasks)

    def execute_task(self, task: Any) -> None:
        """Announce a stage; a forecast of one makes nothing."""
        if task.name in NAMES and task.targets and not request.quiet():
            sys.stderr.write(f"   {task.name}\n")
            sys.stderr.flush()

    def skip_uptodate(self, task: Any) -> None:
        """Answer for a stage that was asked for by name; of the others the build's summary speaks."""
        if task.name in self.selected:
            sys.stderr.write(f"   {task.name} is up to date (-a runs it all the same)\n")

    def add_failure(self, task: Any, fail: Any) -> None:
        """See whether anything was run."""
        super().add_failure(task, fail)
        self.has_refused = self.has_refused or isinstance(fail, Refused)

    def complete_run(self) -> None:
        """Wait for what is being sent to others; end with the exit code that says so where nothing was run."""
        super().complete_run()
        if remote := _remote():
            remote.finish()
        if self.has_refused:
            sys.exit(3)

    def skip_ignore(self, task: Any) -> None:
        """Say what was not done, that nobody takes it for done."""
        how = ": it, or what it needs, is ignored (`./doit forget STAGE` ends that)" if task.name in self.selected else ""
        sys.stderr.write(f"   {task.name} is passed over{how}\n")


def _read_request(digests: Digests) -> Request:
    try:
        _remote()
        return request.read_request(doit.doit_cmd._CMDLINE_VARS or {}, digests)
    except ConfigError as error:
        _give_up(error)


class Tasks:
    """doit's tasks for the crate and the config of the command line.

    What keeps them from being planned (a missing tool, a folder that is no crate) is told by the tasks that need it, and
    only when they run: `list`, `doctor` and `test` work without.
    """

    def __init__(self) -> None:
        end_quietly_on_signals()
        digests = _digests()
        self._asked = _read_request(digests)
        self._build: Build | None = None
        self._error: UserError | None = None
        try:
            self._build = _open(self._asked, digests)
        except UserError as error:
            self._error = error
        self._digests = digests
        digests.save()

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
            "actions": [(_carry_out, [build, self._asked.rerun])],
            "uptodate": [_Freshness(build, name, self._asked.rerun)],
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
        return {"actions": [(_look_ahead, [self._build, wanted])], "io": {"capture": False}}

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
            why = UserError(f"error: until={rerun.last} leaves no program to run\n  = help: ./doit build until={rerun.last}")
            return {"actions": [(_fail, [why])], "io": {"capture": False}}
        keep = (_action(commands.keep), [build, rerun])
        first = [AHEAD] if self._looks_ahead else []
        if rerun.last:
            wanted = [name for name in build.steps if rerun.wants(name)]
            return {
                "actions": [keep, (_action(_summarise), [build, rerun]), (_tidy, [build])],
                "task_dep": [*first, *wanted],
                "io": {"capture": False},
            }
        checks = [keep, *([(_check, [self._asked, build.digests])] if _is_checked(self._asked, build) else [])]
        if run and not build.crate.artifact.runs:
            why = UserError(f"error: {build.crate.artifact} does not run\n  = help: `build` it: {request.shown(build.product)}")
            return {"actions": [(_fail, [why])], "io": {"capture": False}}
        told, ran, tidied = (
            (_action(_summarise), [build, rerun]),
            (_execute, [build, self._asked.config.target]),
            (_tidy, [build]),
        )
        end = [tidied, ran] if run else [told, tidied]
        return {"actions": [*checks, *end], "task_dep": [*first, *build.steps], "io": {"capture": False}}

    def _forecast(self, rerun: Rerun) -> Task:
        """A task that says what would be done, in place of one that does it."""
        return {"actions": [(_action(commands.forecast), [self._build, rerun])], "io": {"capture": False}}

    def abi(self) -> Task:
        """The task of the ABI ledger.  It runs abi_fixup itself: a refusal is one of its verdicts."""
        options = {"params": [_JSON], "pos_arg": "functions"}
        build = self._build
        if build is None:
            return {**self._refusing(), **options}
        if "abi_fixup" not in build.steps:
            why = UserError("error: there are no headers to tell of: the config says `autodiff: false`")
            return {"actions": [(_fail, [why])], "io": {"capture": False}, **options}
        before = [name for name in NAMES[: NAMES.index("abi_fixup")] if name in build.steps]
        return {"actions": [(_show_ledger, [build])], "task_dep": before, "io": {"capture": False}, **options}

    def perf(self) -> Task:
        """The task of the cost report.  It differentiates once more what the stages up to enzyme have made."""
        task = self._asking(commands.perf, [_JSON])
        build = self._build
        if build is None:
            return task
        if "enzyme" not in build.steps:
            return {**task, "actions": [(_fail, [UserError("error: there is no tape: the config says `autodiff: false`")])]}
        if build.edit:
            why = UserError("error: perf looks at what the stages make of your sources: there with= has no place")
            return {**task, "actions": [(_fail, [why])]}
        return {**task, "task_dep": [name for name in NAMES[: NAMES.index("enzyme") + 1] if name in build.steps]}

    def gradcheck(self) -> Task:
        """The task of gradcheck.  It has builds of its own, which no other task needs."""
        options = {"params": [_JUNIT], "pos_arg": "functions"}
        if self._build is None:
            return {**self._refusing(), **options}
        if not self._build.crate.artifact.runs:
            why = UserError(f"error: {self._build.crate.artifact} does not run: only a program can check its derivatives")
            return {"actions": [(_fail, [why])], "io": {"capture": False}, **options}
        if self._asked.config.target != HOST:
            why = UserError(f"error: gradcheck runs programs of this machine's alone, not for {self._asked.config.target}")
            return {"actions": [(_fail, [why])], "io": {"capture": False}, **options}
        if self._build.edit:
            why = UserError("error: gradcheck builds the program anew, to check itself: there with= has no place")
            return {"actions": [(_fail, [why])], "io": {"capture": False}, **options}
        return {"actions": [(_gradcheck, [self._asked, self._build.digests])], "io": {"capture": False}, **options}

    def matrix(self) -> Task:
        """The task of the matrix.  Each cell has a build of its own: one that cannot be planned fails alone."""
        params = [
            _JSON,
            _JUNIT,
            {"name": "github", "long": "github", "type": bool, "default": False, "help": "print a job matrix, build nothing"},
            {"name": "jobs", "long": "jobs", "default": "", "help": "so many jobs, not one for each cell"},
        ]
        action = (_run_matrix, [self._asked, self._digests])
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
        return {"actions": [(_show_graph, [self._build, self._asked])], "io": {"capture": False}, **options}

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
        return {"actions": [(_action(command), [self._build])], "io": {"capture": False}, **options}

    def cache(self) -> Task:
        """The task that looks after the cache; most of what it does wants no crate."""
        return {"actions": [(_look_after_cache, [self._planned])], "pos_arg": "words", "io": {"capture": False}}

    def _planned(self) -> Build:
        if self._build is None:
            assert self._error is not None
            raise self._error
        return self._build

    def _refusing(self) -> Task:
        return {"actions": [(_fail, [self._error])], "io": {"capture": False}}


def _digests() -> Digests:
    return Digests(request.cache_folder() / "digests.json")


def _open(asked: Request, digests: Digests, *, gradcheck: bool = False) -> Build:
    target, rerun = asked.config.target, asked.rerun
    rust = rust_for_target(rust_for(asked.config.toolchain, asked.folder, digests), target)
    tools = digests.once("tools", target, lambda: tools_for_target(find_tools(), target))
    crate = open_crate(asked.folder, asked.choice, rust, digests, asked.target_dir)
    build_std = asked.config.build_std
    std = digests.once("std", (build_std, rust), lambda: _digest_of_std(build_std, rust, digests))
    libraries = digests.once("libraries", rust, lambda: digests.tree(rust.libraries))
    sources, linker = Sources(std, sources_digest(crate, digests), libraries), find_linker(tools.cc, digests)
    offline, manners = request.offline(), request.manners()
    steps = plan(asked.config, crate, sources, rust, tools, linker, offline=offline, manners=manners, gradcheck=gradcheck)
    rerun.check({step.name for step in steps})
    edit = Edit(rerun.first, rerun.edited, tools) if rerun.edited else None
    runs = Runs(request.cache_folder() / "runs" / asked.name)
    return Build(steps, crate, crate.output / asked.folder_name, _cache(crate, asked.config), digests, runs, edit)


def _cache(crate: Crate, config: Config) -> Cache:
    # What is made for the processor that is here is wrong on another machine, and its key does not say which it was.
    shared = None if config.codegen.cpu == "native" else _remote()
    return Cache(Store(request.cache_folder()), Store(crate.output / ".cache"), shared)


def _remote() -> Remote | None:
    if not os.environ.get("CRATEGRAD_REMOTE"):
        return None
    from pipeline import remote

    return remote.of_this_run()


def _digest_of_std(build_std: str, rust: Rust, digests: Digests) -> str:
    if build_std == "none":
        return ""
    return (sources_of_std if build_std == "full" else libraries_of_std)(rust, digests)


class _Freshness:
    """doit's question whether a stage is up to date; its text, which `./doit info` prints, says why it is not."""

    def __init__(self, build: Build, name: str, rerun: Rerun) -> None:
        self._build = build
        self._name = name
        self._rerun = rerun

    def __call__(self, task: Any, values: dict[str, Any]) -> bool:
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


def _look_ahead(build: Build, wanted: Sequence[str]) -> None:
    if not multiprocessing.parent_process():  # one of -n's, whose stages others may carry out
        build.look_ahead(wanted)


def _carry_out(build: Build, rerun: Rerun, task: Any) -> TaskFailed | dict[str, str]:
    try:
        build.carry_out(task.name, because=(task.meta or {}).get(_IF_IT_RUNS, ""))
    except UserError as error:
        _action(commands.keep)(build, rerun)
        return _fail(error)
    except OSError as error:  # of the crate's target folder; those of the cache are dealt with there
        return _fail(UserError(f"error: {error.filename or task.name}: {error.strerror}"))
    finally:
        build.digests.save()
        if multiprocessing.parent_process():  # one of -n's, which ends without a word
            build.store.finish_sending()
    return {"made": task.name}


def remove_outputs(build: Build, name: str) -> None:
    """What `./doit clean` does for a stage."""
    build.clean(name)


def _fail(error: UserError) -> TaskFailed:
    sys.stdout.flush()
    print(error.message, file=sys.stderr, flush=True)
    return (TaskFailed if error.exit_code == 1 else Refused)(error.message, report=False)


def _action(command: Callable[..., None]) -> Callable[..., TaskFailed | None]:
    """A command as doit's action, which goes by its parameters: what it raises is the task's failure."""

    @wraps(command)
    def action(build: Build, *given: Any, **options: Any) -> TaskFailed | None:
        try:
            command(build, *given, **options)
        except UserError as error:
            return _fail(error)
        except OSError as error:
            return _fail(UserError(f"error: {error.filename or 'what is asked for'}: {error.strerror}"))
        finally:
            build.digests.save()
        return None

    return action


def _give_up(error: UserError) -> NoReturn:
    print(error.message, file=sys.stderr, flush=True)
    sys.exit(error.exit_code)


def _summarise(build: Build, rerun: Rerun) -> None:
    """Say where the program is and what each stage took."""
    if request.quiet():
        return
    derivatives = _derivatives(build) if rerun.wants("enzyme") else ""
    made = {name: build.made(name) for name in build.steps if rerun.wants(name)}
    where = f"until {rerun.last}: {request.shown(build.view(rerun.last))}" if rerun.last else request.shown(build.product)
    print(f"{build.crate.artifact.name}: {where}{f' ({build.edit})' if build.edit else ''}")
    if build.crate.artifact.crate_type == "staticlib" and rerun.wants("link"):
        print(f"   to be linked with {' '.join(libraries_to_link(build.output('crate_bitcode')))}")
    for name, stage in made.items():
        print(f"   {name:<14}{_how(stage) if stage else 'has vanished from the cache'}")
    if (merged := made.get("llvm_link")) and (why := build.store.tree(merged.tree) / WHOLE).exists():
        print(f"   the whole program was merged: {why.read_text()}")
    for each in settings_left_out(build.crate):
        print(f"   left out: {each}")
    if derivatives:
        print(derivatives)


def _tidy(build: Build) -> None:
    """Note what was used, and wait for what is sent; where this run has put more into the cache, see to its limit."""
    build.store.finish_sending()
    made = list(filter(None, map(build.made, build.steps)))
    for each in made:
        build.store.note_use(each.key)
    if any(each.how != "hit" and each.when >= _STARTED for each in made):
        from pipeline import eviction

        with suppress(OSError):  # it is the next build's to do, then
            eviction.tidy(build.store.store, request.cache_limit())
    build.store.release()


def _look_after_cache(plan: Callable[[], Build], words: list[str]) -> TaskFailed | None:
    from pipeline import cache_commands

    try:
        cache_commands.run(words, Store(request.cache_folder()), plan)
    except UserError as error:
        return _fail(error)
    except OSError as error:
        return _fail(UserError(f"error: {error.filename}: {error.strerror}"))
    return None


def _how(made: Made) -> str:
    if made.when < _STARTED:
        return "up to date"
    took = f"{made.seconds:7.2f} s{', edited' if made.how == EDITED else ''}"
    return {"hit": "from cache", "fetched": "from the remote cache"}.get(made.how, took)


def _derivatives(build: Build) -> str:
    if "abi_fixup" not in build.steps:
        return "built without derivatives: the config says `autodiff: false`"
    found = json.loads((build.output("abi_fixup") / DERIVATIVES).read_text())
    if not found:
        return f"no #[autodiff…] derivative is used in {build.crate.artifact.name}: built as by plain cargo"
    rungs = rungs_taken(build.output("enzyme"))
    return "\n".join(f"   {_derivative(d, rungs.get((d['derivative'], d['shim'])))}" for d in found)


def _derivative(derivative: dict[str, Any], rung: str | None) -> str:
    taken = f", by the rung `{rung}` of the ladder" if rung else ""
    return f"{derivative['derivative']}: {derivative['mode']} mode of {derivative['primal']} ({derivative['place']}){taken}"


def _execute(build: Build, target: str) -> TaskFailed | None:
    """Run the program with the user's terminal and arguments, where cargo would: tests in their package's folder."""
    try:
        started = started_on(target, build.product)
    except UserError as error:
        return _fail(error)
    if build.edit:
        print(f"{request.shown(build.product)} is {build.edit}", file=sys.stderr, flush=True)
    crate = build.crate
    as_bench = ["--bench"] if crate.artifact.kind == "bench" else []
    finished = subprocess.run(
        [*started, *as_bench, *request.arguments()],
        cwd=crate.folder if crate.artifact.is_test else os.environ.get("CRATEGRAD_CWD"),
        env={**os.environ, "CARGO_MANIFEST_DIR": str(crate.folder)},
        check=False,
    )
    if finished.returncode == 0:
        return None
    return _fail(UserError(f"error: {request.shown(build.product)} ended with {process.verdict(finished.returncode)}"))


def _show_ledger(build: Build, as_json: bool, functions: list[str]) -> TaskFailed | None:
    """Print what became of the headers of the differentiated functions, or of those that are named."""
    from pipeline.abi import report

    # doit takes what follows a name for one more.
    as_json = as_json or "--json" in functions
    try:
        entries = _ledger(build)
        names = [name for name in functions if name != "--json"]
        named = {id(entry) for name in names for entry in report.chosen(entries, name)}
        found = [entry for entry in entries if id(entry) in named] if names else entries
    except UserError as error:
        return _fail(error)
    finally:
        build.digests.save()
    if as_json:
        print(json.dumps(report.as_json(found), indent=1))
    else:
        report.show(found)
    return None


def _ledger(build: Build) -> list[Entry]:
    from pipeline.abi.ledger import read_ledger

    refused = None
    try:
        if not build.is_fresh("abi_fixup"):
            build.carry_out("abi_fixup")
    except UserError as error:
        if not isinstance(error.__cause__, RefusedError):
            raise
        refused = error.__cause__
    rungs = rungs_taken(build.output("enzyme")) if build.is_fresh("enzyme") else {}
    entries = read_ledger(find_tools().libllvm, _modules(build, refused is None), refused, rungs)
    if not entries:
        raise UserError(
            f"error: there are no headers to tell of: no #[autodiff…] derivative is used in {build.crate.artifact.name}"
        )
    return entries


def _modules(build: Build, is_fixed: bool) -> dict[str, list[Path]]:
    """The modules that the stages up to abi_fixup left."""
    std = [build.output("build_std") / STD_MODULE] if "build_std" in build.steps else []
    modules = {"rustc": [*sorted((build.output("crate_bitcode") / BITCODE).glob("*/*.bc")), *std]}
    for name in ("llvm_link", "opt1", *(["abi_fixup"] if is_fixed else [])):
        modules[name] = [build.output(name) / MODULE]
    return modules


def _show_graph(build: Build, asked: Request, as_json: bool, out: str, most: int) -> TaskFailed | None:
    """Draw the stages and the crates, or print them as JSON."""
    from pipeline.graph import choosing, drawing, report
    from pipeline.graph.crate_graph import add_what_is_built, ask_cargo, crate_graph
    from pipeline.graph.stage_graph import stage_graph

    file = Path(os.environ.get("CRATEGRAD_CWD", ""), out) if out else build.drawing
    try:
        stages, crates = stage_graph(build), crate_graph(ask_cargo(build), build.crate.folder)
        add_what_is_built(crates, build, stages)
        drawn = choosing.choose(crates, most)
        if as_json:
            print(json.dumps(report.as_json(build, asked.config.name, stages, crates, drawn), indent=1))
            return None
        left_out = report.left_out(crates, drawn)
        title = f"{str(build.crate.artifact).replace('`', '')}, config {asked.config.name} ({asked.config.strategy})"
        drawing.write(file, drawing.draw(title, stages, drawn, left_out))
    except UserError as error:
        return _fail(error)
    finally:
        build.digests.save()
    report.show(request.shown(file), stages, crates, left_out)
    return None


def _gradcheck(asked: Request, digests: Digests, junit: str, functions: list[str]) -> TaskFailed | None:
    """Build the crate in each way, have each program check its derivatives, and tell what came of it."""
    from pipeline.gradcheck import harness, report

    # doit takes what follows a name for one more.
    junit = next((name.removeprefix("--junit=") for name in functions if name.startswith("--junit=")), junit)
    names = [name for name in functions if not name.startswith("--")]
    found, left_out = [], set()
    try:
        for build_name, build in _built_for_gradcheck(asked, digests):
            known = harness.functions(build.product, build.crate.folder)
            called = harness.chosen(known, names)
            ranges = harness.ranges_of(known, asked.config.gradcheck.ranges)
            product, folder = build.product, build.crate.folder
            found += [harness.check(product, folder, f, build_name, asked.points, ranges.get(f, {})) for f in called]
            left_out |= _left_out(build, known)
    except UserError as error:
        return _fail(error)
    finally:
        digests.save()
    found.sort(key=lambda each: each.function.position)
    report.show(found, sorted(left_out) if not names else [], asked.points)
    if junit:
        report.write_junit(found, Path(os.environ.get("CRATEGRAD_CWD", ""), junit))
    failed = any(each.is_failure for each in found)
    return TaskFailed("a derivative is wrong", report=False) if failed else None


def _is_checked(asked: Request, build: Build) -> bool:
    """Whether the build ends with gradcheck."""
    return asked.config.check and asked.config.autodiff and build.crate.artifact.runs and not build.edit


def _check(asked: Request, digests: Digests) -> TaskFailed | None:
    """The end of a build with `check: true`: gradcheck, unless these very programs have passed it."""
    from pipeline.gradcheck.harness import Check

    try:
        built = dict(_built_for_gradcheck(asked, digests))
    except UserError as error:
        return _fail(error)
    finally:
        digests.save()
    check = Check(asked.points, asked.config.gradcheck.ranges)
    programs = {name: build.made("link") for name, build in built.items()}
    key = stage_key(check, {name: made.tree for name, made in programs.items() if made}, digests)
    cache = next(iter(built.values())).store
    if cache.find(key):
        return None
    begin = time.monotonic()
    failed = _gradcheck(asked, digests, "", [])
    if failed is None:
        with cache.scratch() as scratch:
            out, log = scratch / "out", scratch / "log"
            out.mkdir()
            log.touch()
            (out / "passed").touch()
            cache.publish(key, out, log, time.monotonic() - begin)
    return failed


def _built_for_gradcheck(asked: Request, digests: Digests) -> Iterator[tuple[str, Build]]:
    """The programs that check themselves, brought up to date one by one."""
    from pipeline.gradcheck import builds

    for name, config in builds.variants(asked.config).items():
        build = _open(replace(asked, config=config), digests, gradcheck=True)
        commands.bring_up_to_date(build, list(build.steps), f" ({name})")
        yield name, build


def _left_out(build: Build, known: Sequence[Function]) -> set[str]:
    """The derivatives in the program that no function that can be called has."""
    made = json.loads((build.output("abi_fixup") / DERIVATIVES).read_text()) if "abi_fixup" in build.steps else []
    called = {name for function in known for name in function.derivatives}
    return {f"{each['derivative']} of {each['primal']}" for each in made if each["derivative"] not in called}


class _Cells:
    """What the matrix builds its cells by."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests

    def open(self, asked: Request) -> Build:
        """Plan a cell."""
        return _open(asked, self._digests)

    def check(self, asked: Request, build: Build) -> str | None:
        """Check its derivatives, if the config says so."""
        if not _is_checked(asked, build):
            return None
        failed = _check(asked, self._digests)
        return str(failed.message) if failed else ""

    def close(self, build: Build) -> None:
        """Note what was used, and see to the limit of the cache."""
        _tidy(build)
        self._digests.save()


def _run_matrix(
    asked: Request, digests: Digests, as_json: bool, junit: str, github: bool, jobs: str, words: list[str]
) -> TaskFailed | None:
    from pipeline.matrix import command

    try:
        names, late = commands.late_options(words, *command.OPTIONS)
        told = command.Options(
            as_json or "json" in late,
            junit or late.get("junit", ""),
            github or "github" in late,
            command.number_of_jobs(jobs or late.get("jobs", "")),
        )
        is_well = command.run(asked, _Cells(digests), told, names)
    except UserError as error:
        return _fail(error)
    finally:
        digests.save()
    return None if is_well else TaskFailed("a cell failed", report=False)


def run_tests(k: str, m: str, x: bool, lf: bool, full: bool, faults: bool, arguments: list[str]) -> TaskFailed | None:
    """The test suite, by pytest."""
    options = [*(["-k", k] if k else []), *(["-m", m] if m else []), *(["-x"] if x else []), *(["--lf"] if lf else [])]
    options += [*(["--full"] if full else []), *(["--faults", "tests/faults"] if faults else [])]
    side_by_side = ["--numprocesses=auto", "--dist=loadfile", "--no-loadscope-reorder"]  # a file's tests share what they build
    argv = [sys.executable, "-m", "pytest", *side_by_side, *options, *arguments]
    finished = subprocess.run(argv, cwd=request.ROOT, check=False)
    return None if finished.returncode == 0 else TaskFailed("tests failed", report=False)


def run_gradient_suite(held: bool, write: bool, words: list[str], **values: str) -> TaskFailed | None:
    """The suite of gradients, in a process of its own: the pipeline does not know it."""
    switches = [*(["--held"] if held else []), *(["--write"] if write else [])]
    options = [f"--{name}={value}" for name, value in values.items() if value]
    argv = [sys.executable, "-m", "bench.gradient", *options, *switches, *words]
    finished = subprocess.run(argv, cwd=request.ROOT, check=False)
    if finished.returncode == 3:  # nothing was run
        sys.exit(3)
    return None if finished.returncode == 0 else TaskFailed("the suite failed", report=False)


def run_doctor() -> TaskFailed | None:
    """What is here, what is missing, and how to get it."""
    from pipeline import doctor

    digests = _digests()
    healthy = doctor.report(_read_request(digests), digests)
    return None if healthy else TaskFailed("something is missing", report=False)


def end_quietly_on_signals() -> None:
    """Ctrl-C and SIGTERM end the run as an exit, not as a traceback; children end with it (see `process`)."""

    def end(signum: int, _frame: object) -> NoReturn:
        signal.signal(signum, signal.SIG_IGN)
        if remote := _remote():
            remote.give_up()
        print("\ninterrupted: finished stages are kept", file=sys.stderr, flush=True)
        sys.exit(128 + signum)

    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, end)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `./doit build | head`


def test_task() -> Task:
    """The task of the test suite, with the options of pytest's that are wanted most; others come after `--`."""
    return {
        "actions": [run_tests],
        "params": [
            {"name": "k", "short": "k", "default": "", "help": "only tests whose name matches (pytest -k)"},
            {"name": "m", "short": "m", "default": "", "help": "only tests with these marks (pytest -m)"},
            {"name": "x", "short": "x", "type": bool, "default": False, "help": "stop at the first failure"},
            {"name": "full", "long": "full", "type": bool, "default": False, "help": "those that take half an hour, too"},
            {"name": "faults", "long": "faults", "type": bool, "default": False, "help": "only tests/faults, at full numbers"},
            {"name": "lf", "long": "lf", "type": bool, "default": False, "help": "only what failed last time"},
        ],
        "pos_arg": "arguments",
        "io": {"capture": False},
    }


def bench_gradient_task() -> Task:
    """The task of the suite of gradients; after a name its options are the suite's own to read."""
    values = {
        "rounds": "how often each binary is run (7)",
        "seconds": "how long a run measures, about (0.5)",
        "strategies": "of Rust, with commas between (slice)",
        "cpu": "the processor both sides are built for (x86-64), or native",
        "json": "write all that was measured there",
        "svg": "draw the plot there",
    }
    switches = {
        "held": "a second table, where the allocator keeps what it has",
        "write": "write the tables and the plot into docs/performance.md",
    }
    params: list[dict[str, Any]] = [{"name": name, "long": name, "default": "", "help": text} for name, text in values.items()]
    params += [{"name": name, "long": name, "type": bool, "default": False, "help": text} for name, text in switches.items()]
    return {"actions": [run_gradient_suite], "params": params, "pos_arg": "words", "io": {"capture": False}}
