"""The cache as a build sees it: the store; one beside the crate, where the store cannot be written; and what is shared.

An error of the cache never fails a build that could do without: it is one line of warning.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from pipeline.errors import UserError
from pipeline.locks import Lock
from pipeline.store import Entry, Store, tree_size

T = TypeVar("T")


class Cache:
    """What is known of keys and trees; the first store is the cache itself, another is there for when it cannot be written."""

    def __init__(self, *stores: Store) -> None:
        self._stores = stores
        self._has_warned = False

    @property
    def store(self) -> Store:
        """The cache's own store."""
        return self._stores[0]

    def hold(self) -> None:
        """Keep what is there from being taken away until this run ends."""
        self.store.in_use.take(shared=True, waiting="waiting for another ./doit that tidies the cache")

    def turn(self, key: str) -> Lock:
        """The lock of whoever makes what belongs to the key."""
        return self.store.turn(key)

    def tree(self, digest: str) -> Path:
        """Where the tree of this digest lies, if it is there."""
        return self._home(lambda store: store.has(digest)).tree(digest)

    def has(self, digest: str) -> bool:
        """True where the tree is there (`intact` reads it, too)."""
        return any(store.has(digest) for store in self._stores)

    def intact(self, digest: str) -> bool:
        """True where the tree is there and its bytes are those it is named for.  A damaged tree is removed."""
        return any(store.intact(digest) for store in self._stores)

    def size(self, digest: str) -> int:
        """The bytes of all files in a tree that is there."""
        return tree_size(self.tree(digest))

    def knows(self, key: str) -> bool:
        """True where something is stored under the key (`find` reads it, too)."""
        entry = self._entry(key)
        return entry is not None and self.has(entry.tree)

    def find(self, key: str) -> Entry | None:
        """What is stored under the key, if it is there and intact."""
        entry = self._entry(key)
        return entry if entry and self.intact(entry.tree) else None

    def log(self, key: str) -> bytes:
        """What the tools said when they made what the key means."""
        return self._home(lambda store: store.entry(key) is not None).log(key)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder of one's own, gone when the block is left."""
        with ExitStack() as stack:
            yield self._first(lambda store: stack.enter_context(store.scratch()))

    def publish(self, key: str, made: Path, log: Path, seconds: float) -> Entry:
        """Take the folder `made` in as the tree of `key`, and its log with it."""
        size, said = tree_size(made), log.read_bytes()
        entry = Entry(key, self._first(lambda store: _put(store, made)), size, round(seconds, 3))
        self._first(lambda store: store.record(entry, said))
        return entry

    def _entry(self, key: str) -> Entry | None:
        return next(filter(None, (store.entry(key) for store in self._stores)), None)

    def _home(self, is_there: Callable[[Store], bool]) -> Store:
        return next(filter(is_there, self._stores), self.store)

    def _first(self, write: Callable[[Store], T]) -> T:
        """What comes of writing into the first store that can be written.

        Raises: UserError where none can.
        """
        *others, last = self._stores
        for store in others:
            try:
                return write(store)
            except OSError as error:
                self._warn(f"the cache {store.root} cannot be written ({error.strerror}): {last.root} is used")
        try:
            return write(last)
        except OSError as error:
            what = f"error: {error.filename or last.root} cannot be written: {error.strerror}"
            raise UserError(f"{what}\n  = help: make room, or have CRATEGRAD_CACHE name another folder") from error

    def _warn(self, what: str) -> None:
        if not self._has_warned:
            print(f"warning: {what}", file=sys.stderr, flush=True)
        self._has_warned = True


def _put(store: Store, made: Path) -> str:
    """Take a folder in, from another store's scratch, too."""
    if made.is_relative_to(store.root):
        return store.put(made)
    with store.scratch() as scratch:
        return store.put(shutil.copytree(made, scratch / made.name))
