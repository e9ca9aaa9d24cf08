"""`./doit replay` of a stage that is cargo's work: the commands of rustc that cargo gave, as a shell script without cargo.

<crate>/target/crategrad/<config>/replay/02-crate_bitcode/repro.sh           the commands, and a check of what they make
                                                         /README             which stage of what this is
                                                         /input/sources/     the packages, as far as they are none of std's
                                                         /input/out/         what build scripts have written
                                                         /input/sysroot/     std as build_std has made it
                                                         /linker             in place of a linker: it notes its arguments
                                                         /output/            what the stage made
                                                         /replayed/          what repro.sh makes

The stage is run for it with an empty target folder, so that all of it is compiled.
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline import cargo, rustc_recorder
from pipeline.digests import source_files
from pipeline.errors import UserError
from pipeline.rustc_recorder import RECORDS
from pipeline.rustc_wrapper import BOOTSTRAP, EACH_ALONE
from pipeline.stages import Inputs
from pipeline.stages.build_std import SYSROOT
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.toolchain import Rust

_HERE = "\0here\0"
"""The folder of the replay, in what a script is made of."""

_NOT_AGAIN = ("build_script_", "empty")
"""Build scripts are not run again, what they have written is there; the package that std is built for has nothing in it."""

_OF_CARGO = ("--error-format=", "--json=", "--diagnostic-width=")
"""How rustc speaks to cargo."""

_OF_RUNS = ("_", "CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS")
_ALWAYS = (BOOTSTRAP, "CRATEGRAD_VERIFY_")

_LINKER = """\
#!/bin/sh
# In place of a linker: notes the arguments where the program would be, and keeps the objects among them, by their place.
# The program is the stage link's to make.
for argument; do
    [ "${before:-}" != -o ] || file=$argument
    before=$argument
done
printf '%s\\n' "$@" >"$file"
place=0
for argument; do
    case $argument in *.o) cp "$argument" "$file.$place.o" ;; esac
    place=$((place + 1))
done
"""


@dataclass(frozen=True)
class Command:
    """A command of rustc as it was run; `environment` is what cargo has added to what it was given."""

    crate: str
    argv: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]
    returncode: int
    files: Mapping[str, str]
    """Digests of the files of code that it made."""
    members: Mapping[str, str]
    """The same of libraries' objects, by the library's and the object's name."""
    written: Path | None
    """A copy of what the package's build script has written."""


