"""crate_bitcode: the user's crate and all it depends on, by the real cargo, as bitcode; and how they would be linked."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import bitcode, cargo, cargo_times, native_libraries, process
from pipeline.artifact import KINDS, Artifact
from pipeline.errors import UserError
from pipeline.key import location
from pipeline.link_recorder import EXPORTS
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.rustc_wrapper import BINARIES, BINARY, FOR_BITCODE
from pipeline.stages import Inputs
from pipeline.stages.build_std import SYSROOT
from pipeline.toolchain import Rust, Tool

if TYPE_CHECKING:
    import tarfile

LINK_LINE = "link.json"
BITCODE = "bitcode"
NATIVE = "native"

# rustc's list of symbols that a linker must not lose from archives.  Where std is bitcode the merged module has them
# all, and what nobody calls need not be kept: with this list every program would carry std's whole panic machinery
# through every stage.
_SYMBOLS = "symbols.o"
_OURS = re.compile(rb"\s*\b__crategrad_\w+;")
"""What the frontend defines for derivatives, in a list of exports: no concern of those who load a library."""

_VARIABLE = re.compile(r"^# env-dep:(\w+)", re.MULTILINE)
_DECLARED = re.compile(r"^ *cargo::?rerun-if-env-changed=(.+)$", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_MISSED = re.compile(r"^error: environment variable `(\w+)` not defined at compile time$", re.MULTILINE)
_PLACE = re.compile(rf"^# env-dep:((?!{BINARY})\w+=/.*)$", re.MULTILINE)

_COMPILED, _EXECUTED = "compiler-artifact", "build-script-executed"
"""The reasons of cargo's messages of units that rustc compiles, and of build scripts that are run."""

C_COMPILER = ("CC", "CFLAGS")
_WITH_BITCODE = "-gline-tables-only -Xclang -fembed-bitcode=all -Xclang -disable-O0-optnone"
"""What clang is told, so that objects are as ever and have a section with bitcode, as it was before optimisation.

Places for messages, and no types: those of debug info are read as Rust's; C's are in what clang says of each load (TBAA).
"""

_IN_PLACE_OF_OBJECTS = "-Clinker_plugin_lto"
"""With `_` rustc takes it as well, and the crate `cc` does not: else that would have clang make bitcode in their place, too."""

ASKS = "__crategrad_ask"
"""In the name of each function that asks for a derivative."""


