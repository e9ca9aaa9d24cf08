"""What each stage opens and starts, as the kernel sees it: its inputs, its tools, what its key has a digest of, and a list.

A file that a stage reads and its key does not know of is a wrong hit to come.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import doit
import pytest

from pipeline import key, linker
from pipeline.build import Build
from pipeline.digests import Digests, _shared_libraries
from pipeline.linker import Linker, find_linker
from pipeline.plan import Step
from pipeline.request import cache_folder
from pipeline.stages.build_std import BuildStd
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.stages.link import Archive, Link
from pipeline.toolchain import Tool, find_tools
from tests.traced import END, MARK, planned
from tests.workbench import CUBE, ROOT, Workbench

pytestmark = pytest.mark.toolchain

# A call that gave a file, with its path as the kernel has it; and a program that was started, or is being started.
OPENED = re.compile(r"= \d+<(/[^>]*)>(?:\(deleted\))?$")
STARTED = re.compile(r'^\d+ +execve\("(/[^"]*)".*(?:= 0|<unfinished \.\.\.>)$')
MARKED = re.compile(rf'"{MARK}(\w+)"')

ALWAYS = (
    *("/proc", "/sys", "/dev"),  # the process itself, memory, processors
    *("/etc/ld.so.cache", "/etc/ld.so.preload"),  # where libraries are; which they are is in the key
    *("/usr/lib/locale", "/etc/locale.alias", "/usr/share/locale", "/usr/lib/x86_64-linux-gnu/gconv"),
)
"""What the C library opens for any program."""

OF_PYTHON = (
    *(Path(os.__file__).parent, sys.executable, f"{sys.prefix}/pyvenv.cfg", ROOT / "pipeline"),
    *(f"/usr/lib/x86_64-linux-gnu/lib{name}" for name in ("bz2.so.1.0", "dl.so.2", "expat.so.1", "rt.so.1")),
)
"""The interpreter, its library, what modules of that load; the pipeline's modules, whose source is in the keys."""

LISTED = {ROOT, Path(doit.__file__).parent.parent}
"""Where Python looks for modules; what it finds there is another question."""

OF_CARGO = (
    os.environ.get("CARGO_HOME") or f"{Path.home()}/.cargo",  # crates, which the lock has digests of
    *("/etc/ssl", "/etc/gitconfig", f"{Path.home()}/.gitconfig"),  # by which it would fetch them
    *(f"/etc/{name}" for name in ("host.conf", "hosts", "resolv.conf", "gai.conf")),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/usr/share/zoneinfo"),
)
"""What cargo opens, and the libraries in it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "made").mkdir()
    (tmp_path / "tmp").mkdir()
    return tmp_path


def test_stages_read_what_their_keys_know(bench: Workbench, folder: Path) -> None:
    """All but build_std, which takes its time: of std only that is read here which the cache has."""
    bench.build()
    made = json.loads((bench.output() / "stages/01-build_std.json").read_text())
    (folder / "made/build_std").symlink_to(cache_folder() / "trees" / made["tree"])
    bench.write(CUBE.replace("x * x * x", f"x * x * x + 0.0 * {time.time()}"))  # or cargo finds nothing to do
    found = read_by_stages(bench.folder, folder)
    build = planned(str(bench.folder), str(folder / "made"))
    assert list(found) == [name for name in build.steps if name != "build_std"]
    assert [(name, path) for name in found for path in undeclared(build, name, found[name], folder)] == []
    assert find_tools().catalyst.path in found["enzyme"], "the tools were seen"
    assert find_tools().lld.path.resolve() in {path.resolve() for path in found["link"]}


@pytest.mark.full
@pytest.mark.parametrize(
    "variables",
    [("strategy=fat-lto",), ("build_std=prebuilt",), ("autodiff=false", "bitcode=false", "build_std=none")],
    ids=lambda each: each[0],
)
def test_all_stages_read_what_their_keys_know(
    variables: tuple[str, ...], session_bench: Workbench, bench: Workbench, folder: Path
) -> None:
    """Into an empty target folder: proc macros are built, and std."""
    crate = bench.copy(folder / "crate").folder
    found = read_by_stages(crate, folder, *variables)
    build = planned(str(crate), str(folder / "made"), *variables)
    assert list(found) == list(build.steps)
    assert [(name, path) for name in found for path in undeclared(build, name, found[name], folder)] == []


def test_a_read_that_is_not_declared_is_found(tmp_path: Path) -> None:
    """The check itself: of a stage that reads a file of the system's, and starts a program."""
    script = f"import os; os.access('{MARK}opt1', 0); open('/etc/hostname'); os.spawnv(0, '/usr/bin/true', ['true'])"
    found = traced([sys.executable, "-I", "-S", "-c", script], tmp_path)
    assert {Path("/etc/hostname"), Path("/usr/bin/true")} <= found["opt1"]


def read_by_stages(crate: Path, folder: Path, *variables: str) -> dict[str, set[Path]]:
    """What each stage opens and starts that is carried out."""
    return traced([sys.executable, "-m", "tests.traced", crate, folder / "made", *variables], folder)


