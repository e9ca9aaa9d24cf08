"""The key under which a stage's output is found: everything that the output may depend on, and nothing else.

A wrong key hands a user somebody else's derivative.  So nothing is listed by hand: the key is made of *all* fields of
the stage's frozen value, of the source of the code of each value in it, and of the digests of its inputs.  A field that only
says where something lies must be declared with `location()`, or it is part of the key.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.digests import Digests, file_digest, source_files
from pipeline.toolchain import Tool

_ROOT = Path(__file__).parent.parent

_PACKAGE = re.compile(r"^[ \t]*(?:from|import) (\w+)", re.MULTILINE)
_IMPORTED = re.compile(r"^\s*from (pipeline[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)

FORMAT = 1
"""Changes when the meaning of a key or of a stored output does: old entries are then never looked at."""


def location() -> Any:
    """A field that says where a thing lies and has no say in what comes out."""
    return dataclasses.field(metadata={"location": True})


def stage_key(stage: Any, inputs: Mapping[str, str], digests: Digests) -> str:
    """SHA-256 of the stage's value, its code and the digests of its inputs (role -> digest of the tree)."""
    return hashlib.sha256(describe(stage, inputs, digests).encode()).hexdigest()


def describe(stage: Any, inputs: Mapping[str, str], digests: Digests) -> str:
    """The text whose SHA-256 is the key: canonical JSON, so that no two different things read alike."""
    return json.dumps(
        {
            "format": FORMAT,
            "stage": _plain(stage, digests),
            "inputs": dict(inputs),
        },
        sort_keys=True,
        ensure_ascii=True,
    )


def _plain(value: Any, digests: Digests) -> Any:
    if isinstance(value, Tool):
        return {"tool": dict(digests.tool(value.path))}
    if dataclasses.is_dataclass(value):
        fields = [f for f in dataclasses.fields(value) if not f.metadata.get("location")]
        written_in = type(value).__module__
        named = {"type": type(value).__name__, "code": code(written_in, digests), "packages": packages(written_in, digests)}
        return named | {f.name: _plain(getattr(value, f.name), digests) for f in fields}
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError(f"names in a key are text: {value!r}")
        return {"mapping": {name: _plain(item, digests) for name, item in value.items()}}
    if isinstance(value, tuple):
        return [_plain(item, digests) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} has no place in a key: {value!r}")


def code(module: str, digests: Digests) -> Mapping[str, str]:
    """SHA-256 of the source of `module` and of every module of the pipeline that it imports, however indirectly, by name."""
    return digests.once("code", module, lambda: {name: one.digest for name, one in _reached(module, digests).items()})


def packages(module: str, digests: Digests) -> Mapping[str, Any]:
    """The version of each Python package of others' that this code imports, by name."""

    def look() -> Mapping[str, Any]:
        others = sorted({name for one in _reached(module, digests).values() for name in one.packages})
        return {"mapping": {name: _version(name, digests) for name in others}}

    return digests.once("packages", module, look)


class _Source(NamedTuple):
    """Of a module its digest, the modules of the pipeline that it imports itself, and the packages of others'."""

    digest: str
    imports: Sequence[str] = ()
    packages: Sequence[str] = ()


def _reached(module: str, digests: Digests) -> Mapping[str, _Source]:
    sources = digests.once("sources", _ROOT, lambda: _sources(digests))
    found: dict[str, _Source] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = sources.get(name) or _Source(hashlib.sha256().hexdigest())
            waiting += found[name].imports
    return found


def _sources(digests: Digests) -> Mapping[str, _Source]:
    """All modules of the pipeline by name."""
    named = ((path.relative_to(_ROOT).with_suffix("").parts, path) for path in map(Path, _files()))
    files = {".".join(parts).removesuffix(".__init__"): path for parts, path in named}
    read = digests.remember("sources", _ROOT, files.values(), lambda: {name: _read(files[name], files) for name in files})
    return {name: _Source(*source) for name, source in read.items()}


def _files() -> list[str]:
    return [path for path in source_files(_ROOT / "pipeline", ("__pycache__",)) if path.endswith(".py")]


def _read(file: Path, modules: Container[str]) -> _Source:
    """The source of a module, wherever in it what it imports is imported (heavy ones inside functions)."""
    text = file.read_text()
    imported = set()
    for package, names in _IMPORTED.findall(text):
        imported |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    others = set(_PACKAGE.findall(text)) - sys.stdlib_module_names - {"pipeline"}
    return _Source(file_digest(file), sorted(name for name in imported if name in modules), sorted(others))


def _version(package: str, digests: Digests) -> str:
    """What is installed of a package; it is looked for again where a folder that packages are in has changed."""
    folders = [Path(folder) for folder in sys.path if Path(folder).is_dir()]
    return digests.remember("version", package, folders, lambda: _ask_version(package))  # type: ignore[no-any-return]


def _ask_version(package: str) -> str:
    """A few packages are not called as what is installed for them: `yaml` is of PyYAML, which takes longer to find out."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        distributions = importlib.metadata.packages_distributions()[package]
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(set(distributions)))
