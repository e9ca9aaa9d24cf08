"""What the user asks for on the command line: `crate=`, what of it, `config=`, and config keys (`opt2.level=1`)."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pipeline import config, rerun
from pipeline.artifact import KINDS, LIBRARIES
from pipeline.config import Config, ConfigError
from pipeline.digests import Digests
from pipeline.rerun import Rerun
from pipeline.targets import Choice
from pipeline.yaml_source import visible

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "hello"


@dataclass(frozen=True)
class Points:
    """Where gradcheck checks each function: at how many points, from which seed on, with slices of which length.

    And at which levels of optimisation, beside the config's own.
    """

    count: int = 3
    seed: int = 1
    length: int = 4
    levels: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class OfMatrix:
    """What `./doit matrix` is to build: the cells of a file, or one of so many parts of them."""

    file: Path = config.MATRIX
    shard: int = 1
    shards: int = 1
    costs: Path | None = None
    """The file that says what cells cost, for all machines alike (`./doit matrix --costs`)."""
    config: str = "default"
    """What a cell starts from that does not say."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """Keys that the command line sets, in all cells."""
    cluster: str = ""
    """The address of the Dask scheduler that has them built; empty where they are built here."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The command line's variables, for the workers there."""


_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_OF_POINTS = {"n": "count", "seed": "seed", "length": "length"}
_SWITCHES = ("all-features", "no-default-features", "locked")
_OF_CHOICE = (*KINDS, "lib", "tests", "crate-type", "package", "features", *_SWITCHES)
_OF_MATRIX = ("matrix", "shard", "costs", "on")
_VARIABLES = ("crate", "config", "target-dir", *_OF_MATRIX, *_OF_CHOICE, *_OF_POINTS, "levels", *rerun.VARIABLES)


@dataclass(frozen=True)
class Request:
    """The folder of the crate, what is wanted of it, and the config with the command line's overrides in it."""

    folder: Path
    config: Config
    choice: Choice = Choice()
    points: Points = Points()
    rerun: Rerun = Rerun()
    matrix: OfMatrix = field(default_factory=OfMatrix)
    target_dir: Path | None = None
    """The folder that stands for the crate's `target/`."""

    @property
    def name(self) -> str:
        """A name of its own for each crate, artifact and config."""
        asked = f"{self.folder}\0{self.choice}" if self.choice != Choice() else str(self.folder)
        asked += f"\0{self.target_dir}" if self.target_dir else ""
        return f"{hashlib.sha256(os.fsencode(asked)).hexdigest()[:16]}-{self.folder_name}"

    @property
    def folder_name(self) -> str:
        """What the folder is called in which the artifact appears."""
        return f"{self.config.name}{'-edited' if self.rerun.edited else ''}"


def read_request(variables: Mapping[str, str], digests: Digests) -> Request:
    """The request in doit's command-line variables.

    Paths are relative to the folder in which the user started (`CRATEGRAD_CWD`; doit itself moves to dodo.py's).

    Raises: ConfigError for a variable that is none, and for what is wrong in the config or in the environment.
    """
    started = started_in()
    cache_limit()
    overrides = {name: value for name, value in variables.items() if name not in _VARIABLES}
    for name, value in overrides.items():
        if not config.is_config_key(name):
            raise ConfigError(f"command line: {name}={value}: there is no such variable{_nearest(name)}")
    name = variables.get("config", "default")
    chosen = _load(name, overrides, started, digests)
    folder = _folder(variables["crate"], started) if "crate" in variables else EXAMPLE
    points = Points(
        **{_OF_POINTS[name]: _number(name, value) for name, value in variables.items() if name in _OF_POINTS},
        levels=_levels(variables.get("levels", "0")),
    )
    matrix = _matrix(variables, started, name, overrides)
    target_dir = _folder(variables["target-dir"], started, "target-dir") if variables.get("target-dir") else None
    return Request(folder, chosen, _choice(variables), points, rerun.read(variables, started), matrix, target_dir)


def started_in() -> Path:
    """The folder in which the user started `./doit`."""
    return Path(os.environ.get("CRATEGRAD_CWD") or Path.cwd())


def cache_folder() -> Path:
    """Where the cache is: `cache/` of this checkout, or `CRATEGRAD_CACHE`."""
    return Path(os.environ.get("CRATEGRAD_CACHE") or ROOT / "cache")


def cache_limit() -> int:
    """How many bytes the cache may grow to (`CRATEGRAD_CACHE_SIZE`, such as `5G`).

    Raises: ConfigError for what is no size.
    """
    text = os.environ.get("CRATEGRAD_CACHE_SIZE") or "20G"
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([kMGT]?)B?", text)
    if not found:
        raise ConfigError(f"CRATEGRAD_CACHE_SIZE={visible(text)}: expected a size such as 500M or 20G")
    return int(float(found[1]) * _UNITS[found[2]])


def offline() -> bool:
    """True where nothing may be fetched (`CRATEGRAD_OFFLINE`)."""
    return os.environ.get("CRATEGRAD_OFFLINE", "") not in ("", "0")


def quiet() -> bool:
    """True where only what goes wrong is told (cargo's `CARGO_TERM_QUIET`)."""
    return os.environ.get("CARGO_TERM_QUIET", "") == "true"


