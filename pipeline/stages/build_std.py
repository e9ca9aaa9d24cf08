"""build_std: the standard library, from its sources, as bitcode with debug info: a sysroot for the crates to come.

Once per toolchain and what panics do: always optimised, whatever the crate's own profile says, as rustup's std is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pipeline import bitcode, cargo, process, symbol_lists
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.key import location
from pipeline.llvm import Module
from pipeline.stages import Inputs
from pipeline.toolchain import Rust, Tool

SYSROOT = "sysroot"
BITCODE = "bitcode"
NATIVE = "native"
COMPILED = "compiled"
STD_MODULE = "std.bc"
SYMBOLS = "symbols.json"

HOW_TO_GET_SOURCES = (
    "apt-get install rust-web-src, or rustup component add rust-src;"
    " or take the bitcode in the toolchain's own std, by `build_std: prebuilt`"
)

# Code generation calls what is in it by name: as bitcode it would be gone by then.
AS_IT_IS = "compiler_builtins"

NOT_READ = ("vendor", "tests", "benches", "coretests", "alloctests")
"""The folders in std's sources that are no part of what it is made of, or that its lock has digests of."""

_RUNTIMES = {"abort": "panic_abort", "unwind": "panic_unwind"}

# Not for programs at all.
_LEFT_OUT = ("proc_macro", "empty")


@dataclass(frozen=True)
class BuildStd:
    """std, core, alloc … of the toolchain's sources.

    Output: `sysroot/` to give to rustc; `bitcode/<crate>/*.bc`; `native/<crate>.a`, what has
    no bitcode (compiler_builtins); `compiled/<crate>.a`, what has bitcode beside it; and once for every crate to come
    `std.bc`, all the bitcode in one module, and `symbols.json`, what all this defines (`symbol_lists`).
    """

    rustc: Tool
    cargo: Tool
    triple: str
    sources: str
    """Digest of std's sources."""
    libraries: str
    """Digest of the toolchain's own libraries: build scripts are made of them."""
    llvm_link: Tool
    llvm_nm: Tool
    libllvm: Tool
    beside_objects: bool
    """Whether there is bitcode beside objects, for a program that is linked of these: as rustc has it before it optimises."""
    panic: str
    """What a panic does."""
    rust: Rust = location()

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Build the empty crate with cargo's -Zbuild-std and keep what it needed."""
        import shutil

        work = out / "work"
        self._build(work, log)
        libraries = sorted(work.glob(f"target/{self.triple}/release/deps/*.rlib"))
        for library in libraries:
            self._take_apart(library, out)
        self._keep_sysroot(libraries, out)
        shutil.rmtree(work)
        link_modules(self.llvm_link, self.llvm_nm, out, log)

    def _build(self, work: Path, log: Path) -> None:
        (work / "src").mkdir(parents=True)
        (work / "src/lib.rs").write_text("#![no_std]\n")
        (work / "Cargo.toml").write_text('[package]\nname = "empty"\nedition = "2021"\n[workspace]\n')
        flags = (
            ["-Csave-temps"] if self.beside_objects else ["-Clinker-plugin-lto", "-Cno-vectorize-loops", "-Cno-vectorize-slp"]
        )
        environment = cargo.environment(self.rust, flags, work / "hooks", {}) | {"RUSTC_BOOTSTRAP": "1"}
        settings = [
            'source.crates-io.replace-with="vendored"',
            f'source.vendored.directory="{self.rust.sources / "vendor"}"',
            "profile.release.debug=1",
            f'profile.release.panic="{self.panic}"',
        ]
        argv: list[process.Argument] = [self.cargo, "build", "--release", "--offline", "--quiet"]
        argv += [
            "-Zbuild-std=std,panic_abort,test",
            "--target",
            self.triple,
            "--target-dir",
            work / "target",
            *(f"--config={s}" for s in settings),
        ]
        finished = process.run_shown(argv, log=log, stdout=work / "stdout", env=environment, cwd=work)
        if not finished.succeeded:
            raise UserError(f"error: std cannot be built from {self.rust.sources} ({finished.verdict})")

    def _keep_sysroot(self, libraries: list[Path], out: Path) -> None:
        folder = out / SYSROOT / "lib/rustlib" / self.triple / "lib"
        folder.mkdir(parents=True)
        for library in libraries:
            if crate_name(library) != "empty":
                library.rename(folder / library.name)

    def _take_apart(self, library: Path, out: Path) -> None:
        crate = crate_name(library)
        if crate in (*_LEFT_OUT, other_runtime(self.panic)):
            return
        members = list(bitcode.members(library))
        if not self.beside_objects:
            modules, of_bitcode = bitcode.within(members), []
        else:
            of_bitcode = [m for m in members if crate != AS_IT_IS and bitcode.module_of(library.parent / m.name)]
            modules = bitcode.beside(library.parent, of_bitcode)
        for module in write_modules(out, crate, modules):
            with Module(self.libllvm, module) as opened:
                write_anew(opened, module)
        bitcode.write_natives(of_bitcode, out / COMPILED / f"{crate}.a")
        others = [member for member in members if member not in of_bitcode]
        bitcode.write_natives(others, out / NATIVE / f"{crate}.a")


def sources_of_std(rust: Rust, digests: Digests) -> str:
    """SHA-256 of std's sources.  Its vendored crates are named by hash in its lock, and cargo refuses one that differs.

    Raises: UserError where they are not there.
    """
    if not rust.sources.is_dir():
        raise UserError(f"error: std's sources are missing: {rust.sources}\n  = help: {HOW_TO_GET_SOURCES}")
    return digests.tree(rust.sources, NOT_READ)


def write_modules(out: Path, crate: str, modules: Iterable[bytes]) -> list[Path]:
    """Write the modules of a crate of std's where they belong, as they are; and say where that is."""
    written = []
    for number, module in enumerate(modules):
        written.append(out / BITCODE / crate / f"{number:02}.bc")
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        written[-1].write_bytes(module)
    return written


def write_anew(module: Module, path: Path) -> None:
    """Write the module without its ThinLTO summary, which would make many modules of one, and without its list of what only
    the *compiler* must keep (std keeps the panic machinery so): here that is for the linker to decide.
    """
    module.drop_global("llvm.compiler.used")
    module.write(path)


def link_modules(llvm_link: Tool, llvm_nm: Tool, out: Path, log: Path) -> None:
    """Link all of std's modules into one, and list what they and the objects define."""
    modules = sorted((out / BITCODE).rglob("*.bc"))
    process.run_tool([llvm_link, "-o", out / STD_MODULE, *modules], log=log)
    symbol_lists.write(
        llvm_nm, modules, (path for folder in (NATIVE, COMPILED) for path in (out / folder).glob("*.a")), out / SYMBOLS
    )


def other_runtime(panic: str) -> str:
    """The crate of std's that is not for programs that do this on a panic."""
    (other,) = (crate for does, crate in _RUNTIMES.items() if does != panic)
    return other


def crate_name(library: Path) -> str:
    """The crate that an `.rlib` is of."""
    return library.stem.removeprefix("lib").rsplit("-", 1)[0]