@dataclass(frozen=True)
class CrateBitcode:
    """The crate's artifact and its dependencies (registry, path, vendored).

    Output: `bitcode/<nn>-<crate>/<nn>.bc` in the order of the link line; `native/`, the objects and archives that have
    no bitcode, those of C that build scripts made or found, and the shared libraries that they made; `link.json`: the
    artifact's file name; which `binaries` of its package it may start; what it exports, `main` for a program; and the linker's
    arguments in order: strings as they are, and `{"bitcode": folder}`, `{"native": file}` or `{"std": crate}` where an object
    or library of that kind stands, `{"bitcode": folder, "compiled": file}` for one that has bitcode beside it, and
    `{"option": text, "file": file}` for an option that ends with the name of a file or folder here.
    """

    rustc: Tool
    cargo: Tool
    triple: str
    sources: str
    """Digest of what cargo reads (`crate.sources_digest`)."""
    libraries: str
    """Digest of the toolchain's own libraries: proc macros and build scripts are made of them."""
    artifact: Artifact
    binaries: str
    """The folder of the package's binaries where the artifact may start them: their paths are compiled in.  Else nothing."""
    flags: tuple[str, ...]
    """Cargo's, for features and the lock."""
    profile: str
    panic: str
    cpu: str
    debug_symbols: bool
    lto_bitcode: bool
    beside_objects: bool
    """Whether there is bitcode beside objects, of which the program is linked, and not in their place."""
    derivatives: bool
    """Whether derivatives get bodies: the frontend's `--cfg crategrad`."""
    gradcheck: bool
    """Whether derivatives can be checked by the program itself: the frontend's `--cfg crategrad_gradcheck`."""
    verify: Mapping[str, str]
    """What the frontend reads when it is compiled to derivatives that check themselves, its `--cfg crategrad_verify`; else
    nothing."""
    environment: Mapping[str, str]
    """Variables that build scripts go by."""
    clang: Tool | None
    """What compiles their C so that there is bitcode of it; without, C has none."""
    libllvmlite: Tool
    libllvm: Tool
    """They write bitcode anew."""
    rust: Rust = location()
    folder: Path = location()
    target: Path = location()
    """Cargo's own target folder: kept between runs, and cargo's to trust."""
    offline: bool = location()
    manners: tuple[str, ...] = location()
    """Cargo's flags that say how it goes about it, and nothing of what comes out: `--jobs=1`, `--verbose`, `--quiet`."""
    meanwhile: Callable[[], None] = location()
    """What is to be done while cargo works."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        """Run cargo with its diagnostics shown as they come, and take apart what it would have linked."""
        environment, begin = self._environment(inputs.get("std")), time.time_ns()
        cargo_times.forget(self.target, self.artifact.place)
        finished = process.run_shown(
            self._argv(), log=log, stdout=_said(log), env=environment, cwd=self.folder, meanwhile=self.meanwhile
        )
        if not finished.succeeded:
            raise UserError(f"error: {self.artifact} does not build: cargo says why above", exit_code=1)
        compiled = cargo.files_named(self.folder, self._dep_info(log, self.target))
        cargo_times.note(self.target, self.artifact.place, filter(Path.is_file, map(Path, compiled)), begin)
        record = _record(_messages(log), self.artifact)
        _LinkLine(self, "std" in inputs, out, log).take_apart(record)

    def binaries_named(self, log: Path) -> list[str]:
        """The package's binaries, where a source or rustc says that it asks for one by cargo's variables."""
        files = [*self.dep_info(log), *self.sources_read(log)] if self.binaries else []
        if not any(BINARY.encode() in file.read_bytes() for file in files):
            return []
        return sorted(message["target"]["name"] for message in _messages(log) if message["target"]["kind"] == ["bin"])

    def dep_info(self, log: Path) -> list[Path]:
        """Cargo's dep-info files of all that went into the build of this log: they name every source file that was read.

        Others lie beside them, of dependencies that were there once.
        """
        return self._dep_info(log, self.target / self.triple)

    def _dep_info(self, log: Path, folder: Path) -> list[Path]:
        made = (Path(name) for message in _messages(log) for name in message["filenames"])
        named = {path.with_name(f"{stem}.d") for path in made for stem in (path.name, path.stem, path.stem.removeprefix("lib"))}
        return sorted(path for path in named if path.is_relative_to(folder) and path.is_file())

    def places_read(self, log: Path) -> list[str]:
        """The paths of this machine that `env!` has read: rustc's own dep-info names them, as `NAME=/path`."""
        return sorted({place for rule in _rules(self.dep_info(log)) for place in _PLACE.findall(rule)})

    def variables_read(self, log: Path) -> list[str]:
        """The variables that rustc's dep-info, or a build script, says that the build of this log goes by, set or not."""
        said = [_VARIABLE.findall(rule) for rule in _rules(self._dep_info(log, self.target))]
        outputs = (Path(message["out_dir"]).with_name("output") for message in _messages(log, _EXECUTED))
        said += [_DECLARED.findall(output.read_text(errors="replace")) for output in outputs if output.is_file()]
        return sorted({name for names in said for name in names})

    def variables_missed(self, log: Path) -> list[str]:
        """Those that a build which failed names where it says why: rustc has not found one, or a build script has ended."""
        said = _COLOUR.sub("", log.read_text(errors="replace"))
        return [*_MISSED.findall(said), *_DECLARED.findall(said)]

    def sources_read(self, log: Path) -> list[Path]:
        """What these name, as far as it is there."""
        return [path for name in sorted(cargo.files_named(self.folder, self.dep_info(log))) if (path := Path(name)).is_file()]

    def units(self, log: Path) -> list[dict[str, Any]]:
        """What cargo said in the build of this log of each unit, be it compiled or a build script that is run."""
        return _messages(log, _COMPILED, _EXECUTED)

    def _argv(self) -> list[process.Argument]:
        # Cargo builds tests, and all they use, to unwind, whatever the profile says; rustc is told otherwise by a flag.  What a
        # binary beside them uses is then the same: twice in one folder a shared library of it would be written over itself.
        panic = "unwind" if self.artifact.is_test else self.panic
        settings = {"panic": json.dumps(panic), "strip": '"none"', "split-debuginfo": '"off"', "lto": "false"}
        settings["build-override.debug"] = "0"  # macros and build scripts: a third of what it takes to compile them
        argv: list[process.Argument] = [self.cargo, *self.artifact.cargo_command, *self.flags, "--profile", self.profile]
        argv += ["--target", self.triple, "--target-dir", self.target, "--message-format=json-render-diagnostics"]
        argv += [f"--config=profile.{self.profile}.{name}={value}" for name, value in settings.items()]
        own = ["--", f"{BINARIES}{self.binaries}"] if self.binaries else []
        return [*argv, *self.manners, *(["--offline"] if self.offline else []), *own]

    def _environment(self, std: Path | None) -> dict[str, str]:
        hooks = self.target / "hooks"
        flags = [f"-Cpanic={self.panic}", f"-Ctarget-cpu={self.cpu}"]
        flags += [
            f"-Clinker={cargo.linker(hooks)}",
            "-Clinker-flavor=gcc",
            FOR_BITCODE if self.debug_symbols else "-Cdebuginfo=0",
        ]
        if self.beside_objects:
            flags += ["-Csave-temps", "--cfg=crategrad_slice"]
        else:
            flags.append("-Clto=off")  # not in the profile: macros and build scripts would be others than those of a slice
            flags += [_IN_PLACE_OF_OBJECTS, "-Cno-prepopulate-passes"] if self.lto_bitcode else []
        if std and (std / SYSROOT).is_dir():
            flags.append(f"--sysroot={std / SYSROOT}")
        if self.derivatives:
            flags.append("--cfg=crategrad")
        if self.gradcheck:
            flags.append("--cfg=crategrad_gradcheck")
        if self.verify:
            flags.append("--cfg=crategrad_verify")
        return cargo.environment(self.rust, flags, hooks, {**self._c(), **self.environment, **self.verify})

    def _c(self) -> dict[str, str]:
        return dict(zip(C_COMPILER, (str(self.clang.path), _WITH_BITCODE), strict=True)) if self.clang else {}


