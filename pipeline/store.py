"""The store: outputs addressed by content, found by key.  It is one folder; `cache` is what a build sees.

    trees/<digest>/        one stage's output, whole and never changed again; the name is the digest of what is in it
    keys/<k>/<key>.entry   a line of JSON: the tree, the seconds, the digest of all this; then what the tools said
    keys/<k>/lock          held by whoever makes what belongs to one of these keys
    added                  the bytes of each tree that was put in since all was looked at, a line each (`eviction`)
    tmp/                   scratch; whatever lies there belongs to a run that goes on, or to nobody
    lock                   shared by the runs that use the store, held alone by one that takes things away

Nothing appears but whole: everything is written in scratch, flushed to disk and renamed, the entry after its tree.  Nothing is
believed: each byte of an entry and of a tree is checked before it is used, and what is damaged is taken away, by one rename.
What has vanished is a miss.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from pipeline.digests import Digests, file_digest, files_below, is_settled
from pipeline.locks import Lock

_RECENT_S = 3600
_AT_ONCE = 8

_LARGE = 1 << 26
"""From so many bytes on it is remembered from run to run that a tree was read, and found whole: std is that large."""

Version: TypeAlias = tuple[tuple[str, int, int, int], ...]
"""Of each file of a tree its name, when it last changed in any way, its number and its size."""


@dataclass(frozen=True)
class Entry:
    """What the store knows of a key: the tree's digest and size, and the seconds that making it took."""

    key: str
    tree: str
    bytes: int
    seconds: float


class Store:
    """The store in the folder `root`, which is made when something is first put into it; large trees are read once for all
    runs that have the same `digests`.
    """

    def __init__(self, root: Path, digests: Digests | None = None) -> None:
        self.root = root
        self.in_use = Lock(root / "lock")
        self._digests = digests
        self._seen_whole: dict[str, Version] = {}

    def tree(self, digest: str) -> Path:
        """Where the tree of this digest lies, if it is there."""
        return self.root.joinpath("trees", digest)

    def has(self, digest: str) -> bool:
        """True where the tree is there (`intact` reads it, too)."""
        # Unlike Path.is_dir, this is False where nobody may look, too.
        return is_digest(digest) and os.path.isdir(self.tree(digest))  # noqa: PTH112

    def intact(self, digest: str) -> bool:
        """True where the tree is there and its bytes are those it is named for.  A damaged tree is removed.

        It is read once in a run, a large one once in all, and again where a file in it has been touched since.
        """
        if not self.has(digest):
            return False
        tree, begin = self.tree(digest), time.time_ns()
        try:
            version = _version(tree)
            if self._seen_whole.get(digest) == version:
                return True
            whole = self._digest(tree, version) == digest
        except OSError:  # somebody takes it away, or it cannot be read at the moment
            return False
        if not whole:
            self.remove(tree)
        elif is_settled(max((changed for _, changed, *_ in version), default=0), begin):
            self._seen_whole[digest] = version
        return whole

    def _digest(self, tree: Path, version: Version) -> str:
        if self._digests is None or sum(size for *_, size in version) < _LARGE:
            return tree_digest(tree)
        files = (Path(file) for file, *_ in version)
        return self._digests.remember("output", tree, files, lambda: tree_digest(tree))  # type: ignore[no-any-return]

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
        found = self._read(key)
        return found[0] if found else None

    def log(self, key: str) -> bytes:
        """What the tools said when they made what the key means; nothing where it means nothing."""
        found = self._read(key)
        return found[1] if found else b""

    def note_use(self, key: str) -> None:
        """Have the key count as used now: what was not used for longest is the first to go."""
        with suppress(OSError):
            if self.last_used(key) < time.time() - _RECENT_S:
                os.utime(self._file(key))

    def last_used(self, key: str) -> float:
        """When the key was made or last used, to the hour."""
        return self._file(key).stat().st_mtime

    def all_keys(self) -> list[str]:
        """All keys that have an entry, good or not."""
        return sorted(path.stem for path in self.root.glob("keys/*/*.entry") if is_digest(path.stem))

    def all_trees(self) -> list[str]:
        """The digests of all trees that are there."""
        return sorted(path.name for path in self.root.glob("trees/*"))

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder of one's own, gone when the block is left."""
        import tempfile

        (self.root / "tmp").mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self.root / "tmp"))
        try:
            yield folder
        finally:
            _delete(folder)

    def turn(self, key: str) -> Lock:
        """The lock of whoever makes what belongs to the key: others wait, and then find it made."""
        return Lock(self._file(key).with_name("lock"))

    def publish(self, key: str, made: Path, log: Path, seconds: float) -> Entry:
        """Take the folder `made` (in scratch) in as the tree of `key`, and its log with it."""
        size = tree_size(made)
        entry = Entry(key, self.put(made), size, round(seconds, 3))
        self.record(entry, log.read_bytes())
        return entry

    def put(self, made: Path) -> str:
        """Take the folder `made` in as a tree, and give its digest."""
        with _flushing(_files(made)):
            digest = tree_digest(made)
        self.tree(digest).parent.mkdir(parents=True, exist_ok=True)
        made.chmod(0o755)
        if not self.intact(digest):
            self._note_added(tree_size(made))
            try:
                made.rename(self.tree(digest))
            except OSError:
                if not self.intact(digest):  # else somebody has put the very same tree there in this moment
                    raise
        with suppress(OSError):  # it is there, and is checked before it is used
            _flush(self.tree(digest).parent)
        return digest

    def added(self) -> int | None:
        """The bytes that were put in since `added` was taken away; None where that is not known."""
        try:
            return sum(map(int, self.root.joinpath("added").read_bytes().split()))
        except FileNotFoundError:
            return 0
        except (OSError, ValueError):
            return None

    def forget_added(self) -> None:
        """Begin anew to count what is added; only for who holds `in_use` alone."""
        self.root.joinpath("added").unlink(missing_ok=True)

    def _note_added(self, size: int) -> None:
        # Before the tree is there: who is killed in between has counted too much.
        with self.root.joinpath("added").open("ab", buffering=0) as stream:
            stream.write(b"%d\n" % size)

    def record(self, entry: Entry, log: bytes) -> None:
        """Have the key mean a tree that is there."""
        file = self._file(entry.key)
        scratch = self.root / "tmp"
        scratch.mkdir(parents=True, exist_ok=True)
        write_whole(file, written(entry, log), scratch)
        with suppress(OSError):
            _flush(file.parent)

    def forget(self, key: str) -> None:
        """Take a key away; its tree stays."""
        self.remove(self._file(key))

    def remove(self, path: Path) -> None:
        """Take a file or a tree away: by one rename, so that nobody sees a part of it."""
        self._seen_whole.pop(path.name, None)
        with suppress(OSError), self.scratch() as scratch:
            path.rename(scratch / path.name)

    def has_scratch(self) -> bool:
        """Whether something lies in scratch, of runs that go on or of nobody."""
        return any(self.root.glob("tmp/*"))

    def sweep(self) -> int:
        """Delete what killed runs left in scratch, and tell how much it was; only for who holds `in_use` alone."""
        left = list(self.root.glob("tmp/*"))
        for path in left:
            _delete(path)
        return len(left)

    def _read(self, key: str) -> tuple[Entry, bytes] | None:
        """The entry of a key, and the log.  One that is not, to the byte, as it was written is removed."""
        try:
            found = self._file(key).read_bytes()
        except OSError:
            return None
        entry, log = parsed(found)
        if entry is None or entry.key != key:
            self.forget(key)
            return None
        return entry, log

    def _file(self, key: str) -> Path:
        return self.root.joinpath("keys", key[:2], f"{key}.entry")


