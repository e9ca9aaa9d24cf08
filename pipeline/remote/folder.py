"""A folder as a remote cache, such as one on a shared disk; many may write at the same time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.remote.transport import RemoteError
from pipeline.store import replacing


class Folder:
    """A folder that is there, laid out as Bazel's `--disk_cache`: `cas/ab/abcd…`."""

    def __init__(self, root: Path) -> None:
        self.name = f"file://{root}"
        self._root = root

    def has(self, path: str) -> bool:
        """True where there is such a file."""
        with _complaining():
            return self._file(path).is_file()

    def get(self, path: str, place: Path, at_most: int) -> bool:
        """Bring a file to a place, unless it is larger than `at_most` bytes; False where there is none."""
        with _complaining():
            try:
                with self._file(path).open("rb") as found:
                    _refuse_large(path, os.fstat(found.fileno()).st_size, at_most)
                    with place.open("wb") as copy:
                        shutil.copyfileobj(found, copy)
            except FileNotFoundError:
                return False
        return True

    def put(self, path: str, file: Path) -> None:
        """Take a file there, by one rename."""
        with _complaining(), replacing(self._file(path)) as new:
            shutil.copyfile(file, new)
            with new.open("rb") as copy:
                os.fsync(copy.fileno())

    def _file(self, path: str) -> Path:
        if not self._root.is_dir():  # a disk that is not there is no empty cache, and nothing to be made
            raise RemoteError("there is no such folder", is_final=True)
        kind, name = path.split("/")
        return self._root / kind / name[:2] / name


def _refuse_large(path: str, size: int, at_most: int) -> None:
    if size > at_most:
        raise RemoteError(f"{path[:20]} is larger than it should be")


@contextmanager
def _complaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RemoteError(error.strerror or str(error), is_final=True) from error
