"""What goes when the store is over its limit: what was used longest ago; what is pinned stays.

pins/<name>.json       the keys that a crate and a config are made of, as they were when they were pinned
room.json              how far below which limit the store was when all in it was looked at last
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pipeline.store import Entry, Store, tree_size, write_whole


class Pin(msgspec.Struct, frozen=True):
    """What is kept whatever the limit: which crate with which config, and the keys."""

    crate: str
    config: str
    keys: frozenset[str]


class Room(msgspec.Struct, frozen=True):
    """How many bytes were left below a limit."""

    limit: int
    left: int


@dataclass(frozen=True)
class Stock:
    """What a store holds: the entries whose tree is there, the last used first; the trees' sizes; the keys that are pinned."""

    entries: tuple[Entry, ...]
    sizes: dict[str, int]
    pinned: frozenset[str]

    @property
    def bytes(self) -> int:
        """The size of all trees."""
        return sum(self.sizes.values())


@dataclass(frozen=True)
class Tidied:
    """What was taken away: keys, trees, bytes, and what killed runs had left; and the bytes that stay."""

    keys: int
    trees: int
    bytes: int
    scraps: int
    left: int


def stock(store: Store) -> Stock:
    """What is there.  An entry that is damaged, or whose tree has gone, is taken away."""
    used: dict[Entry, float] = {}
    for key in store.all_keys():
        entry = store.entry(key)
        if entry and store.has(entry.tree):
            with suppress(FileNotFoundError):  # another process takes it away
                used[entry] = store.last_used(key)
        elif entry:
            store.forget(key)
    sizes = {entry.tree: entry.bytes for entry in used}
    sizes |= {digest: tree_size(store.tree(digest)) for digest in store.all_trees() if digest not in sizes}
    pinned = frozenset[str]().union(*(pin.keys for pin in pins(store)))
    return Stock(tuple(sorted(used, key=lambda entry: (-used[entry], entry.key))), sizes, pinned)


def keep_below(store: Store, limit: int) -> None:
    """`tidy`, where what was put into the store since all in it was looked at last may have filled it; else scratch alone."""
    if not _has_room(store, limit):
        tidy(store, limit)
    elif store.has_scratch() and store.in_use.take(patient=False):
        try:
            store.sweep()
        finally:
            store.in_use.release()


def tidy(store: Store, limit: int, *, patient: bool = False) -> Tidied | None:
    """Bring the store below `limit` bytes, and take away what belongs to nobody; None where another run may use the store.

    Whoever is `patient` waits for the other runs.
    """
    if not store.in_use.take(patient=patient, waiting="waiting for builds that use the cache"):
        return None
    try:
        there = stock(store)
        kept = _kept(there, limit)
        trees = {entry.tree for entry in kept}
        keys = {entry.key for entry in there.entries} - {entry.key for entry in kept}
        # Keys first: a run that is killed here leaves no key without its tree.
        for key in keys:
            store.forget(key)
        gone = there.sizes.keys() - trees
        for digest in gone:
            store.remove(store.tree(digest))
        left = sum(there.sizes[digest] for digest in trees)
        with suppress(OSError):  # what was added counts on, then
            write_whole(_room(store), msgspec.json.encode(Room(limit, limit - left)))
            store.forget_added()
        return Tidied(len(keys), len(gone), there.bytes - left, store.sweep(), left)
    finally:
        store.in_use.release()


def pin(store: Store, name: str, what: Pin) -> None:
    """Keep these keys, in place of those that were pinned by this name."""
    write_whole(store.root / "pins" / f"{name}.json", msgspec.json.encode(what))


def unpin(store: Store, name: str) -> bool:
    """Keep them no longer; False where nothing was pinned by this name."""
    path = store.root / "pins" / f"{name}.json"
    was_there = path.exists()
    path.unlink(missing_ok=True)
    return was_there


def pins(store: Store) -> list[Pin]:
    """All pins; one that cannot be read pins nothing."""
    found = []
    for path in sorted(store.root.glob("pins/*.json")):
        with suppress(OSError, msgspec.MsgspecError, UnicodeError):
            found.append(msgspec.json.decode(path.read_bytes(), type=Pin))
    return found


def _has_room(store: Store, limit: int) -> bool:
    added = store.added()
    try:
        room = msgspec.json.decode(_room(store).read_bytes(), type=Room)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return False
    return added is not None and room.limit == limit and added <= room.left


def _room(store: Store) -> Path:
    return store.root / "room.json"


def _kept(there: Stock, limit: int) -> list[Entry]:
    """The entries that stay: those that are pinned, and then the last used, as many as there is room for."""
    kept = [entry for entry in there.entries if entry.key in there.pinned]
    trees = {entry.tree for entry in kept}
    room = limit - sum(there.sizes[tree] for tree in trees)
    for entry in _others(there.entries, there.pinned):
        if entry.tree not in trees:
            room -= there.sizes[entry.tree]
            if room < 0:
                break
            trees.add(entry.tree)
        kept.append(entry)
    return kept


def _others(entries: Iterable[Entry], pinned: frozenset[str]) -> list[Entry]:
    return [entry for entry in entries if entry.key not in pinned]
