"""Where the tools are: each is found once, by full path, and named by it from then on."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from pipeline import process
from pipeline.digests import Digests
from pipeline.errors import CommandLineError, UserError

LLVM_MAJOR = 22
_LLVM_BIN = Path(f"/usr/lib/llvm-{LLVM_MAJOR}/bin")

_READ = ("host", "release", "LLVM version")
"""Of what a compiler says of itself."""

_ANOTHER = "  = help: name another toolchain: `./doit doctor` lists those that are here"


@dataclass(frozen=True)
class Tool:
    """A program or shared library, by full path; its identity (see `Digests.tool`) is part of every key it works for."""

    path: Path

    def __fspath__(self) -> str:
        return os.fspath(self.path)


@dataclass(frozen=True)
class Rust:
    """One Rust toolchain: its compiler and cargo by full path, the target triple that it builds for, the host's where nothing
    else is said, and where its std is.
    """

    rustc: Tool
    cargo: Tool
    triple: str
    version: str
    sysroot: Path

    @property
    def sources(self) -> Path:
        """The folder with std's sources; it may be missing."""
        return self.sysroot / "lib/rustlib/src/rust/library"

    @property
    def libraries(self) -> Path:
        """The folder with std as it comes with the toolchain."""
        return self.sysroot / "lib/rustlib" / self.triple / "lib"


@dataclass(frozen=True)
class Tools:
    """The tools beside Rust's."""

    opt: Tool
    llvm_link: Tool
    llc: Tool
    llvm_as: Tool
    llvm_ar: Tool
    llvm_nm: Tool
    lld: Tool
    libllvm: Tool
    libllvmlite: Tool
    catalyst: Tool
    cc: Tool
    clang: Tool
    """Optional: it may not be there."""


def find_tools() -> Tools:
    """The tools where they are expected; whether they are there is asked when they are used."""
    return Tools(
        opt=_llvm("opt"),
        llvm_link=_llvm("llvm-link"),
        llc=_llvm("llc"),
        llvm_as=_llvm("llvm-as"),
        llvm_ar=_llvm("llvm-ar"),
        llvm_nm=_llvm("llvm-nm"),
        lld=_llvm("ld.lld"),
        libllvm=Tool(Path(f"/usr/lib/{sys.implementation._multiarch}/libLLVM.so.{LLVM_MAJOR}.1")),
        libllvmlite=Tool(_llvmlite()),
        catalyst=Tool(Path(sys.prefix) / "bin" / "catalyst"),
        cc=Tool(Path("/usr/bin/cc")),
        clang=_llvm("clang"),
    )


def _llvm(name: str) -> Tool:
    return Tool(_LLVM_BIN / name)


def _llvmlite() -> Path:
    """The LLVM that llvmlite brings, found without loading it."""
    found = importlib.util.find_spec("llvmlite")
    package = Path(found.origin).parent if found and found.origin else Path("llvmlite")
    return package / "binding" / "libllvmlite.so"


def find_rust(name: str, digests: Digests) -> Rust:
    """The Rust toolchain a config names: `debian`, a rustup toolchain, or the path of a folder with `bin/rustc`.

    Raises: UserError where it is not there.
    """
    folder = _toolchain_folder(name)
    rustc, cargo = Tool(folder / "bin" / "rustc"), Tool(folder / "bin" / "cargo")
    for tool in (rustc, cargo):
        if not tool.path.is_file():
            raise UserError(f"error: toolchain `{name}`: {tool.path} is missing\n  = help: {_cure(name)}")
    described = digests.remember("rustc", rustc.path, [rustc.path], lambda: _describe(rustc))
    llvm = described["LLVM version"]
    major = re.match(r"\d+", llvm)
    if major is None or int(major[0]) > LLVM_MAJOR:
        raise UserError(
            f"error: toolchain `{name}` is of LLVM {llvm}; the tools here read bitcode of LLVM {LLVM_MAJOR} and older\n"
            f"{_ANOTHER}"
        )
    return Rust(rustc, cargo, described["host"], described["release"], Path(described["sysroot"]))


def _toolchain_folder(name: str) -> Path:
    if name == "debian":
        return Path("/usr")
    if "/" in name:
        return Path(name).expanduser()
    installed = sorted(rustup_toolchains())
    exact = [f for f in installed if f.name == name]
    of_that_name = exact or [f for f in installed if f.name.startswith(name + "-")]
    if not of_that_name:
        there = ", ".join(["debian", *(f.name for f in installed)])
        raise CommandLineError(f"error: there is no toolchain `{name}` here\n  = help: there are: {there}")
    return of_that_name[0]


def rustup_toolchains() -> list[Path]:
    """The folders of the toolchains that rustup has installed for this user."""
    home = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
    return [folder for folder in (home / "toolchains").glob("*") if (folder / "bin/rustc").exists()]


def _cure(name: str) -> str:
    if name == "debian":
        return "apt-get install rustc-web cargo-web"
    return "give `toolchain` the path of a folder that has bin/rustc and bin/cargo"


def _describe(rustc: Tool) -> dict[str, str]:
    answer = process.ask([rustc, "-vV"], env=os.environ)
    sysroot = process.ask([rustc, "--print", "sysroot"], env=os.environ)
    if not (answer.succeeded and sysroot.succeeded):
        raise UserError(f"error: {rustc.path} does not answer `-vV`\n{process.tail(answer.output)}\n{_ANOTHER}")
    fields = dict(line.split(": ", 1) for line in answer.output.splitlines() if ": " in line)
    if unsaid := [name for name in _READ if name not in fields]:
        said = f"it answers `-vV` without `{unsaid[0]}`\n{process.tail(answer.output)}"
        raise UserError(f"error: {rustc.path} is no rustc with LLVM: {said}\n{_ANOTHER}")
    return {**fields, "sysroot": sysroot.output.strip()}
