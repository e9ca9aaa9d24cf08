"""Locks between processes, on files that stay; the kernel takes them back however their holder ends."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Lock:
    """The lock on the file at `path`: held by many who share it, or by one alone.

    Where the file cannot be made, or the file system knows no locks, nobody has it: to build is safe without, to tidy is not.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self, *, shared: bool = False, patient: bool = True, waiting: str = "") -> bool:
        """Have the lock, and tell whether one has it; who is `patient` waits, and `waiting` is told then, unless quiet."""
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        with suppress(OSError):
            if self._handle is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self._path, os.O_RDONLY | os.O_CREAT, 0o666)
            try:
                fcntl.flock(self._handle, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if not patient:
                    return False
                _tell(waiting)
                fcntl.flock(self._handle, kind)
            return True
        return False

    def release(self) -> None:
        """Let others have it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    @contextmanager
    def held(self, *, waiting: str = "") -> Iterator[None]:
        """Have it alone, for the time of the block."""
        self.take(waiting=waiting)
        try:
            yield
        finally:
            self.release()


def _tell(waiting: str) -> None:
    from pipeline import request  # which needs what is needed here

    if waiting and not request.quiet():
        print(f"   {waiting}", file=sys.stderr, flush=True)
