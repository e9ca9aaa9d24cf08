"""A final artifact: what cargo makes of a package for somebody to run or to link."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("bin", "example", "test", "bench")
"""What is chosen by a name, as cargo's flags call it; the library has none."""

LIBRARIES = {"cdylib": ".so", "staticlib": ".a"}
"""Final forms of a library, with the endings of their files."""

_FOLDERS = {"bin": "", "example": "examples/", "test": "tests/", "bench": "benches/"}


@dataclass(frozen=True)
class Artifact:
    """A final artifact: the kind and name of the target that it is made of, and the crate type that rustc makes of it."""

    kind: str
    name: str
    crate_type: str = "bin"
    unit_tests: bool = False
    """The target's own `#[test]`s, in place of what it is for others."""

    @property
    def runs(self) -> bool:
        """True for an executable."""
        return self.crate_type == "bin"

    @property
    def is_test(self) -> bool:
        """True for what cargo runs in the package's folder, with what it has been told of the package."""
        return self.kind in ("test", "bench") or self.unit_tests

    @property
    def file(self) -> str:
        """The name of its file, cargo's but for the hash that cargo puts behind a test's."""
        return self.name if self.runs else f"lib{self.name}{LIBRARIES[self.crate_type]}"

    @property
    def place(self) -> str:
        """Where it appears in the folder of a config."""
        if self.unit_tests:
            return f"unit-tests/{self.kind}-{self.name}"
        return f"{_FOLDERS.get(self.kind, '')}{self.file}"

    @property
    def cargo_command(self) -> tuple[str, ...]:
        """Cargo's command that builds it.

        A static library is linked as if it were shared: only then does rustc say what is exported, and call a linker at all.
        What is for a test alone is put behind `cargo rustc`.
        """
        which = ("--lib",) if self.kind == "lib" else (f"--{self.kind}", self.name)
        if not self.runs:
            return ("rustc", *which, "--crate-type=cdylib")
        if self.unit_tests:
            return ("test", "--no-run", *which)
        return ("rustc" if self.is_test else "build", *which)

    def __str__(self) -> str:
        """What messages call it."""
        if self.unit_tests:
            return f"the unit tests of {self.kind} `{self.name}`"
        return f"{'' if self.kind == 'bin' else f'{self.kind} '}`{self.name}`"
