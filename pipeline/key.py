"""The key under which a stage's output is found: everything that the output may depend on, and nothing else.

A wrong key hands a user somebody else's derivative.  So nothing is listed by hand: the key is made of *all* fields of
the stage's frozen value, of the source of the code that runs it, and of the digests of its inputs.  A field that only
says where something lies must be declared with `location()`, or it is part of the key.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pipeline.digests import Digests, file_digest
from pipeline.toolchain import Tool

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
            "code": code_digest(type(stage).__module__),
            "inputs": dict(inputs),
        },
        sort_keys=True,
        ensure_ascii=True,
    )


def _plain(value: Any, digests: Digests) -> Any:
    if isinstance(value, Tool):
        return {"tool": digests.tool(value.path)}
    if dataclasses.is_dataclass(value):
        fields = [f for f in dataclasses.fields(value) if not f.metadata.get("location")]
        return {"type": type(value).__name__} | {f.name: _plain(getattr(value, f.name), digests) for f in fields}
    if isinstance(value, Mapping):
        return {"mapping": {str(k): _plain(v, digests) for k, v in value.items()}}
    if isinstance(value, tuple):
        return [_plain(item, digests) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} has no place in a key: {value!r}")


@functools.cache
def code_digest(module: str) -> str:
    """SHA-256 of the source of `module` and of every module of the pipeline that it uses, however indirectly."""
    used = {module}
    waiting = [module]
    while waiting:
        for name in _uses(sys.modules[waiting.pop()]) - used:
            used.add(name)
            waiting.append(name)
    sources = (f"{name} {file_digest(Path(sys.modules[name].__file__ or ''))}" for name in sorted(used))
    return hashlib.sha256("\n".join(sources).encode()).hexdigest()


def _uses(module: ModuleType) -> set[str]:
    mentioned = (v.__name__ if isinstance(v, ModuleType) else getattr(v, "__module__", None) for v in vars(module).values())
    return {name for name in mentioned if isinstance(name, str) and name.startswith("pipeline.") and name in sys.modules}
