"""The one place that starts processes: what is logged, what is shown, and that a family ends with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from pipeline import process
from pipeline.errors import UserError
from pipeline.process import Finished

ROOT = Path(process.__file__).parent.parent
PATIENCE_S = 20

# Runs what a shell script starts until a signal comes, which SIGTERM turns into an exit, as the command line does.
PARENT = """
import signal, sys
from pathlib import Path
from pipeline import process

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
folder = Path(sys.argv[1])
argv = ["sh", "-c", sys.argv[2]]
if sys.argv[3] == "run":
    process.run(argv, log=folder / "log")
elif sys.argv[3] == "side_by_side":
    process.side_by_side([lambda: process.run(argv, log=folder / "log")])
else:
    process.run_shown(argv, log=folder / "log", stdout=folder / "stdout", env={"PATH": "/usr/bin:/bin"})
"""

# All of the family hold the pipe open, some of them without an ear for SIGTERM.
FAMILY = """
exec 9>"{pipe}"
sleep 100 &
(trap '' TERM; echo ready >&9; sleep 100; true) &
wait
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def shown(tmp_path: Path, log: Path) -> Callable[..., Finished]:
    def run_shown(script: str, **env: str) -> Finished:
        environment = {"PATH": os.environ["PATH"], **env}
        return process.run_shown(["sh", "-c", script], log=log, stdout=tmp_path / "stdout", env=environment)

    return run_shown


# ---- run


def test_run_logs_the_command_and_all_it_says(log: Path) -> None:
    finished = process.run(["sh", "-c", "echo out; echo err >&2"], log=log)
    assert finished == Finished(0, "out\nerr\n")
    assert log.read_text() == "$ sh -c 'echo out; echo err >&2'\nout\nerr\n"


def test_run_leaves_what_is_made_on_standard_output_out_of_the_log(log: Path, tmp_path: Path) -> None:
    finished = process.run(["sh", "-c", "echo out; echo err >&2"], log=log, stdout=tmp_path / "made")
    assert finished == Finished(0, "err\n")
    assert (tmp_path / "made").read_text() == "out\n"


def test_run_appends_to_the_log_and_answers_with_its_own_output_alone(log: Path) -> None:
    log.write_text("before\n")
    process.run(["echo", "first"], log=log)
    assert process.run(["echo", "second"], log=log).output == "second\n"
    assert log.read_text() == "before\n$ echo first\nfirst\n$ echo second\nsecond\n"


def test_run_starts_in_the_folder_it_is_told(tmp_path: Path, log: Path) -> None:
    assert process.run(["pwd", "-P"], log=log, cwd=tmp_path).output == f"{tmp_path.resolve()}\n"


@pytest.mark.parametrize("way", ["run", "run_shown"])
def test_child_does_not_read_what_is_meant_for_us(tmp_path: Path, log: Path, way: str) -> None:
    argv = [sys.executable, "-c", PARENT, str(tmp_path), "cat >&2", way]
    subprocess.run(argv, input=b"for us", cwd=ROOT, check=True)
    assert log.read_text() == "$ sh -c 'cat >&2'\n"


def test_output_that_is_no_text_is_readable_all_the_same(log: Path) -> None:
    assert process.run(["printf", r"\377ok"], log=log).output == "\N{REPLACEMENT CHARACTER}ok"


@pytest.mark.parametrize(("script", "verdict"), [("exit 3", "exit 3"), ("kill -SEGV $$", "SIGSEGV"), ("kill -9 $$", "SIGKILL")])
def test_verdict_says_how_it_ended(log: Path, script: str, verdict: str) -> None:
    finished = process.run(["sh", "-c", script], log=log)
    assert not finished.succeeded
    assert finished.verdict == verdict


def test_verdict_of_a_signal_without_a_name() -> None:
    assert "40" in process.verdict(-40)


# ---- run_shown


def test_run_shown_shows_standard_error_and_keeps_standard_output(
    tmp_path: Path, log: Path, shown: Callable[..., Finished], capfd: pytest.CaptureFixture[str]
) -> None:
    finished = shown("echo out; echo err >&2; exit 7")
    assert finished == Finished(7, "err\n")
    assert capfd.readouterr() == ("", "err\n")
    assert (tmp_path / "stdout").read_text() == "out\n"
    assert log.read_text() == "$ sh -c 'echo out; echo err >&2; exit 7'\nerr\n"


