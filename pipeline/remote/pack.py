"""A tree and a log as one file, a zip that any tool opens; the same tree gives the same bytes."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from pipeline.remote.transport import RemoteError

NAME = "entry.zip"
"""What the file is called where it is given a name."""

_LOG = "log"
_TREE = "tree/"
_LEVEL = 1
_MOST_LOG = 1 << 26
_CHUNK = 1 << 20
_LONGEST = 200
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, ValueError, EOFError, NotImplementedError, RuntimeError),
    *(FileExistsError, NotADirectoryError, IsADirectoryError),  # two files of one name, or one below the other
)


def pack(tree: Path, log: bytes, place: Path) -> None:
    """Write the files of a tree, and a log."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as packed:
        _add(packed, _LOG, mode=0o644, content=log)
        for path in sorted(path for path in tree.rglob("*") if path.is_file()):
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            _add(packed, _TREE + path.relative_to(tree).as_posix(), mode=mode, content=path)


def unpack(place: Path, folder: Path, at_most: int) -> bytes:
    """Write the files into an empty folder, and give the log.

    Raises: RemoteError for what `pack` would not have written: names that lead elsewhere, links, more than `at_most` bytes.
    """
    try:
        with zipfile.ZipFile(place) as packed:
            infos = packed.infolist()
            log = _log(packed, infos[0]) if infos else b""
            if not infos or sum(info.file_size for info in infos[1:]) != at_most:
                raise RemoteError("a pack holds more or less than it should")
            for info in infos[1:]:
                _extract(packed, info, folder)
            return log
    except _UNREADABLE as error:
        raise RemoteError("a pack cannot be read") from error


def _add(packed: zipfile.ZipFile, name: str, *, mode: int, content: bytes | Path) -> None:
    info = zipfile.ZipInfo(name)
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    if isinstance(content, bytes):
        packed.writestr(info, content, compresslevel=_LEVEL)
        return
    info.file_size = content.stat().st_size
    with content.open("rb") as source, packed.open(info, "w") as to:
        while chunk := source.read(_CHUNK):
            to.write(chunk)


def _log(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.filename != _LOG or info.file_size > _MOST_LOG or info.compress_type != zipfile.ZIP_DEFLATED:
        raise RemoteError("a pack has no log")
    return packed.read(info)


def _extract(packed: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> None:
    name = PurePosixPath(info.filename.removeprefix(_TREE))
    mode = info.external_attr >> 16
    is_ours = info.filename == f"{_TREE}{name}" and not name.is_absolute() and ".." not in name.parts and name.parts
    is_short = len(name.parts) < _LONGEST and all(len(part.encode()) <= _LONGEST for part in name.parts)
    if not (is_ours and is_short) or mode & 0o170000 != 0o100000 or info.compress_type != zipfile.ZIP_DEFLATED:
        raise RemoteError("a pack holds a file that is none")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(info) as source, path.open("xb") as to:
        while chunk := source.read(_CHUNK):
            to.write(chunk)
    path.chmod(mode & 0o755)
