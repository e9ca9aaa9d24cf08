"""What `keep=` leaves beside the program: the module of each stage, in order, as a file to look at and to edit.

<crate>/target/crategrad/<config>/stages/02-crate_bitcode.03-demo.00.bc      of each crate its modules
<crate>/target/crategrad/<config>/stages/04-opt1.bc, 08-codegen.o
<crate>/target/crategrad/<config>/stages/04-opt1.ll                          with `keep=ll`

They are copies: what lies in the cache is never to be edited.  std's bitcode, the same for all, stays there.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_void_p
from pathlib import Path

from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.llvm import Module
from pipeline.stages import MODULE
from pipeline.stages.codegen import OBJECT
from pipeline.stages.crate_bitcode import BITCODE
from pipeline.toolchain import find_tools

_PRINT = {"PrintModuleToFile": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)])}


def keep(build: Build, *, as_text: bool) -> None:
    """Leave what the stages have made so far, where it does not lie there yet.

    Raises: UserError, or OSError, where it cannot be written.
    """
    import shutil

    for name in build.steps:
        made = build.made(name)
        for ending, file in _files(build.store.tree(made.tree)) if made and name != "build_std" else ():
            kept = build.view(name, ending)
            if not _is_of(kept, made.when if made else 0):
                shutil.copyfile(file, kept)
            text = kept.with_suffix(".ll")
            if as_text and kept.suffix == ".bc" and not _is_of(text, made.when if made else 0):
                _print(kept, text)


def _files(tree: Path) -> Iterator[tuple[str, Path]]:
    """The modules and objects in what a stage has made, each with what is to stand behind the stage's name."""
    for name, ending in ((MODULE, ".bc"), (OBJECT, ".o")):
        if (tree / name).is_file():
            yield ending, tree / name
    for module in sorted((tree / BITCODE).glob("*/*.bc")):
        yield f".{module.parent.name}.{module.name}", module


def _is_of(kept: Path, when: float) -> bool:
    """Whether a file is a copy of what a stage had made then."""
    return kept.is_file() and kept.stat().st_mtime > when


def _print(module: Path, text: Path) -> None:
    with Module(find_tools().libllvm, module) as opened:
        opened.api.load(_PRINT)
        message = c_void_p()
        if opened.api.PrintModuleToFile(opened.handle, str(text).encode(), message):
            raise UserError(f"error: {text} cannot be written")
