"""Digests: what changes them, what does not, and that a memory of them never lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import digests as module
from pipeline.digests import Digests, file_digest, source_files
from pipeline.errors import UserError


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "digests.json"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "file", "content")


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are read, in order."""
    paths: list[Path] = []

    def noting(path: Path) -> str:
        paths.append(path)
        return file_digest(path)

    monkeypatch.setattr(module, "file_digest", noting)
    return paths


def written(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def let_it_settle() -> None:
    """Wait until what was just written may be remembered."""
    time.sleep(2 * module._RACY_NS / 1e9)


def remembering(memory: Path, path: Path) -> Digests:
    """Digests of another run, which knows the file from the one before."""
    let_it_settle()
    first = Digests(memory)
    first.file(path)
    first.save()
    return Digests(memory)


# ---- Files and the memory of them


def test_digest_is_sha256_of_the_bytes(digests: Digests, file: Path) -> None:
    file.write_text("abc")
    assert digests.file(file) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_unchanged_file_is_not_read_again(memory: Path, file: Path, read_files: list[Path]) -> None:
    again = remembering(memory, file)
    assert again.file(file) == file_digest(file)
    assert read_files == [file]


def test_touched_file_has_the_same_digest(memory: Path, file: Path) -> None:
    again = remembering(memory, file)
    os.utime(file, ns=(1, 1))
    assert again.file(file) == file_digest(file)


def rewrite_in_place(file: Path) -> None:
    file.write_text("CONTENT")


def replace(file: Path) -> None:
    written(file.with_name("new"), "CONTENT").replace(file)


@pytest.mark.parametrize("change", [rewrite_in_place, replace])
def test_change_that_keeps_size_and_time_is_noticed(memory: Path, file: Path, change: Callable[[Path], None]) -> None:
    again = remembering(memory, file)
    before = file.stat()
    change(file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (before.st_mtime_ns, before.st_size)
    assert again.file(file) == file_digest(file)


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"7", b"\xff\xfe", b"\0\0\0", b'{"file:%s": 5}', b'{"file:%s": []}', b'{"file:%s": [1]}'],
)
def test_damaged_memory_is_no_memory(memory: Path, file: Path, damage: bytes) -> None:
    remembering(memory, file)
    memory.write_bytes(damage.replace(b"%s", os.fsencode(file)))
    assert Digests(memory).file(file) == file_digest(file)


def test_memory_in_which_a_bit_has_changed_is_no_memory(memory: Path, file: Path) -> None:
    remembering(memory, file)
    whole = memory.read_bytes()
    for place in range(len(whole)):
        memory.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert Digests(memory).file(file) == file_digest(file), place


def test_truncated_memory_is_no_memory(memory: Path, file: Path) -> None:
    remembering(memory, file)
    whole = memory.read_bytes()
    for length in range(len(whole)):
        memory.write_bytes(whole[:length])
        assert Digests(memory).file(file) == file_digest(file)


def test_file_just_written_is_not_remembered(memory: Path, file: Path, read_files: list[Path]) -> None:
    soon = time.time_ns() + 10**12
    os.utime(file, ns=(soon, soon))
    digests = Digests(memory)
    digests.file(file)
    digests.file(file)
    digests.save()
    assert read_files == [file, file]
    assert not memory.exists()


