"""What each `./doit` did: a file for each run that carried out a stage, the last 50 of a crate and config.

    cache/runs/<crate>-<config>/000012-4711.jsonl      run 12: a line for each stage, written when it is over

A run in which all was up to date leaves nothing, and costs nothing.  A record that cannot be written is no error.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pipeline import standing
from pipeline.errors import UserError
from pipeline.why import Change, Parts

if TYPE_CHECKING:
    from pipeline.build import Build

KEPT = 50
"""How many runs are remembered."""

RAN, HIT, FAILED = "ran", "hit", "failed"


class Event(msgspec.Struct, frozen=True):
    """A stage that was carried out, be it by its tools or from the cache; or that failed."""

    started: float
    """When the run began, as all times here in seconds since 1970."""
    words: tuple[str, ...]
    """What `./doit` was given."""
    process: int
    stage: str
    how: str
    why: str
    """Why it was not up to date; and what moved in its key, where that is known."""
    changes: tuple[Change, ...]
    begin: float
    seconds: float
    """What it took now."""
    tool_seconds: float = 0.0
    """What its tools took, when they ran; for a hit that is what it saved."""
    bytes: int = 0
    key: str = ""
    tree: str = ""
    parts: Parts = {}
    error: str = ""


@dataclass(frozen=True)
class Run:
    """A run by its number, with what it carried out in order."""

    number: int
    events: tuple[Event, ...]

    @property
    def started(self) -> float:
        """When it began."""
        return self.events[0].started

    @property
    def seconds(self) -> float:
        """From its begin to the end of its last stage."""
        last = max(self.events, key=lambda event: event.begin + event.seconds)
        return last.begin + last.seconds - self.started

    @property
    def when(self) -> str:
        """When it began, as people write it."""
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.started))

    @property
    def command(self) -> str:
        """What the user wrote."""
        return " ".join(["./doit", *self.events[0].words])


class Runs:
    """The records in a folder, and the one of this run, which has its number from the beginning: its children share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = time.time()
        newest = max(map(_number, self._files()), default=0)
        self._file = folder / f"{newest + 1:06}-{os.getpid()}.jsonl"

    @contextmanager
    def recording(self, build: Build, name: str, because: str) -> Iterator[None]:
        """Record the stage that is carried out in the block, with what made that necessary: `because`, or how it stands."""
        state = standing.state_of(build, name)
        begin = time.time()
        event = Event(
            started=self._started,
            words=tuple(sys.argv[1:]),
            process=os.getpid(),
            stage=name,
            how=FAILED,
            why=because or state.why,
            changes=state.changes,
            begin=begin,
            seconds=0.0,
        )
        try:
            yield
        except UserError as error:
            self._add(msgspec.structs.replace(event, seconds=time.time() - begin, error=error.message))
            raise
        event = msgspec.structs.replace(event, how=RAN, seconds=time.time() - begin)
        made = build.made(name)
        if made:  # else somebody has taken it away in this moment
            done = {"how": made.how, "key": made.key, "tree": made.tree, "parts": made.parts, "tool_seconds": made.seconds}
            with suppress(OSError):
                done["bytes"] = build.store.size(made.tree)
            event = msgspec.structs.replace(event, **done)
        self._add(event)

    def all(self) -> list[Run]:
        """The runs that are remembered, the oldest first."""
        return list(self._newest_first())[::-1]

    def last(self, stage: str) -> tuple[Run, Event] | None:
        """The last run that had to do with a stage, and what came of it."""
        told = ((run, event) for run in self._newest_first() for event in reversed(run.events) if event.stage == stage)
        return next(told, None)

    def since(self, stage: str, tree: str) -> Run | None:
        """The run since which this is what the stage made."""
        found = None
        for run in self._newest_first():
            of_stage = [event for event in run.events if event.stage == stage and event.how != FAILED]
            if of_stage and of_stage[-1].tree != tree:
                break
            found = run if of_stage else found
        return found

    def _newest_first(self) -> Iterator[Run]:
        read = ((file, tuple(_events(file))) for file in reversed(self._files()))
        return (Run(_number(file), events) for file, events in read if events)

    def _add(self, event: Event) -> None:
        with suppress(OSError):
            is_new = not self._file.exists()
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._file.open("ab") as stream:  # at once, at its end: stages may run side by side
                stream.write(msgspec.json.encode(event) + b"\n")
            if is_new:
                for old in self._files()[:-KEPT]:
                    old.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))


def _number(file: Path) -> int:
    number = file.name.partition("-")[0]
    return int(number) if number.isdecimal() else 0


def _events(file: Path) -> Iterator[Event]:
    """What can be read of a record: the last line of one that was killed may be cut off."""
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(msgspec.MsgspecError, UnicodeError):
                yield msgspec.json.decode(line, type=Event)
