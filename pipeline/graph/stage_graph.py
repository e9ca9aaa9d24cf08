"""The stages of a build as a graph: what each reads, how it stands, what it took and how much it left."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline import why
from pipeline.build import Build, Made
from pipeline.graph.state import FRESH, NOT_MADE, STALE, WAITS, State

if TYPE_CHECKING:
    import networkx as nx


def stage_graph(build: Build) -> nx.DiGraph:
    """The stages in order; an edge goes from a stage to one that reads its output, `role` is what that calls it.

    Nothing is run, and nothing in the cache is touched.
    """
    import networkx as nx

    graph = nx.DiGraph()
    first: dict[str, list[str]] = {}
    for name, step in build.steps.items():
        running = sorted({each for source in step.inputs.values() for each in first[source]})
        state = _state(build, name, running)
        first[name] = running if state.word in (FRESH, WAITS) else [name]
        graph.add_node(name, number=step.number, state=state.word, why=state.why, **_cost(build, build.made(name)))
        graph.add_edges_from((source, name, {"role": role}) for role, source in step.inputs.items())
    return graph


def edited_since(made: Made, files: Iterable[Path]) -> list[Path]:
    """Those of the files that are younger than what a stage has made."""
    return [path for path in files if path.is_file() and path.stat().st_mtime > made.when]


def _cost(build: Build, made: Made | None) -> dict[str, float | int | str | None]:
    if made is None:
        return {"seconds": None, "bytes": None, "made": None}
    return {"seconds": made.seconds, "bytes": build.store.size(made.tree), "made": made.when}


def _state(build: Build, name: str, running: Sequence[str]) -> State:
    """How a stage stands, before which those in `running` are to run."""
    made = build.made(name)
    if made is None:
        return State(NOT_MADE, _missing(build, name) + _where_else(build, name))
    if not build.is_fresh(name):
        return State(STALE, "; ".join(_reasons(build, name, made)) + _where_else(build, name))
    if running:
        return State(WAITS, f"it runs only if {' or '.join(running)} makes something else")
    return State(FRESH)


def _missing(build: Build, name: str) -> str:
    handle = build.handle(name)
    if handle.exists():
        return "what it made is no longer in the cache"
    if handle.with_suffix(".log").exists():
        return f"it failed: {handle.stem}.log says why"
    return "it has not run here"


def _where_else(build: Build, name: str) -> str:
    return " (the cache has what it would make)" if build.is_cached(name) else ""


def _reasons(build: Build, name: str, made: Made) -> list[str]:
    """What a stage's output was made of that is another now."""
    was, now = made.parts, build.parts_now(name)
    if not was:
        return ["it was made of something else than there is now"]
    reasons = why.told(was, now)
    if why.SOURCES in why.changed("settings", was, now):
        reasons.append(_sources(build, name, made))
    for role in why.changed("inputs", was, now):
        source = build.steps[name].inputs.get(role, role)
        reasons.append(f"what {source} made is {'another' if role in now['inputs'] else 'not there'}")
    return reasons or ["the artifact was removed or replaced"]


def _sources(build: Build, name: str, made: Made) -> str:
    if name != "crate_bitcode":
        return "the sources of std are others"
    edited = edited_since(made, map(Path, build.crate.files()))
    names = [os.path.relpath(path, build.crate.folder) for path in edited]
    return f"sources were edited: {why.first_of(names)}" if names else "sources are others, but none is younger"
