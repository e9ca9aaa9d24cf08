"""A server of Bazel's HTTP cache protocol as a remote cache: GET, HEAD and PUT of /ac/<sha256> and /cas/<sha256>."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.remote.transfers import AT_ONCE
from pipeline.remote.transport import RemoteError

if TYPE_CHECKING:
    import urllib3

SILENCE_S = 10.0
"""How long the server may say nothing."""

SLOWEST = 100_000
"""Bytes a second that are too few; counted only after `SILENCE_S`."""

_CHUNK = 1 << 16


class Http:
    """The server at an address, with whoever one is there: `user:password`, or a token."""

    def __init__(self, address: str, user: str = "", token: str = "", authority: str = "") -> None:
        self.name = address
        self._user = user
        self._token = token
        self._authority = authority

    def has(self, path: str) -> bool:
        """True where there is such a file."""
        with self._answer("HEAD", path) as answer:
            return bool(answer.status == 200)

    def get(self, path: str, place: Path, at_most: int) -> bool:
        """Bring a file to a place, unless it is larger than `at_most` bytes; False where there is none."""
        with self._answer("GET", path) as answer, place.open("wb") as file:
            if answer.status == 404:
                return False
            pace = _Pace()
            # What there is at the moment: to wait for more would be to wait for as long as the server likes.
            while chunk := answer.read1(_CHUNK, decode_content=False):
                pace.check(len(chunk))
                if pace.bytes > at_most:
                    raise RemoteError(f"{path[:20]} is larger than it should be")
                file.write(chunk)
        return True

    def put(self, path: str, file: Path) -> None:
        """Take a file there; servers show it whole or not at all."""
        length = {"Content-Length": str(file.stat().st_size)}
        with file.open("rb") as content, self._answer("PUT", path, body=_Paced(content), headers=length):
            pass

    @contextmanager
    def _answer(self, method: str, path: str, headers: Any = None, **options: Any) -> Iterator[urllib3.BaseHTTPResponse]:
        """An answer that says yes or, to those who ask, that there is no such file."""
        import urllib3

        try:
            answer = self._pool.request(
                method,
                f"{self.name}/{path}",
                headers={**self._pool.headers, **(headers or {})},
                preload_content=False,
                redirect=False,
                **options,
            )
            try:
                if answer.status not in (200, 404) and not (method == "PUT" and answer.status in (201, 202, 204)):
                    raise RemoteError(f"{method} was answered with {answer.status}", is_final=answer.status in (401, 403))
                if answer.status == 404 and method == "PUT":
                    raise RemoteError("PUT was answered with 404", is_final=True)
                yield answer
            finally:
                answer.close()  # does nothing where it was read to its end: then the connection is kept
        except urllib3.exceptions.HTTPError as error:
            raise RemoteError(_in_words(error), is_final=True) from error

    @functools.cached_property
    def _pool(self) -> urllib3.PoolManager:
        import urllib3

        who = {"authorization": f"Bearer {self._token}"} if self._token else {}
        if self._user and not who:
            who = urllib3.util.make_headers(basic_auth=self._user)
        patience = urllib3.Timeout(connect=SILENCE_S, read=SILENCE_S)
        # A connection that was kept may be closed by the server in the moment in which it is used again.
        again = urllib3.Retry(total=1, connect=0, read=1, redirect=False, status=0, other=0, raise_on_redirect=False)
        options: dict[str, Any] = {"maxsize": 2 * AT_ONCE + 1, **({"ca_certs": self._authority} if self._authority else {})}
        try:
            return urllib3.PoolManager(headers=who, timeout=patience, retries=again, cert_reqs="CERT_REQUIRED", **options)
        except OSError as error:
            raise RemoteError(f"{self._authority} cannot be read", is_final=True) from error


class _Pace:
    """What has gone through, and how fast: a server that sends a byte now and then is as good as none."""

    def __init__(self) -> None:
        self.bytes = 0
        self._begin = time.monotonic()

    def check(self, more: int) -> None:
        self.bytes += more
        if time.monotonic() - self._begin > SILENCE_S + self.bytes / SLOWEST:
            raise RemoteError("too slow", is_final=True)


class _Paced:
    """A file that is read for as long as it goes at a pace."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._pace = _Pace()

    def read(self, size: int) -> bytes:
        chunk: bytes = self._file.read(size)
        self._pace.check(len(chunk))
        return chunk


def _in_words(error: Exception) -> str:
    """The error of a library in a line: the innermost has the reason, without addresses of objects."""
    import ssl

    reason = getattr(error, "reason", None) or error
    cause = next((each for each in getattr(reason, "args", ()) if isinstance(each, ssl.SSLError)), reason)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is refused: {cause.verify_message}"
    return f"{type(cause).__name__.removesuffix('Error')}: it cannot be reached, or broke off"
