"""What of the user's own way of building, and of panics, does not get into a build here, so that the summary can say so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.cargo import read_manifest
from pipeline.crate import Crate

_FLAGS = "a config's `codegen.cpu` says the processor, its `profile` how to optimise"
_TARGET = "a config's `target` says what is built for"
_FOLDER = "`target-dir=` on the command line says where what is built lies"
_RUSTC = "a config's `toolchain` says which one compiles"
_WRAPPER = "rustc is called as it is"
_PROFILE = "`[profile]` in Cargo.toml, or of cargo's configuration, says how to compile"
_OF_BUILD = {
    "rustflags": _FLAGS,
    "target": _TARGET,
    "target-dir": _FOLDER,
    "rustc": _RUSTC,
    "rustc-wrapper": _WRAPPER,
    "rustc-workspace-wrapper": _WRAPPER,
}
_VARIABLES = {
    "RUSTFLAGS": _FLAGS,
    "CARGO_ENCODED_RUSTFLAGS": _FLAGS,
    "CARGO_TARGET_DIR": _FOLDER,
    "RUSTC": _RUSTC,
    "RUSTC_WRAPPER": _WRAPPER,
    "RUSTC_WORKSPACE_WRAPPER": _WRAPPER,
    **{f"CARGO_BUILD_{key.upper().replace('-', '_')}": instead for key, instead in _OF_BUILD.items()},
}
_OF_PROFILES = "CARGO_PROFILE_"
_OF_TARGET = {
    "rustflags": _FLAGS,
    "linker": "cc links the program",
    "runner": "`./doit run` starts the program by itself",
}

_CATCHES = re.compile(r"^(?!\s*//).*\bcatch_unwind\s*\(", re.MULTILINE)


def settings_left_out(crate: Crate) -> Iterator[str]:
    """Each variable and each key of cargo's configuration that cargo alone would go by, and what is gone by instead."""
    of_profiles = {name: _PROFILE for name in sorted(os.environ) if name.startswith(_OF_PROFILES)}
    for name, instead in {**_VARIABLES, **of_profiles}.items():
        if os.environ.get(name):
            yield f"{name} of the environment: {instead}"
    for file in _configurations(crate):
        yield from (f"{key} of {file}: {instead}" for key, instead in _keys(read_manifest(file)))


def panics_not_caught(crate: Crate) -> Iterator[str]:
    """Where a package's sources catch panics, the first place of each file: nothing is caught where a panic ends it all."""
    elsewhere = set(map(os.fspath, crate.read))  # of others, whose tests are in them, too
    for path in sorted(path for path in crate.files().keys() - elsewhere if path.endswith(".rs")):
        text = Path(path).read_text(errors="replace")
        if found := _CATCHES.search(text):
            place = f"{os.path.relpath(path, crate.folder.resolve())}:{text.count(chr(10), 0, found.start()) + 1}"
            yield f"catch_unwind at {place}: a panic ends the program; with `panic: unwind` in a config it is caught"


def _configurations(crate: Crate) -> Iterator[Path]:
    """Cargo's configuration files, those of the folders above and of the user's home among them."""
    own = (crate.folder / ".cargo" / name for name in ("config.toml", "config"))
    yield from (file for file in (*own, *crate.ambient) if file.stem == "config" and file.is_file())


def _keys(configuration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    build, targets = (configuration.get(name) for name in ("build", "target"))
    for key, instead in _OF_BUILD.items():
        if isinstance(build, dict) and key in build:
            yield f"build.{key}", instead
    for target, table in targets.items() if isinstance(targets, dict) else ():
        yield from ((f"target.{target}.{key}", instead) for key, instead in _OF_TARGET.items() if key in table)
