"""What a run says on its way, and how a signal ends it."""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from doit.reporter import ConsoleReporter

from pipeline import as_before, request
from pipeline.stages import NAMES
from pipeline.tasks.opening import remote_of_this_run
from pipeline.tasks.outcomes import Refused

_ENDING = (signal.SIGINT, signal.SIGTERM)
_PROCESS = os.getpid()


class Reporter(ConsoleReporter):  # type: ignore[misc]
    """doit's console, silent about what is up to date but was not asked for, and about the tasks that speak for themselves."""

    desc = "console, a line for each stage that runs"
    selected: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    has_refused = False
    is_well = False

    def initialize(self, tasks: Any, selected_tasks: Any) -> None:
        """Know what the user named, and which stages there are."""
        self.selected = tuple(selected_tasks)
        self.stages = tuple(name for name in NAMES if name in tasks)

    def execute_task(self, task: Any) -> None:
        """Announce a stage; a forecast of one makes nothing."""
        if task.name in NAMES and task.targets and not request.quiet():
            sys.stderr.write(f"   {task.name}\n")
            sys.stderr.flush()

    def skip_uptodate(self, task: Any) -> None:
        """Answer for a stage that was asked for by name; of the others the build's summary speaks."""
        if task.name in self.selected:
            sys.stderr.write(f"   {task.name} is up to date (-a runs it all the same)\n")

    def add_success(self, task: Any) -> None:
        """See whether what the user named was done."""
        self.is_well = self.is_well or task.name in self.selected

    def add_failure(self, task: Any, fail: Any) -> None:
        """See whether anything was run."""
        super().add_failure(task, fail)
        self.has_refused = self.has_refused or isinstance(fail, Refused)

    def complete_run(self) -> None:
        """Wait for what is being sent to others; end with the exit code that says so where nothing was run."""
        super().complete_run()
        if remote := remote_of_this_run():
            remote.finish()
        if self.has_refused:
            sys.exit(3)
        if as_before.recording and self.is_well:
            as_before.recording.keep(self.stages)

    def skip_ignore(self, task: Any) -> None:
        """Say what was not done, that nobody takes it for done."""
        how = ": it, or what it needs, is ignored (`./doit forget STAGE` ends that)" if task.name in self.selected else ""
        sys.stderr.write(f"   {task.name} is passed over{how}\n")


def end_quietly_on_signals() -> None:
    """Ctrl-C, SIGTERM and a reader that is gone (`./doit build | head`) end the run as an exit, not as a traceback; children
    end with it (see `process`).
    """
    for signum in _ENDING:
        signal.signal(signum, lambda signum, _: _end(signum, "\ninterrupted: finished stages are kept"))
    signal.signal(signal.SIGPIPE, _end_if_unread)
    atexit.register(signal.signal, signal.SIGPIPE, signal.SIG_DFL)  # what is written last is written without Python's say


def run_for_user(argv: Sequence[str | Path], *, env: Mapping[str, str], cwd: str | Path | None = None) -> int:
    """Run the user's own program at the terminal, and return its exit code (negative: the signal that ended it).

    As where cargo has become the program, Ctrl-C, of which the terminal tells both, is for that alone to answer, and SIGTERM is
    handed on.  Where the program ends by it, so does this run.
    """
    if os.getpid() != _PROCESS or threading.current_thread() is not threading.main_thread():
        return subprocess.run(argv, env=env, cwd=cwd, check=False).returncode  # with `-n 2` the signal ends the one that waits
    came: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def hand_on(signum: int, _frame: object) -> None:
        came.append(signum)
        if child and signum == signal.SIGTERM:
            child.terminate()

    before = {signum: signal.signal(signum, hand_on) for signum in _ENDING}
    try:
        child = subprocess.Popen(argv, env=env, cwd=cwd)
        if signal.SIGTERM in came:
            child.terminate()
        child.wait()
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
    if -child.returncode in came:
        signal.raise_signal(-child.returncode)
    return child.returncode


def _end_if_unread(signum: int, _frame: object) -> None:
    """Where neither output has lost its reader a server has broken off, of which the remote cache hears by an exception."""
    if gone := [descriptor for descriptor in (1, 2) if _is_unread(descriptor)]:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in gone:
            os.dup2(nowhere, descriptor)
        _end(signum)


def _end(signum: int, words: str = "") -> NoReturn:
    # Once is enough: a process of `-n 2` is told by the terminal and by doit, and would never end if it were amid that already.
    # By handlers, as of what came before a signal was ignored Python says that it came.
    for each in (signum, *_ENDING):
        signal.signal(each, lambda *_: None)
    if remote := remote_of_this_run():
        remote.give_up()
    if words:
        print(words, file=sys.stderr, flush=True)
    sys.exit(128 + signum)


def _is_unread(descriptor: int) -> bool:
    """True where this is a pipe that nobody reads any more."""
    watched = select.poll()
    watched.register(descriptor, 0)
    return any(event & select.POLLERR for _, event in watched.poll(0))
