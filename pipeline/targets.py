"""Which artifact is meant: from what the user chose and what cargo says that there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import msgspec

from pipeline.artifact import KINDS, LIBRARIES, Artifact
from pipeline.errors import CommandLineError, UserError


@dataclass(frozen=True)
class Choice:
    """What the user chose of what there is.  An empty one means the only binary of the package in the folder."""

    package: str = ""
    kind: str = ""
    """One of `KINDS`, or `lib`."""
    name: str = ""
    crate_type: str = ""
    unit_tests: bool = False
    flags: tuple[str, ...] = ()
    """Cargo's, for features and the lock."""


class Target(msgspec.Struct, frozen=True):
    """What cargo calls a target: one root file of a package."""

    name: str
    kind: tuple[str, ...]
    crate_types: tuple[str, ...]
    test: bool = True
    """Whether `cargo test` makes its unit tests."""
    doctest: bool = False
    """Whether it runs what is in its comments."""
    src_path: str = ""

    @property
    def is_library(self) -> bool:
        """True for the package's library; a build script is none, nor is one of macros, which the compiler runs."""
        return not {*KINDS, "custom-build", "proc-macro"} & {*self.kind}


class Package(msgspec.Struct, frozen=True):
    """A package of the workspace, as `cargo metadata` tells of it."""

    id: str
    name: str
    manifest_path: str
    targets: tuple[Target, ...]
    default_run: str | None = None

    @property
    def folder(self) -> Path:
        """Where its manifest is."""
        return Path(self.manifest_path).parent

    def names(self, kind: str) -> list[str]:
        """The names of its targets of a kind."""
        return sorted(target.name for target in self.targets if kind in target.kind)

    @property
    def library(self) -> Target | None:
        """Its library, if it has one."""
        return next((target for target in self.targets if target.is_library), None)

    def defaults(self) -> list[Artifact]:
        """What may be meant where nobody chose: its binaries; if it has none, the final forms of its library."""
        if self.default_run:
            return [Artifact("bin", self.default_run)]
        if binaries := [Artifact("bin", name) for name in self.names("bin")]:
            return binaries
        return self.libraries()

    def libraries(self) -> list[Artifact]:
        """The final forms of its library."""
        library = self.library
        return [Artifact("lib", library.name, form) for form in _final(library)] if library else []


class Metadata(msgspec.Struct, frozen=True):
    """What `cargo metadata --no-deps` says: the packages of the workspace."""

    packages: tuple[Package, ...]
    workspace_root: str
    workspace_default_members: tuple[str, ...] = ()


def choose(metadata: Metadata, folder: Path, choice: Choice) -> tuple[Package, Artifact]:
    """The artifact that is meant, and the package that has it.

    Raises: UserError where there is none, or more than one.
    """
    packages = packages_meant(metadata, folder, choice)
    found = [(package, artifact) for package in packages for artifact in _artifacts(package, choice)]
    if len(found) == 1:
        return found[0]
    raise _several(found, packages) if found else _none(packages, folder, choice)


def packages_meant(metadata: Metadata, folder: Path, choice: Choice) -> list[Package]:
    """The package that is chosen by name, or that of the folder; of a workspace without one its default members."""
    if choice.package:
        names = sorted(package.name for package in metadata.packages)
        if choice.package not in names:
            near = next(iter(get_close_matches(choice.package, names, n=1)), None)
            hint = f"did you mean package={near}?" if near else f"there are {', '.join(names)}"
            raise CommandLineError(f"error: package={choice.package}: {folder} has no such package\n  = help: {hint}")
        return [package for package in metadata.packages if package.name == choice.package]
    own = [package for package in metadata.packages if package.folder.resolve() == folder.resolve()]
    members = metadata.workspace_default_members
    return own or [package for package in metadata.packages if package.id in members or not members]


def _artifacts(package: Package, choice: Choice) -> Iterator[Artifact]:
    if not choice.kind:
        yield from package.defaults()
    elif choice.kind != "lib":
        if choice.name in package.names(choice.kind):
            yield Artifact(choice.kind, choice.name, unit_tests=choice.unit_tests)
    elif package.library and choice.unit_tests:
        yield Artifact("lib", package.library.name, unit_tests=True)
    elif package.library:
        forms = [choice.crate_type] if choice.crate_type else _final(package.library)
        yield from (Artifact("lib", package.library.name, form) for form in forms)


def _final(library: Target) -> list[str]:
    return [form for form in library.crate_types if form in LIBRARIES]


def _several(found: list[tuple[Package, Artifact]], packages: list[Package]) -> UserError:
    first, artifact = found[0]
    forms = " and ".join(each.crate_type for _, each in found)
    if len(packages) > 1:
        listed = ", ".join(f"{each} of {package.name}" for package, each in found)
        what = f"the workspace has {len(found)} that may be meant: {listed}"
        hint = f"say which one: package={first.name}, or {artifact.kind}={artifact.name}"
    elif not artifact.runs:
        what = f"the library `{artifact.name}` is made as {forms}"
        hint = f"say which one is meant: lib=1 crate-type={artifact.crate_type}"
    else:
        what = f"`{first.name}` has {len(found)} binaries: {', '.join(each.name for _, each in found)}"
        hint = f"say which one is meant: bin={artifact.name};"
        hint += f' or for good, in {first.folder}/Cargo.toml: default-run = "{artifact.name}"'
    return UserError(f"error: {what}\n  = help: {hint}")


def _none(packages: list[Package], folder: Path, choice: Choice) -> UserError:
    whose = f"`{packages[0].name}`" if len(packages) == 1 else f"the workspace {folder}"
    if choice.kind in KINDS:
        names = sorted({name for package in packages for name in package.names(choice.kind)})
        near = next(iter(get_close_matches(choice.name, names, n=1)), None)
        there_are = f"it has {', '.join(names)}" if names else "it has none at all"
        hint = f"did you mean {choice.kind}={near}?" if near else there_are
        return CommandLineError(f"error: {choice.kind}={choice.name}: {whose} has no such {choice.kind}\n  = help: {hint}")
    libraries = [package.library for package in packages if package.library]
    others = [f"{kind}={name}" for package in packages for kind in KINDS for name in package.names(kind)]
    choose_another = f"choose {', '.join(others)}; or " if others else ""
    if any(package.names("proc-macro") for package in packages):
        return UserError(f"error: {whose} is a macro crate: it runs in the compiler, and nothing final comes of it")
    if not libraries:
        what = "no library" if choice.kind == "lib" else "neither a binary nor a library"
        return UserError(f"error: {whose} has {what}\n  = help: {choose_another}give crate= another folder")
    return UserError(
        f"error: {whose} ({folder}) is a library: there is no binary to build, and derivatives come into being only where"
        f" something final is linked\n  = help: {choose_another}give crate= a package with a src/main.rs that uses it;"
        " or have it linked by others than Rust: lib=1 crate-type=cdylib (or staticlib)"
    )
