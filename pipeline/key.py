"""The key under which a stage's output is found: everything that the output may depend on, and nothing else.

A wrong key hands a user somebody else's derivative.  So nothing is listed by hand: the key is made of *all* fields of
the stage's frozen value, of the source of the code of each value in it, and of the digests of its inputs.  A field that only
says where something lies must be declared with `location()`, or it is part of the key.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import re
import sys
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from pipeline.digests import Digests
from pipeline.toolchain import Tool

_ROOT = Path(__file__).parent.parent

FORMAT = 1
"""Changes when the meaning of a key or of a stored output does: old entries are then never looked at."""


def location() -> Any:
    """A field that says where a thing lies and has no say in what comes out."""
    return dataclasses.field(metadata={"location": True})


def stage_key(stage: Any, inputs: Mapping[str, str], digests: Digests) -> str:
    """SHA-256 of the stage's value, its code and the digests of its inputs (role -> digest of the tree)."""
    return _text_digest(describe(stage, inputs, digests))


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


@functools.cache
def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any, digests: Digests) -> Any:
    if isinstance(value, Tool):
        return {"tool": dict(digests.tool(value.path))}
    if dataclasses.is_dataclass(value):
        fields = [f for f in dataclasses.fields(value) if not f.metadata.get("location")]
        sources = {name: _text_digest(text) for name, text in code(type(value).__module__).items()}
        named = {"type": type(value).__name__, "code": sources, "packages": packages(type(value).__module__)}
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


_PACKAGE = re.compile(r"^[ \t]*(?:from|import) (\w+)", re.MULTILINE)
_IMPORTED = re.compile(r"^\s*from (pipeline[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@functools.cache
def code(module: str) -> Mapping[str, str]:
    """The source of `module` and of every module of the pipeline that it imports, however indirectly, by name."""
    sources = {module: _source(module)}
    waiting = [module]
    while waiting:
        for name in _imports(waiting.pop()) - sources.keys():
            sources[name] = _source(name)
            waiting.append(name)
    return sources


@functools.cache
def packages(module: str) -> Mapping[str, Any]:
    """The version of each Python package of others' that this code imports, by name."""
    others = sorted(set().union(*map(_packages, code(module))))
    return {"mapping": {name: _version(name) for name in others}}


def _version(package: str) -> str:
    """A few packages are not called as what is installed for them: `yaml` is of PyYAML, which takes longer to find out."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        distributions = importlib.metadata.packages_distributions()[package]
        return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in sorted(set(distributions)))


@functools.cache
def _packages(module: str) -> Set[str]:
    """The packages of others' that a module itself imports."""
    return set(_PACKAGE.findall(_source(module))) - sys.stdlib_module_names - {"pipeline"}


@functools.cache
def _imports(module: str) -> Set[str]:
    """The modules of the pipeline that a module imports, wherever it does (heavy ones inside functions)."""
    found = set()
    for package, names in _IMPORTED.findall(_source(module)):
        found |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    return found & _files().keys()


@functools.cache
def _source(module: str) -> str:
    file = _files().get(module)
    return file.read_text() if file else ""


@functools.cache
def _files() -> Mapping[str, Path]:
    """All modules of the pipeline by name."""
    named = ((path.relative_to(_ROOT).with_suffix("").parts, path) for path in (_ROOT / "pipeline").rglob("*.py"))
    return {".".join(parts).removesuffix(".__init__"): path for parts, path in named}
