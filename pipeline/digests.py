"""What a file, a folder or a tool is, as SHA-256, remembered by stat signature.

A build where nothing is to do reads no byte of its inputs again: only their stat is taken.
The memory is a hint and nothing more: lost, damaged or out of date, it costs a second reading.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pipeline import process
from pipeline.errors import UserError

T = TypeVar("T")

Stats = dict[str, os.stat_result]
"""Files by their path, with what `stat` says of them."""

# A file changed this shortly before it was read may have been changed again within the clock's step (git: "racy").
_RACY_NS = 20_000_000
_RACY_COARSE_NS = 2_500_000_000
"""The same, where times are whole seconds: some file systems count no finer, or by twos."""


class Digests:
    """Digests of files, folders and tools, kept in the file `memory` between runs: JSON below its own SHA-256."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._known = _load(memory)
        self._changed = False
        self._looked_at: dict[tuple[str, Hashable], Any] = {}

    def file(self, path: Path) -> str:
        """SHA-256 of the file's bytes."""
        return self.remember("file", path, [path], lambda: file_digest(path))  # type: ignore[no-any-return]

    def tree(self, root: Path, skipped: Container[str] = ()) -> str:
        """SHA-256 over the names and bytes of all source files below `root` (see `source_files`)."""
        files = source_files(root, skipped)
        # Each file by itself is not remembered: std has thousands, and the folder is read at once or not at all.
        return self._remember(f"tree:{root}", files, lambda: _digest_of_all(root, files))  # type: ignore[no-any-return]

    def tool(self, path: Path) -> Mapping[str, str]:
        """What a tool is: its own file, under no name, and the shared libraries that it loads, under theirs (`opt` is a small
        front; the compiler is libLLVM).

        Raises: UserError where the tool is not there.
        """
        return self.once("tool", path, lambda: self._tool(path))

    def once(self, kind: str, subject: Hashable, compute: Callable[[], T]) -> T:
        """The value of `compute`, for what does not change within a run: tools, toolchains.  It is looked at once."""
        if (kind, subject) not in self._looked_at:
            self._looked_at[kind, subject] = compute()
        return self._looked_at[kind, subject]  # type: ignore[no-any-return]

    def _tool(self, path: Path) -> dict[str, str]:
        if not path.is_file():
            raise UserError(f"error: {path} is missing\n  = help: `./doit doctor` says how to get it")
        found = {"": self.file(path)}
        for library in map(Path, self._libraries(path)):
            others = found.get(library.name, "")  # of that name, in another folder
            found[library.name] = f"{others} {self.once('library', library, partial(self.file, library))}".lstrip()
        return found

    def _libraries(self, tool: Path) -> list[str]:
        """The shared libraries of a tool; asked again where it, or one of them, has changed or is gone."""

        def ask() -> tuple[list[str], list[str]]:
            found = _shared_libraries(tool)
            return found, [str(tool), *found]

        return self.follow("libraries", tool, ask)  # type: ignore[no-any-return]

    def remember(self, kind: str, subject: object, files: Iterable[Path], compute: Callable[[], Any]) -> Any:
        """The JSON-able value of `compute`, remembered for as long as none of `files` changes."""
        return self._remember(f"{kind}:{subject}", {os.fspath(path): path.stat() for path in files}, compute)

    def follow(self, kind: str, subject: object, compute: Callable[[], tuple[Any, Iterable[str]]]) -> Any:
        """The same, where only `compute` knows which files its value was made of: it gives them beside the value."""
        name = f"{kind}:{subject}"
        known = self._known.get(name)
        if isinstance(known, list) and len(known) == 3 and known[0] == _signature_of(known[1]):
            return known[2]
        begin = time.time_ns()
        value, files = compute()
        paths = [os.fspath(path) for path in files]
        if _is_settled(_stats(paths), begin):
            self._known[name] = [_signature_of(paths), paths, value]
            self._changed = True
        return value

    def save(self) -> None:
        """Keep what was learnt.  A memory that cannot be written is no error."""
        if not self._changed:
            return
        scratch = self._memory.with_name(f"{self._memory.name}.{os.getpid()}")
        try:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            known = msgspec.json.encode(self._known)
            scratch.write_bytes(b"%s\n%s" % (_sum(known), known))
            scratch.replace(self._memory)
            self._changed = False
        except OSError:
            with suppress(OSError):
                scratch.unlink()

    def _remember(self, name: str, files: Stats, compute: Callable[[], Any]) -> Any:
        signature = _signature(files)
        known = self._known.get(name)
        if isinstance(known, list) and len(known) == 2 and known[0] == signature:
            return known[1]
        begin = time.time_ns()
        value = compute()
        if _is_settled(files, begin):
            self._known[name] = [signature, value]
            self._changed = True
        return value


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, read now."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def source_files(root: Path, skipped: Container[str] = ()) -> Stats:
    """The files below `root` in a fixed order, but for build output, hidden folders other than `.cargo`, folders with a
    `skipped` name, and what lies behind a link to a folder.
    """
    return dict(sorted(files_below(root, lambda folder: folder.name not in skipped and not _is_set_apart(folder, root))))