def test_file_just_written_is_not_remembered_however_long_reading_takes(
    memory: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = file.stat().st_mtime_ns + module._RACY_NS // 2
    monkeypatch.setattr(time, "time_ns", lambda: now)
    answers = iter(["read before the second write", "read after it"])

    def read_slowly() -> str:
        nonlocal now
        now += 10**9
        return next(answers)

    digests = Digests(memory)
    digests.remember("file", file, [file], read_slowly)
    assert digests.remember("file", file, [file], read_slowly) == "read after it"


def test_what_was_computed_of_several_files_is_forgotten_with_each(tmp_path: Path, digests: Digests) -> None:
    files = [written(tmp_path / name, name) for name in ("a", "b")]
    let_it_settle()
    answers = iter(range(9))

    def ask() -> int:
        answer: int = digests.remember("answer", "subject", files, lambda: next(answers))
        return answer

    assert (ask(), ask()) == (0, 0)
    for number, file in enumerate(files, start=1):
        os.utime(file, ns=(1, 1))
        let_it_settle()
        assert (ask(), ask()) == (number, number)
    files.pop()
    assert ask() == 3


def test_kinds_and_subjects_are_kept_apart(digests: Digests, file: Path) -> None:
    let_it_settle()
    names = [("a", "x"), ("a", "y"), ("b", "x")]
    answers = iter(range(9))
    assert [digests.remember(kind, subject, [file], lambda: next(answers)) for kind, subject in names] == [0, 1, 2]


def test_what_does_not_change_within_a_run_is_looked_at_once(digests: Digests) -> None:
    answers = iter(["first", "second"])
    assert [digests.once("answer", "subject", lambda: next(answers)) for _ in range(2)] == ["first", "first"]
    assert digests.once("answer", "another subject", lambda: next(answers)) == "second"


def test_what_could_not_be_looked_at_is_looked_at_again(digests: Digests, file: Path) -> None:
    with pytest.raises(FileNotFoundError):
        digests.once("answer", file, lambda: file.with_name("missing").read_text())
    assert digests.once("answer", file, file.read_text) == "content"


def test_memory_that_cannot_be_written_is_no_error(tmp_path: Path, file: Path) -> None:
    let_it_settle()
    digests = Digests(file / "digests.json")
    digests.file(written(tmp_path / "other", ""))
    let_it_settle()
    digests.file(tmp_path / "other")
    digests.save()


def test_saving_leaves_nothing_but_the_memory(memory: Path, file: Path) -> None:
    remembering(memory, file)
    assert list(memory.parent.iterdir()) == [memory]


# ---- Folders

TREE = {
    "Cargo.toml": "[package]",
    "src/main.rs": "fn main() {}",
    "src/deep/er.rs": "",
    ".cargo/config.toml": "",
    "build.rs": "",
}


def tree(root: Path, files: dict[str, str] = TREE) -> Path:
    for name, content in files.items():
        written(root / name, content)
    return root


def test_digest_of_a_folder_is_of_names_and_bytes_wherever_it_lies(tmp_path: Path, digests: Digests) -> None:
    reverse = dict(reversed(TREE.items()))
    assert digests.tree(tree(tmp_path / "here")) == digests.tree(tree(tmp_path / "else" / "where", reverse))


@pytest.mark.parametrize(
    "other",
    [
        TREE | {"src/main.rs": "fn main() { }"},
        TREE | {"src/more.rs": ""},
        TREE | {".env": "NAME=value"},
        TREE | {".cargo/config.toml": "[build]"},
        {name: content for name, content in TREE.items() if name != "build.rs"},
        {name.replace("build.rs", "src/build.rs"): content for name, content in TREE.items()},
        TREE | {"src/main.rs": TREE["Cargo.toml"], "Cargo.toml": TREE["src/main.rs"]},
    ],
    ids=["content", "file more", "hidden file", "cargo's config", "file less", "file moved", "contents swapped"],
)
def test_every_change_in_a_folder_changes_its_digest(tmp_path: Path, digests: Digests, other: dict[str, str]) -> None:
    assert digests.tree(tree(tmp_path / "one")) != digests.tree(tree(tmp_path / "other", other))


@pytest.mark.parametrize("name", ["target/debug/main", ".git/HEAD", "src/.idea/x", "vendor/x.rs", "src/vendor/x"])
def test_what_is_no_source_has_no_say(tmp_path: Path, digests: Digests, name: str) -> None:
    more = TREE | {name: "x"}
    assert digests.tree(tree(tmp_path / "one"), ("vendor",)) == digests.tree(tree(tmp_path / "other", more), ("vendor",))


def test_target_folder_of_cargos_has_no_say_but_a_module_of_that_name_has(tmp_path: Path, digests: Digests) -> None:
    plain = digests.tree(tree(tmp_path / "one"))
    cargos = {"member/target/x": "x", "member/target/CACHEDIR.TAG": ""}
    assert digests.tree(tree(tmp_path / "two", TREE | cargos)) == plain
    elsewhere = {"member/built/x": "x", "member/built/CACHEDIR.TAG": ""}
    assert digests.tree(tree(tmp_path / "four", TREE | elsewhere)) == plain
    assert digests.tree(tree(tmp_path / "three", TREE | {"src/target/mod.rs": ""})) != plain


def test_vendored_sources_count_unless_they_are_skipped(tmp_path: Path, digests: Digests) -> None:
    more = TREE | {"vendor/x.rs": ""}
    assert digests.tree(tree(tmp_path / "one")) != digests.tree(tree(tmp_path / "other", more))


def test_unchanged_folder_is_not_read_again_and_a_changed_one_is(
    tmp_path: Path, digests: Digests, read_files: list[Path]
) -> None:
    root = tree(tmp_path / "root")
    let_it_settle()
    before = digests.tree(root)
    del read_files[:]
    assert digests.tree(root) == before
    assert read_files == []
    (root / "src/main.rs").write_text("fn main() { }")
    assert digests.tree(root) != before


def test_links_to_files_are_followed_and_other_links_passed_over(tmp_path: Path) -> None:
    root = tree(tmp_path / "root", {"real/file": ""})
    (root / "folder").symlink_to("real")
    (root / "file").symlink_to("real/file")
    (root / ".#lock").symlink_to("user@host.1234")
    assert [Path(path).relative_to(root).as_posix() for path in source_files(root)] == ["file", "real/file"]


@pytest.mark.parametrize("target", [".", "link"], ids=["to its folder", "to itself"])
def test_links_in_a_circle_are_no_error(tmp_path: Path, target: str) -> None:
    root = tree(tmp_path / "root")
    (root / "link").symlink_to(target)
    source_files(root)


def test_file_name_that_is_no_text_is_no_error(tmp_path: Path, digests: Digests) -> None:
    root = tree(tmp_path / "root")
    written(root / os.fsdecode(b"caf\xe9.txt"), "")
    digests.tree(root)


# ---- Tools


def compiled(output: Path, source: str, *flags: object) -> Path:
    argv = ["gcc", "-xc", "-", "-o", str(output), *map(str, flags)]
    subprocess.run(argv, input=source, text=True, check=True)
    return output


def next_run(digests: Digests, folder: Path) -> Digests:
    digests.save()
    return Digests(folder / "digests.json")


def library(folder: Path, name: str, source: str, *needed: object) -> Path:
    return compiled(folder / f"lib{name}.so", source, "-shared", "-fPIC", f"-Wl,-rpath,{folder}", "-xnone", *needed)


def test_script_is_its_own_file_alone(tmp_path: Path, digests: Digests) -> None:
    tool = written(tmp_path / "tool", "#!/bin/sh\n")
    before = digests.tool(tool)
    assert digests.tool(Path(shutil.copy(tool, tmp_path / "copy"))) == before
    tool.write_text("#!/bin/sh\ntrue\n")
    assert next_run(digests, tmp_path).tool(tool) != before


def test_missing_tool_is_the_users_to_mend(tmp_path: Path, digests: Digests) -> None:
    with pytest.raises(UserError, match=r"tool is missing\n.*\./doit doctor"):
        digests.tool(tmp_path / "tool")


@pytest.mark.toolchain
def test_tool_is_what_its_libraries_are(tmp_path: Path, digests: Digests) -> None:
    one = library(tmp_path, "one", "int one(void) { return 1; }")
    tool = compiled(
        tmp_path / "tool", "int one(void); int main(void) { return one(); }", "-xnone", one, f"-Wl,-rpath,{tmp_path}"
    )
    let_it_settle()
    before = digests.tool(tool)
    assert next_run(digests, tmp_path).tool(tool) == before
    library(tmp_path, "one", "int one(void) { return 2; }")
    assert next_run(digests, tmp_path).tool(tool) != before


@pytest.mark.toolchain
def test_tool_whose_library_loads_another_library_than_before(tmp_path: Path, digests: Digests) -> None:
    two = library(tmp_path, "two", "int two(void) { return 2; }")
    one = library(tmp_path, "one", "int two(void); int one(void) { return two(); }", two)
    tool = compiled(
        tmp_path / "tool", "int one(void); int main(void) { return one(); }", "-xnone", one, f"-Wl,-rpath,{tmp_path}"
    )
    let_it_settle()
    before = digests.tool(tool)
    library(tmp_path, "one", "int one(void) { return 2; }")
    two.unlink()
    assert next_run(digests, tmp_path).tool(tool) != before
