"""F1: SIGKILL at any moment leaves nothing that is torn, and the next run gets what an undisturbed one gets."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pipeline import eviction
from pipeline.store import Store
from tests.conftest import Rounds
from tests.faults.scene import bring_up_to_date, build, right, torn

CRATES = 4


def work_until_killed(folder: Path, seed: int) -> NoReturn:
    """Build, change, build again, tidy: whatever writes into a cache."""
    dice = random.Random(seed)
    while True:
        crate = build(folder, folder / "cache", dice.randrange(CRATES))
        bring_up_to_date(crate)
        crate.digests.save()
        crate.store.release()
        if dice.random() < 0.2:
            eviction.tidy(Store(folder / "cache"), dice.choice([0, 20_000, 10**9]))


def killed_after(seconds: float, work: Callable[[], NoReturn]) -> None:
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, "it ended by itself"


def test_a_killed_run_leaves_nothing_torn(tmp_path: Path, rounds: Rounds) -> None:
    programs = {seed: right(tmp_path / str(seed), seed) for seed in range(CRATES)}
    dice = random.Random(7)
    kills = rounds(24, 1500)
    wrong = 0
    for number in range(kills):
        killed_after(dice.random() * 0.02, lambda seed=number: work_until_killed(tmp_path, seed))  # type: ignore[misc]
        assert list(torn(tmp_path / "cache")) == [], number
        seed = dice.randrange(CRATES)
        crate = build(tmp_path, tmp_path / "cache", seed)
        wrong += bring_up_to_date(crate) != programs[seed]
        crate.store.release()
    assert wrong == 0
    store = Store(tmp_path / "cache")
    assert eviction.tidy(store, 10**9) is not None
    assert list(torn(store.root)) == []
    assert list((store.root / "tmp").iterdir()) == []
    rounds.tell(f"F1: {kills} kills: 0 torn, 0 wrong outputs")
