"""Which libraries a linker's arguments mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline import native_libraries


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one/libx.a", "two/libx.so", "two/libx.a", "two/liby.a", "two/named.a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("-lx -L two", {0: "two/libx.so"}),
        ("-Ltwo -ly", {1: "two/liby.a"}),
        ("-L one -lx -L two", {2: "one/libx.a"}),
        ("-L two -Wl,-Bstatic -lx -Wl,-Bdynamic -lx", {3: "two/libx.a", 5: "two/libx.so"}),
        ("-L two -Wl,--whole-archive,-Bstatic -lx", {3: "two/libx.a"}),
        ("-L two -l:named.a", {2: "two/named.a"}),
        ("-L two -lm two/liby.a", {}),
        ("-lx", {}),
    ],
)
def test_library_of_an_argument(folder: Path, line: str, meant: dict[int, str]) -> None:
    found = native_libraries.found(line.split(), folder)
    assert found == {number: folder / name for number, name in meant.items()}
