"""A run in which nothing was to do, remembered: what it looked at, and what it said.

Where nothing of that has changed since, and the same is asked for, the next run would look at all of it again to find the same,
and the pipeline is not even imported: doit has the same tasks of here, each up to date, and what was said is said again.
Anything else is the business of `pipeline.tasks`.

What a run looks at is not listed by hand: while one goes on, `os.stat`, `os.scandir`, `open` and the like note the paths, also
those at which there is nothing.  A run that has written a file, started a process or asked the net is not remembered, but for a
tool that goes by its arguments alone (`asking`).
Nothing heavy is imported here, and what doit has imported anyhow costs nothing.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from doit.reporter import ConsoleReporter

if TYPE_CHECKING:
    from pipeline.tasks import Tasks

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120

_TASKS = ("build", "matrix", "why")
_NOT_PLAIN = ("from", "until", "with", "keep", "dry", "on", "shard", "costs")
_NOT_ALONE = ("CRATEGRAD_REMOTE", "GITLAB_CI")
"""Variables of the environment with which a run goes to others, or says what time it is."""

_BEFORE_US = ("dodo.py", "pyproject.toml", "doit.cfg")
"""What doit has read before it comes here."""

_VALID_S = 3600
"""So long a run is believed: it also notes what of the cache is in use, to the hour (`Store.note_use`)."""

_RACY_NS, _RACY_COARSE_NS = 20_000_000, 2_500_000_000  # as of `digests`

_DOING = ("os.", "shutil.", "socket.", "subprocess.")
_LOOKING = (
    "os.listdir",
    "os.scandir",
    "os.walk",
    "os.fwalk",
    "os.getxattr",
    "os.listxattr",
    "os.chdir",
    "os.putenv",
    "os.unsetenv",
)

_Sign = tuple[int, ...]
"""What there is at a path, in short; nothing, where there is nothing."""

_Looked = dict[str, _Sign]

recording: Recording | None = None
"""The run that is watched."""


def tasks() -> Tasks | AsBefore:
    """The tasks for doit: those of the last run, if this one would go as that did; else those that go through everything."""
    global recording  # noqa: PLW0603
    begin = time.time_ns()
    words = sys.argv[1:]
    memory, asked = _memory(words), _asked(words)
    if _is_plain(words):
        known = _load(memory)
        if known.get("asked") == asked and _stands(known, begin):
            return AsBefore(known)
        recording = Recording(memory, asked, begin)
    from pipeline.tasks import Tasks

    planned = Tasks()
    if recording:
        recording.state = planned.doit_config()["dep_file"]
    return planned


@contextmanager
def asking(tool: Path) -> Iterator[None]:
    """Started within is only a tool of which the answer goes by its arguments: it says the same until it moves."""
    with recording.trusting(tool) if recording else nullcontext():
        yield


def _is_plain(words: list[str]) -> bool:
    """Whether a run only builds, here, or asks how that stands, and says so on the terminal."""
    if not words or words[0] not in _TASKS or any(map(os.environ.get, _NOT_ALONE)):
        return False
    names = [word.partition("=")[0] for word in words[1:] if "=" in word]
    others = [word for word in words[1:] if "=" not in word]
    return (
        not any(word.startswith("-") for word in words)
        and not set(names) & {*_NOT_PLAIN}
        and (words[0] != "build" or not others)
    )


def _asked(words: list[str]) -> str:
    """All that a run goes by and that is no file, as SHA-256: in the environment there may be secrets."""
    user = (os.getuid(), os.geteuid(), os.getgid())
    terminals = [_terminal(number) for number in range(3)]
    return _sum(json.dumps([words, dict(os.environ), str(Path.cwd()), user, sys.version, terminals]).encode())


def _terminal(number: int) -> list[int]:
    try:
        return [*os.get_terminal_size(number)]
    except OSError:
        return []


def _memory(words: list[str]) -> str:
    """The file for runs of these words, from the same folder."""
    cache = os.environ.get("CRATEGRAD_CACHE") or f"{_ROOT}/cache"
    name = _sum("\0".join([os.environ.get("CRATEGRAD_CWD", ""), *words]).encode("utf-8", "surrogateescape"))
    return f"{cache}/as-before/{name[:32]}"


def _load(memory: str) -> dict[str, Any]:
    """What is remembered; nothing where a bit of it has changed."""
    try:
        with open(memory, "rb") as stream:  # noqa: PTH123
            digest, _, known = stream.read().partition(b"\n")
        return dict(json.loads(known)) if digest == _sum(known).encode() else {}
    except (OSError, ValueError):
        return {}


def _stands(known: Mapping[str, Any], now: int) -> bool:
    """Whether all that the run has looked at is as it was."""
    return bool(
        known["begin"] <= now < known["begin"] + _VALID_S * 10**9
        and known["found"] == _found(known["followed"], known["links"])
    )


def _found(followed: Iterable[str], links: Iterable[str]) -> str:
    """What there is at these paths, behind links or not, as SHA-256."""
    return _together([*map(_behind, followed), *map(_itself, links)])


def _together(signs: Iterable[_Sign]) -> str:
    return _sum("\n".join(map(str, signs)).encode())


def _behind(path: str, look: Callable[[str], os.stat_result] = os.stat) -> _Sign:
    try:
        is_ = look(path)
    except (OSError, ValueError):
        return ()
    return is_.st_mtime_ns, is_.st_size, is_.st_ino, is_.st_ctime_ns


def _itself(path: str, look: Callable[[str], os.stat_result] = os.lstat) -> _Sign:
    """The same of a path on the way to another one: of a folder it counts which it is, not what comes and goes in it."""
    try:
        is_ = look(path)
    except (OSError, ValueError):
        return ()
    return (is_.st_ino,) if stat.S_ISDIR(is_.st_mode) else (is_.st_mtime_ns, is_.st_size, is_.st_ino, is_.st_ctime_ns)


def _sum(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


class AsBefore:
    """doit's tasks of a run that goes as the one before."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        self._known = known

    def doit_config(self) -> dict[str, Any]:
        """DOIT_CONFIG, with doit's state where it was."""
        return {
            "default_tasks": ["build"],
            "backend": "crategrad",
            "dep_file": self._known["state"],
            "reporter": Silent,
            "verbosity": 2,
        }

    def stage(self, name: str) -> dict[str, Any] | None:
        """The task of a stage."""
        return {"actions": None, "uptodate": [True]} if name in self._known["stages"] else None

    def program(self, *, run: bool) -> dict[str, Any] | None:
        """The task that says where the program is."""
        return None if run else {"actions": [self._say], "task_dep": self._known["stages"], "io": {"capture": False}}

    def matrix(self) -> dict[str, Any]:
        """The task that says how the cells stand."""
        return {"actions": [self._say], "pos_arg": "words", "io": {"capture": False}}

    def why(self) -> dict[str, Any]:
        """The task that says how the stages stand."""
        return self.matrix()

    def __getattr__(self, name: str) -> Callable[[], None]:
        return lambda: None  # a task that was not asked for

    def _say(self, words: object = None) -> None:
        for to_stdout, text in self._known["said"]:
            (sys.stdout if to_stdout else sys.stderr).write(text)
            (sys.stdout if to_stdout else sys.stderr).flush()


