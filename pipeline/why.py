"""Why a stage's output is not what it would be now: what its key was made of, held against what it would be made of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.yaml_source import quoted, visible

Parts = Mapping[str, Mapping[str, str]]
"""What a key is made of: `inputs` by role; of the stage, and of the values in it, `kinds`, `settings`, `tools` and `code`.

crate_bitcode has `files`, too: those that its sources are.  They are no part of the key, whose `sources` say the same at once.
"""

SOURCES = "sources"
"""The setting of build_std, and of crate_bitcode, that is the digest of what they read."""

_MOST = 3
_DIGITS = 16


@dataclass(frozen=True)
class Change:
    """A part of a key that is another than it was; what is new was nothing, and what is gone is nothing."""

    kind: str
    name: str
    was: str | None
    now: str | None


def parts(description: str) -> Parts:
    """The parts of a key, from the text whose digest it is (`key.describe`)."""
    described = json.loads(description)
    found: dict[str, dict[str, str]] = {"kinds": {}, "settings": {}, "tools": {}, "code": {}}
    _take_apart("", described["stage"], found)
    shortened = {kind: {name: short(value) for name, value in of_kind.items()} for kind, of_kind in found.items()}
    return {"inputs": described["inputs"], **shortened}  # whole: what they name is looked at again


def changed(kind: str, was: Parts, now: Parts) -> list[str]:
    """The names of the parts of a kind that are others than they were, or new, or gone."""
    before, after = was.get(kind, {}), now.get(kind, {})
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def changes(was: Parts, now: Parts) -> list[Change]:
    """What became other, new or gone.  What is in a value of another kind is other with it, and so is the code."""
    kinds = changed("kinds", was, now)
    found: list[Change] = []
    for kind in ("kinds", "settings", "tools"):
        found += _changes(kind, [name for name in changed(kind, was, now) if not _is_within(name, kinds)], was, now)
    for kind in ("files", "code", "inputs"):
        found += _changes(kind, [] if kinds and kind == "code" else changed(kind, was, now), was, now)
    return found


def told(found: Sequence[Change]) -> list[str]:
    """What became other of settings, tools and code, in words; sources and inputs are told by who knows them."""
    words = [said(each) for each in found if each.kind == "kinds" or (each.kind == "settings" and each.name != SOURCES)]
    words += [f"{quoted(each.name)} is another" for each in found if each.kind == "tools"]
    code = [each.name.replace(".", "/") for each in found if each.kind == "code"]
    return words + ([f"the pipeline itself was edited: {first_of(code)}"] if code else [])


def said(change: Change) -> str:
    """What became other, in words: from what to what."""
    name = quoted(change.name or "stage")
    if change.was is None or change.now is None:
        return f"{name} is {'new' if change.was is None else 'gone'}"
    return f"{name} was {visible(change.was, 40)}, is {visible(change.now, 40)}"


def first_of(names: Sequence[str]) -> str:
    """The first few of many names."""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(visible(name) for name in names[:_MOST]) + more


def _changes(kind: str, names: Sequence[str], was: Parts, now: Parts) -> Iterator[Change]:
    yield from (Change(kind, name, was.get(kind, {}).get(name), now.get(kind, {}).get(name)) for name in names)


def _is_within(name: str, values: Sequence[str]) -> bool:
    """True for what is in one of these values of the stage; the stage itself has no name."""
    return any(name.startswith(f"{value}." if value else "") and name != value for value in values)


def _take_apart(name: str, value: Any, found: dict[str, dict[str, str]]) -> None:
    """Sort what a stage's value holds, fields of inner values by their path."""
    if isinstance(value, list):
        value = {"mapping": {str(number): item for number, item in enumerate(value)}}
    if not isinstance(value, dict):
        found["settings"][name] = json.dumps(value)
    elif "tool" in value:
        found["tools"] |= {f"{name} ({library})" if library else name: digest for library, digest in value["tool"].items()}
    else:
        inner = value.get("mapping", value)
        if inner is value:
            found["code"] |= value["code"]
            found["kinds"][name] = value["type"]
            inner = {field: each for field, each in value.items() if field not in ("code", "type")}
        for field, each in inner.items():
            _take_apart(f"{name}.{field}".lstrip("."), each, found)


def short(value: str) -> str:
    """Enough of a digest to tell it from another."""
    is_digest = len(value.strip('"')) == 64 and value.strip('"').isalnum()
    return value.strip('"')[:_DIGITS] if is_digest else value
