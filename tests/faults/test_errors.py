"""F5: whichever call of the system fails in the cache, a build that could do without it succeeds."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Rounds
from tests.faults.scene import bring_up_to_date, build, right, torn

ERRORS = (errno.ENOSPC, errno.EIO, errno.EMFILE, errno.EACCES)


@pytest.mark.toolchain  # a C compiler
def test_whichever_call_fails_the_build_succeeds(tmp_path: Path, rounds: Rounds) -> None:
    shim = tmp_path / "failing_calls.so"
    source = Path(__file__).with_name("failing_calls.c")
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    argv = [sys.executable, "-m", "tests.faults.test_errors", str(shim), str(tmp_path), str(rounds(40, 1_000_000))]
    done = subprocess.run(argv, env={**os.environ, "LD_PRELOAD": str(shim)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["wrong"] == []
    assert told["most warnings"] == 1
    rounds.tell(
        f"F5: {told['tried']} failing calls, of {told['calls']} in a build: all builds right, a warning at most, 0 torn"
    )


def tried(shim: ctypes.CDLL, folder: Path, number: int, error: int, *, for_good: bool) -> tuple[str, int]:
    """What was wrong in a build of which a call fails, and how many lines of warning it said."""
    shutil.rmtree(folder, ignore_errors=True)
    before = build(folder, folder / "cache", seed=2, crate="before")
    bring_up_to_date(before)
    said = folder / "said"
    child = os.fork()
    if child == 0:
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
        crate = build(folder, folder / "cache")
        shim.fail_below(os.fsencode(folder / "cache"), number, error, for_good)
        try:
            bring_up_to_date(crate)
        finally:
            shim.fail_below(b"", -1, 0, 0)
        crate.digests.save()
        sys.exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    words = said.read_text()
    warnings = words.count("warning: ")
    if code or words.count("\n") > warnings:
        return f"exit {code}: {words}", warnings
    if (folder / "crate/target/crategrad/default/program").read_bytes() != RIGHT:
        return "a wrong program", warnings
    return next(torn(folder / "cache"), ""), warnings


def counted(shim: ctypes.CDLL, folder: Path) -> int:
    """The calls of one build."""
    crate = build(folder, folder / "cache")
    shim.fail_below(os.fsencode(folder / "cache"), 10**9, 0, 0)
    bring_up_to_date(crate)
    calls = int(shim.calls_counted())
    shim.fail_below(b"", -1, 0, 0)
    return calls


def main(shim_file: str, folder: str, most: str) -> None:
    shim = ctypes.CDLL(shim_file)
    shim.fail_below.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    calls = counted(shim, Path(folder, "counted"))
    trials = [(n, error, good) for n in range(1, calls + 1) for error in ERRORS for good in (False, True)]
    random.Random(1).shuffle(trials)
    found = [(trial, *tried(shim, Path(folder, "tried"), *trial[:2], for_good=trial[2])) for trial in trials[: int(most)]]
    wrong = [(trial, what) for trial, what, _ in found if what]
    most_warnings = max(warnings for _, _, warnings in found)
    print(json.dumps({"calls": calls, "tried": len(found), "wrong": wrong[:8], "most warnings": most_warnings}))


if __name__ == "__main__":
    RIGHT = right(Path(sys.argv[2]))
    main(*sys.argv[1:])