def files_below(
    root: Path, is_wanted: Callable[[os.DirEntry[str]], bool] = lambda _: True
) -> Iterator[tuple[str, os.stat_result]]:
    """The files in a folder, and in those folders below it that are wanted, with what `stat` says of them, in any order."""
    folders = [os.fspath(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if is_wanted(entry):
                        folders.append(entry.path)
                elif entry.is_file(follow_symlinks=False) or _is_link_to_file(entry):
                    yield entry.path, entry.stat()


def _is_link_to_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def _is_set_apart(folder: os.DirEntry[str], root: Path) -> bool:
    """True for a hidden folder, for `target`, and for what says that it is made anew, as cargo's output does.

    A module may be called `target`, too.  What rustc reads in any of them its last run has told (`crate.note_what_was_read`).
    Source of the tag: bford.info/cachedir.
    """
    if folder.name.startswith("."):
        return folder.name != ".cargo"
    is_output = folder.name == "target" and Path(folder.path).parent == root
    return is_output or os.path.exists(f"{folder.path}/CACHEDIR.TAG")  # noqa: PTH110 -- there are many folders


def _digest_of_all(root: Path, files: Stats) -> str:
    lines = (f"{file_digest(Path(path))} {os.path.relpath(path, root)}" for path in files)
    return hashlib.sha256(os.fsencode("\n".join(lines))).hexdigest()


def _load(memory: Path) -> dict[str, Any]:
    try:
        digest, _, known = memory.read_bytes().partition(b"\n")
        return msgspec.json.decode(known, type=dict[str, Any]) if digest == _sum(known) else {}
    except (OSError, msgspec.MsgspecError):
        return {}


def _sum(known: bytes) -> bytes:
    """What stands above a memory: of one in which a bit has changed nothing is believed."""
    return hashlib.sha256(known).hexdigest().encode()


def _signature(files: Stats) -> str:
    lines = (f"{p}\0{s.st_mtime_ns} {s.st_size} {s.st_ino} {s.st_ctime_ns}" for p, s in files.items())
    return hashlib.sha256(os.fsencode("\n".join(lines))).hexdigest()


def _signature_of(paths: Any) -> str | None:
    """The signature of files that are all there; of what is no list of files, none."""
    try:
        return _signature(_stats(paths))
    except (OSError, TypeError, ValueError):
        return None


def _stats(paths: Iterable[str]) -> Stats:
    return {path: Path(path).stat() for path in paths}


def _is_settled(files: Stats, begin: int) -> bool:
    return is_settled(max((max(stat.st_mtime_ns, stat.st_ctime_ns) for stat in files.values()), default=0), begin)


def is_settled(newest: int, begin: int) -> bool:
    """True where a change after `begin`, of what changed last at `newest`, will be seen by its times."""
    return newest < begin - (_RACY_NS if newest % 1_000_000_000 else _RACY_COARSE_NS)


def _shared_libraries(tool: Path) -> list[str]:
    answer = process.ask(["ldd", tool])
    # A script or a static executable: ldd has nothing to say.
    return sorted(set(re.findall(r"(?:=>\s+|^\s*)(/\S+)\s+\(0x", answer.output, re.MULTILINE))) if answer.succeeded else []
