"""F3, F4, F17: flipped bits and missing ends, in whatever the cache holds: noticed, no traceback, healed by the next run."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from doit.dependency import JSONCodec

from pipeline import build as building
from pipeline.cache import Cache
from pipeline.state import State
from pipeline.store import Store
from tests.conftest import Rounds
from tests.faults.scene import Writing, bring_up_to_date, build, right, torn


def flipped(whole: bytes, bit: int) -> bytes:
    return whole[: bit // 8] + bytes([whole[bit // 8] ^ (1 << bit % 8)]) + whole[bit // 8 + 1 :]


def some(dice: random.Random, whole: bytes, count: int) -> Iterator[bytes]:
    """Of the bytes `count` versions with a bit flipped: each byte first, at random then."""
    for number in range(count):
        place = number if number < len(whole) else dice.randrange(len(whole))
        yield flipped(whole, 8 * place + dice.randrange(8))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with what a build leaves there."""
    made = build(tmp_path, tmp_path / "cache")
    bring_up_to_date(made)
    return tmp_path / "cache"


def ran(folder: Path) -> int:
    return len((folder / "ran").read_text().splitlines())


def test_every_flipped_bit_of_an_entry_is_noticed(tmp_path: Path, cache: Path, rounds: Rounds) -> None:
    dice = random.Random(3)
    flips = 0
    for path in sorted(cache.glob("keys/*/*.entry")):
        whole = path.read_bytes()
        for damaged in some(dice, whole, rounds(len(whole), 8 * len(whole))):
            path.write_bytes(damaged)
            assert Store(cache).find(path.stem) is None
            assert not path.exists()
            flips += 1
        path.write_bytes(whole)
        assert Store(cache).find(path.stem) is not None
    rounds.tell(f"F3: {flips} flips in entries: all noticed")


def test_flipped_bits_of_outputs_are_noticed_and_healed(tmp_path: Path, cache: Path, rounds: Rounds) -> None:
    """Each stage is to be run again, on what the one before it is said to have made."""
    dice = random.Random(4)
    program = right(tmp_path)
    outputs = sorted(path for path in cache.glob("trees/*/*") if path.is_file())
    flips = rounds(24, 2500)
    for number in range(flips):
        path = dice.choice(outputs)
        whole = path.read_bytes()
        path.write_bytes(flipped(whole, dice.randrange(8 * len(whole))))
        made = build(tmp_path, cache, crate=f"crate{number}")
        assert bring_up_to_date(made) == program
        assert path.read_bytes() == whole
        shutil.rmtree(made.crate.folder)
    assert ran(tmp_path) == 3 + 3 + flips - 3, "what was damaged is made again, and no more"
    rounds.tell(f"F3: {flips} flips in outputs: all noticed, healed in the same run")


def test_a_file_of_an_output_that_is_gone_or_no_file_is_made_again(tmp_path: Path, cache: Path) -> None:
    program = right(tmp_path)
    for path in sorted(path for path in cache.glob("trees/*/*") if path.is_file()):
        for again in (lambda _: None, Path.mkdir, lambda path: path.symlink_to("/nowhere")):
            path.unlink()
            again(path)
            made = build(tmp_path, cache)
            assert bring_up_to_date(made) == program
            made.handle("link").unlink()
            made.handle("opt1").unlink()
            assert bring_up_to_date(build(tmp_path, cache)) == program
            shutil.rmtree(made.folder / "stages")
            assert bring_up_to_date(build(tmp_path, cache)) == program
            assert path.is_file()


def test_an_input_that_is_damaged_under_way_is_made_again(tmp_path: Path, cache: Path) -> None:
    made = build(tmp_path, cache)
    shutil.rmtree(cache / "keys")
    made.handle("link").unlink()
    module = next(path for path in cache.glob("trees/*/module.bc"))
    module.write_bytes(flipped(module.read_bytes(), 5))
    assert bring_up_to_date(made) == right(tmp_path)