def run_recorded(stage: Any, inputs: Inputs, out: Path, log: Path, folder: Path) -> tuple[list[Sequence[str]], str]:
    """Run the stage, fill the folder, and give each command as lines of a shell script, and what the stage failed with."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        records, target = Path(name, "records"), out / "work/target"
        records.mkdir()
        if isinstance(stage, CrateBitcode):
            target = Path(name, "target")
            stage = replace(stage, target=target)
        refusal = ""
        with _recording(records) as base:
            try:
                stage.run(inputs, out, log)
            except UserError as error:
                refusal = error.message
        shutil.rmtree(out / "work", ignore_errors=True)
        commands = [each for each in _commands(records, base) if not each.crate.startswith(_NOT_AGAIN)]
        moves = _Moves(folder, stage.rust.sysroot, target)
        if "std" in inputs:
            moves.copy(inputs["std"] / SYSROOT, "input/sysroot")
        for command in commands:
            moves.copy_inputs(command)
    (folder / "linker").write_text(_LINKER)
    (folder / "linker").chmod(0o755)
    return [tuple(moves.lines(command)) for command in commands], refusal


@contextmanager
def _recording(records: Path) -> Iterator[dict[str, str]]:
    """Have each command of rustc noted that cargo gives in the block; what is yielded is the environment that cargo is given.

    `cargo` is part of keys: what only a replay wants is put around it from here.
    """
    environment, base = cargo.environment, dict[str, str]()

    def recorded(rust: Rust, rustflags: list[str], hooks: Path, building: Mapping[str, str]) -> dict[str, str]:
        base.update(environment(rust, rustflags, hooks, building))
        base["RUSTC_WRAPPER"] = str(cargo._launcher(hooks, "rustc-recorder", rustc_recorder.__file__))
        base[RECORDS] = str(records)
        return dict(base)

    cargo.environment = recorded
    try:
        yield base
    finally:
        cargo.environment = environment


def _commands(records: Path, base: Mapping[str, str]) -> Iterator[Command]:
    for record in sorted(records.glob("*.json")):
        found = json.loads(record.read_text())
        argv = tuple(found["argv"])
        added = {
            name: value
            for name, value in found["environment"].items()
            if (base.get(name) != value and name not in _OF_RUNS) or name.startswith(_ALWAYS)
        }
        if EACH_ALONE in argv:
            added[BOOTSTRAP] = "1"
        written = record.with_suffix(".out")
        yield Command(
            argv[argv.index("--crate-name") + 1],
            argv,
            found["cwd"],
            added,
            found["returncode"],
            found.get("files", {}),
            found.get("members", {}),
            written if written.is_dir() else None,
        )


class _Moves:
    """What paths are in the folder of a replay, where it comes to lie anywhere; and what is copied there."""

    def __init__(self, folder: Path, sysroot: Path, target: Path) -> None:
        self._folder = folder
        self._left = (str(sysroot), os.path.realpath(sysroot / "lib/rustlib/src/rust"))
        self._places = {str(target): f"{_HERE}/replayed", str(target / "hooks/link-recorder"): f"{_HERE}/linker"}

    def copy(self, path: Path, name: str) -> None:
        """Copy a folder of which all is read."""
        shutil.copytree(path, self._folder / name)
        self._places[str(path)] = f"{_HERE}/{name}"

    def copy_inputs(self, command: Command) -> None:
        """Copy the package that a command compiles, with its workspace, and what its build script has written."""
        for root in (command.cwd, command.environment.get("CARGO_MANIFEST_DIR", command.cwd)):
            if not any(Path(root).is_relative_to(each) for each in (*self._left, *self._places)):
                self._copy_sources(Path(root))
        written = command.environment.get("OUT_DIR", "")
        if command.written and written not in self._places:
            self.copy(command.written, f"input/out/{Path(written).parent.name}")
            self._places[written] = self._places.pop(str(command.written))

    def _copy_sources(self, root: Path) -> None:
        taken = len([place for place in self._places.values() if place.startswith(f"{_HERE}/input/sources/")])
        name = f"input/sources/{taken + 1:02}-{root.name}"
        for file in map(Path, source_files(root)):
            place = self._folder / name / file.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
        self._places[str(root)] = f"{_HERE}/{name}"

    def lines(self, command: Command) -> Iterator[str]:
        """A command as a shell has it."""
        out = next((after for option, after in itertools.pairwise(command.argv) if option == "--out-dir"), "")
        yield f"mkdir -p {self._quoted(out)}"
        variables = [self._quoted(f"{name}={value}") for name, value in sorted(command.environment.items())]
        arguments = [self._quoted(each) for each in command.argv[1:] if not each.startswith(_OF_CARGO)]
        yield f'( cd {self._quoted(command.cwd)} && env {" ".join(variables)} \\\n    "$rustc" {" ".join(arguments)} )'
        code = command.returncode
        yield f"ended $? {code if code >= 0 else 128 - code}"
        yield from (f"made {digest} {self._relative(out)}/{shlex.quote(name)}" for name, digest in command.files.items())
        for name, digest in command.members.items():
            library, member = name.split(" ", 1)
            yield f"holds {digest} {self._relative(out)}/{shlex.quote(library)} {shlex.quote(member)}"

    def _moved(self, text: str) -> str:
        for path in sorted(self._places, key=len, reverse=True):
            text = text.replace(path, self._places[path])
        return text

    def _quoted(self, text: str) -> str:
        return shlex.quote(self._moved(text)).replace(_HERE, "'\"$here\"'")

    def _relative(self, path: str) -> str:
        return shlex.quote(self._moved(path).removeprefix(f"{_HERE}/"))
