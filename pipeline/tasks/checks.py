"""Gradcheck: asked for, and as the end of a build with `check: true`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from doit.exceptions import TaskFailed

from pipeline import commands
from pipeline.build import Build
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.key import stage_key
from pipeline.request import Request
from pipeline.stages.abi_fixup import DERIVATIVES
from pipeline.tasks.opening import open_build
from pipeline.tasks.outcomes import fail
from pipeline.tasks.program import surroundings

if TYPE_CHECKING:
    from pipeline.gradcheck.harness import Function


def gradcheck(asked: Request, digests: Digests, junit: str, functions: list[str]) -> TaskFailed | None:
    """Build the crate in each way, have each program check its derivatives, and tell what came of it."""
    from pipeline.gradcheck import harness, report

    # doit takes what follows a name for one more.
    junit = next((name.removeprefix("--junit=") for name in functions if name.startswith("--junit=")), junit)
    names = [name for name in functions if not name.startswith("--")]
    found, left_out = [], set()
    try:
        for build_name, build in _built_for_gradcheck(asked, digests):
            program = harness.Program(build.product, build.crate.folder, surroundings(build))
            known = harness.functions(program)
            called = harness.chosen(known, names)
            ranges = harness.ranges_of(known, asked.config.gradcheck.ranges)
            found += [harness.check(program, f, build_name, asked.points, ranges.get(f, {})) for f in called]
            left_out |= _left_out(build, known)
    except UserError as error:
        return fail(error)
    finally:
        digests.save()
    found.sort(key=lambda each: each.function.position)
    report.show(found, sorted(left_out) if not names else [], asked.points)
    if junit:
        report.write_junit(found, Path(os.environ.get("CRATEGRAD_CWD", ""), junit))
    failed = any(each.is_failure for each in found)
    return TaskFailed("a derivative is wrong", report=False) if failed else None


def is_checked(asked: Request, build: Build) -> bool:
    """Whether the build ends with gradcheck."""
    return asked.config.check and asked.config.autodiff and build.crate.artifact.runs and not build.edit


def check(asked: Request, digests: Digests) -> TaskFailed | None:
    """The end of a build with `check: true`: gradcheck, unless these very programs have passed it."""
    from pipeline.gradcheck.harness import Check

    try:
        built = dict(_built_for_gradcheck(asked, digests))
    except UserError as error:
        return fail(error)
    finally:
        digests.save()
    check = Check(asked.points, asked.config.gradcheck.ranges)
    programs = {name: build.made("link") for name, build in built.items()}
    key = stage_key(check, {name: made.tree for name, made in programs.items() if made}, digests)
    cache = next(iter(built.values())).store
    if cache.find(key):
        return None
    begin = time.monotonic()
    failed = gradcheck(asked, digests, "", [])
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

    for name, config in builds.variants(asked.config, asked.points.levels).items():
        build = open_build(replace(asked, config=config), digests, gradcheck=True)
        commands.bring_up_to_date(build, list(build.steps), f" ({name})")
        yield name, build


def _left_out(build: Build, known: Sequence[Function]) -> set[str]:
    """The derivatives in the program that no function that can be called has."""
    made = json.loads((build.output("abi_fixup") / DERIVATIVES).read_text()) if "abi_fixup" in build.steps else []
    called = {name for function in known for name in function.derivatives}
    return {f"{each['derivative']} of {each['primal']}" for each in made if each["derivative"] not in called}
