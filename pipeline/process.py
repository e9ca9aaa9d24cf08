"""The only place that starts a process.

A child runs in a session of its own, so that an interrupt takes its whole family with it
(cargo's rustcs, gcc's linker), and its output always ends in a log.
"""

from __future__ import annotations

import os
import resource
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from pipeline.errors import UserError

Argument = str | os.PathLike[str]
T = TypeVar("T")
_THREAD = threading.local()

PATH = "/usr/bin:/bin"
"""Where a tool looks for those that it starts itself."""

_PASSED = ("TMPDIR",)


@dataclass(frozen=True)
class Finished:
    """What a process left: its exit code (negative: the signal that ended it) and its output."""

    returncode: int
    output: str

    @property
    def succeeded(self) -> bool:
        """True where the process ended with 0."""
        return self.returncode == 0

    @property
    def verdict(self) -> str:
        """The exit code in words (see `verdict`)."""
        return verdict(self.returncode)


def run(
    argv: Sequence[Argument],
    *,
    log: Path,
    stdout: Path | None = None,
    cwd: Path | None = None,
    patience_s: int | None = None,
) -> Finished:
    """Run `argv` to its end, with the command line and all its output appended to `log`, in an environment that is always
    the same: what a tool makes depends on no variable of the user's.

    What is made on standard output comes to lie in `stdout`, if that is given, and not in the log.  With SIGXCPU it ends where
    it takes more seconds of processor time than `patience_s`.
    """
    with log.open("ab") as logged, stdout.open("wb") if stdout else nullcontext(logged) as out:
        begin = _log_command(logged, argv)
        with _family(argv, cwd=cwd, env=environment(), stdout=out, stderr=logged) as child:
            if patience_s is not None:
                with suppress(ProcessLookupError):
                    resource.prlimit(child.pid, resource.RLIMIT_CPU, (patience_s, resource.RLIM_INFINITY))
            child.wait()
    return Finished(child.returncode, log.read_bytes()[begin:].decode(errors="replace"))


def run_shown(
    argv: Sequence[Argument],
    *,
    log: Path,
    stdout: Path,
    env: Mapping[str, str],
    cwd: Path | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Finished:
    """Run `argv` with its standard error shown to the user as it comes and appended to `log`, its standard output in `stdout`.

    `env` replaces the environment; `meanwhile` is called once it runs.
    """
    with log.open("ab") as logged, stdout.open("wb") as out:
        begin = _log_command(logged, argv)
        with _family(argv, cwd=cwd, env=env, stdout=out, stderr=subprocess.PIPE) as child:
            assert child.stderr is not None
            meanwhile()
            while chunk := os.read(child.stderr.fileno(), 1 << 16):
                logged.write(chunk)
                os.write(sys.stderr.fileno(), chunk)
            child.wait()
    return Finished(child.returncode, log.read_bytes()[begin:].decode(errors="replace"))


def run_tool(argv: Sequence[Argument], *, log: Path, cwd: Path | None = None) -> None:
    """Run a tool that has no business to fail.

    Raises: UserError with the command and the end of its output where it does.
    """
    finished = run(argv, log=log, cwd=cwd)
    if not finished.succeeded:
        raise UserError(
            f"error: {Path(argv[0]).name} failed ({finished.verdict})\n"
            f"  command: {shlex.join(os.fspath(a) for a in argv)}\n{tail(finished.output)}"
        )


def ask(
    argv: Sequence[Argument], env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout_s: float | None = None
) -> Finished:
    """Run a short question to a tool (`rustc -vV`, `ldd`) and return its answer, standard error included only if it fails.

    The environment is `env` or, without, the one of `run`.

    Raises: TimeoutError where it takes longer than `timeout_s`.
    """
    with _family(
        argv, env=environment() if env is None else env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            out, err = child.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
    return Finished(child.returncode, (err if child.returncode else out).decode(errors="replace"))


def side_by_side(calls: Iterable[Callable[[], T]]) -> list[T]:
    """What each call gives, in their order; as many run at once as there are processors.

    Raises: what the first of them raises that fails; the others then end, with all that they have started.
    """
    from concurrent.futures import ThreadPoolExecutor

    crew = _Crew()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)), initializer=crew.enlist) as pool:
        futures = [pool.submit(crew.at_work, call) for call in calls]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            crew.dismiss()
            raise


