"""What Rust programs do in a function's body, differentiated: the program `crates/bodies` says what each gave and is right."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.test_forms import is_right
from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

CRATE = ROOT / "tests" / "crates" / "bodies"
LEVELS = ["0", "3", *(pytest.param(level, marks=pytest.mark.full) for level in "12")]


@pytest.mark.parametrize("level", LEVELS)
def test_every_body_is_right(level: str) -> None:
    built = doit("build", f"crate={CRATE}", f"profile=level{level}", f"opt1.level={level}")
    assert built.returncode == 0, built.stdout + built.stderr
    program = CRATE / "target" / "crategrad" / "default" / "bodies"
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= 336
    assert [case for case in cases if not is_right(case)] == []
