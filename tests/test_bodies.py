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


def at(level: str) -> list[str]:
    return [MERGED, f"profile=level{level}", f"opt1.level={level}", f"codegen.level={level}"]


WITHOUT_LOOPS = (*at("3"), "no-default-features=1")
"""Half of the bodies, as they are built by default: once for all tests."""


def test_half_of_the_bodies_are_right() -> None:
    assert_right("bodies", "default", *WITHOUT_LOOPS, count=468)


@FULL
@pytest.mark.parametrize(("crate", "level"), [*(("bodies", level) for level in "0123"), ("elements", "3")])
def test_every_body_is_right(crate: str, level: str) -> None:
    assert_right(crate, "default", *at(level), count=COUNTS[crate])


@FULL
@pytest.mark.parametrize("config", ["slice", "fat-lto"])
@pytest.mark.parametrize("crate", COUNTS)
def test_every_body_is_right_by_the_other_strategies(crate: str, config: str) -> None:
    assert_right(crate, config, f"config={config}", count=COUNTS[crate])


def assert_right(crate: str, config: str, *options: str, count: int) -> None:
    """Build the crate and run it: it says of each case what it gave and what is right."""
    built = doit("build", f"crate={CRATES / crate}", *options)
    assert built.returncode == 0, built.stdout + built.stderr
    program = CRATES / crate / "target" / "crategrad" / config / crate
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= count
    assert [case for case in cases if not is_right(case)] == []
