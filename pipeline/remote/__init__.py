"""A cache that machines share: a folder, or any server of Bazel's HTTP cache protocol.

    ac/<key>        what the key means: Bazel's ActionResult, which names the pack, and in its stdout the record that we read
    cas/<sha256>    the pack: the files of a tree and what the tools said, as a zip; its name is the digest of its bytes

Nothing that comes from there is believed.  The record must be of this very key, the pack must have the bytes that it is named
for, its files must be those that the tree is named for; where there is a secret, the record must be signed with it.
And nothing that goes wrong there fails a build: it is one line of warning, and before long nobody asks there again.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, MutableMapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from pipeline.digests import file_digest
from pipeline.remote import pack
from pipeline.remote.action_result import ActionResult
from pipeline.remote.transfers import Transfers
from pipeline.remote.transport import RemoteError, Transport
from pipeline.store import Entry, Store, is_digest, tree_digest
from pipeline.yaml_source import ConfigError, visible

T = TypeVar("T")

_PATIENCE = 3
_MOST_RECORD = 1 << 20
_MOST_PACK = 2 << 30
_TRUE = ("1", "true", "yes")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a key means, as it is told to others; `signature` is empty where there is no secret."""

    key: str
    tree: str
    bytes: int
    seconds: float
    pack: str
    size: int
    signature: str = ""


@dataclass(frozen=True)
class Coming:
    """What is on its way here: the digest that its tree is said to have, and what waits for it."""

    tree: str
    entry: Callable[[], Entry | None]
    """None where it cannot be had or trusted after all."""


class Remote:
    """The shared cache behind a transport."""

    def __init__(self, transport: Transport, *, read_only: bool = False, secret: str = "") -> None:
        self.read_only = read_only
        self._transport = transport
        self._secret = secret.encode()
        self._patience = _PATIENCE
        self._turn = threading.Lock()
        self._uploads, self._downloads = Transfers(), Transfers()

    def fetch(self, key: str, store: Store) -> Entry | None:
        """What the key means there, brought into the store; None where it means nothing, or cannot be had or trusted."""
        record = self._tried(lambda: self._record(key, store))
        return self._tried(lambda: self._bring(record, store)) if record else None

    def fetch_meanwhile(self, key: str, store: Store) -> Coming | None:
        """The same, while the caller goes on; that it means nothing there is known at once."""
        record = self._tried(lambda: self._record(key, store))
        if record is None:
            return None
        arrival: Future[Entry | None] = Future()
        self._downloads.add(lambda: _settle(arrival, lambda: self._tried(lambda: self._bring(record, store))))
        return Coming(record.tree, arrival.result)

    def send(self, entry: Entry, store: Store) -> bool:
        """Let others have an entry of the store; False where they have it, or cannot be given it."""
        return not self.read_only and bool(self._tried(lambda: self._send(entry, store)))

    def send_meanwhile(self, entry: Entry, store: Store) -> None:
        """The same, while the caller goes on; until `finish` the entry's tree has to stay where it is."""
        self._uploads.add(lambda: self.send(entry, store))

    def finish(self) -> None:
        """Wait for what is on its way, unless nobody asks there any more."""
        self._uploads.finish(lambda: not self.is_out_of_use)

    def give_up(self) -> None:
        """Ask there no more in this run."""
        self._patience = 0

    @property
    def is_out_of_use(self) -> bool:
        """True where so much went wrong that nobody asks there again."""
        return self._patience <= 0

    def _tried(self, call: Callable[[], T]) -> T | None:
        """What a call gives; None where nobody asks there any more, or something goes wrong."""
        try:
            return call() if self._patience > 0 else None
        except (RemoteError, OSError) as error:
            self._complain(error)
            return None

    def _record(self, key: str, store: Store) -> Record | None:
        with store.scratch() as scratch:
            answer = scratch / "answer"
            if not self._transport.get(f"ac/{key}", answer, _MOST_RECORD):
                return None
            return self._believed(key, answer.read_bytes())

    def _bring(self, record: Record, store: Store) -> Entry | None:
        with store.scratch() as scratch:
            blob, out = scratch / "pack", scratch / "out"
            if record.size > _MOST_PACK or record.size + record.bytes > shutil.disk_usage(scratch).free:
                raise RemoteError(f"there is no room for the {record.bytes} bytes of {record.key[:16]}")
            if not self._transport.get(f"cas/{record.pack}", blob, record.size):
                return None
            if blob.stat().st_size != record.size or file_digest(blob) != record.pack:
                raise RemoteError(f"{record.pack[:16]} has other bytes than its name says")
            out.mkdir()
            log = pack.unpack(blob, out, record.bytes)
            if tree_digest(out) != record.tree:
                raise RemoteError(f"{record.pack[:16]} does not hold what was asked for")
            entry = Entry(record.key, store.put(out), record.bytes, record.seconds)
            store.record(entry, log)
            return entry

    def _believed(self, key: str, answer: bytes) -> Record | None:
        """The record in an answer; None where it is signed by nobody whom we know.

        Raises: RemoteError where it is none, or of another key.
        """
        try:
            record = msgspec.json.decode(ActionResult.decode(answer).stdout, type=Record)
        except (ValueError, RecursionError) as error:
            raise RemoteError(f"the record of {key[:16]} cannot be read") from error
        sizes_are_sizes = record.size >= 0 and record.bytes >= 0 and 0 <= record.seconds < float("inf")
        if record.key != key or not (is_digest(record.tree) and is_digest(record.pack) and sizes_are_sizes):
            raise RemoteError(f"the record of {key[:16]} is of something else")
        is_signed = hmac.compare_digest(record.signature.encode(), self._signature(record).encode())
        return record if is_signed or not self._secret else None

    def _send(self, entry: Entry, store: Store) -> bool:
        if self._transport.has(f"ac/{entry.key}"):
            return False
        with store.scratch() as scratch:
            blob, answer = scratch / "pack", scratch / "answer"
            pack.pack(store.tree(entry.tree), store.log(entry.key), blob)
            name, size = file_digest(blob), blob.stat().st_size
            if size > _MOST_PACK:
                return False
            record = Record(entry.key, entry.tree, entry.bytes, entry.seconds, name, size)
            record = msgspec.structs.replace(record, signature=self._signature(record))
            answer.write_bytes(ActionResult(pack.NAME, name, size, msgspec.json.encode(record)).encode())
            # The record comes last: whoever reads it finds what it names.
            if not self._transport.has(f"cas/{name}"):
                self._transport.put(f"cas/{name}", blob)
            self._transport.put(f"ac/{entry.key}", answer)
        return True

    def _signature(self, record: Record) -> str:
        if not self._secret:
            return ""
        signed = json.dumps(msgspec.to_builtins(msgspec.structs.replace(record, signature="")), sort_keys=True)
        return hmac.new(self._secret, signed.encode(), hashlib.sha256).hexdigest()

    def _complain(self, error: RemoteError | OSError) -> None:
        is_final = isinstance(error, RemoteError) and error.is_final
        with self._turn:
            is_first, self._patience = self._patience == _PATIENCE, self._patience - (_PATIENCE if is_final else 1)
        if is_first:
            what = f"warning: the remote cache {self._transport.name}: {error}: the build goes on without it"
            print(what, file=sys.stderr, flush=True)