def _rules(dep_info: Iterable[Path]) -> list[str]:
    """What cargo's dep-info says, and rustc's own."""
    files = {file for cargos in dep_info for file in (cargos, *_of_rustc(cargos)) if file.is_file()}
    return [file.read_text() for file in sorted(files)]


def _of_rustc(dep_info: Path) -> Iterator[Path]:
    """Where cargo has put a unit's files beside its folder `deps`, with a dep-info of its own: rustc's, by its names for it."""
    name = dep_info.stem.replace("-", "_").removeprefix("lib")
    for folder in (dep_info.parent, dep_info.parent / "deps") if dep_info.parent.name != "deps" else ():
        yield from (folder / f"{name}.d", *folder.glob(f"{name}-*.d"))


def _said(log: Path) -> Path:
    """Where cargo's own messages are, beside the log."""
    return log.with_name("messages")


def _messages(log: Path, *reasons: str) -> list[dict[str, Any]]:
    """What cargo said of each unit it has built, or found as it should be; for other reasons, if some are given."""
    messages = (json.loads(line) for line in _said(log).read_text().splitlines() if line.startswith("{"))
    return [message for message in messages if message.get("reason") in (reasons or (_COMPILED,))]


def _record(messages: Iterable[Mapping[str, Any]], artifact: Artifact) -> Path:
    """Where cargo says the artifact is, among its JSON messages: there the link was recorded."""
    for message in messages:
        if _is_of(message, artifact):
            return Path(message["executable"] or message["filenames"][0])
    raise UserError(f"error: cargo built nothing that is {artifact}")


def _is_of(message: Mapping[str, Any], artifact: Artifact) -> bool:
    target = message["target"]
    kind = next((kind for kind in KINDS if kind in target["kind"]), "lib")
    if (kind, target["name"]) != (artifact.kind, artifact.name):
        return False
    if not artifact.runs:
        return str(message["filenames"][0]).endswith(".so")
    return bool(message["executable"]) and (kind in ("test", "bench") or message["profile"]["test"] == artifact.unit_tests)


