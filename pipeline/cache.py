"""The cache as a build sees it: the store, one beside the crate for when that fails, and what machines share.

An error of the cache never fails a build that could do without: it is one line of warning.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.locks import Lock
from pipeline.store import Entry, Store, tree_size

if TYPE_CHECKING:
    from pipeline.remote import Coming, Remote

_FULL = 1 << 20


class Cache:
    """What is known of keys and trees, in the store and, where an earlier run had to do without it, in the `spare` one."""

    def __init__(self, store: Store, spare: Store, remote: Remote | None = None) -> None:
        self.store = store
        self.remote = remote
        self.fetched: set[str] = set()
        self._coming: dict[str, Coming | None] = {}
        self._spare = spare

    @property
    def _stores(self) -> tuple[Store, ...]:
        return (self._spare,) if self.store is self._spare else (self.store, self._spare)

    def do_without(self, error: OSError) -> bool:
        """Have the spare store do for the rest of the run, after this error of the store's; False where it does already."""
        if self.store is self._spare:
            return False
        what = f"{error.strerror or error}: {error.filename or self.store.root}"
        print(f"warning: the cache cannot be used ({what}): {self._spare.root} takes its place", file=sys.stderr, flush=True)
        self.store.in_use.release()
        self.store = self._spare
        self._coming.clear()
        return True

    def refuse_full(self) -> None:
        """Raises: OSError where the disk of the store is full."""
        if shutil.disk_usage(self.store.root).free < _FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.store.root))

    def hold(self) -> None:
        """Keep what is there from being taken away until this run ends."""
        self.store.in_use.take(shared=True, waiting="waiting for another ./doit that tidies the cache")

    def release(self) -> None:
        """Let others tidy the cache: this run needs nothing more of it."""
        self.store.in_use.release()

    def finish_sending(self) -> None:
        """Wait until what was made here is where others have it, or cannot be brought there."""
        if self.remote:
            self.remote.finish()

    def note_use(self, key: str) -> None:
        """Have the key count as used now."""
        self.store.note_use(key)

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

    def vouch(self, digest: str) -> None:
        """See to it that what was read of a tree until now was read of a whole one.

        Raises: OSError where that cannot be said.
        """
        if not self.intact(digest):
            raise OSError(errno.EIO, "damaged, or taken away, while it was used", str(self.tree(digest)))

    def size(self, digest: str) -> int:
        """The bytes of all files in a tree that is there."""
        return tree_size(self.tree(digest))

    def knows(self, key: str) -> bool:
        """True where something is stored under the key (`find` reads it, too)."""
        return any(store.knows(key) for store in self._stores)

    def entry(self, key: str) -> Entry | None:
        """What is stored under the key here, if its tree is there; unlike by `find` nothing is read, nobody else is asked."""
        return next((store.entry(key) for store in self._stores if store.knows(key)), None)

    def find(self, key: str) -> Entry | None:
        """What is stored under the key, if it is there and intact; what others have is brought into the store."""
        was_asked, coming = key in self._coming, self._coming.pop(key, None)
        if coming and coming.entry():  # then it is in the store
            self.fetched.add(key)
        entry = next(filter(None, (store.find(key) for store in self._stores)), None)
        if entry is None and self.remote and not was_asked:
            entry = self.remote.fetch(key, self.store)
            self.fetched |= {key} if entry else set()
        return entry

    def find_meanwhile(self, key: str) -> str | None:
        """The tree of what `find` will find, as far as that can be known; what others have is on its way from now on."""
        if entry := self.entry(key):
            return entry.tree
        if self.remote and key not in self._coming:
            self.hold()
            self._coming[key] = self.remote.fetch_meanwhile(key, self.store)
        coming = self._coming.get(key)
        return coming.tree if coming else None

    def log(self, key: str) -> bytes:
        """What the tools said when they made what the key means."""
        return self._home(lambda store: store.entry(key) is not None).log(key)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder of one's own, gone when the block is left; nobody tidies the cache until this run ends."""
        self.hold()
        with self.store.scratch() as folder:
            yield folder

    def publish(self, key: str, made: Path, log: Path, seconds: float) -> Entry:
        """Take the folder `made` (in scratch) in as the tree of `key`, and its log with it; while others are sent it, go on."""
        entry = self.store.publish(key, made, log, seconds)
        if self.remote:
            self.remote.send_meanwhile(entry, self.store)
        return entry

    def _home(self, is_there: Callable[[Store], bool]) -> Store:
        return next(filter(is_there, self._stores), self.store)
