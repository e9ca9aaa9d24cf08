"""Cargo goes by the times of sources: what has other bytes, and no later time, it would not compile again.

`mv`, `cp -p` and `rsync -t` leave such files.  The key of what is compiled knows their bytes, and would be that of what was
compiled of others.  So their digests are noted beside what cargo knows, and where one has changed so, cargo is to know nothing.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from pipeline.digests import file_digest

_NOTE = "sources-read.json"
_FINGERPRINTS = (".fingerprint", "*/.fingerprint", "*/*/.fingerprint")
"""What cargo knows of what it has compiled, for this machine and for others."""


def note(target: Path, sources: Iterable[Path], begin: int) -> None:
    """Remember what cargo, which began at that time (in ns), has compiled into a target folder."""
    known = _noted(target) | {str(path): (file_digest(path), begin) for path in sources}
    (target / _NOTE).write_text(json.dumps(known))


def forget(target: Path) -> None:
    """Have cargo compile all again, if it would not notice that something has changed."""
    if any(_is_overlooked(Path(path), digest, begin) for path, (digest, begin) in _noted(target).items()):
        for fingerprints in [found for where in _FINGERPRINTS for found in target.glob(where)]:
            shutil.rmtree(fingerprints)


def _is_overlooked(path: Path, digest: str, begin: int) -> bool:
    return path.is_file() and path.stat().st_mtime_ns <= begin and file_digest(path) != digest


def _noted(target: Path) -> dict[str, tuple[str, int]]:
    try:
        return {path: (str(digest), int(begin)) for path, (digest, begin) in json.loads((target / _NOTE).read_bytes()).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
