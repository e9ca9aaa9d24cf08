"""The limit of the cache: what was used longest ago goes first, what is pinned or in use stays, and nothing is left over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline import cache_commands, eviction, request
from pipeline.build import Build
from pipeline.cache import Cache
from pipeline.config import ConfigError
from pipeline.errors import UserError
from pipeline.eviction import Pin, Tidied
from pipeline.locks import Lock
from pipeline.store import Store
from tests.faults.scene import bring_up_to_date, build, torn

SIZE = 1000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Five keys of different trees, the first of which was used longest ago."""
    store = Store(tmp_path / "cache")
    for number in range(5):
        publish(store, number, bytes([number]) * SIZE)
    return store


def publish(store: Store, number: int, content: bytes) -> None:
    with store.scratch() as scratch:
        (scratch / "out").mkdir()
        (scratch / "out" / "file").write_bytes(content)
        (scratch / "log").touch()
        store.publish(key(number), scratch / "out", scratch / "log", 1.0)
    use(store, number, 1_000_000 + 10_000 * number)


def key(number: int) -> str:
    return f"{number:064x}"


def use(store: Store, number: int, when: float) -> None:
    os.utime(next(store.root.glob(f"keys/*/{key(number)}.entry")), (when, when))


def left(store: Store) -> list[int]:
    """The keys that are still there."""
    assert list(torn(store.root)) == []
    return [int(name, 16) for name in store.all_keys()]


@pytest.mark.parametrize(("limit", "kept"), [(10**9, 5), (5 * SIZE, 5), (5 * SIZE - 1, 4), (SIZE, 1), (SIZE - 1, 0), (0, 0)])
def test_what_was_used_longest_ago_goes(store: Store, limit: int, kept: int) -> None:
    assert eviction.tidy(store, limit) == Tidied(5 - kept, 5 - kept, (5 - kept) * SIZE, 0, kept * SIZE)
    assert left(store) == list(range(5 - kept, 5))
    assert eviction.stock(store).bytes == kept * SIZE <= limit


def test_to_be_used_is_to_stay(store: Store) -> None:
    store.note_use(key(0))
    eviction.tidy(store, 2 * SIZE)
    assert left(store) == [0, 4]


def test_what_is_pinned_stays_and_leaves_less_room(store: Store) -> None:
    eviction.pin(store, "a", Pin("crate", "default", frozenset({key(0), key(1)})))
    eviction.tidy(store, 3 * SIZE)
    assert left(store) == [0, 1, 4]
    eviction.tidy(store, 0)
    assert left(store) == [0, 1]
    assert eviction.unpin(store, "a")
    assert not eviction.unpin(store, "a")
    eviction.tidy(store, 0)
    assert left(store) == []


def test_a_damaged_pin_pins_nothing(store: Store) -> None:
    eviction.pin(store, "a", Pin("crate", "default", frozenset({key(0)})))
    path = store.root / "pins" / "a.json"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert eviction.pins(store) == []


def test_a_tree_of_two_keys_counts_once_and_stays_with_the_later(store: Store) -> None:
    publish(store, 5, bytes([0]) * SIZE)
    assert eviction.stock(store).bytes == 5 * SIZE
    eviction.tidy(store, SIZE)
    assert left(store) == [5]


def test_what_belongs_to_nobody_goes(store: Store) -> None:
    store.forget(key(0))
    (store.root / "tmp" / "killed" / "out").mkdir(parents=True)
    (store.root / "tmp" / "killed" / "out" / "module.bc").write_text("half")
    tidied = eviction.tidy(store, 10**9)
    assert tidied == Tidied(0, 1, SIZE, 1, 4 * SIZE)
    assert list((store.root / "tmp").iterdir()) == []


def test_a_store_in_use_is_left_alone(store: Store) -> None:
    other = Store(store.root)
    other.in_use.take(shared=True)
    assert eviction.tidy(store, 0) is None
    assert len(left(store)) == 5
    other.in_use.release()
    assert eviction.tidy(store, 0) is not None
    assert left(store) == []


def test_who_works_in_scratch_is_not_swept_away(store: Store, tmp_path: Path) -> None:
    """Whatever it is that works there: `./doit perf` carries out no stage."""
    cache = Cache(Store(store.root), Store(tmp_path / "spare"))
    with cache.scratch() as scratch:
        assert eviction.tidy(store, 0) is None
        assert scratch.exists()
    cache.release()
    assert eviction.tidy(store, 0) is not None


