"""What carries files to and from a remote cache."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class RemoteError(Exception):
    """The remote cache is not as it should be; `is_final` where another try would only cost time."""

    def __init__(self, what: str, *, is_final: bool = False) -> None:
        super().__init__(what)
        self.is_final = is_final


class Transport(Protocol):
    """Files by their path, such as `cas/<sha256>`.  Whatever goes wrong on the other side is a RemoteError."""

    name: str
    """What messages call it."""

    def has(self, path: str) -> bool:
        """True where there is such a file."""

    def get(self, path: str, place: Path, at_most: int) -> bool:
        """Bring a file to a place, unless it is larger than `at_most` bytes; False where there is none."""

    def put(self, path: str, file: Path) -> None:
        """Take a file there; nobody sees a part of it."""