@pytest.mark.parametrize("is_gone", [False, True])
def test_of_an_input_that_is_damaged_while_it_is_read_nothing_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], is_gone: bool
) -> None:
    """Nor where somebody else has noticed it, and taken the input away; the stages run again beside the crate."""
    made = build(tmp_path, tmp_path / "cache")
    made.carry_out("opt1")
    with monkeypatch.context() as patch:
        patch.setattr(Writing, "run", damaging(Writing.run, next(tmp_path.glob("cache/trees/*/module.bc")), is_gone))
        assert bring_up_to_date(made) == right(tmp_path)
    assert capfd.readouterr().err.count("warning: the cache cannot be used (damaged, or taken away, while it was used") == 1
    assert len(Store(tmp_path / "cache").all_keys()) == 1
    assert bring_up_to_date(build(tmp_path, tmp_path / "cache")) == right(tmp_path)


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_program_that_is_damaged_while_it_is_copied_does_not_stay(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    made = build(tmp_path, cache)
    made.product.unlink()
    original = made.store.tree(made.made("link").tree) / "program"  # type: ignore[union-attr]
    with monkeypatch.context() as patch:
        patch.setattr(building, "_install", damaging(building._install, original, is_gone))
        assert bring_up_to_date(made) == right(tmp_path)
    assert bring_up_to_date(build(tmp_path, cache)) == right(tmp_path)


def damaging(work: Callable[..., None], path: Path, is_gone: bool) -> Callable[..., None]:
    """The same, but the first time of a file in which a bit has changed; and after that all that is beside it may be gone."""
    is_first = True

    def damaged(*arguments: Any) -> None:
        nonlocal is_first
        begins, is_first = is_first, False
        if begins:
            path.write_bytes(flipped(path.read_bytes(), 5))
        work(*arguments)
        if begins and is_gone:
            shutil.rmtree(path.parent)

    return damaged


@pytest.mark.parametrize("what", ["keys/*/*.entry", "../crate/target/crategrad/default/stages/*.json"])
def test_files_cut_at_every_length_are_no_traceback(tmp_path: Path, cache: Path, what: str, rounds: Rounds) -> None:
    program = right(tmp_path)
    cuts = 0
    for path in sorted(cache.glob(what)):
        whole = path.read_bytes()
        for length in range(0, len(whole), rounds(37, 1)):
            path.write_bytes(whole[:length])
            assert bring_up_to_date(build(tmp_path, cache)) == program
            cuts += 1
        path.write_bytes(whole)
    assert cuts
    rounds.tell(f"F4: {cuts} cuts of {what.rpartition('/')[2]}: no traceback, nothing wrong")


STATE = {
    name: {"_values_:": {"made": name}, "result:": {"made": name}, "checker:": "MD5Checker", "deps:": []} for name in "abc"
}


def states(whole: bytes, dice: random.Random, flips: int) -> Iterator[bytes]:
    yield from (whole[:length] for length in range(len(whole)))
    yield from some(dice, whole, flips)
    yield from (b"null", b"[]", b"[" * 100_000, b"\xff", b'{"a": 5}')


def test_doits_state_may_be_damaged_in_any_way(tmp_path: Path, rounds: Rounds) -> None:
    path = tmp_path / "state.json"
    state = State(str(path), JSONCodec())
    for task, values in STATE.items():
        for name, value in values.items():
            state.set(task, name, value)
    state.dump()
    whole = path.read_bytes()
    count = 0
    for damaged in states(whole, random.Random(5), rounds(len(whole), 5000)):
        path.write_bytes(damaged)
        state = State(str(path), JSONCodec())
        for task in STATE:
            state.in_(task)
            assert isinstance(state.get(task, "_values_:") or {}, dict)
            set(state.get(task, "deps:") or ())
        state.set("a", "_values_:", {})
        state.remove("b")
        state.dump()
        count += 1
    path.unlink()
    path.mkdir()
    State(str(path), JSONCodec()).dump()
    rounds.tell(f"F17: {count} damaged states of doit: no traceback")


def test_without_keys_or_state_nothing_is_wrong(tmp_path: Path, cache: Path) -> None:
    """Whatever part of the cache is deleted, what is left is used or made again."""
    program = right(tmp_path)
    for what in ("keys", "trees", "tmp", "digests.json", "lock"):
        path = cache / what
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        assert bring_up_to_date(build(tmp_path, cache)) == program
        assert list(torn(cache)) == []
    assert isinstance(build(tmp_path, cache).store, Cache)
