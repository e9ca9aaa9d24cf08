"""What cargo would not notice has it know nothing; all else is cargo's to see."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pipeline import cargo_times


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source that was compiled; what cargo knows of it, and of what it has made for this machine."""
    for folder in ("release", "x86_64-unknown-linux-gnu/release"):
        (tmp_path / "target" / folder / ".fingerprint" / "demo-1").mkdir(parents=True)
    source = tmp_path / "main.rs"
    source.write_text("fn main() {}")
    cargo_times.note(tmp_path / "target", "demo", [source], time.time_ns())
    return source


def known(source: Path, artifact: str = "demo") -> int:
    cargo_times.forget(source.parent / "target", artifact)
    return len(list((source.parent / "target").rglob("demo-1")))


def test_an_edit_that_keeps_the_time_or_sets_it_back_is_overlooked(source: Path) -> None:
    was = source.stat().st_mtime_ns
    source.write_text("fn main() { }")
    os.utime(source, ns=(was, was))
    assert known(source) == 0


def test_what_cargo_sees_itself_is_left_to_it(source: Path) -> None:
    assert known(source) == 2
    source.write_text("fn main() { }")
    os.utime(source, ns=(time.time_ns() + 10**9,) * 2)
    assert known(source) == 2
    source.unlink()
    assert known(source) == 2


def test_what_another_artifact_has_compiled_since_counts(source: Path) -> None:
    was = source.stat().st_mtime_ns
    before = source.read_text()
    source.write_text("fn main() { }")
    os.utime(source, ns=(time.time_ns() + 10**9,) * 2)
    cargo_times.note(source.parent / "target", "other", [source], time.time_ns() + 2 * 10**9)
    source.write_text(before)
    os.utime(source, ns=(was, was))
    assert known(source) == 0


def test_what_is_no_source_any_more_is_not_looked_at(source: Path) -> None:
    cargo_times.note(source.parent / "target", "demo", [], time.time_ns())
    source.write_text("fn main() { }")
    os.utime(source, ns=(1, 1))
    assert known(source) == 2


def test_the_same_bytes_at_another_time_are_no_edit(source: Path) -> None:
    os.utime(source, ns=(1, 1))
    assert known(source) == 2


@pytest.mark.parametrize("damaged", ["", "[", "[1]", '{"a": 1}', '{"a": ["b", "c"]}', "\0"])
def test_a_damaged_note_is_none(source: Path, damaged: str) -> None:
    (source.parent / "target" / "sources-read.json").write_text(damaged)
    assert known(source) == 2
    cargo_times.note(source.parent / "target", "demo", [source], 1)
    assert known(source) == 2