def test_a_store_whose_lock_cannot_be_had_is_left_alone(store: Store) -> None:
    """Where nobody knows who builds, what lies in scratch may be somebody's."""
    (store.root / "lock").mkdir()
    store.in_use = Lock(store.root / "lock" / "too" / "deep" / ("x" * 300))
    assert eviction.tidy(store, 0, patient=True) is None
    assert len(left(store)) == 5
    with pytest.raises(UserError, match="left as it is"):
        cache_commands.run(["gc"], store, not_planned)


def test_all_is_looked_at_only_where_the_limit_may_have_been_passed(store: Store) -> None:
    eviction.keep_below(store, 6 * SIZE)  # for the first time
    store.forget(key(0))
    (store.root / "tmp" / "killed").mkdir()
    eviction.keep_below(store, 6 * SIZE)
    assert not store.has_scratch()
    publish(store, 5, bytes([5]) * SIZE)
    eviction.keep_below(store, 6 * SIZE)
    assert len(store.all_trees()) == 6  # that of key 0 is still there
    publish(store, 6, bytes([6]) * SIZE)
    eviction.keep_below(store, 6 * SIZE)
    assert left(store) == [1, 2, 3, 4, 5, 6]
    assert len(store.all_trees()) == 6
    eviction.keep_below(store, SIZE)  # another limit
    assert left(store) == [6]


@pytest.mark.parametrize("damaged", ["added", "room.json"])
def test_where_it_is_not_known_what_was_added_all_is_looked_at(store: Store, damaged: str) -> None:
    eviction.tidy(store, 5 * SIZE)
    store.forget(key(0))
    (store.root / damaged).write_bytes(b"\xff")
    eviction.keep_below(store, 5 * SIZE)
    assert len(store.all_trees()) == 4


def test_an_empty_store_is_tidy(tmp_path: Path) -> None:
    assert eviction.tidy(Store(tmp_path), 0) == Tidied(0, 0, 0, 0, 0)


# ---- ./doit cache


def not_planned() -> Build:
    raise AssertionError("this wants no crate")


def test_what_a_build_has_pinned_outlives_gc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, other = build(tmp_path, tmp_path / "cache", 1), build(tmp_path, tmp_path / "cache", 2, crate="other")
    for each in (made, other):
        with pytest.raises(UserError, match="not made yet"):
            cache_commands.run(["pin"], each.store.store, lambda each=each: each)  # type: ignore[misc]
        bring_up_to_date(each)
        each.store.release()
    store = made.store.store
    monkeypatch.setenv("CRATEGRAD_CACHE_SIZE", "0")
    cache_commands.run(["pin"], store, lambda: made)
    cache_commands.run(["gc"], store, not_planned)
    assert [made.is_fresh(name) for name in made.steps] == [True] * 3
    assert [other.is_fresh(name) for name in made.steps] == [False] * 3
    cache_commands.run([], store, not_planned)
    said = capsys.readouterr().out
    assert "3 outputs and 3 keys removed" in said
    assert f"pinned: {made.crate.folder}, config default: 3 stages" in said
    cache_commands.run(["unpin"], store, lambda: made)
    with pytest.raises(UserError, match="nothing was pinned"):
        cache_commands.run(["unpin"], store, lambda: made)


def test_verify_reads_all_and_tells_what_was_damaged(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    cache_commands.run(["verify"], store, not_planned)
    assert "5 outputs under 5 keys" in capsys.readouterr().out
    next(store.root.glob("trees/*/file")).write_text("other")
    next(store.root.glob(f"keys/*/{key(3)}.entry")).write_text("other")
    with pytest.raises(UserError, match=f"damaged, and removed.*\n  the entry {key(3)[:16]}\n  the output"):
        cache_commands.run(["verify"], Store(store.root), not_planned)
    store.in_use.release()


@pytest.mark.parametrize("words", [["nonsense"], ["gc", "more"]])
def test_an_unknown_word_is_refused(store: Store, words: list[str]) -> None:
    with pytest.raises(UserError, match=r"there is no such command\n  = help: there are stats, gc"):
        cache_commands.run(words, store, not_planned)


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("17", 17), ("1.5k", 1500), ("20G", 20 * 10**9), ("3TB", 3 * 10**12)])
def test_sizes_that_are_taken(monkeypatch: pytest.MonkeyPatch, text: str, size: int) -> None:
    monkeypatch.setenv("CRATEGRAD_CACHE_SIZE", text)
    assert request.cache_limit() == size


@pytest.mark.parametrize("text", ["x", "-1", "1e9", "G", "5 G", "9" * 99, "5G\n"])
def test_sizes_that_are_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("CRATEGRAD_CACHE_SIZE", text)
    with pytest.raises(ConfigError, match="expected a size"):
        request.cache_limit()
