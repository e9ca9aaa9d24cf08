"""The store: what is found is whole and is what was put in; everything else is a miss."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline import digests as digests_module
from pipeline import store as store_module
from pipeline.digests import Digests
from pipeline.store import Entry, Store, tree_digest, write_whole, written

FILES = {"module.bc": "bitcode", "native/core.a": "archive"}
KEY, OTHER_KEY = "ab" * 32, "ab" + "cd" * 31


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def publish(store: Store, key: str, files: dict[str, str] = FILES, seconds: float = 1.5) -> Entry:
    with store.scratch() as scratch:
        made = scratch / "out"
        for name, content in files.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        log = scratch / "log"
        log.write_text(f"made {key}\n")
        return store.publish(key, made, log, seconds)


def content(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def key_file(store: Store) -> Path:
    (path,) = (store.root / "keys").rglob("*.entry")
    return path


# ---- Published and found


def test_published_is_found_with_every_byte(store: Store) -> None:
    entry = publish(store, KEY)
    assert store.find(KEY) == entry == Entry(KEY, tree_digest(store.tree(entry.tree)), sum(map(len, FILES.values())), 1.5)
    assert content(store.tree(entry.tree)) == FILES


def test_published_is_found_by_the_next_run(store: Store) -> None:
    assert publish(store, KEY) == Store(store.root).find(KEY)


def test_log_is_kept_with_its_key(store: Store) -> None:
    publish(store, KEY)
    publish(store, OTHER_KEY)
    assert store.log(KEY) == f"made {KEY}\n".encode()
    assert store.log(OTHER_KEY) == f"made {OTHER_KEY}\n".encode()


def test_empty_store_has_nothing_and_is_not_made_by_asking(store: Store) -> None:
    assert store.find(KEY) is None
    assert not store.has("00")
    assert not store.root.exists()


def test_other_key_finds_nothing(store: Store) -> None:
    publish(store, KEY)
    assert store.find(OTHER_KEY) is None


def test_same_bytes_from_two_keys_are_one_tree(store: Store) -> None:
    one, other = publish(store, KEY, seconds=1), publish(store, OTHER_KEY, seconds=2)
    assert one.tree == other.tree
    assert len(list((store.root / "trees").iterdir())) == 1
    assert (store.find(KEY), store.find(OTHER_KEY)) == (one, other)


def test_key_means_what_was_published_last(store: Store) -> None:
    publish(store, KEY)
    entry = publish(store, KEY, {"module.bc": "other"})
    assert store.find(KEY) == entry
    assert content(store.tree(entry.tree)) == {"module.bc": "other"}


@pytest.mark.parametrize(
    "other",
    [
        FILES | {"module.bc": "bitcodf"},
        FILES | {"more": ""},
        {"module.bc": "bitcode"},
        {"module.bc": "bitcode", "core.a": "archive"},
        {"module.bc": "bitcode", "native/core.b": "archive"},
        {"module.bc": "archive", "native/core.a": "bitcode"},
        {},
    ],
)
def test_trees_that_differ_have_digests_that_differ(store: Store, other: dict[str, str]) -> None:
    assert publish(store, KEY, FILES | {"x": ""}).tree != publish(store, OTHER_KEY, other | {"x": ""}).tree


# ---- Damage


def change_a_byte(tree: Path) -> None:
    (tree / "module.bc").write_text("bitcodf")


def remove_a_file(tree: Path) -> None:
    (tree / "native/core.a").unlink()


def truncate(tree: Path) -> None:
    (tree / "module.bc").write_text("")


def add_a_file(tree: Path) -> None:
    (tree / "more").write_text("")


@pytest.mark.parametrize("damage", [change_a_byte, remove_a_file, truncate, add_a_file])
def test_damaged_tree_is_not_found_and_is_removed(store: Store, damage: Callable[[Path], None]) -> None:
    tree = publish(store, KEY).tree
    damage(store.tree(tree))
    next_run = Store(store.root)
    assert next_run.has(tree)
    assert next_run.find(KEY) is None
    assert not next_run.tree(tree).exists()
    assert publish(next_run, KEY).tree == tree
    assert next_run.find(KEY) is not None


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The trees that are read, in order."""
    folders: list[Path] = []

    def noting(folder: Path) -> str:
        folders.append(folder)
        return tree_digest(folder)

    monkeypatch.setattr(store_module, "tree_digest", noting)
    return folders


