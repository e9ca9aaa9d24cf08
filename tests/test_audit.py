"""The audit refuses what Enzyme takes without a word and differentiates wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.enzyme_driver import Diagnostic
from pipeline.toolchain import find_tools
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()

POINTER = """
define void @shim(ptr %f, ptr %x, ptr %to) {
  %in = load double, ptr %x
  %out = call double @caller(ptr %f, double %in)
  store double %out, ptr %to
  ret void
}
define internal double @caller(ptr %f, double %x) {
  %y = call double %f(double %x)
  ret double %y
}
"""


def findings(folder: Path, source: str) -> list[Diagnostic]:
    (folder / "seen.ll").write_text(source)
    return audit(TOOLS.libllvm, folder / "seen.ll", ["shim"])


def test_a_pointer_that_is_called_is_found_however_deep(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, POINTER)
    assert "called here through a pointer is not known" in found.message


def test_what_is_not_reached_or_ends_in_a_panic_is_none_of_its_business(tmp_path: Path) -> None:
    assert findings(tmp_path, POINTER.replace("@shim", "@other").replace("@caller", "@shim_not")) == []
    assert findings(tmp_path, POINTER.replace("  ret double %y", "  unreachable")) == []


RECURSIVE = """#![no_main]
use autodiff::*;

#[inline(never)]
fn root(x: f64, n: u32) -> Option<f64> {
    if n == 0 { return (x > 0.0).then_some(x); }
    Some(root(x, n - 1)?.sqrt() + root(x, n / 2)?)
}

#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, n: u32) -> f64 {
    root(x, n).unwrap_or(1.0) * x
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    df(f64::from(argc), argc as u32 + 3, 1.0).1 as i32
}
"""


def test_a_recursive_function_that_returns_an_option_is_refused_at_its_place(bench: Workbench) -> None:
    bench.write(RECURSIVE)
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "floats in the integers of its header would lose their derivatives" in finished.stderr
    assert "--> src/main.rs:" in finished.stderr
    assert "`df` was asked for, reverse mode of `bench::f` at src/main.rs:11:4" in finished.stderr
