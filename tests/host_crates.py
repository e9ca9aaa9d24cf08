"""The crates that run on the host, the macros and syn below them: compiled once, and copied beside each crate of the tests.

Cargo compiles them for each crate and each profile; for the small crates of tests that is nearly all of a build.  What it
finds cargo holds against its fingerprints, as ever: what is not as it should be is compiled again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.stages import NAMES

FOLDER = "CRATEGRAD_TEST_HOST_CRATES"
"""The variable that names the folder where they are kept, the same one for all workers of a run."""

_COMPILING = {"build", "run", "gradcheck", "abi", "perf", "matrix", *NAMES}


@contextmanager
def shared(arguments: Sequence[str]) -> Iterator[None]:
    """What is built by these arguments of `./doit` has what was compiled before; what is new here the next one has."""
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    kept, crate = Path(os.environ.get(FOLDER, os.devnull)), Path(given.get("crate", os.devnull), given.get("package", ""))
    if not (kept.is_dir() and _COMPILING.intersection(arguments) and _has_macros(crate)):
        yield
        return
    target = Path(given.get("target-dir", crate / "target"), "crategrad/cargo")
    profiles = [folder_of(given["profile"])] if "profile" in given else ["release", "debug"]
    new = [profile for profile in profiles if not (target / profile).exists()]
    for profile in new:
        if (kept / profile).is_dir():
            shutil.copytree(kept / profile, target / profile)
    yield
    for profile in new:
        if not (kept / profile).exists() and any((target / profile / "deps").glob("libautodiff_macros-*.so")):
            _keep(target / profile, kept)


def folder_of(profile: str) -> str:
    """The folder where cargo has what it compiles in a profile; most have their name."""
    return {"dev": "debug", "test": "debug", "bench": "release"}.get(profile, profile)


def _has_macros(crate: Path) -> bool:
    manifest = crate / "Cargo.toml"
    return manifest.is_file() and "autodiff" in manifest.read_text(errors="replace")


def _keep(compiled: Path, folder: Path) -> None:
    """In one move: other workers look there at the same time."""
    scratch = Path(tempfile.mkdtemp(prefix=".", dir=folder))
    shutil.copytree(compiled, scratch / compiled.name)
    with suppress(OSError):  # another worker was faster
        (scratch / compiled.name).rename(folder / compiled.name)
    shutil.rmtree(scratch)
