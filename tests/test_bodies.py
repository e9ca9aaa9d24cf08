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
COUNTS = {"bodies": 936, "elements": 156}


@pytest.mark.parametrize(
    ("crate", "level"),
    [
        ("bodies", "3"),
        *(pytest.param(*each, marks=FULL) for each in (*(("bodies", level) for level in "012"), ("elements", "3"))),
    ],
)
def test_every_body_is_right(crate: str, level: str) -> None:
    levels = (f"profile=level{level}", f"opt1.level={level}", f"codegen.level={level}")
    assert_right(crate, "default", MERGED, *levels)


@FULL
@pytest.mark.parametrize("config", ["slice", "fat-lto"])
@pytest.mark.parametrize("crate", COUNTS)
def test_every_body_is_right_by_the_other_strategies(crate: str, config: str) -> None:
    assert_right(crate, config, f"config={config}")


def assert_right(crate: str, config: str, *options: str) -> None:
    """Build the crate and run it: it says of each case what it gave and what is right."""
    built = doit("build", f"crate={CRATES / crate}", *options)
    assert built.returncode == 0, built.stdout + built.stderr
    program = CRATES / crate / "target" / "crategrad" / config / crate
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= COUNTS[crate]
    assert [case for case in cases if not is_right(case)] == []