def _settle(future: Future[T], call: Callable[[], T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
        raise


def take_from(environment: MutableMapping[str, str]) -> Remote | None:
    """The remote cache that an environment speaks of; what is secret is taken out of it, so that no tool sees it.

    With `CRATEGRAD_OFFLINE` there is none but a folder.

    Raises: ConfigError for an address that is none.
    """
    user, token, secret = (environment.pop(f"CRATEGRAD_REMOTE_{name}", "") for name in ("AUTH", "TOKEN", "SECRET"))
    address = environment.get("CRATEGRAD_REMOTE", "")
    read_only = environment.get("CRATEGRAD_REMOTE_READONLY", "").lower() in _TRUE
    is_offline = environment.get("CRATEGRAD_OFFLINE", "") not in ("", "0") and not address.startswith("file:")
    if not address or is_offline:
        return None
    return Remote(_transport(address, user, token, environment), read_only=read_only, secret=secret)


def _transport(address: str, user: str, token: str, environment: MutableMapping[str, str]) -> Transport:
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(address if address.isprintable() else "")
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.username or parts.password:  # the address is printed
        what = "CRATEGRAD_REMOTE: a password in an address is seen by all"
        raise ConfigError(what, "put user:password into CRATEGRAD_REMOTE_AUTH")
    if parts.scheme == "file" and not host and parts.path.startswith("/"):
        from pipeline.remote.folder import Folder

        return Folder(Path(unquote(parts.path)))
    if parts.scheme in ("http", "https") and host and not (parts.query or parts.fragment):
        from pipeline.remote.http import Http

        return Http(address.rstrip("/"), user, token, environment.get("CRATEGRAD_REMOTE_CA", ""))
    advice = "file:///a/folder, or the http:// or https:// address of a server"
    who, _, where = address.rpartition("@")
    raise ConfigError(f"CRATEGRAD_REMOTE={'…@' if who else ''}{visible(where)}: no address of a cache", advice)


@functools.cache
def of_this_run() -> Remote | None:
    """The remote cache of the environment of this process."""
    return take_from(os.environ)
