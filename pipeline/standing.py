"""How what lies there stands to what would be made now, and why: for `./doit why`, dry runs, the records of runs, the graph."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import std_files, why
from pipeline.stages.build_std import BuildStd
from pipeline.why import Change

if TYPE_CHECKING:
    from pipeline.build import Build, Made

FRESH, STALE, WAITS, NOT_MADE = "fresh", "stale", "waits", "not made"
"""Made of what there is now; made of something else; made of what one before it left, which is to run; not there."""

WORDS = (FRESH, STALE, WAITS, NOT_MADE)

CACHED = " (the cache has what it would make)"


@dataclass(frozen=True)
class State:
    """A word and, where it is not `fresh`, why; with what moved in the key, where that is known."""

    word: str
    why: str = ""
    changes: tuple[Change, ...] = ()


def states(build: Build) -> dict[str, State]:
    """How all stages stand, in order.  Nothing is run, and nothing in the cache is touched."""
    found: dict[str, State] = {}
    first: dict[str, list[str]] = {}
    for name, step in build.steps.items():
        running = sorted({each for source in step.inputs.values() for each in first[source]})
        state = state_of(build, name)
        if running and state.word == FRESH:
            state = State(WAITS, f"it runs only if {' or '.join(running)} makes something else")
        if state.word in (STALE, NOT_MADE) and build.is_cached(name):
            state = State(state.word, state.why + CACHED, state.changes)
        first[name] = running if state.word in (FRESH, WAITS) else [name]
        found[name] = state
    return found


def state_of(build: Build, name: str) -> State:
    """How a stage by itself stands, whatever is to become of those before it."""
    made = build.made(name)
    if made is None:
        return State(NOT_MADE, _missing(build, name))
    if build.is_fresh(name):
        return State(FRESH)
    changes = tuple(_changes(build, name, made)) if made.parts else ()
    return State(STALE, "; ".join(_reasons(build, name, made, changes)), changes)


def _changes(build: Build, name: str, made: Made) -> list[Change]:
    """What moved in the key; of std, whose files are in no record of a run, those are asked for only now."""
    was, now, stage = made.parts, build.parts_now(name), build.steps[name].stage
    if isinstance(stage, BuildStd) and why.SOURCES in why.changed("settings", was, now):
        files = std_files.known(was, build.files_of_std)
        was, now = {**was, "files": files}, {**now, "files": std_files.now(stage) if files else {}}
    return why.changes(was, now)


def edited_since(made: Made, files: Iterable[Path]) -> list[Path]:
    """Those of the files that are younger than what a stage has made."""
    return [path for path in files if path.is_file() and path.stat().st_mtime > made.when]


def _missing(build: Build, name: str) -> str:
    handle = build.handle(name)
    if handle.exists():
        return "what it made is no longer in the cache"
    if handle.with_suffix(".log").exists():
        return f"it failed: {handle.stem}.log says why"
    return "it has not run here"


def _reasons(build: Build, name: str, made: Made, changes: Sequence[Change]) -> list[str]:
    """What a stage's output was made of that is another now."""
    if not made.parts:
        return ["it was made of something else than there is now"]
    reasons = why.told(changes)
    if any(change.name == why.SOURCES for change in changes if change.kind == "settings"):
        reasons.append(_sources(build, name, made, changes))
    reasons += [_input(change, build.steps[name].inputs) for change in changes if change.kind == "inputs"]
    return reasons or ["the artifact was removed or replaced"]


def _input(change: Change, sources: Mapping[str, str]) -> str:
    return f"what {sources.get(change.name, change.name)} made is {'not there' if change.now is None else 'another'}"


def _sources(build: Build, name: str, made: Made, changes: Sequence[Change]) -> str:
    if name != "crate_bitcode":
        others = [change.name for change in changes if change.kind == "files"]
        return f"the sources of std are others{f': {why.first_of(others)}' if others else ''}"
    if "files" in made.parts:
        names = [change.name for change in changes if change.kind == "files"]
    else:
        edited = edited_since(made, map(Path, build.crate.files()))
        names = [os.path.relpath(path, build.crate.folder) for path in edited]
    return f"sources were edited: {why.first_of(names)}" if names else "sources are others, but none is younger"
