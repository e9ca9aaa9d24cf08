"""What goes to the remote cache goes side by side, while the build goes on; and nobody waits longer than it is worth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest  # noqa: TC002

from pipeline.remote import Remote
from pipeline.remote.folder import Folder
from pipeline.remote.transport import RemoteError
from pipeline.remote.uploads import AT_ONCE, Uploads
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
    uploads, turn, now, most, done = Uploads(), threading.Lock(), 0, 0, []

    def call(number: int) -> None:
        nonlocal now, most
        with turn:
            now, most = now + 1, max(most, now + 1)
        time.sleep(0.005)
        with turn:
            now -= 1
            done.append(number)

    for number in range(40):
        uploads.add(partial(call, number))
    uploads.finish(lambda: True)
    assert sorted(done) == list(range(40))
    assert 1 < most <= AT_ONCE


def awaited(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not is_so() and time.monotonic() < end:
        time.sleep(0.005)
    assert is_so()
