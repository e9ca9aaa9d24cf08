"""`./doit why`: how each stage stands, what moved in its key, and why it was carried out when it last was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from pipeline import standing
from pipeline.build import Build
from pipeline.errors import CommandLineError
from pipeline.explain.functions import demangled
from pipeline.explain.outputs import FileDifference, compare
from pipeline.runs import FAILED, Event, Run
from pipeline.standing import FRESH, WAITS, State
from pipeline.toolchain import find_tools
from pipeline.why import Change, short
from pipeline.yaml_source import quoted, visible

VERSION = 1
"""Of the JSON; `docs/debugging.md` describes it."""


@dataclass(frozen=True)
class Moved:
    """A part of a key that moved, in words; and in which files two inputs differ, where both are still in the cache."""

    change: Change
    what: str
    files: tuple[FileDifference, ...] = ()


@dataclass(frozen=True)
class Answer:
    """How a stage stands and what moved: since it was made, or, where it is fresh, when it last was carried out."""

    stage: str
    state: State
    moved: tuple[Moved, ...]
    run: Run | None
    """The last that carried it out, if that is remembered, and what it said of the stage."""
    event: Event | None
    since: Run | None
    """The run since which its output is what it is."""


def answers(build: Build, names: Sequence[str]) -> list[Answer]:
    """The answers for these stages, or for all.

    Raises: UserError where there is no such stage.
    """
    for name in names:
        check_stage(build, name)
    states = standing.states(build)

    @cache
    def compared(was: str, now: str) -> tuple[FileDifference, ...]:
        are_there = build.store.has(was) and build.store.has(now)
        return tuple(compare(find_tools().libllvm, build.store.tree(was), build.store.tree(now))) if are_there else ()

    return [_answer(build, name, states[name], compared) for name in names or build.steps]


def check_stage(build: Build, name: str) -> None:
    """See to it that a stage is one of the config's.

    Raises: UserError where it is none.
    """
    if name not in build.steps:
        raise CommandLineError(f"error: there is no stage `{name}` here\n  = help: there are {', '.join(build.steps)}")


def _answer(build: Build, name: str, state: State, compared: Callable[[str, str], tuple[FileDifference, ...]]) -> Answer:
    run, event = build.runs.last(name) or (None, None)
    made = build.made(name)
    changes = event.changes if event and state.word == FRESH else state.changes
    moved = (_moved(build, name, change, compared) for change in changes)
    return Answer(name, state, tuple(moved), run, event, build.runs.since(name, made.tree) if made else None)


def _moved(build: Build, name: str, change: Change, compared: Callable[[str, str], tuple[FileDifference, ...]]) -> Moved:
    if change.kind != "inputs":
        return Moved(change, _in_words(build, name, change))
    source = build.steps[name].inputs.get(change.name, change.name)
    return Moved(change, f"what {source} made", compared(change.was, change.now) if change.was and change.now else ())


def _in_words(build: Build, name: str, change: Change) -> str:
    if change.kind == "code":
        return f"the pipeline's own {change.name.replace('.', '/')}"
    if change.kind == "files":
        return f"file {visible(change.name)}"
    if change.kind != "tools":
        return f"{'the kind of ' if change.kind == 'kinds' else ''}{quoted(change.name or 'stage')}"
    with suppress(AttributeError):
        return f"tool {quoted(change.name)}, {attrgetter(change.name)(build.steps[name].stage).path}"
    return f"tool {quoted(change.name)}"


# ---- Said


def show(found: Sequence[Answer], where: str, *, with_diff: bool) -> None:
    """Print the answers."""
    rust, told = _rust_names(found), list[tuple[FileDifference, ...]]()
    print(where)
    for answer in found:
        print(f"   {answer.stage:<14}{visible(_head(answer), 400)}")
        for line in _details(answer, rust, told, with_diff=with_diff):
            print(f"      {line}")


def _head(answer: Answer) -> str:
    """How it stands, and of which run that is."""
    said = f"{answer.state.word}{f': {answer.state.why}' if answer.state.why else ''}"
    run, event = answer.run, answer.event
    if run is None or event is None or answer.state.word == WAITS:
        return said
    if answer.state.word != FRESH:
        return f"{said}; {'it failed in' if event.how == FAILED else 'what is there is of'} {_named(run)}"
    since = f", and made what run {answer.since.number} did" if answer.since and answer.since.number < run.number else ""
    how = f"ran it, {event.tool_seconds:.2f} s" if event.how != "hit" else "had it from the cache"
    return f"{said}; {_named(run)} {how}{since}: {event.why or 'nobody knows why'}"


def _named(run: Run) -> str:
    return f"run {run.number} ({run.when})"


def _details(answer: Answer, rust: dict[str, str], told: list[tuple[FileDifference, ...]], *, with_diff: bool) -> Iterator[str]:
    for moved in answer.moved:
        yield visible(moved.what, 200)
        yield f"   was {visible(short(moved.change.was or 'not there'), 120)}"
        yield f"   is  {visible(short(moved.change.now or 'not there'), 120)}"
        if moved.files in told:
            yield "   as said above"
            continue
        if moved.files:
            told.append(moved.files)
        for file in moved.files:
            yield from (f"   {line}" for line in _of_file(file, rust, with_diff=with_diff))


def _of_file(file: FileDifference, rust: dict[str, str], *, with_diff: bool) -> Iterator[str]:
    if file.functions is None:
        yield f"{file.file} {'differs' if file.how == 'changed' else f'is {file.how}'}"
    elif not file.functions:
        yield f"{file.file}: no function differs, but debug info or the order of things"
    for function in file.functions or ():
        inlined = [rust[name] for name in function.inlined if name != function.name]
        where = (
            f", where {' and '.join(map(quoted, inlined))} {'is' if len(inlined) == 1 else 'are'} inlined" if inlined else ""
        )
        how = "changed" if function.how == "changed" else f"is {function.how}"
        yield f"function {quoted(rust[function.name])}{file.module} {how}{where}"
        yield from (f"   {visible(line, 200)}" for line in (function.diff if with_diff else ()))


def _rust_names(found: Sequence[Answer]) -> dict[str, str]:
    """All names of functions that are to be said, as Rust has them."""
    functions = [f for answer in found for moved in answer.moved for file in moved.files for f in file.functions or ()]
    names = sorted({name for function in functions for name in (function.name, *function.inlined)})
    return demangled(names, Path(find_tools().opt.path).with_name("llvm-cxxfilt"))


def as_json(build: Build, found: Sequence[Answer]) -> dict[str, Any]:
    """What `--json` prints."""
    rust = _rust_names(found)
    return {"version": VERSION, "artifact": str(build.product), "stages": [_json_of(answer, rust) for answer in found]}


def _json_of(answer: Answer, rust: dict[str, str]) -> dict[str, Any]:
    event = answer.event
    return {
        "stage": answer.stage,
        "state": answer.state.word,
        "why": answer.state.why,
        "since": answer.since and answer.since.number,
        "last": answer.run and event and {"run": answer.run.number, "how": event.how, "why": event.why, "error": event.error},
        "moved": [
            {
                "kind": moved.change.kind,
                "name": moved.change.name,
                "was": moved.change.was,
                "is": moved.change.now,
                "files": [_json_of_file(file, rust) for file in moved.files],
            }
            for moved in answer.moved
        ],
    }


def _json_of_file(file: FileDifference, rust: dict[str, str]) -> dict[str, Any]:
    functions = [
        {
            "symbol": function.name,
            "name": rust[function.name],
            "how": function.how,
            "inlined": [rust[name] for name in function.inlined],
            "diff": function.diff,
        }
        for function in file.functions or ()
    ]
    return {"file": file.file, "how": file.how, "functions": None if file.functions is None else functions}
