"""Cargo goes by the times of sources: what has other bytes, and no later time, it would not compile again.

`mv`, `cp -p` and `rsync -t` leave such files.  The key of what is compiled knows their bytes, and would be that of what was
compiled of others.  So their digests are noted beside what cargo knows, and where one has changed so, cargo is to know nothing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from pipeline.digests import file_digest

_NOTE = "sources-read.json"
_FINGERPRINTS = (".fingerprint", "*/.fingerprint", "*/*/.fingerprint")
"""What cargo knows of what it has compiled, for this machine and for others."""


@dataclass(frozen=True)
class _Source:
    """A source as it was when cargo compiled it last."""

    digest: str
    begin: int
    """When cargo began, in ns."""
    users: list[str]
    """The artifacts of which it was a source then."""


def note(target: Path, artifact: str, sources: Iterable[Path], begin: int) -> None:
    """Remember what cargo, which began at that time (in ns), has compiled into a target folder for an artifact."""
    known = _noted(target)
    users = {path: {*source.users} - {artifact} for path, source in known.items()}
    known = {path: replace(source, users=sorted(users[path])) for path, source in known.items()}
    for path in map(str, sources):
        known[path] = _Source(file_digest(Path(path)), begin, sorted({artifact} | users.get(path, set())))
    (target / _NOTE).write_text(json.dumps({path: astuple(source) for path, source in known.items() if source.users}))


def forget(target: Path, artifact: str) -> None:
    """Have cargo compile all again, if it would not notice that a source of the artifact has changed."""
    if any(artifact in source.users and _is_overlooked(Path(path), source) for path, source in _noted(target).items()):
        for fingerprints in [found for where in _FINGERPRINTS for found in target.glob(where)]:
            shutil.rmtree(fingerprints)


def _is_overlooked(path: Path, source: _Source) -> bool:
    return path.is_file() and path.stat().st_mtime_ns <= source.begin and file_digest(path) != source.digest


def _noted(target: Path) -> dict[str, _Source]:
    try:
        noted = json.loads((target / _NOTE).read_bytes()).items()
        return {path: _Source(str(digest), int(begin), list(map(str, users))) for path, (digest, begin, users) in noted}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
