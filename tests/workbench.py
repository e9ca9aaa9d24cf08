"""A crate to try things on, and the real `./doit` to build it with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests import host_crates

ROOT = Path(__file__).resolve().parent.parent

every_strategy = pytest.mark.parametrize(
    "strategy", ["slice", *(pytest.param(way, marks=pytest.mark.full) for way in ("single-module-merge", "fat-lto"))]
)
"""The `strategy` is each in turn: those that merge the whole program are for `--full`."""

MANIFEST = f"""\
[package]
name = "bench"
version = "0.1.0"
edition = "2024"

[dependencies]
autodiff = {{ path = "{ROOT}/rust/autodiff" }}

[workspace]
"""

# Without `std::rt` and printing the merged module is small, and a build takes a second instead of twenty.
CUBE = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    x * x * x
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let (value, dx) = df(x, 1.0);
    let right = (dx - 3.0 * x * x).abs() <= 1e-12 * dx.abs() && value == f(x);
    i32::from(!right)
}
"""


@dataclass
class Finished:
    """What a `./doit` said and how it ended."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def stages(self) -> dict[str, str]:
        """Each stage of the build's summary: `ran`, `hit`, `fetched` or `fresh`."""
        words = {"up to date": "fresh", "from cache": "hit", "from the remote cache": "fetched"}
        lines = re.findall(r"^   (\w+) +(up to date|from (?:the remote )?cache|[\d.]+ s)$", self.stdout, re.MULTILINE)
        return {name: words.get(how, "ran") for name, how in lines}

    @property
    def ran(self) -> list[str]:
        """The stages whose tools ran."""
        return [name for name, how in self.stages.items() if how == "ran"]


@dataclass
class Workbench:
    """A crate in a folder of its own; its dependencies are compiled once, as cargo's target folder stays."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, main: str, manifest: str = MANIFEST) -> None:
        """Give the crate this source and manifest."""
        (self.folder / "src").mkdir(parents=True, exist_ok=True)
        for path, text in ((self.folder / "Cargo.toml", manifest), (self.folder / "src/main.rs", main)):
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

    def doit(self, *arguments: str, cwd: Path | None = None) -> Finished:
        """Run `./doit` with these arguments and this crate, and see to it that no traceback comes out."""
        finished = doit(*arguments, f"crate={self.folder}", cwd=cwd, environment=self.environment)
        assert "Traceback" not in finished.stdout + finished.stderr
        return finished

    def build(self, *arguments: str) -> Finished:
        """Build, and insist that it succeeds."""
        finished = self.doit("build", *arguments)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished

    def output(self, config: str = "default") -> Path:
        """Where the artifacts of a config appear."""
        return self.folder / "target/crategrad" / config

    def copy(self, folder: Path) -> Workbench:
        """The same sources in another folder, nothing built."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("target"))
        return Workbench(folder, self.environment)


MERGED = "strategy=single-module-merge"
"""For crates of which a slice would be the whole program after all, and be made twice; and for modules that are looked at."""


def doit(*arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> Finished:
    """Run the checkout's own `./doit` as a user would."""
    with host_crates.shared(arguments):
        finished = subprocess.run(
            [ROOT / "doit", *arguments],
            cwd=cwd or ROOT,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
    return Finished(finished.returncode, finished.stdout, finished.stderr)
