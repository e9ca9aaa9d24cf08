"""A run in which nothing is to do answers the next: with the same words, only where all that it looked at is as it was."""

from __future__ import annotations

import marshal
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline import looked, unchanged
from pipeline.request import cache_folder
from tests.test_reads import ALWAYS, OF_PYTHON
from tests.workbench import ROOT, Finished, Workbench

LOADED = "pipeline.tasks"
"""A module that is loaded where a run is planned."""

# ---- Without a build


def test_signatures_are_others_where_files_are(tmp_path: Path) -> None:
    """A byte, with size and times kept; another file under the name; a name in a folder; one that was not there."""
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("one")
    folder.mkdir()
    names = [str(file), f"{folder}/", str(folder), str(folder / "new")]
    was = [looked.sign(name) for name in names]
    assert was[3] == looked.MISSING
    times = file.stat()
    file.write_text("two")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    (folder / "new").touch()
    now = [looked.sign(name) for name in names]
    assert [a == b for a, b in zip(was, now, strict=True)] == [False, False, True, False]
    file.rename(tmp_path / "old")
    shutil.copy2(tmp_path / "old", file)
    assert looked.sign(str(file)) != now[0]
    assert looked.newest(looked.sign(str(file))) == max(file.stat().st_mtime_ns, file.stat().st_ctime_ns)


@pytest.mark.parametrize(
    "words", [[], ["run"], ["build", "-a"], ["build", "link"], ["-n2", "build"], ["list"], ["why", "--json"]]
)
def test_other_commands_are_always_carried_out(words: list[str]) -> None:
    assert unchanged._file(words) == ""


def test_a_command_line_is_one_here_and_now(monkeypatch: pytest.MonkeyPatch) -> None:
    def file(*words: str) -> str:
        return unchanged._file(["build", *words])

    was = file("opt2.level=1")
    assert was
    assert file("opt2.level=2") != was
    monkeypatch.setenv("CRATEGRAD_REMOTE_TOKEN", "hidden")
    with_token = file("opt2.level=1")
    monkeypatch.setenv("CRATEGRAD_REMOTE_TOKEN", "another")
    assert file("opt2.level=1") == with_token, "nothing is made of what is secret"
    monkeypatch.setenv("CFLAGS", "-O3")
    assert file("opt2.level=1") != with_token
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/a/file")
    assert file() == ""


def test_what_is_remembered_is_believed_to_the_byte(tmp_path: Path) -> None:
    """Each bit of each byte flipped, and all lengths: then nothing is known, and nothing is raised."""
    memory, file = tmp_path / "memory", tmp_path / "file"
    file.touch()
    said, seen = [(1, "said\n")], {str(file): looked.sign(str(file))}
    content = marshal.dumps((time.time_ns(), said, seen))
    whole = unchanged._checksum(content) + b"\n" + content
    memory.write_bytes(whole)
    assert unchanged._remembered(str(memory)) == said
    for place in range(len(whole)):
        memory.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        assert unchanged._remembered(str(memory)) is None
        memory.write_bytes(whole[:place])
        assert unchanged._remembered(str(memory)) is None
    memory.write_bytes(whole)
    file.unlink()
    assert unchanged._remembered(str(memory)) is None


@pytest.mark.parametrize("age_s", [-60, 3600])
def test_it_is_not_remembered_for_long_nor_from_times_to_come(tmp_path: Path, age_s: int) -> None:
    content = marshal.dumps((time.time_ns() - age_s * 10**9, [(1, "said\n")], {}))
    (tmp_path / "memory").write_bytes(unchanged._checksum(content) + b"\n" + content)
    assert unchanged._remembered(str(tmp_path / "memory")) is None


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    for number in range(unchanged._KEPT + 5):
        unchanged._remember(str(tmp_path / "unchanged" / str(number)), [(1, "said\n")], time.time_ns())
    left = {int(path.name) for path in (tmp_path / "unchanged").iterdir()}
    assert len(left) == unchanged._KEPT
    assert unchanged._KEPT + 4 in left


# ---- Of real builds


def build(bench: Workbench, *arguments: str) -> tuple[Finished, bool]:
    """What `./doit` said, and whether it was answered by what is remembered."""
    bench.environment["PYTHONPROFILEIMPORTTIME"] = "1"
    finished = bench.doit(*(arguments or ("build",)))
    imports = [line for line in finished.stderr.splitlines() if line.startswith("import time:")]
    assert imports
    finished.stderr = "".join(f"{line}\n" for line in finished.stderr.splitlines() if line not in imports)
    return finished, not any(LOADED in line for line in imports)


def until_remembered(bench: Workbench, *arguments: str) -> Finished:
    """The answer of a run that nothing has happened before."""
    for _ in range(6):
        finished, is_remembered = build(bench, *arguments)
        if is_remembered:
            return finished
        time.sleep(0.1)  # what was written just now may be written again within the clock's step
    raise AssertionError("it is never remembered")


@pytest.mark.toolchain
@pytest.mark.parametrize("words", [("build",), ("why",), ("why", "enzyme")], ids=" ".join)
def test_a_run_that_does_nothing_is_answered_with_the_same_words(bench: Workbench, words: tuple[str, ...]) -> None:
    bench.build()
    carried_out, is_remembered = build(bench, *words, "opt2.level=3")
    assert not is_remembered
    again = until_remembered(bench, *words, "opt2.level=3")
    if set(carried_out.stages.values()) <= {"fresh"}:
        assert (again.stdout, again.stderr) == (carried_out.stdout, carried_out.stderr)
    assert again.stdout
    assert again.stderr == ""


