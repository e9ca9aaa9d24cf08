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
import shlex
import shutil
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


@dataclass(frozen=True)
class _Command:
    argv: tuple[str, ...]
    """With paths as they are in the folder of the replay."""
    given: Mapping[str, str]
    """What is to be copied before: from where (to where)."""
    folders: frozenset[str]
    returncode: int
    made: Mapping[str, str]
    """The digests of the files that it wrote, of those that it names."""


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
        _write_cargo(folder, build, name, commands, refusal)
        return Replay(folder, len(commands), refusal, _is_same(build, name, out, refusal))
    recorder = _Recorder(folder, {**{tree: f"input/{role}" for role, tree in inputs.items()}, out: "replayed"})
    if name in READING_A_MODULE:
        recorder.copy_input(inputs["module"] / MODULE)
    refusal = ""
    with _recorded_by(recorder):
        try:
            step.stage.run(inputs, out, log)
        except UserError as error:
            refusal = error.message
    _write(folder, build, name, recorder, refusal)
    return Replay(folder, len(recorder.commands), refusal, _is_same(build, name, out, refusal))


def _is_same(build: Build, name: str, out: Path, refusal: str) -> bool:
    """Whether what was made is what the cache has."""
    made = build.made(name)
    return refusal == "" and made is not None and tree_digest(out) == made.tree


def counted(commands: int) -> str:
    """So many commands, in words."""
    return f"{commands} command{'' if commands == 1 else 's'}"


# ---- What is run


@contextmanager
def _recorded_by(recorder: _Recorder) -> Iterator[None]:
    """Have all tools that are run in the block recorded.

    `process` is part of every key: what only a replay wants is put around it from here.
    """
    run = process.run

    def recorded(argv: Sequence[Argument], **options: Any) -> Finished:
        given, folders = recorder.before(argv)
        finished = run(argv, **options)
        recorder.after(argv, given, folders, finished.returncode)
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
    commands: list[_Command] = field(default_factory=list)
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

    def after(self, argv: Sequence[Argument], given: dict[str, str], folders: frozenset[str], returncode: int) -> None:
        """Note a command, and what it has written."""
        made = {}
        with self.turn:
            for path in self._paths(argv):
                if path.is_file() and (digest := file_digest(path)) != self.known.get(path):
                    self.known[path] = made[self._there(path)] = digest
            self.commands.append(_Command(tuple(map(self._moved, argv)), given, folders, returncode, made))

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


# ---- What is written

_HEAD = """\
#!/bin/sh
# {title}: what it has its tools do.
# Nothing of Crategrad is needed, only these tools; others can be given as in:  {example} ./repro.sh
set -u
cd "$(dirname "$0")"
here=$PWD
{tools}

number=0 worst=0
wrong() {{ echo "command $number: $1"; worst=1; }}
ended() {{ number=$((number + 1)); [ "$1" = "$2" ] || wrong "ended with $1, and with $2 when it was recorded"; }}
made() {{ echo "$1  $2" | sha256sum --check --status || wrong "$2 is not what it was"; }}
holds() {{ [ "$(ar p "$2" "$3" | sha256sum)" = "$1  -" ] || wrong "$3 in $2 is not what it was"; }}

rm -rf replayed
"""

_END = '[ "$worst" = 0 ] && echo "all as it was recorded"\nexit "$worst"\n'

_OF_CARGO = """\
repro.sh runs {commands} of rustc in the order in which cargo began them, one after the other, with what cargo had put into
their environment.  What they read is in input/; what they make comes to lie in replayed/, and bitcode and objects in it are
held against what was recorded.  std's own sources, where they are compiled, are those of the toolchain.

Not as it was:
- cargo and its wrapper of Crategrad's are left out; what that changes in arguments (metadata, remapped paths) is changed.
- Messages are for people, where cargo has them as JSON; build scripts are not run, what they had written is in input/out.
- A program is not linked: ./linker notes the arguments.
- Crategrad has taken apart what rustc made in its own process: output/ has modules without the checksums of source files,
  and objects as archives."""


