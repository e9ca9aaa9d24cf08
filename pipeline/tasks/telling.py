"""The tasks that tell of headers, graphs and the cache, and build no program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import request
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.request import Request
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import RefusedError
from pipeline.stages.build_std import STD_MODULE
from pipeline.stages.crate_bitcode import BITCODE
from pipeline.stages.enzyme import rungs_taken
from pipeline.store import Store
from pipeline.tasks.outcomes import fail
from pipeline.toolchain import find_tools

if TYPE_CHECKING:
    from doit.exceptions import TaskFailed

    from pipeline.abi.entry import Entry


def show_ledger(build: Build, as_json: bool, functions: list[str]) -> TaskFailed | None:
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
        return fail(error)
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
    entries = read_ledger(find_tools().libllvm, _modules(build, refused is None), build.places, refused, rungs)
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


def show_graph(build: Build, asked: Request, as_json: bool, out: str, most: int) -> TaskFailed | None:
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
        return fail(error)
    finally:
        build.digests.save()
    report.show(request.shown(file), stages, crates, left_out)
    return None


def look_after_cache(plan: Callable[[], Build], words: list[str]) -> TaskFailed | None:
    """What `./doit cache` does; the build is planned where it is wanted."""
    from pipeline import cache_commands

    try:
        cache_commands.run(words, Store(request.cache_folder()), plan)
    except UserError as error:
        return fail(error)
    except OSError as error:
        return fail(UserError(f"error: {error.filename}: {error.strerror}"))
    return None