def binaries_to_start(crate: Path) -> list[str]:
    """The binaries of its package that a test may start, of the crate_bitcode in `crate`."""
    return list(json.loads((crate / LINK_LINE).read_text())["binaries"])


def shared_libraries(crate: Path) -> list[Path]:
    """The folders with shared libraries that build scripts made, of the crate_bitcode in `crate`."""
    return sorted(path for path in (crate / NATIVE).glob("*") if path.is_dir())


class _LinkLine:
    """The recorded link of an artifact, being taken apart into the folder `out`."""

    def __init__(self, stage: CrateBitcode, std_is_bitcode: bool, out: Path, log: Path) -> None:
        self.stage = stage
        self.std_is_bitcode = std_is_bitcode
        self.out = out
        self.log = log
        self.parts = 0
        self.checksums = bitcode.checksums(stage.sources_read(log)) if stage.beside_objects else set()

    def take_apart(self, record: Path) -> None:
        import tarfile

        with tarfile.open(record) as tar:
            arguments: list[str] = json.loads(_read(tar, "arguments.json"))
            libraries = native_libraries.found(arguments, cargo.started_in(self.stage.folder))
            line: list[Any] = []
            exports = ["main"] if self.stage.artifact.runs else []
            for number, argument in enumerate(arguments):
                if Path(argument).name == _SYMBOLS and self.std_is_bitcode and not self.stage.beside_objects:
                    continue
                if argument.endswith(".o"):
                    line += self._object(Path(argument), _read(tar, f"{number}.o"))
                elif argument.endswith(".rlib"):
                    line += self._library(Path(argument))
                elif argument.endswith(".a"):
                    line += self._archive(Path(argument).stem, _read(tar, f"{number}.a"))
                elif number in libraries:
                    line += self._native_library(argument, libraries[number])
                elif argument.startswith(EXPORTS):
                    listed, name = _OURS.sub(b"", _read(tar, f"{number}.list")), f"exports-{number}.map"
                    (self.out / name).write_bytes(listed)
                    exports += _exported(listed.decode())
                    line.append({"option": EXPORTS, "file": name})
                else:
                    line.append(argument)
        written = {"file": self.stage.artifact.file, "exports": exports, "arguments": self._without_paths(line)}
        written["binaries"] = self.stage.binaries_named(self.log)
        (self.out / LINK_LINE).write_text(json.dumps(written, indent=1))

    def _without_paths(self, line: list[Any]) -> list[Any]:
        """The arguments without what points into rustc's temporary folder, the sysroot or cargo's, and without the output.

        What of cargo's is linked is in our own folder; only linker scripts are still to be found there.
        """
        kept: list[Any] = []
        has_script = any(isinstance(argument, str) and argument.startswith(("-T", "-Wl,-T")) for argument in line)
        arguments = iter(line)
        for argument in arguments:
            if argument == "-o":
                next(arguments)
            elif argument == "-L":
                folder = next(arguments)
                is_rustcs = folder.endswith("raw-dylibs") or f"rustlib{os.sep}" in folder
                if not is_rustcs and (has_script or not self._is_cargos(Path(folder))):
                    kept += ["-L", folder]
            elif not (isinstance(argument, str) and argument.startswith("-Wl,-plugin-opt")):
                kept.append(argument)
        return kept

    def _object(self, path: Path, data: bytes) -> list[Any]:
        label = self._label(self.stage.artifact.name)
        member = bitcode.Member(path.name, data)
        if member.is_bitcode:
            return self._modules(label, [data])
        native = self.out / NATIVE / f"{label}.o"
        native.parent.mkdir(exist_ok=True)
        native.write_bytes(data)
        if path.name == _SYMBOLS and self.std_is_bitcode:
            return [{"compiled": f"{NATIVE}/{label}.o"}]  # says which names of the objects are to be kept
        beside = bitcode.beside(path.parent, [member]) if self.stage.beside_objects else ()
        return _together(self._modules(label, beside), [{"native": f"{NATIVE}/{label}.o"}])

    def _library(self, library: Path) -> list[Any]:
        name = library.stem.removeprefix("lib").rsplit("-", 1)[0]
        is_std = "rustlib" in library.parts
        if is_std and self.std_is_bitcode:
            return [{"std": name}]
        if is_std or not self.stage.lto_bitcode:
            return [str(library)]
        label = self._label(name)
        members = list(bitcode.members(library))
        if not self.stage.beside_objects:
            return [*self._modules(label, bitcode.within(members)), *self._of_c(label, members)]
        of_bitcode = [member for member in members if bitcode.module_of(library.parent / member.name)]
        others = [member for member in members if member not in of_bitcode]
        modules = self._modules(label, bitcode.beside(library.parent, of_bitcode))
        return _together(modules, self._natives(label, of_bitcode)) + self._of_c(f"{label}-native", others)

    def _native_library(self, argument: str, library: Path) -> list[Any]:
        """A library of C by its name, `-lNAME`.

        Its bytes are part of the output: else `link` would not know of an edit.  A shared one that cargo has nothing to do with
        is only looked at when the program is linked.
        """
        if native_libraries.is_archive(library):
            return self._archive(library.stem, library.read_bytes())
        if not self._is_cargos(library):
            return [argument]
        if not native_libraries.is_shared(library):
            return [str(library)]
        folder = f"{NATIVE}/{self._label(library.stem)}"
        (self.out / folder).mkdir(parents=True)
        (self.out / folder / library.name).write_bytes(library.read_bytes())
        return [{"option": "-L", "file": folder}, argument]

    def _is_cargos(self, path: Path) -> bool:
        return path.is_relative_to(self.stage.target)

    def _archive(self, name: str, data: bytes) -> list[Any]:
        return self._of_c(self._label(name.removeprefix("lib")), list(bitcode.members_of(data)))

    def _of_c(self, label: str, members: list[bitcode.Member]) -> list[Any]:
        """The native objects: those that carry bitcode, as clang makes them here, go the way of Rust's."""
        carrying = [member for member in members if member.embedded] if self.stage.clang else []
        if not carrying:
            return self._natives(label, members)
        others = [member for member in members if member not in carrying]
        modules = self._modules(f"{label}-c", (member.embedded for member in carrying))
        natives = self._natives(f"{label}-c", [member.not_to_carry for member in carrying]) if self.stage.beside_objects else []
        return _together(modules, natives) + self._natives(label, others)

    def _natives(self, label: str, members: list[bitcode.Member]) -> list[Any]:
        archive = f"{NATIVE}/{label}.a"
        return [{"native": archive}] if bitcode.write_natives(members, self.out / archive) else []

    def _modules(self, label: str, modules: Iterable[bytes]) -> list[Any]:
        folder = self.out / BITCODE / label
        for number, module in enumerate(modules):
            folder.mkdir(parents=True, exist_ok=True)
            is_beside = self.stage.beside_objects
            written = bitcode.without(self.checksums, module) if is_beside else bitcode.without_checksums(module)
            path = folder / f"{number:02}.bc"
            path.write_bytes(written)
            if ASKS.encode() in module:
                self._forget_places(path)
        return [{"bitcode": label}] if folder.is_dir() else []

    def _forget_places(self, path: Path) -> None:
        """A derivative is asked for by inline assembly."""
        with Module(self.stage.libllvm, path) as module:
            Editor(module).forget_places_of_assembly()
            module.write(path)

    def _label(self, name: str) -> str:
        self.parts += 1
        return f"{self.parts:02}-{name}"


def _together(modules: list[Any], natives: list[Any]) -> list[Any]:
    """Bitcode and the object, or the archive, that was compiled of it."""
    if not (modules and natives):
        return modules + natives
    return [{"bitcode": modules[0]["bitcode"], "compiled": natives[0]["native"]}]


def _exported(version_script: str) -> list[str]:
    """The names, or patterns, in a version script as rustc writes it: `{ global: one; two; local: *; };`."""
    names = version_script.partition("global:")[2].partition("local:")[0]
    return [name.strip() for name in names.split(";") if name.strip()]


def _read(tar: tarfile.TarFile, name: str) -> bytes:
    member = tar.extractfile(name)
    assert member is not None
    return member.read()
