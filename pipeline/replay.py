"""`./doit replay STAGE`: what a stage has its tools do, as a shell script that needs nothing of ours; to be sent to somebody.

<crate>/target/crategrad/<config>/replay/06-enzyme/repro.sh     the commands, in their order, and a check of what they make
                                                  /README       which stage of what this is, with its settings
                                                  /input/       what the commands read of what earlier stages made
                                                  /given/       what Crategrad wrote itself for a command to read
                                                  /output/      what the stage made
                                                  /replayed/    what repro.sh makes

The stage is run for it, and what is between its commands done in process is given as files.  A stage without commands has
no script: its input and its output are all there is.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline import process, replay_cargo
from pipeline.build import Build
from pipeline.digests import file_digest
from pipeline.errors import UserError
from pipeline.process import Argument, Finished
from pipeline.replay_script import Command, write, write_cargo
from pipeline.rerun import READING_A_MODULE
from pipeline.stages import MODULE
from pipeline.stages.build_std import BuildStd
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.store import tree_digest


@dataclass(frozen=True)
class Replay:
    """What came of a replay: the folder, the number of commands, what is different from what is in the cache, if anything."""

    folder: Path
    commands: int
    refusal: str
    is_same: bool


def replay(build: Build, name: str) -> Replay:
    """Run a stage, of which all inputs are made, and leave the folder."""
    step = build.steps[name]
    folder = build.replay(name)
    shutil.rmtree(folder, ignore_errors=True)
    out, log = folder / "output", folder / "log"
    out.mkdir(parents=True)
    log.touch()
    inputs = {role: build.output(source) for role, source in step.inputs.items()}
    if isinstance(step.stage, BuildStd | CrateBitcode):
        commands, refusal = replay_cargo.run_recorded(step.stage, inputs, out, log, folder)
        write_cargo(folder, build, name, commands, refusal)
        return Replay(folder, len(commands), refusal, _is_same(build, name, out, refusal))
    recorder = _Recorder(folder, {**{tree: f"input/{role}" for role, tree in inputs.items()}, out: "replayed"})
    if name in READING_A_MODULE:
        recorder.copy_input(inputs["module"] / MODULE)
    refusal = ""
    with _recorded_by(recorder):
        try:
            step.stage.run(inputs, out, log)
        except UserError as error:
            refusal = build.places.told(error.message)
    write(folder, build, name, recorder.commands, recorder.known, refusal)
    return Replay(folder, len(recorder.commands), refusal, _is_same(build, name, out, refusal))


def _is_same(build: Build, name: str, out: Path, refusal: str) -> bool:
    """Whether what was made is what the cache has."""
    made = build.made(name)
    return refusal == "" and made is not None and tree_digest(out) == made.tree


# ---- What is run


@contextmanager
def _recorded_by(recorder: _Recorder) -> Iterator[None]:
    """Have all tools that are run in the block recorded.

    `process` is part of every key: what only a replay wants is put around it from here.
    """
    run = process.run

    def recorded(argv: Sequence[Argument], **options: Any) -> Finished:
        printed = options.get("stdout")
        named = [*argv, printed] if printed else argv
        given, folders = recorder.before(named)
        finished = run(argv, **options)
        if finished.returncode != -signal.SIGTERM:  # ended by us: the audit had refused what Enzyme was asked for meanwhile
            recorder.after(argv, printed, given, folders, finished.returncode)
        return finished

    process.run = recorded
    try:
        yield
    finally:
        process.run = run


@dataclass
class _Recorder:
    """The commands, and what is known of the files that they name."""

    folder: Path
    roots: Mapping[Path, str]
    """The folders that are others in a replay, and what they are there."""
    commands: list[Command] = field(default_factory=list)
    known: dict[Path, str] = field(default_factory=dict)
    """The digests of the files that are there in a replay, too."""
    turn: threading.Lock = field(default_factory=threading.Lock)

    def before(self, argv: Sequence[Argument]) -> tuple[dict[str, str], frozenset[str]]:
        """What a command needs that none before it has made: files, and folders."""
        given: dict[str, str] = {}
        folders = set()
        for path in self._paths(argv):
            folders.add(self._there(path if path.is_dir() else path.parent))
            if path.is_file():
                with self.turn:
                    given |= self._given(path)
        return given, frozenset(folders)

    def after(
        self,
        argv: Sequence[Argument],
        printed: Path | None,
        given: dict[str, str],
        folders: frozenset[str],
        returncode: int,
    ) -> None:
        """Note a command, and what it has written."""
        made = {}
        with self.turn:
            for path in self._paths([*argv, printed] if printed else argv):
                if path.is_file() and (digest := file_digest(path)) != self.known.get(path):
                    self.known[path] = made[self._there(path)] = digest
            to = self._there(printed) if printed else ""
            self.commands.append(Command(tuple(map(self._moved, argv)), to, given, folders, returncode, made))

    def copy_input(self, path: Path) -> None:
        """Copy a file that an earlier stage has made."""
        place = self.folder / self._there(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
        self.known[path] = file_digest(path)

    def _given(self, path: Path) -> dict[str, str]:
        """The copy of a file that is in no replay yet; an input is copied to where it is to be."""
        if not self._there(path).startswith("replayed"):
            if path not in self.known:
                self.copy_input(path)
            return {}
        digest = file_digest(path)
        if self.known.get(path) == digest:
            return {}
        self.known[path] = digest
        (self.folder / "given").mkdir(exist_ok=True)
        copy = f"given/{len(list((self.folder / 'given').iterdir())) + 1:03}-{path.name}"
        shutil.copyfile(path, self.folder / copy)
        return {copy: self._there(path)}

    def _paths(self, argv: Sequence[Argument]) -> list[Path]:
        """The paths that a command names below the folders that are others in a replay."""
        return [Path(found) for argument in argv for found in self._pattern.findall(os.fspath(argument))]

    @property
    def _pattern(self) -> re.Pattern[str]:
        roots = "|".join(re.escape(str(root)) for root in self.roots)
        return re.compile(rf"(?:{roots})(?:/[^,]*)?")

    def _moved(self, argument: Argument) -> str:
        return self._pattern.sub(lambda found: self._there(Path(found[0])), os.fspath(argument))

    def _there(self, path: Path) -> str:
        """What a path is in the folder of a replay."""
        root = next(root for root in self.roots if path.is_relative_to(root))
        return Path(self.roots[root], path.relative_to(root)).as_posix()
