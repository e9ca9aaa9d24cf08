"""What of the user's own way of building does not get into a build here, so that the summary can say so."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.cargo import read_manifest
from pipeline.crate import Crate

_FLAGS = "a config's `codegen.cpu` says the processor, its `profile` how to optimise"
_VARIABLES = ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS")
_OF_BUILD = {"rustflags": _FLAGS}
_OF_TARGET = {
    "rustflags": _FLAGS,
    "linker": "cc links the program",
    "runner": "`./doit run` starts the program by itself",
}


def settings_left_out(crate: Crate) -> Iterator[str]:
    """Each variable and each key of cargo's configuration that cargo alone would go by, and what is gone by instead."""
    yield from (f"{name} of the environment: {_FLAGS}" for name in _VARIABLES if os.environ.get(name))
    for file in _configurations(crate):
        yield from (f"{key} of {file}: {instead}" for key, instead in _keys(read_manifest(file)))


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