class Silent(ConsoleReporter):  # type: ignore[misc]
    """doit's console where each task is up to date, or speaks for itself."""

    def execute_task(self, task: Any) -> None:
        """Say nothing."""

    def skip_uptodate(self, task: Any) -> None:
        """Say nothing."""


def _forget_old(folder: Path) -> None:
    """Delete what is believed no more."""
    for path in folder.iterdir():
        if path.stat().st_mtime < time.time() - _VALID_S:
            path.unlink(missing_ok=True)


class Recording:
    """A run that is watched from here on."""

    def __init__(self, memory: str, asked: str, begin: int) -> None:
        self.state = ""
        self._memory, self._asked, self._begin = memory, asked, begin
        self._followed, self._links = _Looked(), _Looked()
        self._said: list[tuple[bool, str]] = []
        self._has_done = self._trusts = False
        self._folder = str(Path(memory).parent.parent)
        self._hint = str(Path.cwd() / self._folder / "digests.json")  # it has no say in what is found out
        for name in _BEFORE_US:
            self._note(f"{_ROOT}/{name}")
        self._watch()

    @contextmanager
    def trusting(self, tool: Path) -> Iterator[None]:
        """Whatever is started within goes by what the tool is."""
        self._note(tool)
        self._trusts = True
        try:
            yield
        finally:
            self._trusts = False

    def keep(self, stages: Sequence[str]) -> None:
        """Remember the run, which ends well, if what it looked at has been as it is for so long that a change would show."""
        if self._has_done or not self._is_settled():
            return
        # What comes into a folder that is looked at moves the folder's own time.
        there = self._followed
        followed = sorted(path for path, found in there.items() if found or not there.get(path.rpartition("/")[0]))
        links = sorted(self._links)
        found = _together([*map(there.__getitem__, followed), *map(self._links.__getitem__, links)])
        known = {"asked": self._asked, "begin": self._begin, "state": self.state, "stages": stages, "said": self._said}
        text = json.dumps({**known, "found": found, "followed": followed, "links": links}).encode()
        scratch = Path(f"{self._memory}.{os.getpid()}")
        try:
            scratch.parent.mkdir(parents=True, exist_ok=True)
            scratch.write_bytes(b"%s\n%s" % (_sum(text).encode(), text))
            scratch.replace(self._memory)
            _forget_old(scratch.parent)
        except OSError:
            with suppress(OSError):
                scratch.unlink()

    def _is_settled(self) -> bool:
        there = (sign for sign in (*self._followed.values(), *self._links.values()) if len(sign) > 1)
        newest = (max(mtime, ctime) for mtime, _, _, ctime in there)
        return all(each < self._begin - (_RACY_NS if each % 10**9 else _RACY_COARSE_NS) for each in newest)

    def _watch(self) -> None:
        """Have what looks at files say so."""
        sys.addaudithook(self._hear)
        sys.stdout, sys.stderr = _Heard(sys.stdout, True, self._said), _Heard(sys.stderr, False, self._said)
        os.stat, os.lstat, os.scandir = self._stat, self._lstat, self._scandir  # type: ignore[assignment]
        os.listdir, os.readlink = self._first(os.listdir), self._first(os.readlink, itself=True)
        io.open = builtins.open = self._first(io.open)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Python's own word for whatever is done; what it compiles it keeps for itself, as `digests` does what it learns."""
        if self._has_done or self._trusts or self._is_of_hint(event, arguments):
            return
        if event == "open":
            path, _, flags = arguments
            is_written = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and "__pycache__" not in str(path)
            self._has_done = bool(is_written)
        elif event.startswith(_DOING) and event not in _LOOKING:
            self._has_done = True

    def _is_of_hint(self, event: str, arguments: tuple[Any, ...]) -> bool:
        """Whether the hint is written: beside itself, and renamed."""
        if event == "os.mkdir":
            return str(arguments[0]) == self._folder
        new = f"{self._folder}/digests.json.{os.getpid()}"
        return event in ("open", "os.rename") and str(arguments[0]) == new

    def _first(self, look: Callable[..., Any], *, itself: bool = False) -> Callable[..., Any]:
        def looking(path: Any = ".", *arguments: Any, **options: Any) -> Any:
            self._note(path, itself=itself)
            return look(path, *arguments, **options)

        return looking

    def _stat(self, path: Any, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        is_of_hint = not isinstance(path, int) and os.fsdecode(path) == self._folder  # which moves as the hint is written
        self._note(path, itself=is_of_hint or not follow_symlinks)
        return _STAT(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    def _lstat(self, path: Any, *, dir_fd: int | None = None) -> os.stat_result:
        self._note(path, itself=True)
        return _LSTAT(path, dir_fd=dir_fd)

    def _scandir(self, path: Any = ".") -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        self._note(path)
        with _SCANDIR(path) as entries:
            found = list(entries)
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                # What an entry says of itself it says again: so this is what the run goes by.
                self._note(entry.path, look=lambda _, entry=entry: entry.stat())  # type: ignore[misc]
        return _closing(iter(found))

    def _note(self, path: Any, *, itself: bool = False, look: Callable[[str], os.stat_result] | None = None) -> None:
        """What there is at a path; where that is not what was there before, somebody else is at work."""
        if isinstance(path, int) or self._has_done:
            return
        place = os.fsdecode(path)
        if not place.startswith("/"):
            place = os.path.join(os.getcwd(), place)  # noqa: PTH109, PTH118
        if place.startswith(self._hint):
            return
        found = _itself(place, look or _LSTAT) if itself else _behind(place, look or _STAT)
        if (self._links if itself else self._followed).setdefault(place, found) != found:
            self._has_done = True


_STAT, _LSTAT, _SCANDIR = os.stat, os.lstat, os.scandir


@contextmanager
def _closing(entries: Iterator[os.DirEntry[str]]) -> Iterator[Iterator[os.DirEntry[str]]]:
    yield entries


class _Heard:
    """A stream of which is noted what it is given."""

    def __init__(self, stream: TextIO, is_stdout: bool, said: list[tuple[bool, str]]) -> None:
        self._stream, self._is_stdout, self._said = stream, is_stdout, said

    def write(self, text: str) -> int:
        self._said.append((self._is_stdout, text))
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
