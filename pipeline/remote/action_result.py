"""Bazel's ActionResult (build.bazel.remote.execution.v2), as much as a server looks at, in protocol buffers' encoding.

Servers that check what they are given, such as bazel-remote, read in it which blobs an entry needs, and keep these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _LENGTH = 0, 2
_OUTPUT_FILES, _STDOUT_RAW = 2, 5
_PATH, _DIGEST = 1, 2
_HASH, _SIZE = 1, 2


@dataclass(frozen=True)
class ActionResult:
    """One output file, by its name, digest and size, and what was written to the standard output."""

    name: str
    digest: str
    size: int
    stdout: bytes

    def encode(self) -> bytes:
        """The message's bytes."""
        digest = _field(_HASH, self.digest.encode()) + _tag(_SIZE, _VARINT) + _varint(self.size)
        file = _field(_PATH, self.name.encode()) + _field(_DIGEST, digest)
        return _field(_OUTPUT_FILES, file) + _field(_STDOUT_RAW, self.stdout)

    @staticmethod
    def decode(message: bytes) -> ActionResult:
        """What a message says; of fields that are there twice the last counts.

        Raises: ValueError where it is none.
        """
        fields = dict(_fields(message))
        file = dict(_fields(_bytes(fields, _OUTPUT_FILES)))
        digest = dict(_fields(_bytes(file, _DIGEST)))
        size = digest.get(_SIZE, 0)
        if not isinstance(size, int):
            raise ValueError("a size is a number")
        return ActionResult(_bytes(file, _PATH).decode(), _bytes(digest, _HASH).decode(), size, _bytes(fields, _STDOUT_RAW))


def _field(number: int, content: bytes) -> bytes:
    return _tag(number, _LENGTH) + _varint(len(content)) + content


def _tag(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _bytes(fields: dict[int, bytes | int], number: int) -> bytes:
    content = fields.get(number, b"")
    if isinstance(content, int):
        raise ValueError("a number where text is expected")
    return content


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    place = 0
    while place < len(message):
        tag, place = _read_varint(message, place)
        value, place = _read_varint(message, place)
        if tag & 7 == _VARINT:
            yield tag >> 3, value
        elif tag & 7 == _LENGTH and place + value <= len(message):
            yield tag >> 3, message[place : place + value]
            place += value
        else:
            raise ValueError("a field of a kind that is not read here, or cut off")


def _read_varint(message: bytes, place: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 64, 7):
        if place >= len(message):
            raise ValueError("cut off in a number")
        number |= (message[place] & 0x7F) << shift
        place += 1
        if message[place - 1] < 0x80:
            return number, place
    raise ValueError("a number that has no end")