def manners() -> tuple[str, ...]:
    """How cargo goes about it, as its own variables say: `CARGO_BUILD_JOBS`, `CARGO_TERM_VERBOSE`, `CARGO_TERM_QUIET`."""
    jobs = os.environ.get("CARGO_BUILD_JOBS", "")
    verbose = os.environ.get("CARGO_TERM_VERBOSE", "") == "true" and not quiet()
    said = {f"--jobs={jobs}": bool(jobs), "--verbose": verbose, "--quiet": quiet()}
    return tuple(flag for flag, is_said in said.items() if is_said)


def arguments() -> list[str]:
    """What the program is to be run with (`CRATEGRAD_ARGUMENTS`, in JSON: doit would read its own options in them)."""
    return [str(argument) for argument in json.loads(os.environ.get("CRATEGRAD_ARGUMENTS") or "[]")]


def tell_failed(returncode: int) -> None:
    """Hand on how the program ended (`CRATEGRAD_FAILED` names a file): the exit code of `./doit` says only that it failed."""
    if file := os.environ.get("CRATEGRAD_FAILED"):
        Path(file).write_text(str(returncode))


def shown(path: Path) -> str:
    """A path as the user would write it: relative to where he started, if it is below."""
    started = started_in()
    return str(path.relative_to(started)) if path.is_relative_to(started) else str(path)


def _load(name: str, overrides: Mapping[str, str], started: Path, digests: Digests) -> Config:
    """`config.load`, remembered for as long as the files stay as they are: to import a YAML parser is what costs."""

    def read() -> tuple[Any, list[str]]:
        loaded, files = config.load_with_files(name, overrides, relative_to=started)
        return msgspec.to_builtins(loaded), [*files, config.__file__]

    asked = json.dumps([name, os.fspath(started), dict(overrides)])
    return msgspec.convert(digests.follow("config", asked, read), Config)


def _folder(path: str, started: Path, name: str = "crate") -> Path:
    try:
        return Path(os.path.normpath(started / Path(path).expanduser()))
    except RuntimeError:
        raise ConfigError(f"command line: {name}={path}: there is no such user") from None


def _choice(variables: Mapping[str, str]) -> Choice:
    """What the variables choose, which are called as cargo's flags are."""
    chosen = [name for name in (*KINDS, "lib") if name in variables and (name != "lib" or _is_on(name, variables))]
    if len(chosen) > 1:
        both = " and ".join(f"{name}={variables[name]}" for name in chosen)
        raise ConfigError(f"command line: {both}: a build makes one artifact", "build one after the other")
    kind = chosen[0] if chosen else ""
    unit_tests, crate_type = _is_on("tests", variables), variables.get("crate-type", "")
    if unit_tests and kind not in ("bin", "lib"):
        raise ConfigError(
            "command line: tests=1: whose unit tests are meant?", "say lib=1 or bin=NAME; test=NAME is for a file in tests/"
        )
    if crate_type and (crate_type not in LIBRARIES or kind != "lib" or unit_tests):
        raise ConfigError(f"command line: crate-type={crate_type}: expected {' or '.join(LIBRARIES)}, of lib=1")
    name = variables[kind] if kind in KINDS else ""
    if kind and kind != "lib" and not name:
        raise ConfigError(f"command line: {kind}=: which one?", f"say {kind}=NAME")
    return Choice(variables.get("package", ""), kind, name, crate_type, unit_tests, tuple(_flags(variables)))


def _flags(variables: Mapping[str, str]) -> Iterator[str]:
    """Cargo's flags for features and the lock; features in another order are the same."""
    if names := sorted(set(re.split(r"[\s,]+", variables.get("features", ""))) - {""}):
        yield f"--features={','.join(names)}"
    yield from (f"--{name}" for name in _SWITCHES if _is_on(name, variables))


def _matrix(variables: Mapping[str, str], started: Path, name: str, overrides: Mapping[str, str]) -> OfMatrix:
    shard = variables.get("shard", "1/1")
    found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", shard)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ConfigError(f"command line: shard={visible(shard)}: expected which of how many, as 1/3, 2/3 or 3/3")
    file = started / variables["matrix"] if "matrix" in variables else config.MATRIX
    costs = started / variables["costs"] if "costs" in variables else None
    cluster = variables.get("on", "")
    if "on" in variables and not re.fullmatch(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}", cluster):
        raise ConfigError(f"command line: on={visible(cluster)}: expected a Dask scheduler's address, as tcp://HOST:PORT")
    return OfMatrix(file, int(found[1]), int(found[2]), costs, name, overrides, cluster, variables)


def _is_on(name: str, variables: Mapping[str, str]) -> bool:
    value = variables.get(name, "0")
    if value not in ("0", "1"):
        raise ConfigError(f"command line: {name}={value}: expected 1 or 0")
    return value == "1"


def _number(name: str, value: str) -> int:
    least = 0 if name == "seed" else 1
    if value.isdecimal() and value.isascii() and least <= int(value) < 2**32:
        return int(value)
    raise ConfigError(f"command line: {name}={value}: expected a whole number from {least} to {2**32 - 1}")


def _levels(text: str) -> tuple[int, ...]:
    if text and not re.fullmatch("[0-3](,[0-3])*", text):
        raise ConfigError(f"command line: levels={visible(text)}: expected some of 0, 1, 2, 3, as 0,2, or none")
    return tuple(sorted({int(level) for level in text.split(",") if level}))


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    words = [*filter(None, [*_VARIABLES, config.nearest_key(name)])]
    candidate = next(iter(get_close_matches(name, words, n=1)), None)
    there_are = f"; there are {', '.join(_VARIABLES)}, and the keys of a config"
    return f"; did you mean `{candidate}`?" if candidate else there_are
