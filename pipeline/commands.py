"""What can be asked of a build beside building it: each takes the build and the command line's words, and prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline import request
from pipeline.build import Build
from pipeline.errors import CommandLineError, UserError
from pipeline.rerun import Rerun


def why(build: Build, as_json: bool, with_diff: bool, words: Sequence[str]) -> None:
    """Say of these stages, or of all, how they stand, what moved, and why they were carried out."""
    from pipeline.explain import answer

    names, late = late_options(words, "json", "diff")
    found = answer.answers(build, names)
    if as_json or "json" in late:
        print(json.dumps(answer.as_json(build, found), indent=1))
    else:
        answer.show(found, request.shown(build.product), with_diff=with_diff or "diff" in late)


def history(build: Build, as_json: bool, trace: str, words: Sequence[str]) -> None:
    """Tell what the last runs carried out, or those of these numbers; or write a trace of one, the last if none is named."""
    from pipeline.explain import history as told

    numbers, late = late_options(words, "json", "trace")
    runs = told.chosen(build, numbers)
    if trace := trace or late.get("trace", ""):
        if not runs:
            raise UserError("error: there is nothing to trace: no run is remembered here yet")
        file = Path(os.environ.get("CRATEGRAD_CWD", ""), trace)
        told.write_trace(runs[-1], file)
        print(f"{request.shown(file)}: run {runs[-1].number}")
    elif as_json or "json" in late:
        print(json.dumps(told.as_json(runs), indent=1))
    else:
        told.show(runs, in_full=bool(numbers))


def replay(build: Build, words: Sequence[str]) -> None:
    """Leave a folder with what a stage reads, and a script of the commands that it runs."""
    from pipeline import replay as replaying
    from pipeline import replay_script
    from pipeline.explain.answer import check_stage

    names, _ = late_options(words)
    if len(names) != 1:
        raise CommandLineError("error: which stage?\n  = help: ./doit replay STAGE, as in ./doit replay enzyme")
    check_stage(build, names[0])
    bring_up_to_date(build, list(build.steps)[: list(build.steps).index(names[0])])
    replayed = replaying.replay(build, names[0])
    commands = f"{replay_script.counted(replayed.commands)}, run by ./repro.sh"
    what = commands if replayed.commands else "no commands: all of it is done in process"
    print(f"{request.shown(replayed.folder)}: {what}")
    if replayed.refusal:
        print("   the stage fails; README says with which words")
    elif not replayed.is_same and build.is_fresh(names[0]):
        print("   it made other bytes this time than those in the cache")


def perf(build: Build, as_json: bool, words: Sequence[str]) -> None:
    """Tell what derivatives keep between their two sweeps, and why; of the functions of these names, or of all."""
    from pipeline.perf import report
    from pipeline.perf.cost import costs

    names, late = late_options(words, "json")
    found = costs(build, names)
    if as_json or "json" in late:
        print(json.dumps(report.as_json(found), indent=1))
    else:
        report.show(found, build.crate.folder)


def bring_up_to_date(build: Build, names: Sequence[str], label: str = "") -> bool:
    """Carry out what is not fresh of these stages, and say so; whether there was any."""
    build.look_ahead(names)
    was_stale = False
    for name in names:
        if not build.is_fresh(name):
            was_stale = True
            sys.stderr.write(f"   {name}{label}\n")
            build.carry_out(name)
    return was_stale


def forecast(build: Build, rerun: Rerun) -> None:
    """Say what would be done."""
    from pipeline.explain import forecast as told

    told.show(told.forecast(build, rerun), request.shown(build.product))


def keep(build: Build, rerun: Rerun) -> None:
    """Leave what the stages have made, if that is wanted."""
    if rerun.keep:
        from pipeline import keeping

        keeping.keep(build, as_text=rerun.keep == "ll")


def late_options(words: Sequence[str], *options: str) -> tuple[list[str], dict[str, str]]:
    """The words, and the options among them with their values: doit takes what follows a word for one more."""
    late = {word[2:].partition("=")[0]: word.partition("=")[2] for word in words if word.startswith("--")}
    for name in late.keys() - set(options):
        raise CommandLineError(f"error: --{name}: there is no such option here")
    return [word for word in words if not word.startswith("--")], late
