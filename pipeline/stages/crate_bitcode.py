"""crate_bitcode: the user's crate and all it depends on, by the real cargo, as bitcode; and how they would be linked."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import bitcode, cargo, process
from pipeline.errors import UserError
from pipeline.key import location
from pipeline.llvm import IN_PLACE
from pipeline.stages import PINS, Inputs
from pipeline.stages.build_std import SYSROOT
from pipeline.toolchain import Rust, Tool

if TYPE_CHECKING:
    import tarfile

LINK_LINE = "link.json"
OUTSIDE = "dep-info"
BITCODE = "bitcode"
NATIVE = "native"

# rustc's list of symbols that a linker must not lose from archives.  Where std is bitcode the merged module has them
# all, and what nobody calls need not be kept: with this list every program would carry std's whole panic machinery
# through every stage.
_SYMBOLS = "symbols.o"


@dataclass(frozen=True)
class CrateBitcode:
    """The crate's binary and its dependencies (registry, path, vendored).

    Output: `bitcode/<nn>-<crate>/<nn>.bc` in the order of the link line; `native/`, the objects and archives that have
    no bitcode; `link.json`, the binary's name and the linker's arguments in order: strings as they are, and
    `{"bitcode": folder}`, `{"native": file}` or `{"std": crate}` where an object or library of that kind stands.
    """

    rustc: Tool
    cargo: Tool
    host: str
    sources: str
    """Digest of what cargo reads (`crate.sources_digest`)."""
    binary: str
    profile: str
    panic: str
    cpu: str
    debug_symbols: bool
    lto_bitcode: bool
    derivatives: bool
    """Whether derivatives get bodies: the frontend's `--cfg crategrad`."""
    gradcheck: bool
    """Whether derivatives can be checked by the program itself: the frontend's `--cfg crategrad_gradcheck`."""
    verify: Mapping[str, str]
    """What the frontend reads when it is compiled to derivatives that check themselves, its `--cfg crategrad_verify`; else
    nothing."""
    environment: Mapping[str, str]
    """Variables that build scripts go by."""
    llvm_ar: Tool
    libllvmlite: Tool
    """It writes all bitcode anew."""
    rust: Rust = location()
    folder: Path = location()
    target: Path = location()
    """Cargo's own target folder: kept between runs, and cargo's to trust."""
    offline: bool = location()

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run cargo with its diagnostics shown as they come, and take apart what it would have linked."""
        messages = out / "messages"
        finished = process.run_shown(
            self._argv(), log=log, stdout=messages, env=self._environment(inputs.get("std")), cwd=self.folder
        )
        if not finished.succeeded:
            raise UserError(f"error: `{self.binary}` does not build: cargo says why above", exit_code=1)
        executable = _executable(messages, self.binary)
        messages.unlink()
        _LinkLine(self, "std" in inputs, out, log).take_apart(executable)

    def dep_info(self) -> list[Path]:
        """Cargo's dep-info files of the last build: they name every source file that was read."""
        return sorted((self.target / self.host).glob("*/deps/*.d"))

    def _argv(self) -> list[process.Argument]:
        settings = {"panic": json.dumps(self.panic), "lto": '"off"', "strip": '"none"', "split-debuginfo": '"off"'}
        settings["debug"] = "2" if self.debug_symbols else "0"
        argv: list[process.Argument] = [self.cargo, "build", "--bin", self.binary, "--profile", self.profile]
        argv += ["--target", self.host, "--target-dir", self.target, "--message-format=json-render-diagnostics"]
        argv += [f"--config=profile.{self.profile}.{name}={value}" for name, value in settings.items()]
        return argv + (["--offline"] if self.offline else [])

    def _environment(self, std: Path | None) -> dict[str, str]:
        hooks = self.target / "hooks"
        flags = [f"-Clinker={cargo.linker(hooks)}", "-Clinker-flavor=gcc", f"-Ctarget-cpu={self.cpu}"]
        if self.lto_bitcode:
            # Vectorised loops are hard on the adjoint, changed headers on what is known of them; opt2 does both, after Enzyme.
            flags += ["-Clinker-plugin-lto", "-Cno-vectorize-loops", "-Cno-vectorize-slp"]
            flags += [f"-Cllvm-args={option}" for option in (PINS, *IN_PLACE)]
        if std and (std / SYSROOT).is_dir():
            flags.append(f"--sysroot={std / SYSROOT}")
        if self.derivatives:
            flags.append("--cfg=crategrad")
        if self.gradcheck:
            flags.append("--cfg=crategrad_gradcheck")
        if self.verify:
            flags.append("--cfg=crategrad_verify")
        return cargo.environment(self.rust, flags, hooks, {**self.environment, **self.verify})


