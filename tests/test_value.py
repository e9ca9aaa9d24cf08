"""Where nobody wants a function's own value its derivative does not compute it; where anybody does, it is there."""

from __future__ import annotations

import re
import subprocess

import pytest

from pipeline import process
from pipeline.toolchain import find_tools
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()

PROGRAM = """\
#![no_main]
use autodiff::*;

type Real = f64;

/// Of its derivative only the value wants the logarithms.
#[autodiff_reverse(d_logs, Duplicated, Active)]
fn logs(x: &[f64]) -> Real {
    x.iter().map(|x| x.ln()).sum()
}

/// What calls a derivative, and is differentiated itself, may want its value.
#[autodiff_reverse(d_outer, Duplicated, Active)]
fn outer(x: &[f64]) -> f64 {
    let mut dx = [0.0; 2];
    d_logs(x, &mut dx, 1.0) * dx[0]
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-14 * b.abs()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = [f64::from(argc) + 1.0, 3.0];
    let mut dx = [0.0; 2];
    CALL;
    let is_right = close(dx[0], RIGHT0) && close(dx[1], RIGHT1);
    i32::from(!is_right)
}
"""

GRADIENT = ("1.0 / x[0]", "1.0 / x[1]")
OF_OUTER = ("(1.0 - logs(&x)) / (x[0] * x[0])", "1.0 / (x[0] * x[1])")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """The crate whose programs differ in how they call a derivative."""
    return Workbench(tmp_path_factory.mktemp("value"))


def logarithms(bench: Workbench, call: str, right: tuple[str, str], *options: str) -> int:
    """Build and run the program; how often its derivatives take a logarithm."""
    bench.write(PROGRAM.replace("CALL", call).replace("RIGHT0", right[0]).replace("RIGHT1", right[1]))
    bench.build(*options)
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    module = bench.output() / "stages/07-opt2/module.bc"
    return len(re.findall(r"call .*@(?:llvm\.)?log(?:\.f64)?\(", process.ask([TOOLS.opt, "-S", "-passes=", module]).output))


IGNORED = "d_logs(&x, &mut dx, 1.0)"
USED = "if !close(d_logs(&x, &mut dx, 1.0), x[0].ln() + x[1].ln()) { return 2; }"


def test_value_that_nobody_reads_is_not_computed(bench: Workbench) -> None:
    assert logarithms(bench, IGNORED, GRADIENT) == 0


def test_value_that_is_read_is_there(bench: Workbench) -> None:
    assert logarithms(bench, USED, GRADIENT) > 0


def test_value_that_is_read_somewhere_is_there_everywhere(bench: Workbench) -> None:
    assert logarithms(bench, f"{IGNORED}; dx = [0.0; 2]; {USED}", GRADIENT) > 0


def test_value_that_only_another_derivative_reads_is_there(bench: Workbench) -> None:
    assert logarithms(bench, "d_outer(&x, &mut dx, 1.0)", OF_OUTER) > 0


def test_unoptimised_code_reads_all_values(bench: Workbench) -> None:
    assert logarithms(bench, USED, GRADIENT, "profile=dev") > 0
    assert logarithms(bench, IGNORED, GRADIENT, "profile=dev") > 0
