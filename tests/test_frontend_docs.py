"""`docs/frontend.md` is true: its examples are those that run, its output is theirs, its tests are there."""

from __future__ import annotations

import json
import re
import subprocess
import textwrap
from functools import cache

import pytest

from tests.frontend_build import PROGRAMS, Build
from tests.test_forms import CRATE, program
from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

GUIDE = (ROOT / "docs" / "frontend.md").read_text()
EXAMPLES = ROOT / "examples" / "activities"
ACTIVITIES = GUIDE[GUIDE.index("## The activities") : GUIDE.index("## Where a function can be")]
TESTS = GUIDE[GUIDE.index("## rustc's own tests") : GUIDE.index("## What travels")]


def test_every_example_is_in_the_program() -> None:
    source = "".join((EXAMPLES / "src/main.rs").read_text().split())
    blocks = re.findall(r"```rust\n(.*?)```", ACTIVITIES, re.DOTALL)
    assert len(blocks) >= 20
    assert [block for block in blocks if "".join(block.split()) not in source] == []


def test_the_output_is_that_of_a_run() -> None:
    built = doit("build", f"crate={EXAMPLES}")
    assert built.returncode == 0, built.stderr
    binary = EXAMPLES / "target/crategrad/default/activities"
    printed = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
    after_code = re.findall(r"```\n\n((?:    .*\n)+)", ACTIVITIES)
    shown = [line for block in after_code for line in textwrap.dedent(block).splitlines()]
    assert shown == printed


def test_every_activity_has_an_example() -> None:
    source = (EXAMPLES / "src/main.rs").read_text()
    used = set(re.findall(r"\w+", " ".join(re.findall(r"#\[autodiff_\w+\((.*)\)\]", source))))
    activities = set(re.findall(r"^\| `(\w+)` \|", ACTIVITIES, re.MULTILINE))
    assert len(activities) == 9
    assert activities <= used


@cache
def rows() -> set[str]:
    done = subprocess.run([program("slice")], capture_output=True, text=True, check=True)
    return {json.loads(line)["case"] for line in done.stdout.splitlines()}


def test_every_row_of_ours_is_there() -> None:
    """Quoted names are rows of the program (`…` for several); names in code are files, modules or tests."""
    for name in re.findall(r'"([^"]+)"', TESTS):
        start = name.removesuffix("…")
        assert any(row == name or (start != name and row.startswith(start)) for row in rows()), name
    ours = [line.split(" | ")[1] for line in TESTS.splitlines() if line.startswith("| `")]
    for name in re.findall(r"`([\w./]+)`", " ".join(ours)):
        places = [ROOT / name, CRATE / "src" / name, CRATE / name, PROGRAMS / f"{name}.rs"]
        is_test = name.startswith("test_") and f"def {name}(" in (ROOT / "tests/test_frontend_docs.py").read_text()
        assert is_test or any(place.exists() for place in places), name


def test_another_macro_of_that_name(plain: Build) -> None:
    """Names are Rust's to resolve: a macro of the user's own shadows ours."""
    source = plain.out / "another.rs"
    source.write_text(
        "use autodiff::*;\nmod own { macro_rules! autodiff_reverse { () => { 7 } } pub(crate) use autodiff_reverse; }\n"
        "use own::autodiff_reverse;\npub const SEVEN: i32 = autodiff_reverse!();\n"
    )
    done = plain.rustc(source, "--crate-type=lib", "--emit=metadata")
    assert done.returncode == 0, done.stderr


EXPANDED_BY_RUSTC = [
    ("#[autodiff_reverse(df, Active, Active)]\nfn f(x: usize) -> f64 { 0.0 }", "fn df(x: usize, dret: f64) -> (f64, usize)"),
    ("#[autodiff_reverse(df, ActiveOnly, Active)]\nfn f(x: f64) -> f64 { x }", "fn df(x: f64, dret: f64) -> f64"),
    ("#[autodiff_reverse(df, 4, Active, Active)]\nfn f(x: f64) -> f64 { x }", "fn df(x: f64, dret: f64) -> (f64, f64)"),
    ("#[autodiff_reverse(df, Active, Active)]\nfn f(x: &f64) -> f64 { *x }", "fn df(x: &f64, dret: f64) -> (f64, &f64)"),
    ("#[autodiff_reverse(df, Const, Active)]\nfn f(x: f64) -> Vec<f64> { todo!() }", "dret: Vec<f64>) -> Vec<f64>"),
    ("#[autodiff_forward(df, 4, Dualv, Dual)]\nfn f(x: f64) -> f64 { x }", "fn df(x: f64, bx_0: f64) -> [f64; 5usize]"),
    ("#[autodiff_forward(df, 2, Const, Dualv)]\nfn f(x: f64) -> f64 { x }", "fn df(x: f64) -> (f64, f64)"),
    ("#[autodiff_reverse(df, 0, Const, Active)]\nfn f(x: f64) -> f64 { x }", "fn df(x: f64, dret: f64) -> f64"),
    ("#[autodiff_reverse(df, Active, Active)]\nasync fn f(x: f64) -> f64 { x }", "async fn df(x: f64, dret: f64)"),
    ("#[autodiff_reverse(Active, Active, Active)]\nfn f(x: f64) -> f64 { x }", "fn Active(x: f64, dret: f64)"),
]


@pytest.mark.parametrize(("function", "header"), EXPANDED_BY_RUSTC)
def test_what_rustc_expands_and_we_refuse(plain: Build, function: str, header: str) -> None:
    source = plain.out / "difference.rs"
    source.write_text(f"#![feature(autodiff)]\nuse std::autodiff::*;\n{function}\n")
    expanded = plain.rustc(source, "--crate-type=lib", "-Zunpretty=expanded", RUSTC_BOOTSTRAP="1")
    assert expanded.returncode == 0, expanded.stderr
    assert header in expanded.stdout
    source.write_text(f"use autodiff::*;\n{function}\n")
    refused = plain.rustc(source, "--crate-type=lib", "--emit=metadata")
    assert refused.returncode == 1
    assert "help: " in refused.stderr
