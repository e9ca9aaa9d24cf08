"""`./doit history`: the runs as a table, as JSON, and one of them as a trace for Perfetto (https://ui.perfetto.dev)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pipeline.build import Build
from pipeline.errors import CommandLineError, UserError
from pipeline.graph.drawing import size_of
from pipeline.runs import FAILED, HIT, Event, Run
from pipeline.store import write_whole
from pipeline.yaml_source import visible

VERSION = 1
"""Of the JSON; `docs/debugging.md` describes it."""


def chosen(build: Build, words: Sequence[str]) -> list[Run]:
    """The runs of these numbers, or all that are remembered.

    Raises: UserError where one is not.
    """
    runs = {str(run.number): run for run in build.runs.all()}
    for word in words:
        if word not in runs:
            there = f"there are {next(iter(runs))} to {next(reversed(runs))}" if runs else "no run is remembered here yet"
            raise CommandLineError(f"error: run {visible(word, 40)} is not remembered\n  = help: {there}")
    return [runs[word] for word in words] if words else list(runs.values())


def show(runs: Sequence[Run], *, in_full: bool) -> None:
    """Print a line for each run; in full a line for each of its stages, too."""
    if not runs:
        print("no run is remembered here yet")
    for run in runs:
        print(f"{run.number:>5}  {run.when}  {run.seconds:7.2f} s  {_in_short(run.events)}  {visible(run.command, 200)}")
        for event in run.events if in_full else ():
            print(f"       {event.stage:<14}{_outcome(event)}{visible(event.why, 200)}")


def _in_short(events: Sequence[Event]) -> str:
    """How many stages came how, by name only those that failed."""
    counted = {how: sum(event.how == how for event in events) for how in dict.fromkeys(event.how for event in events)}
    said = [f"{number} {'from cache' if how == HIT else how}" for how, number in counted.items() if how != FAILED]
    return ", ".join([*said, *(f"{event.stage} failed" for event in events if event.how == FAILED)])


def _outcome(event: Event) -> str:
    how = {HIT: f"from cache, saved {event.tool_seconds:.2f} s"}.get(event.how, event.how)
    return f"{event.seconds:7.2f} s  {size_of(event.bytes):>9}  {how}: "


def as_json(runs: Sequence[Run]) -> dict[str, Any]:
    """What `--json` prints: all that is recorded."""
    return {"version": VERSION, "runs": [_json_of(run) for run in runs]}


def _json_of(run: Run) -> dict[str, Any]:
    stages = [{k: v for k, v in msgspec.to_builtins(event).items() if k not in ("started", "words")} for event in run.events]
    return {"run": run.number, "started": run.started, "seconds": run.seconds, "words": run.events[0].words, "stages": stages}


def write_trace(run: Run, file: Path) -> None:
    """Write what a run carried out, and when, in Chrome's Trace Event Format.

    Raises: UserError where the file cannot be written.
    """
    traced = {"displayTimeUnit": "ms", "traceEvents": list(_trace_events(run)), "otherData": {"command": run.command}}
    try:
        write_whole(file, json.dumps(traced, indent=1).encode())
    except OSError as error:
        raise UserError(f"error: {file} cannot be written: {error.strerror}") from error


def _trace_events(run: Run) -> Iterator[dict[str, Any]]:
    """A slice for each stage; what ran in another process, by `-n 2`, has a track of its own."""
    yield {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": f"run {run.number}: {run.command}"}}
    tracks = {process: number for number, process in enumerate(dict.fromkeys(event.process for event in run.events), 1)}
    for process, track in tracks.items():
        yield {"ph": "M", "name": "thread_name", "pid": 1, "tid": track, "args": {"name": f"process {process}"}}
    for event in run.events:
        told = {"how": event.how, "why": event.why, "bytes": event.bytes, "tool_seconds": event.tool_seconds}
        yield {
            "ph": "X",
            "name": event.stage,
            "cat": event.how,
            "pid": 1,
            "tid": tracks[event.process],
            "ts": round((event.begin - run.started) * 1e6),
            "dur": max(1, round(event.seconds * 1e6)),
            "args": {**told, "key": event.key, "tree": event.tree, **({"error": event.error} if event.error else {})},
        }
