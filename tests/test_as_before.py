"""What a run looked at in which nothing was to do: where it moves, the next one goes through everything again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workbench import CUBE, ROOT, Finished, Workbench

IMPORTS = {"PYTHONPROFILEIMPORTTIME": "1"}
"""Has Python say on stderr what it imports: where nothing is to do that is not the pipeline."""


def was_quick(finished: Finished) -> bool:
    assert "pipeline.as_before" in finished.stderr
    return "pipeline.build" not in finished.stderr


@pytest.fixture
def alone(bench: Workbench, own_cache: Path, tmp_path: Path) -> Workbench:
    """A crate of its own with a cache of its own."""
    (tmp_path / "above").mkdir()
    crate = bench.copy(tmp_path / "above/crate")
    crate.environment = {"CRATEGRAD_CACHE": str(own_cache), **IMPORTS}
    (tmp_path / "own.yaml").write_text("extends: default\n")
    return crate


def settled(crate: Workbench, *words: str) -> Finished:
    """Build until nothing is to do and that is remembered."""
    for _ in range(5):
        finished = crate.doit(*(words or ("build",)))
        assert finished.returncode == 0, finished.stdout + finished.stderr
        if was_quick(finished):
            return finished
    raise AssertionError("it is never remembered")


def remembered(cache: Path) -> dict[str, list[str]]:
    (memory,) = (cache / "as-before").iterdir()
    return dict(json.loads(memory.read_bytes().partition(b"\n")[2]))


def edit_with_times_kept(crate: Workbench) -> None:
    source = crate.folder / "src/main.rs"
    was = source.stat()
    source.write_text(source.read_text().replace("x * x * x", "x + x * x"))
    os.utime(source, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (source.stat().st_size, source.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)


def replace_with_an_older_file(crate: Workbench) -> None:
    source, other = crate.folder / "src/main.rs", crate.folder.parent / "other.rs"
    other.write_text(CUBE + "\n")
    os.utime(other, (1, 1))
    other.rename(source)


def damage_tree(crate: Workbench) -> None:
    made = json.loads((crate.output() / "stages/05-abi_fixup.json").read_text())
    Path(crate.environment["CRATEGRAD_CACHE"], "trees", made["tree"], "derivatives.json").write_text("[]")


def remove_tree(crate: Workbench) -> None:
    made = json.loads((crate.output() / "stages/04-opt1.json").read_text())
    subprocess.run(["rm", "-r", Path(crate.environment["CRATEGRAD_CACHE"], "trees", made["tree"])], check=True)


def write(place: str, text: str = "") -> Callable[[Workbench], None]:
    def new(crate: Workbench) -> None:
        (crate.folder / place).parent.mkdir(exist_ok=True, parents=True)
        (crate.folder / place).write_text(text)

    return new


CHANGES: dict[str, Callable[[Workbench], object]] = {
    "edited, size and times kept": edit_with_times_kept,
    "replaced by a file with older times": replace_with_an_older_file,
    "touched": lambda crate: (crate.folder / "src/main.rs").touch(),
    "a new source": write("src/new.rs"),
    "a new source in a new folder": write("src/sub/new.rs"),
    "a source is gone": lambda crate: (crate.folder / "src/new.rs").unlink(),
    "cargo's configuration beside the crate": write(".cargo/config.toml"),
    "cargo's configuration above it": write("../.cargo/config.toml", "[net]\nretry = 1\n"),
    "a toolchain is asked for": write("rust-toolchain.toml", "[toolchain]\n"),
    "the lock": lambda crate: (crate.folder / "Cargo.lock").touch(),
    "the program is gone": lambda crate: (crate.output() / "bench").unlink(),
    "the program is another": write("target/crategrad/default/bench", "another"),
    "a handle is gone": lambda crate: (crate.output() / "stages/04-opt1.json").unlink(),
    "a handle is damaged": write("target/crategrad/default/stages/03-llvm_link.json", "{"),
    "an output is damaged": damage_tree,
    "an output is gone": remove_tree,
    "doit has forgotten a stage": lambda crate: crate.doit("forget", "opt1"),
    "doit's state is damaged": lambda crate: Path(remembered_state(crate)).write_text("}"),
    "the environment": lambda crate: crate.environment.update(CFLAGS="-O1"),
    "all is cleaned": lambda crate: crate.doit("clean"),
}


def remembered_state(crate: Workbench) -> str:
    return str(remembered(Path(crate.environment["CRATEGRAD_CACHE"]))["state"])


@pytest.mark.toolchain
def test_one_run_in_which_nothing_was_to_do_is_enough(alone: Workbench) -> None:
    settled(alone)
    edit_with_times_kept(alone)
    built = [was_quick(alone.doit("build")) for _ in range(4)]
    assert built == [False, False, True, True]


@pytest.mark.toolchain
def test_what_is_believed_no_more_is_deleted(alone: Workbench) -> None:
    settled(alone)
    folder = Path(alone.environment["CRATEGRAD_CACHE"], "as-before")
    old, young = folder / ("0" * 32), folder / ("1" * 32)
    for path, age in ((old, 4000), (young, 1000)):
        path.write_text("")
        os.utime(path, (time.time() - age,) * 2)
    edit_with_times_kept(alone)
    settled(alone)
    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.toolchain
def test_a_run_goes_as_the_one_before_until_something_moves(alone: Workbench) -> None:
    for what, change in CHANGES.items():
        quick = settled(alone)
        assert set(quick.stages.values()) == {"fresh"}, what
        change(alone)
        assert not was_quick(alone.doit("build")), what  # of an output that is damaged it says so
        assert list(settled(alone).stages) == list(quick.stages), what
        assert (alone.output() / "bench").stat().st_size > 1000, what


@pytest.mark.toolchain
def test_what_is_said_is_the_same(alone: Workbench) -> None:
    said = [finished.stdout for finished in (alone.build(), alone.build(), settled(alone))]
    assert said[1] == said[2] != said[0]
    assert "reverse mode of bench::f" in said[2]
    runs = alone.doit("history").stdout
    settled(alone)
    assert alone.doit("history").stdout == runs
    assert "fresh" in settled(alone, "why", "opt1").stdout
    edit_with_times_kept(alone)
    settled(alone)
    why = alone.doit("why", "opt1").stdout
    assert "changed, where `bench::f` is inlined" in why
    assert settled(alone, "why", "opt1").stdout == why


@pytest.mark.toolchain
def test_a_config_that_is_edited_is_read_again(alone: Workbench, tmp_path: Path) -> None:
    config = f"config={tmp_path}/own.yaml"
    settled(alone, "build", config)
    (tmp_path / "own.yaml").write_text("extends: default\nopt2:\n  level: 1\n")
    assert alone.build(config).stages["opt2"] == "ran"


@pytest.mark.toolchain
def test_other_ways_to_build_go_through_everything(alone: Workbench) -> None:
    settled(alone)
    assert alone.build("opt2.level=1").stages["opt2"] == "ran"
    for words in (
        ["-a", "-s", "opt1"],
        ["build", "from=opt2"],
        ["build", "dry=1"],
        ["-n", "2", "build"],
        ["run"],
        ["list"],
        ["why"],
    ):
        settled(alone)
        finished = alone.doit(*words)
        assert finished.returncode == 0, words
        assert not was_quick(finished), words
    assert alone.doit("-s", "opt1").returncode == 0
    alone.environment["CRATEGRAD_REMOTE"] = "file:///nowhere"
    assert not was_quick(alone.doit("build"))
    assert not was_quick(alone.doit("build"))


@pytest.mark.toolchain
def test_a_matrix_goes_as_before_too(alone: Workbench, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.yaml"
    matrix.write_text("axes:\n  opt2.level: [1, 2]\n")
    words = ("matrix", f"matrix={matrix}")
    first, quick = alone.doit(*words), settled(alone, *words)
    assert "18 up to date" in quick.stdout
    assert first.stdout.splitlines()[0].split() == quick.stdout.splitlines()[0].split()
    assert "opt2.level-1 (1 of 2)" in quick.stderr
    assert was_quick(alone.doit(*words, "opt2.level-1")) is False
    (alone.folder / "target/crategrad/opt2.level-2/bench").unlink()
    after = alone.doit(*words)
    assert not was_quick(after)
    assert (alone.folder / "target/crategrad/opt2.level-2/bench").exists()
    settled(alone, *words)
    matrix.write_text("axes:\n  opt2.level: [1, 3]\n")
    assert "opt2.level-3" in alone.doit(*words).stdout


@pytest.mark.toolchain
def test_all_that_is_looked_at_is_remembered(alone: Workbench, own_cache: Path, tmp_path: Path) -> None:
    """The kernel is asked which paths the run has named."""
    settled(alone)
    before = remembered(own_cache)
    (memory,) = (own_cache / "as-before").iterdir()
    memory.unlink()
    trace = tmp_path / "trace"
    strace: list[str | Path] = ["strace", "-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", "trace=%file", "-o", trace]
    environment = {**os.environ, **alone.environment, "CRATEGRAD_CWD": str(ROOT), "DOIT_FILE": str(ROOT / "dodo.py")}
    start = "import sys; sys.argv[0] = 'doit'; from doit.__main__ import main; main()"
    argv = [*strace, ROOT / ".venv/bin/python3", "-c", start, "build", f"crate={alone.folder}"]
    subprocess.run(argv, cwd=ROOT, env=environment, check=True, capture_output=True)
    watched = trace.read_text(errors="replace").partition("as-before")[2]
    found = re.findall(r"^\d+ +\w+\((?:AT_FDCWD, )?\"([^\"]+)\"", watched, re.MULTILINE)
    named = {os.path.normpath(ROOT / path) for path in found}
    known = remembered(own_cache)
    noted = {os.path.normpath(path) for path in (*known["followed"], *known["links"])}
    # Python's own modules and what those load; of ours the source is among what is noted.
    of_python = (sys.prefix, str(Path(os.__file__).parent), "/proc", "/sys", "/dev", "/etc", "/selinux", "/lib/x86_64")
    others = {path for path in named if not path.startswith(of_python) and "__pycache__" not in path}
    missed = {path for path in others - noted if Path(path).exists() or str(Path(path).parent) not in noted}
    assert {path for path in missed if not path.startswith(str(own_cache / "as-before"))} == {str(own_cache / "digests.json")}
    assert len(others & noted) > 1000
    assert before["followed"] == known["followed"]
