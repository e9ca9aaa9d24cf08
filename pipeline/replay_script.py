"""What `./doit replay` writes: a shell script with a check of what its commands make, and a README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.build import Build
from pipeline.digests import file_digest


@dataclass(frozen=True)
class Command:
    """A command that a stage has a tool carry out."""

    argv: tuple[str, ...]
    """With paths as they are in the folder of the replay."""
    printed: str
    """Where its standard output goes, if that is what it makes."""
    given: Mapping[str, str]
    """What is to be copied before: from where (to where)."""
    folders: frozenset[str]
    returncode: int
    made: Mapping[str, str]
    """The digests of the files that it wrote, of those that it names."""


def counted(commands: int) -> str:
    """So many commands, in words."""
    return f"{commands} command{'' if commands == 1 else 's'}"


_HEAD = """\
#!/bin/sh
# {title}: what it has its tools do.
# Nothing of Crategrad is needed, only these tools; others can be given as in:  {example} ./repro.sh
set -u
CDPATH='' cd -- "$(dirname -- "$0")" || exit
here=$PWD
export PATH="{path}${{PATH:+:$PATH}}" LC_ALL=C
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


def write_cargo(folder: Path, build: Build, name: str, commands: Sequence[Sequence[str]], refusal: str) -> None:
    """Write both for a stage that is cargo's work: each command is given by its lines."""
    title = _title(build, name)
    rustc = str(build.steps["crate_bitcode"].stage.rust.rustc.path)  # type: ignore[attr-defined]
    head = _head(title, "RUSTC=/my/rustc", f'rustc="${{RUSTC:-{shlex.quote(rustc)}}}"')
    told = "\n".join(f"\n# {number}\n" + "\n".join(lines) for number, lines in enumerate(commands, 1))
    script = folder / "repro.sh"
    script.write_text(f"{head}{told}\n{_END}")
    script.chmod(0o755)
    lines = [f"{title}\n", _OF_CARGO.format(commands=counted(len(commands))), f"\nThe tool:\n  {rustc}: {_version(rustc)}"]
    lines += _settings(build, name, refusal)
    (folder / "README").write_text("\n".join(lines) + "\n")


def _head(title: str, example: str, tools: str) -> str:
    """What tools start themselves (`ld`) they find where the stage's did; elsewhere only what is not there."""
    return _HEAD.format(title=title, example=example, path=process.PATH, tools=tools)


def _title(build: Build, name: str) -> str:
    return f"Stage {build.steps[name].number}, {name}, of {build.crate.artifact} (config {build.folder.name})"


def write(folder: Path, build: Build, name: str, commands: Sequence[Command], known: Mapping[Path, str], refusal: str) -> None:
    """Write the script, where there are commands, and the text that says what this is; `known` has the digests of all files."""
    title = _title(build, name)
    out = folder / "output"
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    by_tools = {path.relative_to(out).as_posix(): known.get(path) == file_digest(path) for path in files}
    in_process = [file for file, is_tools in by_tools.items() if not is_tools]
    if commands:
        script = folder / "repro.sh"
        script.write_text("".join(_script(title, commands, by_tools)))
        script.chmod(0o755)
    (folder / "README").write_text("\n".join(_readme(title, build, name, commands, in_process, refusal)) + "\n")


def _script(title: str, commands: Sequence[Command], by_tools: Mapping[str, bool]) -> Iterator[str]:
    tools = {command.argv[0]: _variable(command.argv[0]) for command in commands}
    example = f"{next(iter(tools.values())).upper()}=/my/{Path(next(iter(tools))).name}"
    settings = (f'{variable}="${{{variable.upper()}:-{shlex.quote(tool)}}}"' for tool, variable in tools.items())
    yield _head(title, example, "\n".join(settings))
    there = {folder for command in commands for folder in command.folders if folder.startswith("input")}
    for number, command in enumerate(commands, 1):
        yield f"\n# {number}\n"
        if new := sorted(command.folders - there):
            yield f"mkdir -p {shlex.join(new)}\n"
        there |= command.folders
        yield from (f"cp {shlex.join(pair)}\n" for pair in command.given.items())
        to = f" >{shlex.quote(command.printed)}" if command.printed else ""
        yield f'"${tools[command.argv[0]]}" {shlex.join(command.argv[1:])}{to}\n'
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
    commands: Sequence[Command],
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
    if tools:
        yield "\nThe tools:"
        yield from (f"  {tool}: {_version(tool)}" for tool in tools)
    yield from _settings(build, name, refusal)


def _settings(build: Build, name: str, refusal: str) -> Iterator[str]:
    if settings := sorted(build.parts_now(name)["settings"].items()):
        yield "\nIts settings:"
        yield from (f"  {setting} = {value}" for setting, value in settings)
    if refusal:
        yield f"\nIt failed:\n\n{refusal}"
