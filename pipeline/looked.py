"""What this run has looked at outside of itself, and how that was at the first look: for `unchanged`.

Python tells of what is opened, listed, written and started (`sys.addaudithook`).  Of a file that is only asked after, by
`stat`, it does not tell: whoever plans says `at(path).is_file()`.
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False  # `typing` and `pathlib` take longer to load than a run that only compares signatures
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import Any, TypeVar

    T = TypeVar("T")

_LISTING = ("os.scandir", "os.listdir")
_ACTING = ("subprocess.", "os.exec", "os.posix_spawn", "os.fork", "socket.connect")
_WRITING = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.utime", "os.truncate", "os.chmod")
_PASSING = ("/proc/", "/dev/")
_NOWHERE = (os.devnull,)
_COMPILED = "__pycache__"
MISSING = "-"

seen: dict[str, str] = {}
"""Paths, each with what `sign` said of it; a folder of which the names within were read has a `/` at its end."""
acts: list[str] = []
"""What was done beside looking."""
_watching = False


def watch() -> None:
    """Note from now on."""
    global _watching  # noqa: PLW0603 -- a process looks, and has one hook
    if not _watching:
        _watching = True
        sys.addaudithook(_hear)


def at(path: Path) -> Path:
    """The path, of which is about to be asked whether it is there, and as what."""
    if _watching:
        _note(os.fspath(path))
    return path


def asking(tool: Path, ask: Callable[[], T]) -> T:
    """What a tool answers that goes by nothing but its command line: it is looked at, and nothing is done."""
    before = len(acts)
    answer = ask()
    del acts[before:]
    at(tool)
    return answer


def at_each(paths: Iterable[str]) -> None:
    """Note paths as they are now."""
    for path in paths:
        _note(path)


def at_all(files: Mapping[str, os.stat_result]) -> None:
    """Note files, and folders with what is in them, as they were when they were looked at."""
    if _watching:
        for path, found in files.items():
            seen.setdefault(f"{path}/" if stat.S_ISDIR(found.st_mode) else path, _signature(found))


def sign(path: str) -> str:
    """A text that is another when the file is, or what is in the folder; without a `/` at the end, that it is that folder."""
    try:
        found = os.stat(path)  # noqa: PTH116 -- of thousands
    except (OSError, ValueError):
        return MISSING
    return _signature(found) if path.endswith("/") or not stat.S_ISDIR(found.st_mode) else f"folder {found.st_ino}"


def newest(signature: str) -> int:
    """The later of the two times in a signature, in ns; of what has none, 0."""
    times = signature.split(" ")[:-2]
    return max(map(int, times), default=0)


def _signature(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_ino}"


def _note(path: str, end: str = "") -> None:
    path = os.path.abspath(path) + end  # noqa: PTH100
    if path not in seen and not path.startswith(_PASSING):
        seen[path] = sign(path)


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, mode, flags = arguments
        if isinstance(path, int) or (_COMPILED in (path := os.fsdecode(path)) and ".pyc" in path):
            return
        _note(path)
        if _is_written(mode, flags) and path not in _NOWHERE:
            acts.append(f"{event} {path}")
    elif event in _LISTING:
        if not isinstance(arguments[0], int):
            _note(os.fsdecode(arguments[0] or "."), "/")
    elif event.startswith(_ACTING) or event in _WRITING:
        acts.append(event)


def _is_written(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR))
