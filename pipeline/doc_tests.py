"""Doc tests, which are not run here: how many a library has, so that this can be said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_COMMENT = re.compile(r"\s*//[/!](.*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
_RUST = re.compile(r"rust|should_panic|no_run|compile_fail|test_harness|standalone\w*|edition\d+|E\d{4}")
"""What rustdoc knows of a block of Rust: with any other word behind its fence, or `ignore`, it is none to be tested."""


def doc_tests(folder: Path) -> int:
    """How many blocks of code are tests for rustdoc, in the comments of the sources there."""
    return sum(1 for file in folder.rglob("*.rs") for words in _blocks(file) if all(map(_RUST.fullmatch, words)))


def _blocks(file: Path) -> Iterator[list[str]]:
    """The words behind the fence that opens a block."""
    fence = ""
    for line in file.read_text(errors="replace").splitlines():
        comment = _COMMENT.match(line)
        found = _FENCE.match(comment[1]) if comment else None
        if not comment:
            fence = ""
        elif found and fence:
            fence = "" if found[1].startswith(fence) and not found[2].strip() else fence
        elif found:
            fence = found[1]
            yield [word for word in re.split(r"[\s,{}]+", found[2]) if word]
