"""The examples: each is built and run, and holds its derivatives against what is right itself."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

EXAMPLES = ROOT / "examples"

PROGRAMS = {
    "hello": "closed form",
    "logistic_regression": "8 of 10 foreseen",
    "ode_fit": "0.800000  10.000000",
    "workspace package=app": "-4.500000    -4.500000",
}
"""What is built, and a piece of what it prints."""


@pytest.mark.parametrize("example", PROGRAMS)
def test_program_is_right(example: str) -> None:
    crate, *options = example.split()
    ran = doit("run", f"crate={EXAMPLES / crate}", *options, "config=slice")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert PROGRAMS[example] in ran.stdout


def test_readme_begins_with_the_first_of_them() -> None:
    written, printed = re.findall(r"^```(?:rust)?\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)[:2]
    source = [line.strip() for line in (EXAMPLES / "hello/src/main.rs").read_text().splitlines()]
    assert len(source) <= 20
    assert [line for line in written.splitlines() if line.partition("   //")[0].strip() not in source] == []
    assert doit("run", "config=slice").stdout == printed


def test_python_fits_by_the_library() -> None:
    built = doit("build", f"crate={EXAMPLES / 'python_extension'}", "config=slice")
    assert built.returncode == 0, built.stdout + built.stderr
    ran = subprocess.run(
        [sys.executable, EXAMPLES / "python_extension/fit.py", "slice"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "closed form           mean 2.762500   deviation 0.687273" in ran.stdout


def test_readme_names_every_example() -> None:
    readme = (ROOT / "README.md").read_text()
    folders = [path.name for path in EXAMPLES.iterdir() if path.is_dir()]
    assert [name for name in folders if f"| `examples/{name}` |" not in readme] == []
