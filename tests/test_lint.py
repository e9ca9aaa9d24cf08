"""The tree is as ruff and mypy want it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TYPED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]["files"]

CHECKS = {
    "ruff check": ["ruff", "check", "--no-fix", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy", *(folder for folder in TYPED if (ROOT / folder).is_dir())],
}


@pytest.mark.parametrize("check", CHECKS)
def test_tree_passes(check: str) -> None:
    argv = [sys.executable, "-m", *CHECKS[check]]
    checked = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
