"""What `docs/enzyme-issues` says of Enzyme is still so."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.enzyme_driver import Catalyst
from pipeline.toolchain import find_tools
from tests.workbench import ROOT

pytestmark = pytest.mark.toolchain

FOLDER = ROOT / "docs" / "enzyme-issues"
TOOLS = find_tools()
LLI = TOOLS.opt.path.with_name("lli")
DIES = "the program dies"


@pytest.mark.parametrize("issue", sorted(FOLDER.glob("*.ll")), ids=lambda issue: str(issue.stem))
def test_enzyme_gives_what_is_said(issue: Path, tmp_path: Path) -> None:
    """A day on which this fails is a good one: the cure that the page names can go."""
    derived = tmp_path / "out.ll"
    flags = [flag for line in re.findall(r"^; with: +(.*)$", issue.read_text(), re.MULTILINE) for flag in line.split()]
    assert Catalyst(TOOLS.catalyst, patience_s=60).differentiate(issue, derived, flags, tmp_path / "log") == []
    ran = subprocess.run([LLI, derived], capture_output=True, text=True, check=False)
    given = DIES if ran.returncode else ran.stdout.strip()
    expected, said = (re.findall(rf"^; {word}: +(.*)$", issue.read_text(), re.MULTILINE) for word in ("expected", "Enzyme"))
    assert [given] == said != expected
    assert f"| [{issue.name}]({issue.name}) | {expected[0]} | {said[0]} |" in (FOLDER / "README.md").read_text()
