"""F6, F7: many who build and one who tidies, at the same time: nobody fails, nobody makes what another is making."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline import eviction
from pipeline.digests import file_digest
from pipeline.remote import Remote
from pipeline.remote.folder import Folder
from pipeline.store import Store
from tests.conftest import Rounds
from tests.faults.scene import bring_up_to_date, build, right, torn

WRITERS = 8
FORK = multiprocessing.get_context("fork")


def together(work: Callable[..., None], each: list[tuple[Any, ...]]) -> None:
    """Have processes do this at the same time, and insist that all succeed."""
    workers = [FORK.Process(target=work, args=arguments) for arguments in each]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0] * len(workers)


def writer(folder: Path, number: int, barrier: Any, count: int, programs: list[bytes], same: bool) -> None:
    for turn in range(count):
        barrier.wait(60)
        seed = turn if same else turn * WRITERS + number
        made = build(folder, folder / "cache", seed, crate=f"crate{number}")
        assert bring_up_to_date(made) == programs[seed]
        made.store.release()


def tidier(folder: Path, limit: int, stop: Any) -> None:
    while not stop.is_set():
        eviction.tidy(Store(folder / "cache"), limit)
        time.sleep(0.002)


def test_of_many_who_want_the_same_one_makes_it(tmp_path: Path, rounds: Rounds) -> None:
    count = rounds(2, 200)
    programs = [right(tmp_path / "alone" / str(seed), seed) for seed in range(count)]
    barrier = FORK.Barrier(WRITERS)
    together(writer, [(tmp_path, number, barrier, count, programs, True) for number in range(WRITERS)])
    ran = (tmp_path / "ran").read_text().splitlines()
    assert sorted(ran) == sorted(set(ran))
    assert len(ran) == 3 * count
    assert list(torn(tmp_path / "cache")) == []
    rounds.tell(f"F6: {WRITERS} writers of the same, {count} rounds: each stage ran once, 0 errors, 0 torn")


def sharer(folder: Path, number: int, barrier: Any, programs: list[bytes]) -> None:
    for seed, program in enumerate(programs):
        barrier.wait(60)
        shared = Remote(Folder(folder / "shared"))
        assert bring_up_to_date(build(folder / f"{number}", folder / f"{number}/cache", seed, remote=shared)) == program


def test_many_machines_write_into_a_shared_folder(tmp_path: Path, rounds: Rounds) -> None:
    """The same things at the same moment; what comes of it is whole, and one who comes after makes nothing."""
    count = rounds(2, 100)
    (tmp_path / "shared").mkdir()
    programs = [right(tmp_path / "alone" / str(seed), seed) for seed in range(count)]
    barrier = FORK.Barrier(WRITERS)
    together(sharer, [(tmp_path, number, barrier, programs) for number in range(WRITERS)])
    packs = list(tmp_path.glob("shared/cas/*/*"))
    assert packs
    assert [pack for pack in packs if file_digest(pack) != pack.name] == []
    for seed, program in enumerate(programs):
        late = build(tmp_path / "late", tmp_path / "late/cache", seed, remote=Remote(Folder(tmp_path / "shared")))
        assert bring_up_to_date(late) == program
    assert not (tmp_path / "late/ran").exists()
    rounds.tell(f"F6: {WRITERS} machines that write the same into a shared folder, {count} rounds: 0 errors, 0 torn")


def test_many_who_want_different_things_while_one_tidies(tmp_path: Path, rounds: Rounds) -> None:
    count = rounds(2, 200)
    programs = [right(tmp_path / "alone" / str(seed), seed) for seed in range(count * WRITERS)]
    barrier, stop = FORK.Barrier(WRITERS), FORK.Event()
    tidying = FORK.Process(target=tidier, args=(tmp_path, 100_000, stop))
    tidying.start()
    together(writer, [(tmp_path, number, barrier, count, programs, False) for number in range(WRITERS)])
    stop.set()
    tidying.join(60)
    assert tidying.exitcode == 0
    assert list(torn(tmp_path / "cache")) == []
    rounds.tell(f"F6: {WRITERS} writers and one who tidies, {count} rounds: 0 errors, 0 torn")


def reader(folder: Path, seed: int, count: int, programs: list[bytes]) -> None:
    dice = random.Random(seed)
    for _ in range(count):
        chosen = dice.randrange(len(programs))
        made = build(folder, folder / "cache", chosen, crate=f"crate{seed}")
        assert bring_up_to_date(made) == programs[chosen]
        made.store.release()


def test_readers_do_not_mind_that_things_vanish(tmp_path: Path, rounds: Rounds) -> None:
    """The limit is half of what there is."""
    programs = [right(tmp_path / "alone" / str(seed), seed) for seed in range(8)]
    reader(tmp_path, 0, 40, programs)
    store, stop = Store(tmp_path / "cache"), FORK.Event()
    limit = eviction.stock(store).bytes // 2
    tidying = FORK.Process(target=tidier, args=(tmp_path, limit, stop))
    tidying.start()
    count = rounds(16, 500)
    together(reader, [(tmp_path, seed, count, programs) for seed in (1, 2)])
    stop.set()
    tidying.join(60)
    assert tidying.exitcode == 0
    tidied = eviction.tidy(store, limit)
    assert tidied is not None
    assert eviction.stock(store).bytes == tidied.left <= limit
    assert list(torn(store.root)) == []
    rounds.tell(f"F7: {2 * count} builds while half of all is taken away: 0 failures; the size stays below the limit")
