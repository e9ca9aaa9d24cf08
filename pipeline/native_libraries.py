"""Which libraries a linker's arguments mean: `-lNAME`, by the folders that the line itself names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

_FOLDER, _LIBRARY, _VERBATIM, _HANDED_ON = "-L", "-l", ":", "-Wl,"
_IS_STATIC = {"-Bstatic": True, "-Bdynamic": False}
_ARCHIVE, _SHARED = b"!<arch>\n", b"\x7fELF"


def found(arguments: Sequence[str], folder: Path) -> dict[int, Path]:
    """The library of each argument that names one in a folder of the line, by the argument's place.

    The linker runs in `folder`.  As it does: each folder counts for all arguments, and in it a shared library, but after
    `-Bstatic`, before an archive.  What only the C compiler's own folders have is not among them.
    """
    folders = [folder / each for each in _folders(arguments)]
    libraries: dict[int, Path] = {}
    is_static = False
    for number, argument in enumerate(arguments):
        if argument.startswith(_HANDED_ON):
            for option in argument.split(","):
                is_static = _IS_STATIC.get(option, is_static)
        elif argument.startswith(_LIBRARY):
            names = _names(argument.removeprefix(_LIBRARY), is_static)
            there = [path for each in folders for name in names if (path := each / name).is_file()]
            if there:
                libraries[number] = there[0]
    return libraries


def _folders(arguments: Sequence[str]) -> Iterator[str]:
    for argument, following in pairwise([*arguments, ""]):
        if argument == _FOLDER:
            yield following
        elif argument.startswith(_FOLDER):
            yield argument.removeprefix(_FOLDER)


def _names(name: str, is_static: bool) -> list[str]:
    if name.startswith(_VERBATIM):
        return [name.removeprefix(_VERBATIM)]
    return [f"lib{name}.a"] if is_static else [f"lib{name}.so", f"lib{name}.a"]


def is_archive(library: Path) -> bool:
    """Whether it has the objects in it: what is `thin` names them, and a script names other libraries."""
    return _begins(library, _ARCHIVE)


def is_shared(library: Path) -> bool:
    """Whether it is loaded when the program starts."""
    return _begins(library, _SHARED)


def _begins(path: Path, beginning: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(beginning)) == beginning
