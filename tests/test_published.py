"""Published crates in differentiated functions: right or refused, as `docs/crates.md` says."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path

import pytest

from pipeline.strategies.slice import WHOLE
from tests.published import APART, BEGIN, CRATE, DOCUMENT, END, MODES, Function, files, functions, rows
from tests.workbench import doit

PRODUCTS = CRATE.with_name("products")
TOLERANCES = {"closed form": 1e-12, "differences": 1e-9}
"""Relative to the largest number of a function, absolute below 1."""


def every(*crates: Path) -> list[Function]:
    return [function for file in files(*crates) for function in functions(file)]


def test_twelve_crates_and_more() -> None:
    assert len(files()) >= 12
    assert all(list(functions(file)) for file in files())


def test_the_document_is_of_this_crate() -> None:
    written = DOCUMENT.read_text().split(BEGIN)[1].split(END)[0]
    assert written.split("\n")[1:-1] == list(rows())


def test_what_is_refused_says_why() -> None:
    assert [function for function in every() if bool(function.refused_in) != bool(function.said)] == []


@pytest.mark.full
@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("crate", "config"),
    [*((CRATE, config) for config in ("single-module-merge", "fat-lto", "slice")), (APART, "slice")],
    ids=lambda given: getattr(given, "name", given),
)
def test_every_gradient_is_right(crate: Path, config: str) -> None:
    built = doit("build", f"crate={crate}", f"config={config}")
    assert built.returncode == 0, built.stdout + built.stderr
    assert not list(crate.glob(f"target/crategrad/{config}/stages/03-llvm_link/{WHOLE}")), "it is not a slice"
    program = crate / "target/crategrad" / config / crate.name
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    cases = {case["case"].removeprefix(f"{crate.name}::crates::"): case for case in map(json.loads, printed.splitlines())}
    right = {f"{f.crate}::{f.name} {mode}" for f in every(crate) for mode in MODES if f.is_right_in(mode)}
    assert set(cases) == right
    assert [case for case in cases.values() if not is_right(case["got"], case["right"], TOLERANCES[case["by"]])] == []


@pytest.mark.full
@pytest.mark.toolchain
def test_products_of_dynamic_matrices_are_right() -> None:
    built = doit("build", f"crate={PRODUCTS}")
    assert built.returncode == 0, built.stdout + built.stderr
    assert not list(PRODUCTS.glob(f"target/crategrad/default/stages/03-llvm_link/{WHOLE}")), "it is not a slice"
    program = PRODUCTS / "target/crategrad/default/products"
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    cases = [json.loads(line) for line in printed.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= 10
    assert [case for case in cases if not is_right(case["got"], case["right"], TOLERANCES[case["by"]])] == []


def is_right(got: list[float], right: list[float], tolerance: float) -> bool:
    allowed = tolerance * max(1.0, *map(abs, right))
    return all(math.isclose(one, other, rel_tol=0, abs_tol=allowed) for one, other in zip(got, right, strict=True))


@pytest.mark.full
@pytest.mark.toolchain
@pytest.mark.parametrize("crate", [CRATE, APART], ids=lambda crate: crate.name)
def test_what_is_refused_is_refused_at_its_line(crate: Path) -> None:
    built = doit("build", f"crate={crate}", "features=refused", "config=slice")
    assert built.returncode == 1
    assert "Traceback" not in built.stderr
    asked = rf"`(reverse|forward)` was asked for, .* of `{crate.name}::crates::(\w+)::(\w+)::primal`"
    named = set(re.findall(asked, built.stderr))
    assert named == {(mode, function.crate, function.name) for function in every(crate) for mode in function.refused_in}
    for file in files(crate):
        said = re.findall(rf"^error: (.*)\n  --> src/crates/{file.name}:(\d+):", built.stderr, re.MULTILINE)
        unsaid = [words for at, words in marked(file) if not any(words in what and int(n) == at for what, n in said)]
        assert unsaid == []


def marked(file: Path) -> list[tuple[int, str]]:
    """The lines at which something is to be said, with the words."""
    return [(n, line.split("//~ ")[1]) for n, line in enumerate(file.read_text().splitlines(), 1) if "//~ " in line]