def is_digest(text: object) -> bool:
    """True for a SHA-256 as it is written here: nothing that would lead out of a folder."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) is not None


def written(entry: Entry, log: bytes) -> bytes:
    """An entry and its log as they are written: a line with the digest of all the rest in it, then the log."""
    fields = asdict(entry)
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode() + b"\n" + log).hexdigest()
    return json.dumps({**fields, "sha256": digest}, sort_keys=True).encode() + b"\n" + log


def parsed(found: bytes) -> tuple[Entry | None, bytes]:
    """An entry and its log as they were written; no entry where a byte is another."""
    line, _, log = found.partition(b"\n")
    try:
        fields = json.loads(line)
        del fields["sha256"]
        entry = Entry(**fields)
        is_as_written = found == written(entry, log) and is_digest(entry.key) and is_digest(entry.tree)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, log
    return (entry if is_as_written else None), log


def tree_digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of all files below `folder`."""
    from concurrent.futures import ThreadPoolExecutor

    files = _files(folder)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:  # std is much: it is as fast as there are processors
        digests = list(pool.map(file_digest, map(Path, files)))
    lines = (f"{digest} {os.path.relpath(path, folder)}" for digest, path in zip(digests, files, strict=True))
    return hashlib.sha256(os.fsencode("\n".join(lines))).hexdigest()


def _version(folder: Path) -> Version:
    return tuple((path, stat.st_ctime_ns, stat.st_ino, stat.st_size) for path, stat in _files(folder).items())


def tree_size(folder: Path) -> int:
    """The bytes of all files below `folder`."""
    return sum(stat.st_size for stat in _files(folder).values())


def write_whole(path: Path, content: bytes, scratch: Path | None = None) -> None:
    """Write a file so that whoever looks sees the old one or the new one, never a part.

    `scratch` is a folder of the same file system to write it in, for files whose folder nobody sweeps.
    """
    with replacing(path, scratch) as new, new.open("xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def replacing(path: Path, scratch: Path | None = None) -> Iterator[Path]:
    """A name that nobody else takes; what the block makes there is at `path` when the block is left without an exception."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = (scratch or path.parent) / f".{path.name}.{os.urandom(4).hex()}"
    try:
        yield new
        new.rename(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _delete(path: Path) -> None:
    import shutil

    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _files(folder: Path) -> dict[str, os.stat_result]:
    """All files below a folder in a fixed order, with what `stat` says of them."""
    return dict(sorted(files_below(folder), key=lambda each: each[0].split("/")))  # as paths are compared


@contextmanager
def _flushing(paths: Collection[str]) -> Iterator[None]:
    """Have the files on the disk when the block is left.  Side by side: the disk takes many in the time of one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        flushed = pool.map(_flush, paths)
        yield
        list(flushed)  # raises what one of them does


def _flush(path: str | Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
