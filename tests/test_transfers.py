"""What goes to the remote cache, or comes from it, goes side by side; and nobody waits longer than it is worth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest  # noqa: TC002

from pipeline.remote import Remote
from pipeline.remote.folder import Folder
from pipeline.remote.transfers import AT_ONCE, Transfers
from pipeline.remote.transport import RemoteError
from tests.faults.scene import bring_up_to_date, build, right

LONG_S = 20


class Held(Folder):
    """A folder where each pack comes to lie only after what `wait` waits for."""

    def __init__(self, root: Path, wait: Callable[[], object]) -> None:
        super().__init__(root)
        root.mkdir()
        self._wait = wait

    def put(self, path: str, file: Path) -> None:
        if path.startswith("cas/"):
            try:
                self._wait()
            except threading.BrokenBarrierError:
                raise RemoteError("nobody else came", is_final=True) from None
        super().put(path, file)


def test_packs_are_sent_side_by_side(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of three stages: the first pack is there only when the last has come to be sent."""
    remote = Remote(Held(tmp_path / "shared", threading.Barrier(3, timeout=LONG_S).wait))
    assert bring_up_to_date(build(tmp_path / "here", tmp_path / "here/cache", remote=remote)) == right(tmp_path)
    assert capfd.readouterr().err == ""
    there = build(tmp_path / "there", tmp_path / "there/cache", remote=Remote(Folder(tmp_path / "shared")))
    bring_up_to_date(there)
    assert [there.made(name).how for name in there.steps] == ["fetched"] * 3  # type: ignore[union-attr]


class HeldBack(Folder):
    """A folder that gives each pack only after what `wait` waits for; it notes what it is asked for."""

    def __init__(self, root: Path, wait: Callable[[], object] = lambda: None) -> None:
        super().__init__(root)
        self.asked: list[str] = []
        self._wait = wait

    def get(self, path: str, place: Path, at_most: int) -> bool:
        self.asked.append(path)
        if path.startswith("cas/"):
            try:
                self._wait()
            except threading.BrokenBarrierError:
                raise RemoteError("nobody else came", is_final=True) from None
        return super().get(path, place, at_most)


def test_packs_are_fetched_side_by_side(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of three stages: the first pack comes only when all three are asked for."""
    (tmp_path / "shared").mkdir()
    bring_up_to_date(build(tmp_path / "here", tmp_path / "here/cache", remote=Remote(Folder(tmp_path / "shared"))))
    shared = HeldBack(tmp_path / "shared", threading.Barrier(3, timeout=LONG_S).wait)
    there = build(tmp_path / "there", tmp_path / "there/cache", remote=Remote(shared))
    there.look_ahead(there.steps)
    assert bring_up_to_date(there) == right(tmp_path)
    assert [there.made(name).how for name in there.steps] == ["fetched"] * 3  # type: ignore[union-attr]
    assert len(shared.asked) == len(set(shared.asked)) == 6
    assert capfd.readouterr().err == ""
    there.look_ahead(there.steps)
    assert len(shared.asked) == 6, "what is here is not asked for"


def test_who_looks_ahead_asks_for_nothing_twice(tmp_path: Path) -> None:
    """Where others have nothing, and where they have the first stage of three alone."""
    (tmp_path / "shared").mkdir()
    for name, expected in {"first": 3, "second": 4}.items():
        shared = HeldBack(tmp_path / "shared")
        made = build(tmp_path / name, tmp_path / name / "cache", remote=Remote(shared, read_only=name == "first"))
        made.look_ahead(made.steps)
        assert bring_up_to_date(made) == right(tmp_path)
        assert len(shared.asked) == len(set(shared.asked)) == expected
        one = build(tmp_path / "one", tmp_path / "one/cache", remote=Remote(Folder(tmp_path / "shared")))
        one.carry_out("opt1")
        one.store.finish_sending()


def test_what_is_on_its_way_and_is_not_what_was_said_is_made_here(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A record may lie about the tree: then the keys after it are of nothing, and the stage runs."""
    (tmp_path / "shared").mkdir()
    here = build(tmp_path / "here", tmp_path / "here/cache", remote=Remote(Folder(tmp_path / "shared")))
    bring_up_to_date(here)
    key, tree = (getattr(here.made("opt1"), each) for each in ("key", "tree"))
    record = tmp_path / "shared/ac" / key[:2] / key
    record.write_bytes(record.read_bytes().replace(tree.encode(), b"0" * 64))
    there = build(tmp_path / "there", tmp_path / "there/cache", remote=Remote(Folder(tmp_path / "shared")))
    there.look_ahead(there.steps)
    assert bring_up_to_date(there) == right(tmp_path)
    assert [there.made(name).how for name in there.steps] == ["ran", "fetched", "fetched"]  # type: ignore[union-attr]
    assert capfd.readouterr().err.count("does not hold what was asked for") == 1


def test_a_build_does_not_wait_for_what_it_sends(tmp_path: Path) -> None:
    """The first pack is held until the program is there."""
    remote = Remote(Held(tmp_path / "shared", lambda: awaited((here.product).exists)))
    here = build(tmp_path / "here", tmp_path / "here/cache", remote=remote)
    assert bring_up_to_date(here) == right(tmp_path)
    assert len(list(tmp_path.glob("shared/cas/*/*"))) == len(list(tmp_path.glob("shared/ac/*/*"))) == 3


def test_who_gives_up_does_not_wait(tmp_path: Path) -> None:
    """As a build does that is interrupted: what hangs is left, what waits is not begun."""
    goes_on, begun = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        goes_on.wait(LONG_S)

    remote = Remote(Held(tmp_path / "shared", hang))
    made = build(tmp_path / "here", tmp_path / "here/cache", remote=remote)
    made.carry_out("opt1")
    assert begun.acquire(timeout=LONG_S)
    remote.give_up()
    remote.finish()
    assert not goes_on.is_set()
    goes_on.set()
    made.carry_out("codegen")
    remote.finish()
    assert not begun.acquire(blocking=False)


def test_no_more_are_sent_at_once_than_is_said_and_each_once() -> None:
    transfers, turn, now, most, done = Transfers(), threading.Lock(), 0, 0, []

    def call(number: int) -> None:
        nonlocal now, most
        with turn:
            now, most = now + 1, max(most, now + 1)
        time.sleep(0.005)
        with turn:
            now -= 1
            done.append(number)

    for number in range(40):
        transfers.add(partial(call, number))
    transfers.finish(lambda: True)
    assert sorted(done) == list(range(40))
    assert 1 < most <= AT_ONCE


def awaited(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not is_so() and time.monotonic() < end:
        time.sleep(0.005)
    assert is_so()
