"""The user's crate as cargo sees it: which artifact comes out, and which files that depends on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from pipeline import process
from pipeline.artifact import Artifact
from pipeline.cargo import files_named, read_manifest, workspace
from pipeline.digests import Digests, Stats, file_digest, source_files
from pipeline.errors import CommandLineError, UserError
from pipeline.store import write_whole
from pipeline.targets import Choice, Metadata, choose
from pipeline.toolchain import Rust

Snapshot: TypeAlias = dict[str, tuple[int, int]]
"""By the path of a file its time, in nanoseconds, and its size in bytes."""

_LOCK = "Cargo.lock"
_AMBIENT = ("rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml", ".cargo/config")


@dataclass(frozen=True)
class Crate:
    """A package with one artifact to build."""

    folder: Path
    artifact: Artifact
    packages: tuple[Path, ...]
    """The folders of the package itself and of all packages it depends on by path."""
    ambient: tuple[Path, ...]
    """Files outside these folders that cargo goes by: the workspace's manifest and lock, cargo's configuration."""
    read: tuple[Path, ...] = ()
    """Other files that the last build was seen to read (`include_str!("../../x")`)."""
    places: tuple[str, ...] = ()
    """Where it lies, as far as the last build was seen to compile that in (`env!("CARGO_MANIFEST_DIR")`): `NAME=/path`."""
    variables: tuple[str, ...] = ()
    """The names of variables that build scripts, `env!` and `option_env!` of the last build were seen to ask for."""
    flags: tuple[str, ...] = ()
    """Cargo's, for features and the lock."""
    target_dir: Path | None = None
    """The folder that stands for `target/`."""
    package: str = ""
    """The name of the package."""
    has_harness: bool = False
    """Whether rustc puts its harness around the artifact's `#[test]`s."""
    starts_binaries: bool = False
    """Whether the artifact may start binaries of its package: for tests and benches cargo builds them all."""
    is_default: bool = True
    """Whether this artifact is what is built where nobody chooses."""

    @property
    def output(self) -> Path:
        """Where artifacts appear, one folder a config."""
        return (self.target_dir or self.folder / "target") / "crategrad"

    def files(self) -> Stats:
        """Every file that the crate's bitcode may depend on, but for registry packages (the lock has their hashes).

        All files of a package's folder count, as they do for cargo where a build script does not know better.
        """
        files = {os.fspath(path): path.stat() for path in (*self.ambient, *self.read) if path.is_file()}
        for package in self.packages:
            files |= source_files(package)
        return files


def open_crate(folder: Path, choice: Choice, rust: Rust, digests: Digests, target_dir: Path | None = None) -> Crate:
    """The crate in `folder`, or the package chosen of the workspace there.

    Raises: UserError where there is none, where cargo cannot read its manifest, or where not just one artifact is meant.
    """
    if not folder.is_dir():
        raise CommandLineError(f"error: crate={folder}: there is no such folder")
    if not (folder / "Cargo.toml").is_file():
        raise CommandLineError(
            f"error: {folder} is no crate: it has no Cargo.toml\n  = help: give crate= the folder that has it"
        )
    package, artifact = choose(metadata_of(folder, rust, digests), folder, choice)
    if package.folder.resolve() != folder.resolve():
        folder = package.folder
    packages = tuple(_path_packages(folder, digests))
    ambient = tuple(_ambient_files(folder, digests))
    is_default = package.defaults() == [artifact]
    _refuse_among_sources(target_dir, packages)
    starts_binaries = artifact.kind in ("test", "bench") and bool(package.names("bin"))
    crate = Crate(
        folder,
        artifact,
        packages,
        ambient,
        flags=choice.flags,
        target_dir=target_dir,
        package=package.name,
        has_harness=artifact.is_test and _has_harness(artifact, read_manifest(folder / "Cargo.toml")),
        starts_binaries=starts_binaries,
        is_default=is_default,
    )
    return _with_what_the_last_build_read(crate)


def _has_harness(artifact: Artifact, manifest: Mapping[str, Any]) -> bool:
    """What cargo goes by, and does not tell."""
    named = manifest.get(artifact.kind, ())
    tables = [named] if isinstance(named, Mapping) else [table for table in named if table.get("name") == artifact.name]
    return all(table.get("harness", True) for table in tables)


def _refuse_among_sources(target_dir: Path | None, packages: Iterable[Path]) -> None:
    """Raises: UserError for a folder where what is built would count as source."""
    for package in packages if target_dir else ():
        inside = Path(os.path.relpath(target_dir, package)).parts if target_dir else ()
        if inside[:1] not in [("..",), ("target",)]:
            raise CommandLineError(
                f"error: target-dir={target_dir}: what is built there would be among the sources of {package}\n"
                "  = help: give a folder outside of it, or one in its target/"
            )


def sources_digest(crate: Crate, digests: Digests) -> str:
    """SHA-256 of everything the crate's bitcode may depend on; wherever the crate lies, unless that is compiled in."""
    parts = [f"package {digests.tree(package)}" for package in crate.packages]
    parts += [f"other {digests.file(path) if path.is_file() else 'missing'}" for path in (*crate.ambient, *crate.read)]
    parts += [f"place {place}" for place in crate.places]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def file_digests(crate: Crate) -> dict[str, str]:
    """SHA-256 of each file that the crate's bitcode may depend on, by its path from the crate's folder."""
    return {os.path.relpath(path, crate.folder.resolve()): file_digest(Path(path)) for path in sorted(crate.files())}


