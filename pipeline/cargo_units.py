"""What each unit took that cargo has compiled or run, told by the times of files.

Cargo writes `invoked.timestamp` as it begins, and the unit's fingerprint once it is done; what rustc, or a build script, has
said is dated back to the beginning.  Where that does not hold (a unit that failed, a folder copied without its times, a cargo
with another layout) nobody knows what the unit took.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_FINGERPRINT = ".fingerprint"
_BEGUN = "invoked.timestamp"
_SCRIPT = "run-build-script-"
_HASH = re.compile(r"-([0-9a-f]{16})\b")
_NAME = re.compile(r"([^/#@]+)[#@][^/#@]*$")
"""A package's name in cargo's id of it, which leaves it out where the folder is called so."""


def seconds_by_package(messages: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """What all units of a package took together, by cargo's id of it; for packages of which each unit can be told."""
    took: dict[str, list[int | None]] = {}
    for message in messages:
        took.setdefault(message["package_id"], []).append(_nanoseconds(message))
    return {package: round(sum(filter(None, each)) / 1e9, 3) for package, each in took.items() if None not in each}


def _nanoseconds(message: Mapping[str, Any]) -> int | None:
    spans = _of_script(Path(message["out_dir"]).parent) if "out_dir" in message else _of_compiler(message)
    known = [end - begin for begin, end in spans]
    return known[0] if len(known) == 1 else None


def _of_script(unit: Path) -> list[tuple[int, int]]:
    done = (unit.parent.parent / _FINGERPRINT / unit.name).glob(f"{_SCRIPT}*")
    return _spans((unit / _BEGUN, unit / "output", path) for path in done if path.suffix != ".json")


def _of_compiler(message: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Where no file has cargo's hash in its name, as of final artifacts, the unit is that in whose time it was written."""
    files, package = list(map(Path, message["filenames"])), _NAME.search(message["package_id"])
    file = next(filter(_hash, files), files[0])
    fingerprints = next((each for folder in file.parents[:3] if (each := folder / _FINGERPRINT).is_dir()), None)
    if fingerprints is None or package is None or not file.is_file():
        return []
    if hashed := _hash(file):
        return _spans(map(_of_unit, fingerprints.glob(f"{package[1]}-{hashed}/dep-*")))
    kind, name, written = message["target"]["kind"][0], message["target"]["name"], file.stat().st_mtime_ns
    dep_info = f"{package[1]}-*/dep-{kind if kind in ('bin', 'example') else 'lib'}-{name}"
    return [span for span in _spans(map(_of_unit, fingerprints.glob(dep_info))) if span[0] <= written <= span[1]]


def _hash(file: Path) -> str:
    """Cargo's, in the name of a file or of the folder that a build script has for itself."""
    found = _HASH.search(f"{file.parent.name}/{file.name}")
    return found[1] if found else ""


def _of_unit(dep_info: Path) -> tuple[Path, Path, Path]:
    return dep_info.with_name(_BEGUN), dep_info, dep_info.with_name(dep_info.name.removeprefix("dep-"))


def _spans(files: Iterable[tuple[Path, Path, Path]]) -> list[tuple[int, int]]:
    """When each unit began and ended, in ns, as far as that is known: by the files of both, and the one that is dated back."""
    found = []
    for paths in files:
        try:
            begun, dated_back, done = (path.stat() for path in paths)
        except OSError:
            continue
        if begun.st_mtime_ns == dated_back.st_mtime_ns <= done.st_mtime_ns and done.st_size:
            found.append((begun.st_mtime_ns, done.st_mtime_ns))
    return found
