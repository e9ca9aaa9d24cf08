"""`./doit cache stats|gc|verify|pin|unpin|push|pull`: the cache, looked after by hand."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from pipeline import eviction, request
from pipeline.build import Build
from pipeline.errors import CommandLineError, UserError
from pipeline.eviction import Pin
from pipeline.store import Store

if TYPE_CHECKING:
    from pipeline.remote import Remote


def run(words: list[str], store: Store, plan: Callable[[], Build]) -> None:
    """Do what the words say; `plan` gives the build of the crate and the config that are asked for.

    Raises: UserError where there is no such word, or where what it does fails.
    """
    word, *others = words or ["stats"]
    if not others and word in _OF_ALL:
        _OF_ALL[word](store)
    elif not others and word in _OF_A_BUILD:
        _OF_A_BUILD[word](store, plan())
    else:
        there_are = ", ".join((*_OF_ALL, *_OF_A_BUILD))
        raise CommandLineError(
            f"error: ./doit cache {' '.join(words)}: there is no such command\n  = help: there are {there_are}"
        )


def size(number: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.1f} GB"


def _stats(store: Store) -> None:
    there, limit = eviction.stock(store), request.cache_limit()
    print(f"{store.root}: {size(there.bytes)} of {size(limit)} in {len(there.sizes)} outputs under {len(there.entries)} keys")
    if there.entries:
        days = (time.time() - store.last_used(there.entries[-1].key)) / 86400
        print(f"   used longest ago: {days:.1f} days")
    for pin in eviction.pins(store):
        print(f"   pinned: {pin.crate}, config {pin.config}: {len(pin.keys)} stages")


def _gc(store: Store) -> None:
    tidied = eviction.tidy(store, request.cache_limit(), patient=True)
    if tidied is None:
        why = "its file system knows no locks, or nobody may write there"
        raise UserError(f"error: {store.root} is left as it is: {why}\n  = help: `rm -rf` it while nothing is built")
    print(f"{tidied.trees} outputs and {tidied.keys} keys removed, {size(tidied.bytes)}; {size(tidied.left)} stay")
    if tidied.scraps:
        print(f"   and what {tidied.scraps} interrupted runs had left")


def _verify(store: Store) -> None:
    """Read every byte."""
    store.in_use.take(shared=True, waiting="waiting for another ./doit that tidies the cache")
    keys, trees = store.all_keys(), store.all_trees()
    damaged = [f"the entry {key[:16]}" for key in keys if store.entry(key) is None]
    damaged += [f"the output {digest[:16]}" for digest in trees if not store.intact(digest)]
    if damaged:
        what = "error: damaged, and removed: the next build makes it again"
        raise UserError("\n  ".join([what, *damaged]))
    print(f"{len(trees)} outputs under {len(keys)} keys, {size(eviction.stock(store).bytes)}: every byte is as it was written")


def _pin(store: Store, build: Build) -> None:
    made = {name: build.made(name) for name in build.steps}
    missing = [name for name, each in made.items() if each is None]
    if missing:
        how = "`./doit build` first, with the same crate and config"
        raise UserError(f"error: {', '.join(missing)}: not made yet\n  = help: {how}")
    keys = frozenset(each.key for each in made.values() if each)
    eviction.pin(store, _name(build), Pin(str(build.crate.folder), build.folder.name, keys))
    print(f"{len(keys)} stages are kept whatever the limit, until `./doit cache unpin`")


def _unpin(store: Store, build: Build) -> None:
    if not eviction.unpin(store, _name(build)):
        raise UserError("error: nothing was pinned for this crate and config")
    print("unpinned")


def _name(build: Build) -> str:
    return hashlib.sha256(os.fsencode(build.product)).hexdigest()[:16]


def _push(store: Store) -> None:
    """Let others have all that is here."""
    from concurrent.futures import ThreadPoolExecutor

    remote = _remote()
    if remote.read_only:
        raise UserError("error: CRATEGRAD_REMOTE_READONLY is set: nothing is sent")
    store.in_use.take(shared=True, waiting="waiting for another ./doit that tidies the cache")
    entries = eviction.stock(store).entries
    with ThreadPoolExecutor(_TRANSFERS) as pool:
        sent = sum(pool.map(lambda entry: store.intact(entry.tree) and remote.send(entry, store), entries))
    if remote.is_out_of_use:
        raise UserError(f"error: {sent} of {len(entries)} entries were sent, then nothing more")
    print(f"{sent} of {len(entries)} entries were sent; the others are there already")


def _pull(_store: Store, build: Build) -> None:
    """Take what others have of this build."""
    _remote()
    lacking = {name for name in build.steps if not build.is_fresh(name)}  # before any of it is on its way
    build.look_ahead(build.steps)
    taken = [name for name in build.steps if (name in lacking or not build.is_fresh(name)) and build.take(name)]
    missing = [name for name in build.steps if not build.is_fresh(name)]
    print(f"{len(taken)} stages were fetched" + (f"; to be made here: {', '.join(missing)}" if missing else ""))


def _remote() -> Remote:
    from pipeline import remote

    there = remote.of_this_run()
    if there is None:
        raise UserError("error: there is no remote cache\n  = help: have CRATEGRAD_REMOTE name one (docs/cache.md)")
    return there


_TRANSFERS = 4
_OF_ALL = {"stats": _stats, "gc": _gc, "verify": _verify, "push": _push}
_OF_A_BUILD = {"pin": _pin, "unpin": _unpin, "pull": _pull}
