"""F8: an edit is noticed whatever is done to a file's times, and however soon it comes."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import digests as module
from pipeline.digests import Digests, file_digest
from tests.conftest import Rounds

SETTLED_S = 2 * module._RACY_NS / 1e9


def in_place(file: Path, content: bytes) -> None:
    with file.open("r+b") as stream:
        stream.write(content)


def by_rename(file: Path, content: bytes) -> None:
    new = file.with_name("new")
    new.write_bytes(content)
    new.replace(file)


def keep(file: Path, before: os.stat_result) -> None:
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def backdate(file: Path, before: os.stat_result) -> None:
    os.utime(file, ns=(0, before.st_mtime_ns - 10**12))


def date_ahead(file: Path, before: os.stat_result) -> None:
    os.utime(file, ns=(0, before.st_mtime_ns + 10**14))


def cut_to_seconds(file: Path, before: os.stat_result) -> None:
    os.utime(file, ns=(0, before.st_mtime_ns // 10**9 * 10**9))


def leave(_file: Path, _before: os.stat_result) -> None:
    """Have the times say what they say."""


EDITS: list[Callable[[Path, bytes], None]] = [in_place, by_rename]
TIMES: list[Callable[[Path, os.stat_result], None]] = [keep, backdate, date_ahead, cut_to_seconds, leave]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    return path


@pytest.mark.parametrize("settled", [True, False], ids=["long after", "at once"])
def test_every_edit_of_the_same_size_is_noticed(tmp_path: Path, file: Path, settled: bool, rounds: Rounds) -> None:
    dice = random.Random(8)
    count = rounds(20, 200) if settled else rounds(200, 20_000)
    remembered = 0
    for number in range(count):
        if settled:
            time.sleep(SETTLED_S)
        digests = Digests(tmp_path / "digests.json")
        digests.file(file)
        digests.save()
        remembered += (tmp_path / "digests.json").exists()
        before = file.stat()
        dice.choice(EDITS)(file, f"{number:06}".encode())
        dice.choice(TIMES)(file, before)
        assert Digests(tmp_path / "digests.json").file(file) == file_digest(file)
    assert remembered or not settled
    rounds.tell(f"F8: {count} edits of the same size{'' if settled else ' at once'}, times forged: all noticed")


@pytest.fixture(params=[1, 2])
def coarse(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A file system that counts whole seconds, or every other."""
    step = request.param * 10**9
    real = Path.stat

    def stat(path: Path, **options: bool) -> os.stat_result:
        found = real(path, **options)
        times = {f"st_{kind}_ns": getattr(found, f"st_{kind}_ns") // step * step for kind in ("atime", "mtime", "ctime")}
        return os.stat_result(tuple(found), times)

    monkeypatch.setattr(Path, "stat", stat)
    return int(request.param)


def test_where_times_are_seconds_an_edit_within_one_is_noticed(
    tmp_path: Path, file: Path, coarse: int, monkeypatch: pytest.MonkeyPatch, rounds: Rounds
) -> None:
    """By a clock of its own: whenever it was read after it was written, and edited after that, its times may be the same."""
    written = file.stat().st_mtime_ns
    now = written
    monkeypatch.setattr(time, "time_ns", lambda: now)
    tried = 0
    for after_ms in range(0, 6000, rounds(100, 2)):
        now = written + after_ms * 1_000_000
        digests = Digests(tmp_path / f"{after_ms}.json")
        first = digests.remember("file", file, [file], lambda: "before")
        edited_at = now // (coarse * 10**9) * (coarse * 10**9)  # what its times would say then
        if edited_at == written:
            assert (first, digests.remember("file", file, [file], lambda: "after")) == ("before", "after")
            tried += 1
    assert tried
    assert digests.remember("file", file, [file], lambda: "later") == "before", "in the end it is remembered"
    rounds.tell(f"F8: {tried} edits within {coarse} s of times that count by {coarse} s: all noticed")