def edits(bench: Workbench) -> Iterator[tuple[str, Callable[[], object], Callable[[], object]]]:
    """What may happen between two runs, and how it is undone."""
    source, stages = bench.folder / "src/main.rs", bench.output() / "stages"
    text = source.read_text()
    yield "an edit", lambda: source.write_text(text.replace("x * x * x", "x * x")), lambda: source.write_text(text)
    yield "a new file", (bench.folder / "src/new.rs").touch, (bench.folder / "src/new.rs").unlink
    cargo = bench.folder / ".cargo"
    yield "a configuration of cargo's", lambda: write(cargo / "config.toml", "[build]\n"), lambda: shutil.rmtree(cargo)
    above = bench.folder.parent / "rust-toolchain.toml"
    yield "a toolchain that is asked for", lambda: write(above, "[toolchain]\n"), above.unlink
    program = bench.output() / "bench"
    yield "no program", program.unlink, lambda: None
    yield "another program", lambda: program.write_bytes(b"another"), lambda: None
    yield "no handle", (stages / "04-opt1.json").unlink, lambda: None
    yield "a handle that is cut off", lambda: os.truncate(stages / "06-enzyme.json", 10), lambda: None
    yield "what was forgotten", lambda: bench.doit("forget", "opt2"), lambda: None
    yield "what is ignored", lambda: bench.doit("ignore", "opt2"), lambda: bench.doit("forget", "opt2")
    tree = (stages / "07-opt2").resolve()
    yield "no output in the cache", lambda: tree.rename(bench.folder / "away"), lambda: shutil.rmtree(bench.folder / "away")


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.toolchain
@pytest.mark.usefixtures("own_cache")
def test_whatever_happens_between_two_runs_is_noticed(bench: Workbench) -> None:
    """In a cache of its own, of which an output may be taken away."""
    bench.build()
    for what, happen, undo in edits(bench):
        until_remembered(bench)
        happen()
        _, is_remembered = build(bench)
        assert not is_remembered, what
        undo()
        assert bench.doit("build").returncode == 0, what


@pytest.mark.toolchain
def test_a_tool_of_another_content_is_noticed(tmp_path: Path) -> None:
    """Of the same size, path, version and time of writing."""
    crate = Workbench(tmp_path / "crate")
    crate.write("fn main() {}\n", '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n')
    for name in ("rustc", "cargo"):
        write(tmp_path / "bin" / name, f'#!/bin/sh\n# 1\nexec /usr/bin/{name} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    words = ("build", "autodiff=false", "build_std=none", f"toolchain={tmp_path}")
    until_remembered(crate, *words)
    rustc = tmp_path / "bin/rustc"
    times = rustc.stat()
    rustc.write_text(rustc.read_text().replace("# 1", "# 2"))
    os.utime(rustc, ns=(times.st_atime_ns, times.st_mtime_ns))
    finished, is_remembered = build(crate, *words)
    assert not is_remembered
    assert finished.ran == ["crate_bitcode"]


@pytest.mark.toolchain
def test_all_that_planning_looks_at_is_noted(bench: Workbench, tmp_path: Path) -> None:
    """As the kernel sees it, files that are not there among them: what is not noted might change, and nobody would know."""
    bench.build()
    until_remembered(bench)
    there = set((cache_folder() / "unchanged").iterdir())
    bench.environment["CRATEGRAD_TRACED"] = str(tmp_path)  # another environment is another memory
    traced = tmp_path / "trace"
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-s4096", "--trace=%file", "-o", str(traced)]
    argv = [*strace, str(ROOT / "doit"), "build", f"crate={bench.folder}"]
    subprocess.run(argv, cwd=ROOT, env={**os.environ, **bench.environment}, capture_output=True, check=True)
    memories = [memory for each in set((cache_folder() / "unchanged").iterdir()) - there if (memory := seen_in(each, bench))]
    assert len(memories) == 1
    assert not_noted(looked_at(traced), memories[0]) == []


def seen_in(memory: Path, bench: Workbench) -> set[str]:
    """What was looked at, if that is of this crate."""
    _, _, content = memory.read_bytes().partition(b"\n")
    _, _, seen = marshal.loads(content)
    return set(seen) if str(bench.folder / "Cargo.toml") in seen else set()


CALL = re.compile(r'^\d+ +\w+\((?:AT_FDCWD, )?"([^"]+)"')
"""A call that names a file."""

OF_ITSELF = (
    *(*map(str, ALWAYS), *map(str, OF_PYTHON), sys.prefix, f"{sys.base_prefix}/lib/python3", "/usr/bin/lib", "/usr/bin/py"),
    *("/usr/bin/Modules", "/etc/ld.so", "/lib/x86_64-linux-gnu", "/usr/lib/ssl", "/selinux", "/etc/localtime"),
    *(f"{ROOT}/doit", f"{cache_folder()}/unchanged", f"{cache_folder()}/keys", f"{cache_folder()}/digests.json"),
)
"""Python's own, and its libraries'; where it looks for a package of doit's name; of the cache entries, to note their use, and
known digests, which are a hint."""


def looked_at(trace: Path) -> set[str]:
    """The files that Python has asked for, but its own."""
    lines = trace.read_text(errors="replace").splitlines()
    begin = next(number for number, line in enumerate(lines) if "execve(" in line and ".venv/bin/python3" in line)
    paths = {os.path.normpath(ROOT / found[1]) for line in lines[begin + 1 :] if (found := CALL.match(line))}
    return {path for path in paths if not path.startswith(OF_ITSELF) and "__pycache__" not in path}


def not_noted(paths: set[str], seen: set[str]) -> list[str]:
    """Those that are neither noted, nor on the way there, nor missing in a folder of which it is noted what it holds."""
    known = {os.path.normpath(path) for path in seen}
    known |= {str(folder) for path in known for folder in Path(path).parents}
    return sorted(path for path in paths - known if Path(path).exists() or f"{Path(path).parent}/" not in seen)
