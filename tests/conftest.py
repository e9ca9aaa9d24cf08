"""What several modules of tests start from."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from pipeline.digests import Digests
from pipeline.toolchain import Rust, Tool, Tools


@pytest.fixture
def digests(tmp_path: Path) -> Digests:
    """Digests that remember nothing yet."""
    return Digests(tmp_path / "digests.json")


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    """Tools that are files and no more: to be planned with, not to be run."""
    return Tools(**{field.name: made_up(tmp_path / "tools" / field.name) for field in fields(Tools)})


@pytest.fixture
def rust(tmp_path: Path) -> Rust:
    """A toolchain of the same kind."""
    folder = tmp_path / "rust"
    rustc, cargo = made_up(folder / "bin" / "rustc"), made_up(folder / "bin" / "cargo")
    return Rust(rustc, cargo, "x86_64-unknown-linux-gnu", "1.96.0", folder / "library")


def made_up(path: Path) -> Tool:
    """A file that stands for a tool; no two are alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"no program: {path.name}")
    return Tool(path)
