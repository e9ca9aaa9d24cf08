"""The cache: outputs addressed by content, found by key.

    cache/trees/<digest>/      one stage's output, whole and never changed again; the name is the digest of what is in it
    cache/keys/<key>.json      which tree, how long it took to make
    cache/keys/<key>.log       what the tools said while they made it
    cache/tmp/                 scratch; whatever lies there belongs to a run that goes on, or to nobody

Nothing appears but whole: a tree is written in scratch, flushed to disk and renamed; its key is written after it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from pipeline.digests import file_digest


@dataclass(frozen=True)
class Entry:
    """What the store knows of a key: the tree's digest, and the seconds that making it took."""

    tree: str
    seconds: float


class Store:
    """The store in the folder `root`, which is made when something is first put into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._seen_whole: set[str] = set()

    def size(self, digest: str) -> int:
        """The bytes of all files in a tree that is there."""
        return sum(path.stat().st_size for path in _files(self.tree(digest)))

    def tree(self, digest: str) -> Path:
        """Where the tree of this digest lies, if it is there."""
        return self.root / "trees" / digest

    def has(self, digest: str) -> bool:
        """True where the tree is there (`intact` reads it, too)."""
        return re.fullmatch("[0-9a-f]{64}", digest) is not None and self.tree(digest).is_dir()

    def intact(self, digest: str) -> bool:
        """True where the tree is there and its bytes are those it is named for.  A damaged tree is removed.

        A tree is read once: what happens to it after that is within the run.
        """
        if not self.has(digest):
            return False
        if digest in self._seen_whole or tree_digest(self.tree(digest)) == digest:
            self._seen_whole.add(digest)
            return True
        _remove(self.tree(digest))
        return False

    def find(self, key: str) -> Entry | None:
        """What is stored under the key, if it is there and intact."""
        entry = self.entry(key)
        return entry if entry and self.intact(entry.tree) else None

    def knows(self, key: str) -> bool:
        """True where something is stored under the key (`find` reads it, too)."""
        entry = self.entry(key)
        return entry is not None and self.has(entry.tree)

    def entry(self, key: str) -> Entry | None:
        """The entry of a key, wherever its tree is."""
        try:
            fields = json.loads(self._key_file(key).read_bytes())
            entry = Entry(str(fields["tree"]), float(fields["seconds"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry if self.log(key).is_file() else None

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder of one's own, gone when the block is left."""
        import tempfile

        (self.root / "tmp").mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self.root / "tmp"))
        try:
            yield folder
        finally:
            _remove(folder)

    def log(self, key: str) -> Path:
        """Where what the tools said lies, for a key that `find` has found."""
        return self._key_file(key).with_suffix(".log")

    def publish(self, key: str, made: Path, log: Path, seconds: float) -> Entry:
        """Take the folder `made` (in scratch) in as the tree of `key`, and its log with it."""
        for path in _files(made):
            _flush(path)
        digest = tree_digest(made)
        self.tree(digest).parent.mkdir(parents=True, exist_ok=True)
        made.chmod(0o755)
        if not self.intact(digest):
            try:
                made.rename(self.tree(digest))
            except OSError:
                if not self.has(digest):  # else somebody has put the very same tree there in this moment
                    raise
        self._seen_whole.add(digest)
        _flush(self.tree(digest).parent)
        entry = Entry(digest, round(seconds, 3))
        write_whole(self.log(key), log.read_bytes())
        write_whole(self._key_file(key), json.dumps(asdict(entry)).encode())
        return entry

    def _key_file(self, key: str) -> Path:
        return self.root / "keys" / key[:2] / f"{key}.json"


def tree_digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of all files below `folder`."""
    lines = (f"{file_digest(path)} {path.relative_to(folder).as_posix()}" for path in _files(folder))
    return hashlib.sha256(os.fsencode("\n".join(lines))).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever looks sees the old one or the new one, never a part."""
    import tempfile

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    Path(scratch).rename(path)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