def traced(argv: list[Any], folder: Path) -> dict[str, set[Path]]:
    """What is opened and started after each mark."""
    calls = "--trace=open,openat,openat2,execve,access,faccessat,faccessat2"
    strace: list[Any] = ["strace", "-f", "--seccomp-bpf", "-y", "-qq", "-s4096", calls, "-o", folder / "trace"]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    done = subprocess.run([*strace, *argv], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, set[Path]] = {}
    stage = END
    for line in (folder / "trace").read_text(errors="replace").splitlines():
        if mark := MARKED.search(line):
            stage = mark[1]
        elif opened := OPENED.search(line):
            found.setdefault(stage, set()).add(Path(opened[1]))
        elif (started := STARTED.search(line)) and Path(started[1]).exists():  # else it was tried, on the way along PATH
            found.setdefault(stage, set()).add(Path(started[1]))
    found.pop(END)
    return found


def undeclared(build: Build, name: str, read: set[Path], folder: Path) -> list[str]:
    """What a stage has read that its key does not know of, and that is not on the lists."""
    allowed = {os.path.realpath(str(path)) for path in (*ALWAYS, *OF_PYTHON, *declared(build, name, folder))}
    return sorted(str(path) for path in read - LISTED if not is_below(os.path.realpath(path), allowed))


def is_below(path: str, folders: set[str]) -> bool:
    """True for one of these, and for what is in one."""
    return any(str(each) in folders for each in (path, *Path(path).parents))


def declared(build: Build, name: str, folder: Path) -> Iterator[object]:
    """The files and folders that the stage's key has digests of; and those that it may write."""
    step = build.steps[name]
    yield from (
        folder / "tmp",
        folder / "made/messages",
        *(folder / "made" / each for each in (name, f"{name}.log", *step.inputs.values())),
    )
    yield from tools_of(step)
    yield from packages_of(step, build.digests)
    stage = step.stage
    if isinstance(stage, BuildStd | CrateBitcode):
        yield from (*OF_CARGO, stage.rust.libraries)
        # Programs of the host are linked by whatever cc there is: they make no output, they only print.
        yield from of_linker(find_linker(find_tools().cc, build.digests))
        yield stage.rust.sources  # of build_std its input; of a crate what rustc shows of std's macros in warnings
    if isinstance(stage, CrateBitcode):
        yield from (stage.target, *build.crate.packages, *build.crate.files())
    if isinstance(stage, Link | Archive) and stage.libraries:
        yield from (planned_rust(build).libraries, build.crate.output / "cargo")
    if name == "build_std" and not isinstance(stage, BuildStd):
        yield planned_rust(build).libraries


def planned_rust(build: Build) -> Any:
    stage: Any = build.steps["crate_bitcode"].stage
    return stage.rust


def tools_of(value: Any) -> Iterator[object]:
    """The tools in a stage's value, the libraries that they load, and what a linker takes of its own accord."""
    if isinstance(value, Tool):
        yield from (value.path, *_shared_libraries(value.path))
    elif isinstance(value, Step):
        yield from tools_of(value.stage)
    elif dataclasses.is_dataclass(value):
        if isinstance(value, Linker):
            yield from of_linker(value)
        for field in dataclasses.fields(value):
            yield from tools_of(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from tools_of(each)


def of_linker(value: Linker) -> Iterator[object]:
    yield from linker._system(value.cc)
    yield from tools_of({"cc": value.cc, **value.starts})


def packages_of(step: Step, digests: Digests) -> Iterator[object]:
    """The Python packages whose versions are in the key; and what is read of others by those who look for plugins."""
    for package in key.packages(type(step.stage).__module__, digests)["mapping"]:
        found = importlib.util.find_spec(package)
        assert found
        assert found.origin
        yield Path(found.origin).parent
        yield from Path(found.origin).parent.parent.glob("*.dist-info")


def test_python_packages_of_a_stage_are_in_its_key(digests: Digests) -> None:
    assert set(key.packages("pipeline.stages.crate_bitcode", digests)["mapping"]) == {"llvmlite", "msgspec"}
    assert set(key.packages("pipeline.stages.opt1", digests)["mapping"]) == {"msgspec"}


def test_what_the_linker_takes_is_asked_anew_where_it_changes(tmp_path: Path, digests: Digests) -> None:
    """An `ld` of another content under the same path, and an object that is linked into every program."""
    (tmp_path / "bin").mkdir()
    ld, start = tmp_path / "bin/ld", tmp_path / "Scrt1.o"
    ld.write_text("#!/bin/sh\nexit 0\n")
    ld.chmod(0o755)
    start.write_text("one")
    cc = tmp_path / "cc"
    names = f'case "$1" in -print-prog-name=ld) echo {ld};; -print-*) echo none;; *) echo {start};; esac'
    cc.write_text(f"#!/bin/sh\n{names}\n")
    cc.chmod(0o755)
    cache = tmp_path / "digests.json"
    known = find_linker(Tool(cc), digests)
    assert known.starts == {"ld": Tool(ld)}
    stage = Link(known)
    before = key.stage_key(stage, {}, digests)
    time.sleep(0.05)
    assert key.stage_key(Link(find_linker(Tool(cc), Digests(cache))), {}, Digests(cache)) == before
    ld.write_text("#!/bin/sh\nexit 1\n")
    swapped = key.stage_key(Link(find_linker(Tool(cc), Digests(cache))), {}, Digests(cache))
    start.write_text("two")
    another = key.stage_key(Link(find_linker(Tool(cc), Digests(cache))), {}, Digests(cache))
    assert len({before, swapped, another}) == 3