def _write_cargo(folder: Path, build: Build, name: str, commands: Sequence[Sequence[str]], refusal: str) -> None:
    """The same of a stage that is cargo's work: each command is given by its lines."""
    title = _title(build, name)
    rustc = str(build.steps["crate_bitcode"].stage.rust.rustc.path)  # type: ignore[attr-defined]
    head = _HEAD.format(title=title, example="RUSTC=/my/rustc", tools=f'rustc="${{RUSTC:-{shlex.quote(rustc)}}}"')
    told = "\n".join(f"\n# {number}\n" + "\n".join(lines) for number, lines in enumerate(commands, 1))
    script = folder / "repro.sh"
    script.write_text(f"{head}{told}\n{_END}")
    script.chmod(0o755)
    lines = [f"{title}\n", _OF_CARGO.format(commands=counted(len(commands))), f"\nThe tool:\n  {rustc}: {_version(rustc)}"]
    lines += _settings(build, name, refusal)
    (folder / "README").write_text("\n".join(lines) + "\n")


def _title(build: Build, name: str) -> str:
    return f"Stage {build.steps[name].number}, {name}, of {build.crate.artifact} (config {build.folder.name})"


def _write(folder: Path, build: Build, name: str, recorder: _Recorder, refusal: str) -> None:
    """Write the script, where there are commands, and the text that says what all this is."""
    title = _title(build, name)
    out = folder / "output"
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    by_tools = {path.relative_to(out).as_posix(): recorder.known.get(path) == file_digest(path) for path in files}
    in_process = [file for file, is_tools in by_tools.items() if not is_tools]
    if recorder.commands:
        script = folder / "repro.sh"
        script.write_text("".join(_script(title, recorder.commands, by_tools)))
        script.chmod(0o755)
    (folder / "README").write_text("\n".join(_readme(title, build, name, recorder.commands, in_process, refusal)) + "\n")


def _script(title: str, commands: Sequence[_Command], by_tools: Mapping[str, bool]) -> Iterator[str]:
    tools = {command.argv[0]: _variable(command.argv[0]) for command in commands}
    example = f"{next(iter(tools.values())).upper()}=/my/{Path(next(iter(tools))).name}"
    settings = (f'{variable}="${{{variable.upper()}:-{shlex.quote(tool)}}}"' for tool, variable in tools.items())
    yield _HEAD.format(title=title, example=example, tools="\n".join(settings))
    there = {folder for command in commands for folder in command.folders if folder.startswith("input")}
    for number, command in enumerate(commands, 1):
        yield f"\n# {number}\n"
        if new := sorted(command.folders - there):
            yield f"mkdir -p {shlex.join(new)}\n"
        there |= command.folders
        yield from (f"cp {shlex.join(pair)}\n" for pair in command.given.items())
        yield f'"${tools[command.argv[0]]}" {shlex.join(command.argv[1:])}\n'
        yield f"ended $? {command.returncode if command.returncode >= 0 else 128 - command.returncode}\n"
        yield from (f"made {digest} {shlex.quote(file)}\n" for file, digest in command.made.items())
    yield "\n"
    for name, is_tools in by_tools.items():
        if is_tools:
            yield f"cmp {shlex.join([f'output/{name}', f'replayed/{name}'])} || worst=1\n"
        else:
            said = f"output/{name} is of Crategrad's own process: no command makes it"
            yield f"echo {shlex.quote(said)}\n"
    yield _END


def _version(tool: str) -> str:
    """What a tool says of its version, where it says something."""
    lines = process.ask([tool, "--version"]).output.splitlines()
    return next((line.strip() for line in lines if re.search(r"\d\.\d", line)), "it does not say its version")


def _variable(tool: str) -> str:
    return re.sub(r"\W", "_", Path(tool).name)


def _readme(
    title: str,
    build: Build,
    name: str,
    commands: Sequence[_Command],
    in_process: Sequence[str],
    refusal: str,
) -> Iterator[str]:
    yield f"{title}\n"
    tools = dict.fromkeys(command.argv[0] for command in commands)
    if commands:
        yield f"repro.sh runs {counted(len(commands))}: what they read is in input/ and given/, what they made in output/,"
        yield "and what they make now comes to lie in replayed/.  What is in given/ Crategrad wrote in its own process."
        yield from (f"So it made output/{file}: no command does that." for file in in_process)
    else:
        yield "It runs no tool: Crategrad does all of it in its own process, by libLLVM, and nothing can be run without it."
        yield "What it reads is in input/, what it made in output/."
        yield "\nThe tools:"
        yield from (f"  {tool}: {_version(tool)}" for tool in tools)
    yield from _settings(build, name, refusal)


def _settings(build: Build, name: str, refusal: str) -> Iterator[str]:
    if settings := sorted(build.parts_now(name)["settings"].items()):
        yield "\nIts settings:"
        yield from (f"  {setting} = {value}" for setting, value in settings)
    if refusal:
        yield f"\nIt failed:\n\n{refusal}"