def snapshot(crate: Crate) -> Snapshot:
    """The times and sizes of the crate's files, but for the lock, which cargo may write."""
    files = ((path, stat) for path, stat in crate.files().items() if not path.endswith(f"/{_LOCK}"))
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in files}


def note_what_was_read(crate: Crate, dep_info: Iterable[Path], places: Iterable[str]) -> Crate:
    """The crate with the files outside its packages that dep-info (`x.d`) names, and the places; kept, as its variables are.

    What a build script has written for rustc to include is made of sources, and is none.
    """
    named = files_named(crate.folder, dep_info) - replace(crate, read=()).files().keys()
    made = crate.output.resolve()
    outside = sorted(path for path in named if not Path(path).is_relative_to(made))
    noted = replace(crate, read=tuple(map(Path, outside)), places=tuple(places))
    note = {"read": outside, "places": noted.places, "variables": noted.variables}
    write_whole(_note(crate), json.dumps(note).encode())
    return noted


def _with_what_the_last_build_read(crate: Crate) -> Crate:
    try:
        noted = json.loads(_note(crate).read_bytes())
        places, variables = tuple(noted["places"]), tuple(noted["variables"])
        return replace(crate, read=tuple(map(Path, noted["read"])), places=places, variables=variables)
    except (OSError, ValueError, TypeError, LookupError):
        return crate


def _note(crate: Crate) -> Path:
    return crate.output / ".read" / f"{crate.artifact.place}.json"


def metadata_of(folder: Path, rust: Rust, digests: Digests) -> Metadata:
    """What cargo says of the workspace, remembered for as long as its manifests and folders stay as they are."""

    def ask() -> tuple[Any, list[str]]:
        metadata = _ask_cargo(folder, rust)
        root = Path(metadata.workspace_root)
        of_members = [path for package in metadata.packages for path in _layout(package.folder, root)]
        files = [rust.cargo.path, root / "Cargo.toml", *dict.fromkeys(of_members)]
        return msgspec.to_builtins(metadata), [os.fspath(path) for path in files]

    return msgspec.convert(digests.follow("metadata", folder, ask), Metadata)


def _ask_cargo(folder: Path, rust: Rust) -> Metadata:
    manifest = folder / "Cargo.toml"
    environment = {name: value for name, value in os.environ.items() if name in ("HOME", "CARGO_HOME", "PATH")}
    asked: list[process.Argument] = [rust.cargo, "metadata", "--no-deps", "--format-version=1", "--manifest-path", manifest]
    answer = process.ask(asked, env=environment | {"RUSTC": str(rust.rustc.path)})
    if not answer.succeeded:
        raise UserError(f"error: cargo cannot read {manifest}\n{process.tail(answer.output, 30)}")
    return msgspec.json.decode(answer.output, type=Metadata)


def _layout(package: Path, root: Path) -> Iterator[Path]:
    """What says which targets a package has: its manifest, and the folders in which cargo looks for their files.

    A member that is new in a folder of the workspace's changes the time of that folder.
    """
    yield package / "Cargo.toml"
    yield package
    if package != root and package.is_relative_to(root):
        yield package.parent
    for name in ("src", "src/bin", "examples", "tests", "benches"):
        yield from (path for path in (package / name, *(package / name).glob("*")) if path.is_dir())


def _path_packages(folder: Path, digests: Digests) -> Iterator[Path]:
    """The package and, through `path = …` anywhere in the manifests, all it may depend on."""
    seen: set[Path] = set()
    waiting = [folder]
    while waiting:
        package = waiting.pop(0).resolve()
        if package in seen or not (package / "Cargo.toml").is_file():
            continue
        seen.add(package)
        yield package
        for manifest in dict.fromkeys([package, *_workspace(package, digests)]):
            waiting += [manifest / path for path in _said(manifest / "Cargo.toml", digests).get("paths", ())]


def _workspace(package: Path, digests: Digests) -> Iterator[Path]:
    return workspace(package, lambda manifest: _said(manifest, digests))


def _said(manifest: Path, digests: Digests) -> Mapping[str, Any]:
    """What a manifest says of other packages, nothing where it is missing: `paths` to them, and if it is of a `workspace`."""

    def read() -> dict[str, Any]:
        found = read_manifest(manifest)
        return {"paths": list(_paths(found))} | ({"workspace": True} if "workspace" in found else {})

    try:
        return digests.remember("manifest", manifest, [manifest], read)  # type: ignore[no-any-return]
    except OSError:
        return {}


def _paths(table: Any) -> Iterator[str]:
    if isinstance(table, dict):
        if isinstance(table.get("path"), str):
            yield table["path"]
        for value in table.values():
            yield from _paths(value)


def _ambient_files(folder: Path, digests: Digests) -> Iterator[Path]:
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    candidates = [above / name for above in folder.resolve().parents for name in _AMBIENT]
    candidates += [home / "config.toml", home / "config"]
    for root in _workspace(folder.resolve(), digests):
        if root != folder.resolve():
            candidates += [root / "Cargo.toml", root / _LOCK]
    # A lock that is not there the build will write.
    yield from (path for path in dict.fromkeys(candidates) if path.is_file() or path.name == _LOCK)
