"""The user's crate as cargo sees it: which binary comes out, and which files that depends on."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline import process
from pipeline.digests import Digests, Stats, source_files
from pipeline.errors import UserError
from pipeline.store import write_whole
from pipeline.toolchain import Rust

_AMBIENT = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", ".cargo/config")


@dataclass(frozen=True)
class Crate:
    """A package with one binary to build."""

    folder: Path
    binary: str
    packages: tuple[Path, ...]
    """The folders of the package itself and of all packages it depends on by path."""
    ambient: tuple[Path, ...]
    """Files outside these folders that cargo goes by: the workspace's manifest and lock, cargo's configuration."""
    read: tuple[Path, ...] = ()
    """Other files that the last build was seen to read (`include_str!("../../x")`)."""

    @property
    def output(self) -> Path:
        """Where artifacts appear, one folder a config."""
        return self.folder / "target" / "crategrad"

    def files(self) -> Stats:
        """Every file that the crate's bitcode may depend on, but for registry packages (the lock has their hashes).

        All files of a package's folder count, as they do for cargo where a build script does not know better.
        """
        files = {os.fspath(path): path.stat() for path in (*self.ambient, *self.read) if path.is_file()}
        for package in self.packages:
            files |= source_files(package)
        return files


def open_crate(folder: Path, rust: Rust, digests: Digests) -> Crate:
    """The crate in `folder`.

    Raises: UserError where there is none, where cargo cannot read its manifest, or where it has not just one binary.
    """
    if not folder.is_dir():
        raise UserError(f"error: crate={folder}: there is no such folder")
    if not (folder / "Cargo.toml").is_file():
        raise UserError(f"error: {folder} is no crate: it has no Cargo.toml\n  = help: give crate= the folder that has it")
    packages = tuple(_path_packages(folder))
    ambient = tuple(_ambient_files(folder))
    manifests = [package / "Cargo.toml" for package in packages] + [p for p in ambient if p.name == "Cargo.toml"]
    layout = [path for path in (folder / "src", folder / "src/bin", *(folder / "src/bin").glob("*")) if path.is_dir()]
    asked = [rust.cargo.path, *manifests, *layout]
    binary = digests.remember("binary", folder, asked, lambda: _binary(folder, rust))
    return _with_files_of_last_build(Crate(folder, binary, packages, ambient))


def sources_digest(crate: Crate, digests: Digests) -> str:
    """SHA-256 of everything the crate's bitcode may depend on; wherever the crate lies."""
    parts = [f"package {digests.tree(package)}" for package in crate.packages]
    parts += [f"other {digests.file(path) if path.is_file() else 'missing'}" for path in (*crate.ambient, *crate.read)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def snapshot(crate: Crate) -> dict[str, tuple[int, int]]:
    """The times and sizes of the crate's files, but for the lock, which cargo may write."""
    files = ((path, stat) for path, stat in crate.files().items() if not path.endswith("/Cargo.lock"))
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in files}


def note_files_read(crate: Crate, dep_info: Iterable[Path]) -> Crate:
    """The crate with the files outside its packages that cargo's dep-info (`x.d`) names; kept for the next run."""
    package = crate.folder.resolve()
    started = next(_workspace(package), package)  # where cargo starts rustc for the packages of a workspace
    named = {os.path.normpath(started / name) for rule in dep_info for name in _prerequisites(rule.read_text())}
    outside = sorted(named - replace(crate, read=()).files().keys())
    write_whole(_files_read(crate), json.dumps(outside).encode())
    return replace(crate, read=tuple(map(Path, outside)))


def _with_files_of_last_build(crate: Crate) -> Crate:
    try:
        return replace(crate, read=tuple(map(Path, json.loads(_files_read(crate).read_bytes()))))
    except (OSError, ValueError, TypeError):
        return crate


def _files_read(crate: Crate) -> Path:
    return crate.output / "files-read.json"


def _prerequisites(makefile: str) -> list[str]:
    _, _, files = makefile.partition("\n")[0].partition(": ")
    return [name.replace("\0", " ") for name in files.replace("\\ ", "\0").split()]


def _binary(folder: Path, rust: Rust) -> str:
    package = _package(folder, rust)
    binaries = sorted(target["name"] for target in package["targets"] if "bin" in target["kind"])
    if package.get("default_run"):
        return str(package["default_run"])
    if not binaries:
        raise UserError(
            f"error: `{package['name']}` ({folder}) is a library: there is no binary to build\n"
            "  = help: give crate= the folder of a package with a src/main.rs that uses it"
        )
    if len(binaries) > 1:
        raise UserError(
            f"error: `{package['name']}` has {len(binaries)} binaries: {', '.join(binaries)}\n"
            f'  = help: say in {folder}/Cargo.toml which one is meant: default-run = "{binaries[0]}"'
        )
    return str(binaries[0])


def _package(folder: Path, rust: Rust) -> dict[str, Any]:
    manifest = folder / "Cargo.toml"
    environment = {name: value for name, value in os.environ.items() if name in ("HOME", "CARGO_HOME", "PATH")}
    asked: list[process.Argument] = [rust.cargo, "metadata", "--no-deps", "--format-version=1", "--manifest-path", manifest]
    answer = process.ask(asked, env=environment | {"RUSTC": str(rust.rustc.path)})
    if not answer.succeeded:
        raise UserError(f"error: cargo cannot read {manifest}\n{process.tail(answer.output, 30)}")
    packages: list[dict[str, Any]] = json.loads(answer.output)["packages"]
    for package in packages:
        if Path(package["manifest_path"]).resolve() == manifest.resolve():
            return package
    members = ", ".join(sorted(str(Path(package["manifest_path"]).parent) for package in packages))
    raise UserError(f"error: {folder} is a workspace, not a package\n  = help: give crate= one of its members: {members}")


def _path_packages(folder: Path) -> Iterator[Path]:
    """The package and, through `path = …` anywhere in the manifests, all it may depend on."""
    seen: set[Path] = set()
    waiting = [folder]
    while waiting:
        package = waiting.pop(0).resolve()
        if package in seen or not (package / "Cargo.toml").is_file():
            continue
        seen.add(package)
        yield package
        for manifest in dict.fromkeys([package, *_workspace(package)]):
            waiting += [manifest / path for path in _paths(_read(manifest / "Cargo.toml"))]


def _paths(table: Any) -> Iterator[str]:
    if isinstance(table, dict):
        if isinstance(table.get("path"), str):
            yield table["path"]
        for value in table.values():
            yield from _paths(value)


def _workspace(package: Path) -> Iterator[Path]:
    """The folder of the workspace that the package is in, if any."""
    for folder in (package, *package.parents):
        if "workspace" in _read(folder / "Cargo.toml"):
            yield folder
            return


def _ambient_files(folder: Path) -> Iterator[Path]:
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    candidates = [above / name for above in folder.resolve().parents for name in _AMBIENT]
    candidates += [home / "config.toml", home / "config"]
    for root in _workspace(folder.resolve()):
        if root != folder.resolve():
            candidates += [root / "Cargo.toml", root / "Cargo.lock"]
    yield from (path for path in dict.fromkeys(candidates) if path.is_file())


def _read(manifest: Path) -> dict[str, Any]:
    """A manifest, or nothing: what is wrong with it cargo says better."""
    try:
        return tomllib.loads(manifest.read_text())
    except (OSError, ValueError):
        return {}
