"""Every form of a derivative, run: the program `crates/frontend` says what each gave and what is right."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

CRATE = ROOT / "tests" / "crates" / "frontend"
CONFIGS = ("slice", "debug", "single-module-merge", "fat-lto")
SLICED = "no-default-features=1"
"""Without what calls pointers, for which the whole program is merged."""
RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")

TOLERANCES = {"f64": 1e-12, "f32": 1e-5}
"""Relative to the closed form, absolute below 1."""


def program(config: str, *options: str) -> Path:
    built = doit("build", f"crate={CRATE}", f"config={config}", *options)
    assert built.returncode == 0, built.stdout + built.stderr
    return CRATE / "target" / "crategrad" / config / "frontend"


@pytest.mark.parametrize(
    ("words", "count"),
    [(("slice", SLICED), 358), *(pytest.param((config,), 368, marks=pytest.mark.full) for config in CONFIGS)],
)
def test_every_form_is_right(words: Sequence[str], count: int) -> None:
    done = subprocess.run([program(*words)], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) == count
    assert [case for case in cases if not is_right(case)] == []


def is_right(case: dict[str, Any]) -> bool:
    tolerance = TOLERANCES[case["precision"]]
    pairs = zip(case["got"], case["right"], strict=True)
    return all(math.isclose(got, right, rel_tol=tolerance, abs_tol=tolerance) for got, right in pairs)


def test_every_derivative_of_the_program_is_used() -> None:
    """Else its row would be missing, and nobody would know."""
    sources = [path.read_text() for path in (CRATE / "src").glob("*.rs")]
    defined = [name for source in sources for name in re.findall(r"#\[autodiff_\w+\((?:r#)?(\w+)", source)]
    text = "\n".join(sources)
    unused = {name for name in defined if not re.search(rf"(?:\b|r#){name}(?:::<.*?>)?\(", text)}
    assert unused == set()


@pytest.mark.parametrize("words", [("slice", SLICED), pytest.param(("debug",), marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("slice", "derivative `d_wide_seed`: `x` has length 3, but its shadow `dx_1` has length 2"),
        ("vec", "derivative `d_vec`: `x` has length 3, but its shadow `dx_0` has length 4"),
        ("tangents", "derivative `t_v`: `x` has length 3 and 2 tangents, but their slice `bx_0` has length 5"),
    ],
)
def test_a_shadow_of_another_length_is_a_panic(words: Sequence[str], mistake: str, said: str) -> None:
    done = subprocess.run([program(*words), mistake], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stdout == ""


def test_the_program_is_one_for_std_autodiff_too(tmp_path: Path) -> None:
    """But for `use`, its feature line, and the module of what only we take."""
    shutil.copytree(CRATE, tmp_path / "std", ignore=shutil.ignore_patterns("target"))
    for source in (tmp_path / "std").rglob("*.rs"):
        text = source.read_text()
        if source.name == "lib.rs":
            text = text.replace("#![no_std]", "#![no_std]\n#![feature(autodiff)]").replace(
                "use autodiff::", "use core::autodiff::"
            )
        if source.name == "main.rs":
            text = "#![feature(autodiff)]\n" + re.sub(r"^//!.*\n|^ *(mod )?beyond.*\n", "", text, flags=re.MULTILINE)
        source.write_text(text.replace("use autodiff::", "use std::autodiff::"))
    shapes = tmp_path / "libshapes.rmeta"
    compile_for_std(tmp_path / "std/shapes/src/lib.rs", shapes, "--crate-type=lib", "--crate-name=shapes")
    features = '--cfg=feature="pointers"'
    compile_for_std(tmp_path / "std/src/main.rs", tmp_path / "main.rmeta", f"--extern=shapes={shapes}", features)


def compile_for_std(source: Path, out: Path, *options: str) -> None:
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    command = [str(RUSTC), "--edition=2024", "--emit=metadata", "-o", str(out), *options, str(source)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