def _executable(messages: Path, binary: str) -> Path:
    """Where cargo says the binary is, among its JSON messages."""
    for line in messages.read_text().splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable") and message["target"]["name"] == binary and "bin" in message["target"]["kind"]:
            return Path(message["executable"])
    raise UserError(f"error: cargo built no binary `{binary}`")


class _LinkLine:
    """The recorded link of a binary, being taken apart into the folder `out`."""

    def __init__(self, stage: CrateBitcode, std_is_bitcode: bool, out: Path, log: Path) -> None:
        self.stage = stage
        self.std_is_bitcode = std_is_bitcode
        self.out = out
        self.log = log
        self.parts = 0

    def take_apart(self, record: Path) -> None:
        import tarfile

        with tarfile.open(record) as tar:
            arguments: list[str] = json.loads(_read(tar, "arguments.json"))
            line: list[Any] = []
            for number, argument in enumerate(arguments):
                if Path(argument).name == _SYMBOLS and self.std_is_bitcode:
                    continue
                if argument.endswith(".o"):
                    line += self._object(_read(tar, f"{number}.o"))
                elif argument.endswith(".rlib"):
                    line += self._library(Path(argument))
                else:
                    line.append(argument)
        written = {"binary": self.stage.binary, "arguments": _without_paths(line)}
        (self.out / LINK_LINE).write_text(json.dumps(written, indent=1))

    def _object(self, data: bytes) -> list[Any]:
        label = self._label(self.stage.binary)
        member = bitcode.Member(label, data)
        if member.is_bitcode:
            return self._modules(label, [member])
        native = self.out / NATIVE / f"{label}.o"
        native.parent.mkdir(exist_ok=True)
        native.write_bytes(data)
        return [{"native": f"{NATIVE}/{label}.o"}]

    def _library(self, library: Path) -> list[Any]:
        name = library.stem.removeprefix("lib").rsplit("-", 1)[0]
        is_std = "rustlib" in library.parts
        if is_std and self.std_is_bitcode:
            return [{"std": name}]
        if is_std or not self.stage.lto_bitcode:
            return [str(library)]
        label = self._label(name)
        members = list(bitcode.members(library))
        line = self._modules(label, [m for m in members if m.is_bitcode])
        if bitcode.write_natives(members, self.out / NATIVE / f"{label}.a", self.stage.llvm_ar, self.log):
            line.append({"native": f"{NATIVE}/{label}.a"})
        return line

    def _modules(self, label: str, members: list[bitcode.Member]) -> list[Any]:
        for number, member in enumerate(members):
            path = self.out / BITCODE / label / f"{number:02}.bc"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bitcode.without_checksums(member.data))
        return [{"bitcode": label}] if members else []

    def _label(self, name: str) -> str:
        self.parts += 1
        return f"{self.parts:02}-{name}"


def _read(tar: tarfile.TarFile, name: str) -> bytes:
    member = tar.extractfile(name)
    assert member is not None
    return member.read()


def _without_paths(line: list[Any]) -> list[Any]:
    """The arguments without what points into rustc's temporary folder or the sysroot, and without the output."""
    kept: list[Any] = []
    arguments = iter(line)
    for argument in arguments:
        if argument == "-o":
            next(arguments)
        elif argument == "-L":
            folder = next(arguments)
            if not folder.endswith("raw-dylibs") and f"rustlib{os.sep}" not in folder:
                kept += ["-L", folder]
        elif not (isinstance(argument, str) and argument.startswith("-Wl,-plugin-opt")):
            kept.append(argument)
    return kept
