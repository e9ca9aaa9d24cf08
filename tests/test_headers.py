"""The macros on random headers: they never panic, and what they accept compiles, or rustc points at the user's own words."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from tests.frontend_build import Build
from tests.headers import PRELUDE, Item, item

pytestmark = pytest.mark.toolchain

A_FILE = 250
"""Items in one file: not many, as each error keeps rustc from a later phase, and each macro reads the file."""


class Chewed:
    """What became of the items of one file."""

    def __init__(self, build: Build, seed: int) -> None:
        self.build = build
        self.source = build.out / f"fuzzed_{seed}.rs"
        random = Random(seed)
        items = [item(number, random) for number in range(A_FILE)]
        self.valid = self._kept(items, with_attributes=False)
        """Those that are functions of Rust at all."""
        self.refused: dict[str, str] = {}
        """By the macro: source and message."""
        self.rejected: dict[str, dict[str, Any]] = {}
        """By rustc, after the macro took them: source and diagnostic."""
        self.accepted = self._kept(self.valid, with_attributes=True)

    def _kept(self, items: Iterable[Item], *, with_attributes: bool) -> list[Item]:
        """Leave out what has errors, until there are none."""
        kept = list(items)
        while True:
            errors = self._errors(kept, with_attributes)
            if not errors:
                return kept
            kept = [one for number, one in enumerate(kept) if number not in errors]

    def _errors(self, items: list[Item], with_attributes: bool) -> set[int]:
        lines = [PRELUDE]
        for number, one in enumerate(items):
            lines.append(f"// {number}\n{one.source if with_attributes else one.plain}")
        text = "".join(lines)
        self.source.write_text(text)
        owners = _owners(text)
        done = self.build.rustc(self.source, "--crate-type=lib", "--emit=metadata", "--error-format=json", "--cap-lints=allow")
        found = set()
        for line in done.stderr.splitlines():
            diagnostic = json.loads(line)
            assert "panicked" not in diagnostic["message"], diagnostic["rendered"]
            if diagnostic["level"] != "error" or not diagnostic["spans"]:
                continue
            span = next(span for span in diagnostic["spans"] if span["is_primary"])
            number = owners[span["line_start"]]
            found.add(number)
            if with_attributes and diagnostic["code"] is None:
                self.refused[items[number].source] = diagnostic["message"]
            elif with_attributes:
                self.rejected[items[number].source] = diagnostic
        assert found or done.returncode == 0, done.stderr
        return found


def _owners(text: str) -> dict[int, int]:
    owners, current = {}, -1
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("// "):
            current = int(line[3:])
        owners[number] = current
    return owners


def at_the_users_own_token(diagnostic: dict[str, Any]) -> bool:
    """True unless the error is shown at the attribute as a whole, which means: somewhere in the code it made."""
    return not any(
        span["is_primary"] and span["text"][0]["text"][span["column_start"] - 1 :].startswith("#[autodiff")
        for span in diagnostic["spans"]
    )


def chew(build: Build, seed: int) -> Chewed:
    """Chew one file, and see to it that nothing was wrong."""
    chewed = Chewed(build, seed)
    for source, message in chewed.refused.items():
        assert "help: " in message or "expected" in message, f"{source}\n{message}"
    for source, diagnostic in chewed.rejected.items():
        assert at_the_users_own_token(diagnostic), f"{source}\n{diagnostic['rendered']}"
    return chewed


@pytest.mark.parametrize("seed", range(int(os.environ.get("CRATEGRAD_FUZZ_FILES", "2"))))
def test_random_headers(seed: int, plain: Build) -> None:
    """`CRATEGRAD_FUZZ_FILES=100 ./doit test -k random_headers -s` for 25,000 of them."""
    chewed = Chewed(plain, seed)
    for source, message in chewed.refused.items():
        assert "help: " in message or "expected" in message, f"{source}\n{message}"
    for source, diagnostic in chewed.rejected.items():
        assert at_the_users_own_token(diagnostic), f"{source}\n{diagnostic['rendered']}"
    counts = [len(part) for part in (chewed.valid, chewed.refused, chewed.rejected, chewed.accepted)]
    print("{} functions: {} refused by the macro, {} by rustc at the user's token, {} accepted".format(*counts))
    assert len(chewed.valid) >= 0.6 * A_FILE
    assert len(chewed.accepted) >= 0.2 * len(chewed.valid), "most of it should be sense"