def environment() -> dict[str, str]:
    """What tools are shown of the environment: where they may write what is soon gone, and nothing else of the user's."""
    return {"PATH": PATH, "LC_ALL": "C", **{name: os.environ[name] for name in _PASSED if name in os.environ}}


def verdict(returncode: int) -> str:
    """An exit code in words: `exit 1`, `SIGSEGV`."""
    if returncode >= 0:
        return f"exit {returncode}"
    return signal.Signals(-returncode).name if -returncode in set(signal.Signals) else f"signal {-returncode}"


def tail(output: str, lines: int = 12) -> str:
    """The last lines of an output, indented, for a message."""
    return "\n".join("  | " + line for line in output.rstrip().splitlines()[-lines:])


def _log_command(logged: IO[bytes], argv: Sequence[Argument]) -> int:
    logged.write(f"$ {shlex.join(os.fspath(a) for a in argv)}\n".encode())
    logged.flush()
    return logged.tell()


def _start(argv: Sequence[Argument], **options: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    except OSError as error:
        raise UserError(
            f"error: {os.fspath(argv[0])} cannot be started: {error.strerror}\n"
            "  = help: `./doit doctor` says what is missing and how to get it"
        ) from error


@contextmanager
def _family(argv: Sequence[Argument], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """The started child; it and all it has started end with the block, however that is left."""
    child: subprocess.Popen[bytes] | None = None
    crew: _Crew | None = getattr(_THREAD, "crew", None)
    try:
        with _signals_held():
            child = crew.start(argv, **options) if crew else _start(argv, **options)
        yield child
    except BaseException:
        if child:
            _end(child)
        raise


class _DismissedError(BaseException):
    """Another call failed, or a signal came: nobody wants this one's result."""


class _Crew:
    """Threads that work side by side, and the children they have started; a signal reaches the main thread alone."""

    def __init__(self) -> None:
        self._children: list[subprocess.Popen[bytes]] = []
        self._at_work: set[int] = set()
        self._dismissed = False
        self._turn = threading.Lock()

    def enlist(self) -> None:
        """Make the thread that calls this one of them."""
        _THREAD.crew = self

    def at_work(self, call: Callable[[], T]) -> T:
        """What a call gives in the thread that makes it, which may be told to leave off."""
        thread = threading.get_ident()
        with self._turn:
            if self._dismissed:
                raise _DismissedError
            self._at_work.add(thread)
        try:
            return call()
        finally:
            with self._turn:
                self._at_work.discard(thread)

    def start(self, argv: Sequence[Argument], **options: Any) -> subprocess.Popen[bytes]:
        """Start a child, unless all is over."""
        with self._turn:
            if self._dismissed:
                raise UserError("error: interrupted")
            child = _start(argv, **options)
            self._children.append(child)
        return child

    def dismiss(self) -> None:
        """End all children, let no other be started, and have the threads leave off what they do in Python."""
        import ctypes

        with self._turn:
            self._dismissed = True
            for thread in self._at_work:  # each is still in `at_work` when it comes to know
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_DismissedError))
        for child in self._children:
            if child.poll() is None:
                _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    for signum, patience in ((signal.SIGTERM, 3.0), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signum)
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=patience)


@contextmanager
def _signals_held() -> Iterator[None]:
    """A signal that comes in the block is handled when it is left: a child that is being started is not lost.

    By handlers and not by a mask, which the child would inherit; only the main thread has any.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    held = (signal.SIGINT, signal.SIGTERM)
    handlers = {signum: signal.signal(signum, lambda number, _: came.append(number)) for signum in held}
    try:
        yield
    finally:
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
        for number in came:
            signal.raise_signal(number)
