"""Functions that no derivative was meant for: right, or refused with what is wrong, where, and what to do."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.test_forms import is_right
from tests.workbench import MERGED, ROOT, Finished, doit

pytestmark = pytest.mark.toolchain

CRATES = ROOT / "tests" / "crates"
LEVELS = ("0", "3")


def build(crate: str, level: str) -> Finished:
    levels = (f"profile=level{level}", f"opt1.level={level}", f"codegen.level={level}")
    return doit("build", f"crate={CRATES / crate}", MERGED, *levels)


@pytest.mark.parametrize("level", [pytest.param("0", marks=pytest.mark.full), "3"])
def test_what_has_a_derivative_all_the_same_is_right(level: str) -> None:
    built = build("bad_input", level)
    assert built.returncode == 0, built.stdout + built.stderr
    program = CRATES / "bad_input/target/crategrad/default/bad_input"
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len({case["case"] for case in cases}) == len(cases) >= 234
    assert [case for case in cases if not is_right(case)] == []


# ---- What is refused

SOURCE = (CRATES / "refused/src/main.rs").read_text()
FUNCTIONS = re.findall(r"^    (\w+)\(x\) \{$", SOURCE, re.MULTILINE)
MARKED = [(number, line.split("//~ ")[1]) for number, line in enumerate(SOURCE.splitlines(), 1) if "//~ " in line]
MOST_LINES = 25
"""What is said of a function in one mode."""


# The program has most of std in what is refused: the audit of it takes minutes.
@pytest.fixture(scope="module", params=[pytest.param(level, marks=pytest.mark.full) for level in LEVELS])
def refusal(request: pytest.FixtureRequest) -> str:
    """What is said of the crate `refused`."""
    built = build("refused", request.param)
    assert built.returncode == 1
    assert "Traceback" not in built.stderr
    assert "broke down" not in built.stderr
    return built.stderr


def test_all_are_refused_in_both_modes(refusal: str) -> None:
    named = set(re.findall(r"`(reverse|forward)` was asked for, .* of `refused::(\w+)::primal`", refusal))
    assert named == {(mode, function) for function in FUNCTIONS for mode in ("reverse", "forward")}
    assert len(refusal.splitlines()) < MOST_LINES * len(named)


def test_each_refusal_is_at_a_line_of_the_users_and_says_what_to_do(refusal: str) -> None:
    for said in re.findall(r"^error: .*\n(?:  .*\n)*", refusal, re.MULTILINE):
        assert re.match(r"error: .*\n  --> src/main.rs:\d+:\d+\n(?:  = note: .*\n)*  = help: ", said), said


@pytest.mark.parametrize(("line", "words"), MARKED, ids=[str(line) for line, _ in MARKED])
def test_it_says_what_is_wrong(refusal: str, line: int, words: str) -> None:
    found = re.findall(rf"^error: (.*)\n  --> src/main.rs:{line}:", refusal, re.MULTILINE)
    assert any(words in said for said in found), found
