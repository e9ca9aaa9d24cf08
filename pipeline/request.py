"""What the user asks for on the command line: `crate=`, `config=`, and config keys (`opt2.level=1`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pipeline import config
from pipeline.config import Config, ConfigError
from pipeline.digests import Digests

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "hello"


@dataclass(frozen=True)
class Points:
    """Where gradcheck checks each function: at how many points, from which seed on, with slices of which length."""

    count: int = 3
    seed: int = 1
    length: int = 4


_OF_POINTS = {"n": "count", "seed": "seed", "length": "length"}


@dataclass(frozen=True)
class Request:
    """The folder of the crate, and the config with the command line's overrides in it."""

    folder: Path
    config: Config
    points: Points = Points()


def read_request(variables: Mapping[str, str], digests: Digests) -> Request:
    """The request in doit's command-line variables.

    Paths are relative to the folder in which the user started (`CRATEGRAD_CWD`; doit itself moves to dodo.py's).

    Raises: ConfigError for a variable that is none, and for what is wrong in the config.
    """
    started = Path(os.environ.get("CRATEGRAD_CWD") or Path.cwd())
    overrides = {name: value for name, value in variables.items() if name not in ("crate", "config", *_OF_POINTS)}
    for name, value in overrides.items():
        if not config.is_config_key(name):
            raise ConfigError(f"command line: {name}={value}: there is no such variable{_nearest(name)}")
    chosen = _load(variables.get("config", "default"), overrides, started, digests)
    folder = _folder(variables["crate"], started) if "crate" in variables else EXAMPLE
    points = {_OF_POINTS[name]: _number(name, value) for name, value in variables.items() if name in _OF_POINTS}
    return Request(folder, chosen, Points(**points))


def cache_folder() -> Path:
    """Where the cache is: `cache/` of this checkout, or `CRATEGRAD_CACHE`."""
    return Path(os.environ.get("CRATEGRAD_CACHE") or ROOT / "cache")


def offline() -> bool:
    """True where nothing may be fetched (`CRATEGRAD_OFFLINE`)."""
    return os.environ.get("CRATEGRAD_OFFLINE", "") not in ("", "0")


def shown(path: Path) -> str:
    """A path as the user would write it: relative to where he started, if it is below."""
    started = Path(os.environ.get("CRATEGRAD_CWD") or Path.cwd())
    return str(path.relative_to(started)) if path.is_relative_to(started) else str(path)


def _load(name: str, overrides: Mapping[str, str], started: Path, digests: Digests) -> Config:
    """`config.load`, remembered for as long as the files stay as they are: to import a YAML parser is what costs."""

    def read() -> tuple[Any, list[str]]:
        loaded, files = config.load_with_files(name, overrides, relative_to=started)
        return msgspec.to_builtins(loaded), [*files, config.__file__]

    asked = json.dumps([name, os.fspath(started), dict(overrides)])
    return msgspec.convert(digests.follow("config", asked, read), Config)


def _folder(crate: str, started: Path) -> Path:
    try:
        return Path(os.path.normpath(started / Path(crate).expanduser()))
    except RuntimeError:
        raise ConfigError(f"command line: crate={crate}: there is no such user") from None


def _number(name: str, value: str) -> int:
    least = 0 if name == "seed" else 1
    if value.isdecimal() and value.isascii() and least <= int(value) < 2**32:
        return int(value)
    raise ConfigError(f"command line: {name}={value}: expected a whole number from {least} to {2**32 - 1}")


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    candidate = next(iter(get_close_matches(name, [*filter(None, ["crate", "config", config.nearest_key(name)])], n=1)), None)
    return f"; did you mean `{candidate}`?" if candidate else "; there are crate, config, and the keys of a config"