def test_tree_is_read_again_only_where_it_was_touched(store: Store, read: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    entry = publish(store, KEY)
    monkeypatch.setattr(digests_module, "_RACY_NS", -(10**9))
    read.clear()
    assert [store.intact(entry.tree) for _ in range(3)] == [True] * 3
    assert len(read) == 1
    module = store.tree(entry.tree) / "module.bc"
    os.utime(module)
    assert [store.intact(entry.tree) for _ in range(3)] == [True] * 3
    assert len(read) == 2
    module.write_text("bitcodf")
    assert not store.intact(entry.tree)
    assert not store.has(entry.tree)


def test_tree_that_was_just_written_is_read_each_time(store: Store, read: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """A change within the step of the clock would not be seen."""
    monkeypatch.setattr(digests_module, "_RACY_NS", 10**12)
    entry = publish(store, KEY)
    read.clear()
    assert store.intact(entry.tree)
    assert store.intact(entry.tree)
    assert len(read) == 2


@pytest.mark.parametrize("damage", [change_a_byte, remove_a_file, truncate, add_a_file])
def test_large_tree_is_read_once_in_all_runs_until_it_is_touched(
    store: Store, read: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    entry = publish(store, KEY)
    monkeypatch.setattr(digests_module, "_RACY_NS", -(10**9))

    def is_whole_in_the_next_run() -> bool:
        digests = Digests(tmp_path / "digests.json")
        found = Store(store.root, digests).find(KEY) == entry
        digests.save()
        return found

    read.clear()
    assert [is_whole_in_the_next_run() for _ in range(2)] == [True] * 2
    assert len(read) == 2  # it is small
    monkeypatch.setattr(store_module, "_LARGE", 1)
    assert [is_whole_in_the_next_run() for _ in range(3)] == [True] * 3
    assert len(read) == 3
    os.utime(store.tree(entry.tree) / "module.bc")
    assert [is_whole_in_the_next_run() for _ in range(3)] == [True] * 3
    assert len(read) == 4
    damage(store.tree(entry.tree))
    assert not is_whole_in_the_next_run()
    assert not store.has(entry.tree)
    assert publish(store, KEY) == entry
    assert is_whole_in_the_next_run()


def test_intact_tells_whole_from_damaged(store: Store) -> None:
    tree = publish(store, KEY).tree
    assert store.intact(tree)
    change_a_byte(store.tree(tree))
    next_run = Store(store.root)
    assert not next_run.intact(tree)
    assert not next_run.intact(tree)


def test_truncated_key_is_a_miss_at_every_length(store: Store) -> None:
    publish(store, KEY)
    path = key_file(store)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.find(KEY) is None
    path.write_bytes(whole)
    assert store.find(KEY) is not None


@pytest.mark.parametrize(
    "garbage", [b"\xff\xfe", b"\0" * 80, b"null", b"[]", b"7", b"{}", b'{"tree": "00", "seconds": {}}', b"[" * 9999]
)
def test_key_of_garbage_is_a_miss_and_is_removed(store: Store, garbage: bytes) -> None:
    publish(store, KEY)
    path = key_file(store)
    path.write_bytes(garbage)
    assert store.find(KEY) is None
    assert not path.exists()


def test_entry_of_another_key_is_a_miss(store: Store) -> None:
    publish(store, KEY)
    shutil.copy(key_file(store), key_file(store).with_name(f"{OTHER_KEY}.entry"))
    assert store.find(OTHER_KEY) is None
    assert store.find(KEY) is not None


@pytest.mark.parametrize("tree", ["{}", "0" * 64])
def test_key_of_a_tree_that_is_not_there_is_a_miss(store: Store, tree: str) -> None:
    publish(store, KEY)
    key_file(store).write_bytes(written(Entry(KEY, tree, 1, 1.0), b""))
    assert store.find(KEY) is None


@pytest.mark.parametrize("name", ["", ".", "..", "../../precious", "{folder}/precious"])
def test_key_that_names_a_folder_elsewhere_removes_nothing(store: Store, tmp_path: Path, name: str) -> None:
    (tmp_path / "precious").mkdir()
    tree = publish(store, KEY).tree
    path = key_file(store)
    path.write_bytes(written(Entry(KEY, name.format(folder=tmp_path), 1, 1.0), b""))
    assert store.find(KEY) is None
    assert (tmp_path / "precious").exists()
    assert store.tree(tree).exists()


# ---- Scratch, and all or nothing


def test_scratch_is_ones_own_and_gone_afterwards(store: Store) -> None:
    with store.scratch() as one, store.scratch() as other:
        assert one != other
        assert one.parent == other.parent == store.root / "tmp"
        (one / "deep").mkdir()
        (one / "deep" / "file").write_text("")
    assert list((store.root / "tmp").iterdir()) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_scratch_is_gone_after_an_exception(store: Store, error: type[BaseException]) -> None:
    with pytest.raises(error), store.scratch() as scratch:  # noqa: PT012
        (scratch / "file").write_text("")
        raise error
    assert list((store.root / "tmp").iterdir()) == []


def stopped_at(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    """Have the `number`th rename from now raise in place of renaming."""
    real = Path.rename
    calls = iter(range(1, 100))

    def rename(path: Path, target: Any) -> Path:
        if next(calls) == number:
            raise error
        return real(path, target)

    monkeypatch.setattr(Path, "rename", rename)


@pytest.mark.parametrize("number", [1, 2], ids=["before the tree is there", "before the key is there"])
def test_publishing_that_is_interrupted_has_published_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with monkeypatch.context() as patch:
        stopped_at(patch, number, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            publish(store, KEY)
    assert store.find(KEY) is None
    assert list(store.root.rglob(f"{KEY}.*")) == []
    assert all(store.intact(tree.name) for tree in (store.root / "trees").iterdir())
    assert publish(store, KEY) == store.find(KEY)


def test_publishing_that_fails_is_no_success(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_at(monkeypatch, 1, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(OSError, match="No space left"):
        publish(store, KEY)


def test_write_whole_leaves_the_new_or_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "folder" / "file"
    write_whole(path, b"old")
    assert path.read_text() == "old"
    write_whole(path, b"new")
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]
    stopped_at(monkeypatch, 1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"newer")
    assert path.read_text() == "new"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o007, 0o660)])
def test_write_whole_leaves_a_file_for_those_whom_the_umask_lets(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


def test_write_whole_is_never_seen_in_parts(tmp_path: Path) -> None:
    """Whoever has the old file open still reads the old one: the bytes are never written over."""
    path = tmp_path / "file"
    write_whole(path, b"old")
    with path.open() as old:
        write_whole(path, b"new")
        assert old.read() == "old"


def test_nothing_is_renamed_before_it_is_on_the_disk(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """F19: after a loss of power there is all of what is to be seen."""
    done: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def noting_fsync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        done.append(f"flush {path.name if path.parent.parent.name != 'cache' or path.is_dir() else 'entry'}")
        fsync(handle)

    def noting_rename(path: Path, target: Path) -> Path:
        done.append(f"rename {target.suffix or 'tree'}")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(Path, "rename", noting_rename)
    publish(store, KEY)
    flushes = ["flush core.a", "flush module.bc"]  # side by side
    assert [*sorted(done[:2]), *done[2:]] == [
        *flushes,
        "rename tree",
        "flush trees",
        "flush entry",
        "rename .entry",
        f"flush {KEY[:2]}",
    ]


# ---- At the same time


def publish_at_once(root: Path, barrier: Any, rounds: int) -> None:
    for number in range(rounds):
        barrier.wait(20)
        entry = publish(Store(root), f"{number:064}", FILES | {"round": str(number)})
        assert Store(root).find(f"{number:064}") == entry


def test_publishing_the_same_at_the_same_time_succeeds_for_all(store: Store) -> None:
    rounds = 15
    start = multiprocessing.get_context("fork")
    barrier = start.Barrier(2)
    publishers = [start.Process(target=publish_at_once, args=(store.root, barrier, rounds)) for _ in range(2)]
    for publisher in publishers:
        publisher.start()
    for publisher in publishers:
        publisher.join(30)
    assert [publisher.exitcode for publisher in publishers] == [0, 0]
    assert len(list((store.root / "trees").iterdir())) == rounds
    assert list((store.root / "tmp").iterdir()) == []
