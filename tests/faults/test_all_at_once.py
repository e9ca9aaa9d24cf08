"""All of it at once, with `--faults` for five minutes: builders are killed, and what they share is damaged, deleted, tidied."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from pipeline import eviction
from pipeline.errors import UserError
from pipeline.store import Store
from tests.conftest import Rounds
from tests.faults.scene import bring_up_to_date, build, right, torn

BUILDERS, PROGRAMS = 4, 6
FORK = multiprocessing.get_context("fork")
RIGHT, REFUSED = b"\x01", b"\x02"


def builder(folder: Path, number: int, programs: list[bytes]) -> None:
    """Build one program or another for ever; note each that is right, each refusal, and all words of whatever else comes."""
    dice = random.Random(time.time_ns() + number)
    with (folder / f"came of {number}").open("ab", buffering=0) as noted:
        while True:
            seed = dice.randrange(PROGRAMS)
            made = build(folder, folder / "cache", seed, crate=f"crate{number}")
            try:
                noted.write(RIGHT if bring_up_to_date(made) == programs[seed] else b"\na wrong program\n")
            except UserError:
                noted.write(REFUSED)
            except BaseException:
                noted.write(f"\n{traceback.format_exc()}\n".encode())
            made.digests.save()
            made.store.release()


def tidier(folder: Path) -> None:
    """Take half of it away, again and again."""
    while True:
        eviction.tidy(Store(folder / "cache"), 60_000)
        time.sleep(0.05)


def do_harm(dice: random.Random, folder: Path) -> None:
    """Flip a bit of a file that builds go by, cut it or delete it."""
    kinds = ("cache/keys/*/*.entry", "cache/trees/*/*", "cache/digests.json", "crate*/target/crategrad/*/stages/*.json")
    how = dice.choice(["flipped", "cut", "deleted"])
    with suppress(OSError):  # it has vanished in this moment
        there = [path for kind in kinds for path in folder.glob(kind)]
        path = dice.choice(there) if there else folder / "nothing"
        if how == "deleted":
            path.unlink()
        with path.open("r+b") as file:
            size = path.stat().st_size
            if how == "cut":
                file.truncate(dice.randrange(size + 1))
            elif size:
                place = dice.randrange(size)
                byte = os.pread(file.fileno(), 1, place)
                os.pwrite(file.fileno(), bytes([byte[0] ^ 1 << dice.randrange(8)]), place)


def test_whatever_happens_at_the_same_time_no_program_is_wrong(tmp_path: Path, rounds: Rounds) -> None:
    programs = [right(tmp_path / "alone" / str(seed), seed) for seed in range(PROGRAMS)]
    dice, kills, harm = random.Random(5), 0, 0
    tidying = FORK.Process(target=tidier, args=(tmp_path,), daemon=True)
    tidying.start()

    def started(number: int) -> Any:
        process = FORK.Process(target=builder, args=(tmp_path, number, programs), daemon=True)
        process.start()
        return process

    builders = [started(number) for number in range(BUILDERS)]
    end = time.monotonic() + rounds(4, 300)
    while time.monotonic() < end:
        time.sleep(dice.random() * 0.05)
        do_harm(dice, tmp_path)
        harm += 1
        if dice.random() < 0.2:
            number = dice.randrange(BUILDERS)
            builders[number].kill()
            builders[number].join()
            assert builders[number].exitcode == -signal.SIGKILL, "it ended by itself"
            builders[number] = started(number)
            kills += 1
    for process in (*builders, tidying):
        process.kill()
        process.join()
    came = b"".join((tmp_path / f"came of {number}").read_bytes() for number in range(BUILDERS))
    assert came.replace(RIGHT, b"").replace(REFUSED, b"").decode() == ""
    for seed, program in enumerate(programs):
        assert bring_up_to_date(build(tmp_path, tmp_path / "cache", seed)) == program
    store = Store(tmp_path / "cache")
    for key in store.all_keys():
        store.find(key)
    for digest in store.all_trees():
        store.intact(digest)
    assert [what for what in torn(store.root) if "without its tree" not in what] == []
    rounds.tell(
        f"all at once: {came.count(RIGHT)} builds, {kills} kills, {harm} files damaged or deleted, one who tidies:"
        f" 0 wrong outputs, 0 tracebacks, {came.count(REFUSED)} refusals"
    )
