"""What becomes of a program that is built: it is told of, run, and the cache seen to."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pipeline import commands, process, request
from pipeline.build import EDITED, Build, Made
from pipeline.cargo_settings import panics_not_caught, settings_left_out
from pipeline.errors import UserError
from pipeline.platforms import started_on
from pipeline.rerun import Rerun
from pipeline.rustc_wrapper import BINARY
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.stages.crate_bitcode import CrateBitcode, binaries_to_start, shared_libraries
from pipeline.stages.enzyme import rungs_taken
from pipeline.stages.link import libraries_to_link
from pipeline.strategies.slice import WHOLE
from pipeline.targets import Choice
from pipeline.tasks.console import run_for_user
from pipeline.tasks.opening import open_build
from pipeline.tasks.outcomes import fail

if TYPE_CHECKING:
    from doit.exceptions import TaskFailed

    from pipeline.request import Request

_STARTED = time.time()
_SHARED = "LD_LIBRARY_PATH"


def summarise(build: Build, rerun: Rerun) -> None:
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
    for each in (*settings_left_out(build.crate), *(() if _unwinds(build) else panics_not_caught(build.crate))):
        print(f"   left out: {each}")
    if derivatives:
        print(derivatives)


def _unwinds(build: Build) -> bool:
    stage = build.steps["crate_bitcode"].stage
    return isinstance(stage, CrateBitcode) and stage.panic == "unwind"


def _how(made: Made) -> str:
    if made.when < _STARTED:
        return "up to date"
    took = f"{made.seconds:7.2f} s{', edited' if made.how == EDITED else ''}"
    return {"hit": "from cache", "fetched": "from the remote cache"}.get(made.how, took)


def _derivatives(build: Build) -> str:
    if "abi_fixup" not in build.steps:
        return "built without derivatives: the config says `autodiff: false`"
    found = json.loads(build.places.told((build.output("abi_fixup") / DERIVATIVES).read_text()))
    if not found:
        return f"no #[autodiff…] derivative is used in {build.crate.artifact.name}: built as by plain cargo"
    rungs = rungs_taken(build.output("enzyme"))
    return "\n".join(f"   {_derivative(d, rungs.get((d['derivative'], d['shim'])))}" for d in found)


def _derivative(derivative: dict[str, Any], rung: str | None) -> str:
    taken = f", by the rung `{rung}` of the ladder" if rung else ""
    return f"{derivative['derivative']}: {derivative['mode']} mode of {derivative['primal']} ({derivative['place']}){taken}"


def build_binaries(build: Build, asked: Request) -> list[bool]:
    """Build those binaries of the package that the artifact may start, as cargo does; of each, whether something was to do."""
    return [_build_binary(build, asked, name) for name in binaries_to_start(build.output("crate_bitcode"))]


def _build_binary(build: Build, asked: Request, name: str) -> bool:
    choice = Choice(build.crate.package, "bin", name, flags=asked.choice.flags)
    binary = open_build(replace(asked, choice=choice, rerun=Rerun()), build.digests)
    was_stale = commands.bring_up_to_date(binary, list(binary.steps), f" (binary `{name}`)")
    tidy(binary)
    return was_stale


def execute(build: Build, asked: Request) -> TaskFailed | None:
    """Run the program with the user's terminal and arguments, where cargo would: tests in their package's folder."""
    try:
        started = started_on(asked.config.target, build.product)
    except UserError as error:
        return fail(error)
    if build.edit:
        print(f"{request.shown(build.product)} is {build.edit}", file=sys.stderr, flush=True)
    crate = build.crate
    names = binaries_to_start(build.output("crate_bitcode"))
    binaries = {f"{BINARY}{name}": str(crate.output / asked.config.name / name) for name in names}
    as_bench = ["--bench"] if crate.artifact.kind == "bench" else []
    code = run_for_user(
        [*started, *as_bench, *request.arguments()],
        cwd=crate.folder if crate.artifact.is_test else os.environ.get("CRATEGRAD_CWD"),
        env={**surroundings(build), **binaries},
    )
    if code == 0:
        return None
    request.tell_failed(code)
    return fail(UserError(f"error: {request.shown(build.product)} ended with {process.verdict(code)}"))


def surroundings(build: Build) -> dict[str, str]:
    """The variables of a program that is run: the user's and cargo's, so that it finds what build scripts made to be shared."""
    shared = [*map(str, shared_libraries(build.output("crate_bitcode"))), *filter(None, [os.environ.get(_SHARED)])]
    found_by = {_SHARED: os.pathsep.join(shared)} if shared else {}
    return {**os.environ, "CARGO_MANIFEST_DIR": str(build.crate.folder), **found_by}


def tidy(build: Build) -> None:
    """Note what was used, and wait for what is sent; where this run has put more into the cache, see to its limit."""
    build.store.finish_sending()
    made = list(filter(None, map(build.made, build.steps)))
    for each in made:
        build.store.note_use(each.key)
    if any(each.how != "hit" and each.when >= _STARTED for each in made):
        from pipeline import eviction

        with suppress(OSError):  # it is the next build's to do, then
            eviction.keep_below(build.store.store, request.cache_limit())
    build.store.release()
