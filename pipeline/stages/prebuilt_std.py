"""build_std of `build_std: prebuilt`: the bitcode that a toolchain's own std carries beside its machine code.

rustc's releases embed it for those who link with LTO.  No sources of std are needed for it, and no unstable flag.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pipeline import bitcode
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.key import location
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.stages import Inputs
from pipeline.stages.build_std import (
    AS_IT_IS,
    COMPILED,
    NATIVE,
    crate_name,
    link_modules,
    other_runtime,
    write_anew,
    write_modules,
)
from pipeline.toolchain import Rust, Tool
from pipeline.unwinding import abort_on_panic

# Not for programs at all, and what only profiles are linked with.
_LEFT_OUT = ("proc_macro", "profiler_builtins")

INSTEAD_OF_PREBUILT = "`build_std: full` compiles std from its sources"


@dataclass(frozen=True)
class PrebuiltStd:
    """std, core, alloc … as the toolchain brings them.

    Output: that of `BuildStd` but for the sysroot: rustc goes by its own.
    """

    libraries: str
    """Digest of std's libraries."""
    llvm_link: Tool
    llvm_nm: Tool
    libllvm: Tool
    beside_objects: bool
    """Whether the objects stay, for a program that is linked of these."""
    panic: str
    """What a panic does in the program.  A toolchain's std is built to unwind; its bitcode here does not in any case."""
    rust: Rust = location()

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Take the libraries apart, and link what is bitcode into one module."""
        for library in _libraries(self.rust):
            if crate_name(library) not in (*_LEFT_OUT, other_runtime(self.panic)):
                self._take_apart(library, out)
        link_modules(self.llvm_link, self.llvm_nm, out, log)

    def _take_apart(self, library: Path, out: Path) -> None:
        crate = crate_name(library)
        members = list(bitcode.members(library))
        carrying = [member for member in members if member.embedded and crate != AS_IT_IS]
        for path in write_modules(out, crate, (member.embedded for member in carrying)):
            with Module(self.libllvm, path) as module:
                abort_on_panic(Editor(module))
                write_anew(module, path)
        if self.beside_objects:
            bitcode.write_natives(carrying, out / COMPILED / f"{crate}.a")
        others = [member for member in members if member not in carrying]
        bitcode.write_natives(others, out / NATIVE / f"{crate}.a")


def libraries_of_std(rust: Rust, digests: Digests) -> str:
    """The names and the SHA-256 of the toolchain's own libraries.

    Raises: UserError where they carry no bitcode.
    """
    libraries = _libraries(rust)
    if not digests.remember("bitcode", rust.libraries, libraries, lambda: carries_bitcode(rust)):
        raise UserError(f"error: the toolchain's own std carries no bitcode: {rust.libraries}\n  = help: {INSTEAD_OF_PREBUILT}")
    return "\n".join(f"{library.name} {digests.file(library)}" for library in libraries)


def carries_bitcode(rust: Rust) -> bool:
    """Whether the toolchain's own std can be had as bitcode: what else is in its folder is built alike."""
    std = (library for library in _libraries(rust) if crate_name(library) == "std")
    return any(member.embedded for library in std for member in bitcode.members(library))


def _libraries(rust: Rust) -> list[Path]:
    return sorted(rust.libraries.glob("*.rlib"))
