"""What Rust programs do in a function's body, differentiated: the programs say what each gave and what is right."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.test_forms import is_right
from tests.workbench import MERGED, ROOT, doit

pytestmark = pytest.mark.toolchain

CRATES = ROOT / "tests" / "crates"
FULL = pytest.mark.full


@pytest.mark.parametrize(
    ("crate", "level", "count"),
    [
        ("bodies", "0", 936),
        ("bodies", "3", 936),
        ("elements", "3", 156),
        *(pytest.param("bodies", level, 936, marks=FULL) for level in "12"),
    ],
)
def test_every_body_is_right(crate: str, level: str, count: int) -> None:
    levels = (f"profile=level{level}", f"opt1.level={level}", f"codegen.level={level}")
    built = doit("build", f"crate={CRATES / crate}", MERGED, *levels)
    assert built.returncode == 0, built.stdout + built.stderr
    program = CRATES / crate / "target" / "crategrad" / "default" / crate
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= count
    assert [case for case in cases if not is_right(case)] == []