def test_run_shown_shows_as_it_comes(log: Path, tmp_path: Path) -> None:
    """What the child said is there before the child ends: it waits for us to have seen it."""
    seen = tmp_path / "seen"
    os.mkfifo(seen)
    argv = [sys.executable, "-c", PARENT, str(tmp_path), f"echo working >&2; cat '{seen}'", "run_shown"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == b"working\n"
        assert parent.poll() is None
        seen.write_text("")
    assert parent.returncode == 0


def test_run_shown_passes_on_more_than_a_pipe_holds(shown: Callable[..., Finished], capfd: pytest.CaptureFixture[str]) -> None:
    finished = shown("head -c 300000 /dev/zero | tr '\\0' x >&2")
    assert finished.output == "x" * 300_000
    assert capfd.readouterr().err == finished.output


def test_run_shown_replaces_the_environment(
    tmp_path: Path, shown: Callable[..., Finished], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTFLAGS", "mine")
    shown("echo $RUSTFLAGS $GIVEN", GIVEN="given")
    assert (tmp_path / "stdout").read_text() == "given\n"


# ---- run_tool, ask


def test_run_tool_that_fails_says_what_and_with_which_words(log: Path) -> None:
    with pytest.raises(UserError) as error:
        process.run_tool(["sh", "-c", "seq 20; exit 2"], log=log)
    first, command, *said = error.value.message.splitlines()
    assert first == "error: sh failed (exit 2)"
    assert command == "  command: sh -c 'seq 20; exit 2'"
    assert said == [f"  | {number}" for number in range(9, 21)]


def test_run_tool_that_succeeds_is_silent(log: Path, capfd: pytest.CaptureFixture[str]) -> None:
    process.run_tool(["echo", "done"], log=log)
    assert capfd.readouterr() == ("", "")


def test_ask_answers_with_standard_output_and_with_standard_error_where_it_fails() -> None:
    assert process.ask(["sh", "-c", "echo out; echo warning >&2"]) == Finished(0, "out\n")
    assert process.ask(["sh", "-c", "echo out; echo why >&2; exit 1"]) == Finished(1, "why\n")


def test_tail_is_the_end_of_it_indented() -> None:
    assert process.tail("a\nb\nc\n\n", 2) == "  | b\n  | c"


# ---- side_by_side


def test_side_by_side_answers_in_the_order_of_the_calls(tmp_path: Path) -> None:
    def call(number: int) -> str:
        script = f"sleep 0.{9 - number}; echo {number}"
        return process.run(["sh", "-c", script], log=tmp_path / str(number)).output

    assert process.side_by_side([partial(call, number) for number in range(9)]) == [f"{number}\n" for number in range(9)]
    assert process.side_by_side([]) == []


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor: nothing runs side by side")
def test_where_one_fails_the_others_end_and_no_other_begins(tmp_path: Path) -> None:
    def fail() -> None:
        wait_until((tmp_path / "begun").exists)
        raise UserError("error: this one")

    def run_long_and_again() -> None:
        process.run(["sh", "-c", f"echo >'{tmp_path}/begun'; sleep 100"], log=tmp_path / "log")
        process.run(["sh", "-c", f"echo >'{tmp_path}/again'"], log=tmp_path / "log")

    with pytest.raises(UserError, match="this one"):
        process.side_by_side([fail, run_long_and_again])
    assert not (tmp_path / "again").exists()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor: nothing runs side by side")
def test_where_one_fails_what_others_do_in_python_ends_too() -> None:
    begun, ended = threading.Event(), threading.Event()

    def fail() -> None:
        begun.wait(PATIENCE_S)
        raise UserError("error: this one")

    def work_on() -> None:
        begun.set()
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            pass
        ended.set()

    with pytest.raises(UserError, match="this one"):
        process.side_by_side([fail, work_on])
    assert not ended.is_set()


# ---- Programs that cannot be started


@pytest.fixture(params=["missing", "no program", "a folder"])
def nothing_to_start(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    if request.param == "no program":
        path.write_text("")
    if request.param == "a folder":
        path.mkdir()
    return path


def test_what_cannot_be_started_is_the_users_to_mend(nothing_to_start: Path, log: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be started: .*\n.*\./doit doctor") as error:
        process.run([nothing_to_start], log=log)
    assert str(nothing_to_start) in error.value.message


def test_what_cannot_be_started_is_the_users_to_mend_when_shown(nothing_to_start: Path, log: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\./doit doctor"):
        process.run_shown([nothing_to_start], log=log, stdout=tmp_path / "stdout", env={})


def test_what_cannot_be_asked_is_the_users_to_mend(nothing_to_start: Path) -> None:
    with pytest.raises(UserError, match=r"\./doit doctor"):
        process.ask([nothing_to_start])


# ---- Interrupts


@pytest.mark.parametrize("way", ["run", "run_shown", "side_by_side"])
@pytest.mark.parametrize(("signum", "status"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143)])
def test_interrupted_parent_takes_the_whole_family_with_it(tmp_path: Path, way: str, signum: int, status: int) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    argv = [sys.executable, "-c", PARENT, str(tmp_path), FAMILY.format(pipe=pipe), way]
    with read_end(pipe) as end, subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.DEVNULL) as parent:
        wait_until(lambda: read(end) == b"ready\n")
        time.sleep(0.3)  # the child may be ahead of its parent, who only then waits for it
        assert read(end) is None, "the family lives"
        parent.send_signal(signum)
        wait_until(lambda: read(end) == b"")
        assert parent.wait(PATIENCE_S) == status


@pytest.mark.parametrize("way", ["run", "run_shown", "side_by_side"])
def test_interrupt_in_the_moment_of_starting_takes_the_family_with_it(tmp_path: Path, way: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    argv = [sys.executable, "-c", INTERRUPTED_AT_ONCE + PARENT, str(tmp_path), FAMILY.format(pipe=pipe), way]
    with read_end(pipe) as end:
        subprocess.run(argv, cwd=ROOT, stderr=subprocess.DEVNULL, check=False)
        said, then = read(end), read(end)
        for pid in (tmp_path / "pid").read_text().split():
            with suppress(ProcessLookupError):
                os.killpg(int(pid), signal.SIGKILL)
        assert (said, then) == (b"ready\n", b""), "the family lives on"


INTERRUPTED_AT_ONCE = """
import os, signal, subprocess, sys, time
from pathlib import Path

class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        Path(sys.argv[1], "pid").write_text(str(self.pid))
        time.sleep(0.4)  # the family has come together
        os.kill(os.getpid(), signal.SIGINT)

subprocess.Popen = Popen
"""


@contextmanager
def read_end(pipe: Path) -> Iterator[int]:
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield end
    finally:
        os.close(end)


def read(end: int) -> bytes | None:
    """What is in the pipe: None while somebody may still write to it, nothing once nobody can."""
    try:
        return os.read(end, 100)
    except BlockingIOError:
        return None


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
