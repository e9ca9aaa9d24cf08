"""The recorder that stands in for the linker, started as rustc starts it."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from pipeline import link_recorder

OBJECT = b"\x7fELF\0\xff not text"


def link(folder: Path, *arguments: str) -> Path:
    subprocess.run([sys.executable, "-I", "-S", link_recorder.__file__, *arguments], cwd=folder, check=True)
    return folder / arguments[arguments.index("-o") + 1] if "-o" in arguments else folder / "program"


def recorded(record: Path) -> dict[str, bytes]:
    with tarfile.open(record) as tar:
        streams = {member.name: tar.extractfile(member) for member in tar}
        return {name: stream.read() for name, stream in streams.items() if stream}


def test_record_is_at_the_place_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "one.o").write_bytes(OBJECT)
    (tmp_path / "two.o").write_bytes(b"")
    arguments = ["-m64", "one.o", "-Wl,--as-needed", "libx.rlib", "two.o", "-o", "program", "-lm", "naïve two words"]
    record = link(tmp_path, *arguments)
    files = recorded(record)
    assert json.loads(files.pop("arguments.json")) == arguments
    assert files == {"1.o": OBJECT, "4.o": b""}


def test_record_outlives_the_objects(tmp_path: Path) -> None:
    """rustc deletes them when the linker returns."""
    path = tmp_path / "main.o"
    path.write_bytes(OBJECT)
    record = link(tmp_path, str(path), "-o", "program")
    path.unlink()
    assert recorded(record)["0.o"] == OBJECT


def test_libraries_are_named_and_not_copied(tmp_path: Path) -> None:
    record = link(tmp_path, "/nowhere/libstd.rlib", "-lnative", "-o", "program")
    assert list(recorded(record)) == ["arguments.json"]


def test_archives_outlive_the_folder_of_rustc(tmp_path: Path) -> None:
    """It has those there of which a crate is to be linked with all, and hands them on past `cc`."""
    archive = tmp_path / "libnative.a"
    archive.write_bytes(b"!<arch>\n")
    record = link(tmp_path, "-Wl,--whole-archive", f"-Wl,{archive}", "-Wl,--no-whole-archive", "-o", "program")
    archive.unlink()
    files = recorded(record)
    assert json.loads(files["arguments.json"])[1] == str(archive)
    assert files["1.a"] == b"!<arch>\n"


def test_response_file_is_read_in_where_it_stands(tmp_path: Path) -> None:
    """As rustc writes it: an argument a line, blanks and backslashes escaped."""
    (tmp_path / "main.o").write_bytes(OBJECT)
    lines = ["main.o", r"two\ words.rlib", r"back\\slash", "", "-o", "program"]
    (tmp_path / "linker-arguments").write_text("\n".join(lines), encoding="utf-8")
    record = link(tmp_path, "-m64", "@linker-arguments", "-lm")
    files = recorded(record)
    expanded = ["-m64", "main.o", "two words.rlib", "back\\slash", "", "-o", "program", "-lm"]
    assert json.loads(files["arguments.json"]) == expanded
    assert files["1.o"] == OBJECT


def test_without_response_files_nothing_is_expanded() -> None:
    arguments = [r"back\\slash", "mail@host", "-o", "program"]
    assert link_recorder.expand(arguments) == arguments


def test_older_record_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "main.o").write_bytes(OBJECT)
    link(tmp_path, "main.o", "-o", "program")
    assert list(recorded(link(tmp_path, "-lm", "-o", "program"))) == ["arguments.json"]


def test_missing_object_fails_the_link(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        link_recorder.record([str(tmp_path / "none.o"), "-o", str(tmp_path / "program")])


def test_list_of_exports_outlives_the_folder_of_rustc(tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("{\n  global:\n    one;\n};\n")
    record = link(tmp_path, f"-Wl,--version-script={listed}", "-shared", "-o", "libx.so")
    listed.unlink()
    assert recorded(record)["0.list"] == b"{\n  global:\n    one;\n};\n"
