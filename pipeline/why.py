"""Why a stage's output is not what it would be now: what its key was made of, held against what it would be made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.yaml_source import quoted, visible

Parts = Mapping[str, Mapping[str, str]]
"""What a key is made of: `inputs` by role; of the stage, and of the values in it, `kinds`, `settings`, `tools` and `code`."""

SOURCES = "sources"
"""The setting of build_std, and of crate_bitcode, that is the digest of what they read."""

_MOST = 3
_DIGITS = 16


def parts(description: str) -> Parts:
    """The parts of a key, from the text whose digest it is (`key.describe`)."""
    described = json.loads(description)
    found: dict[str, dict[str, str]] = {"inputs": described["inputs"], "kinds": {}, "settings": {}, "tools": {}, "code": {}}
    _take_apart("", described["stage"], found)
    return {kind: {name: _short(value) for name, value in of_kind.items()} for kind, of_kind in found.items()}


def changed(kind: str, was: Parts, now: Parts) -> list[str]:
    """The names of the parts of a kind that are others than they were, or new, or gone."""
    before, after = was.get(kind, {}), now.get(kind, {})
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def told(was: Parts, now: Parts) -> list[str]:
    """What became other of settings, tools and code, in words; sources and inputs are told by who knows them.

    What is in a value of another kind is other with it, and so is the code.
    """
    kinds = changed("kinds", was, now)
    within = tuple(f"{kind}." for kind in kinds if kind)
    names = {kind: [name for name in changed(kind, was, now) if not name.startswith(within)] for kind in ("settings", "tools")}
    words = [_other("kinds", name, was, now) for name in kinds]
    if "" in kinds:
        return words
    words += [_other("settings", name, was, now) for name in names["settings"] if name != SOURCES]
    words += [f"{quoted(tool)} is another" for tool in names["tools"]]
    code = [] if kinds else [name.replace(".", "/") for name in changed("code", was, now)]
    return words + ([f"the pipeline itself was edited: {first_of(code)}"] if code else [])


def first_of(names: Sequence[str]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(visible(name) for name in names[:_MOST]) + more


def _take_apart(name: str, value: Any, found: dict[str, dict[str, str]]) -> None:
    """Sort what a stage's value holds, fields of inner values by their path."""
    if isinstance(value, list):
        value = {"mapping": {str(number): item for number, item in enumerate(value)}}
    if not isinstance(value, dict):
        found["settings"][name] = json.dumps(value)
    elif "tool" in value:
        found["tools"][name] = value["tool"]
    else:
        inner = value.get("mapping", value)
        if inner is value:
            found["code"] |= value["code"]
            found["kinds"][name] = value["type"]
            inner = {field: each for field, each in value.items() if field not in ("code", "type")}
        for field, each in inner.items():
            _take_apart(f"{name}.{field}".lstrip("."), each, found)


def _short(value: str) -> str:
    """Enough of a digest to tell it from another."""
    is_digest = len(value.strip('"')) == 64 and value.strip('"').isalnum()
    return value.strip('"')[:_DIGITS] if is_digest else value


def _other(kind: str, name: str, was: Parts, now: Parts) -> str:
    before, after = (parts.get(kind, {}).get(name) for parts in (was, now))
    called = quoted(name or "stage")
    if before is None or after is None:
        return f"{called} is {'new' if before is None else 'gone'}"
    return f"{called} was {visible(before, 40)}, is {visible(after, 40)}"
