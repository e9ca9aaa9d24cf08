"""The files of std's sources, for whoever asks which of them are others than they were.

They are two thousand: beside what build_std has made they would be read at each build.  So they are kept apart, by the digest
that is in its key.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from pipeline.digests import file_digest, source_files
from pipeline.stages.build_std import NOT_READ, BuildStd
from pipeline.store import write_whole
from pipeline.why import SOURCES, Parts, short


def note(stage: BuildStd, folder: Path) -> None:
    """Keep what the files are that the stage has read; that it cannot be kept is no error."""
    file = folder / f"{short(stage.sources)}.json"
    with suppress(OSError):
        if not file.exists():
            write_whole(file, msgspec.json.encode(now(stage)))


def known(parts: Parts, folder: Path) -> Mapping[str, str]:
    """The digests of the files that build_std read when its key had these parts, by path; nothing where that is forgotten."""
    with suppress(OSError, msgspec.MsgspecError, UnicodeError, KeyError):
        file = folder / f"{parts['settings'][SOURCES]}.json"
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    return {}


def now(stage: BuildStd) -> Mapping[str, str]:
    """The same of the files that are there."""
    root = stage.rust.sources
    return {os.path.relpath(path, root): short(file_digest(Path(path))) for path in source_files(root, NOT_READ)}
