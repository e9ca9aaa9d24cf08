"""The tasks of this checkout, which want no crate: its tests, its benchmark, the doctor."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from doit.exceptions import TaskFailed

from pipeline import request
from pipeline.tasks.opening import new_digests, read_asked
from pipeline.tasks.outcomes import Task


def test_task() -> Task:
    """The task of the test suite, with the options of pytest's that are wanted most; others come after `--`."""
    return {
        "actions": [run_tests],
        "params": [
            {"name": "k", "short": "k", "default": "", "help": "only tests whose name matches (pytest -k)"},
            {"name": "m", "short": "m", "default": "", "help": "only tests with these marks (pytest -m)"},
            {"name": "x", "short": "x", "type": bool, "default": False, "help": "stop at the first failure"},
            {"name": "full", "long": "full", "type": bool, "default": False, "help": "those that take half an hour, too"},
            {"name": "faults", "long": "faults", "type": bool, "default": False, "help": "only tests/faults, at full numbers"},
            {"name": "lf", "long": "lf", "type": bool, "default": False, "help": "only what failed last time"},
        ],
        "pos_arg": "arguments",
        "io": {"capture": False},
    }


def run_tests(k: str, m: str, x: bool, lf: bool, full: bool, faults: bool, arguments: list[str]) -> TaskFailed | None:
    """The test suite, by pytest."""
    options = [*(["-k", k] if k else []), *(["-m", m] if m else []), *(["-x"] if x else []), *(["--lf"] if lf else [])]
    options += [*(["--full"] if full else []), *(["--faults", "tests/faults"] if faults else [])]
    side_by_side = ["--numprocesses=auto", "--dist=loadfile", "--no-loadscope-reorder"]  # a file's tests share what they build
    argv = [sys.executable, "-m", "pytest", *side_by_side, *options, *arguments]
    finished = subprocess.run(argv, cwd=request.ROOT, check=False)
    return None if finished.returncode == 0 else TaskFailed("tests failed", report=False)


def bench_gradient_task() -> Task:
    """The task of the suite of gradients; after a name its options are the suite's own to read."""
    values = {
        "rounds": "how often each binary is run (7)",
        "seconds": "how long a run measures, about (0.5)",
        "strategies": "of Rust, with commas between (slice)",
        "cpu": "the processor both sides are built for (x86-64), or native",
        "json": "write all that was measured there",
        "svg": "draw the plot there",
    }
    switches = {
        "held": "a second table, where the allocator keeps what it has",
        "write": "write the tables and the plot into docs/performance.md",
    }
    params: list[dict[str, Any]] = [{"name": name, "long": name, "default": "", "help": text} for name, text in values.items()]
    params += [{"name": name, "long": name, "type": bool, "default": False, "help": text} for name, text in switches.items()]
    return {"actions": [run_gradient_suite], "params": params, "pos_arg": "words", "io": {"capture": False}}


def run_gradient_suite(held: bool, write: bool, words: list[str], **values: str) -> TaskFailed | None:
    """The suite of gradients, in a process of its own: the pipeline does not know it."""
    switches = [*(["--held"] if held else []), *(["--write"] if write else [])]
    options = [f"--{name}={value}" for name, value in values.items() if value]
    argv = [sys.executable, "-m", "bench.gradient", *options, *switches, *words]
    finished = subprocess.run(argv, cwd=request.ROOT, check=False)
    if finished.returncode == 3:  # nothing was run
        sys.exit(3)
    return None if finished.returncode == 0 else TaskFailed("the suite failed", report=False)


def run_doctor() -> TaskFailed | None:
    """What is here, what is missing, and how to get it."""
    from pipeline import doctor

    digests = new_digests()
    healthy = doctor.report(read_asked(digests), digests)
    return None if healthy else TaskFailed("something is missing", report=False)
