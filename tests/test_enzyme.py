"""The stage enzyme: derivatives all at once, and what becomes of the others where one is refused."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pipeline.enzyme_driver import Diagnostic, EnzymeDriver
from pipeline.stages import MODULE
from pipeline.stages.enzyme import Enzyme
from pipeline.toolchain import find_tools
from tests.alone import build, stages
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
LLVM_DIS = TOOLS.llvm_as.path.with_name("llvm-dis")

# The derivatives share a helper, and a static that the helper counts in.
SEVERAL = """\
#![no_main]
use autodiff::*;

static mut CALLS: u32 = 0;

#[inline(never)]
fn square(x: f64) -> f64 {
    unsafe { CALLS += 1 };
    x * x
}

#[autodiff_reverse(d_cube, Active, Active)]
#[autodiff_forward(t_cube, Dual, Dual)]
fn cube(x: f64) -> f64 {
    square(x) * x
}

#[autodiff_reverse(d_fourth, Active, Active)]
fn fourth(x: f64) -> f64 {
    let mut squares = Vec::new();
    while squares.len() < 2 + unsafe { CALLS > 100 } as usize {
        squares.push(square(x));
    }
    squares[0] * squares[1]
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let near = |got: (f64, f64), value: f64, slope: f64| {
        (got.0 - value).abs() <= 1e-12 * value && (got.1 - slope).abs() <= 1e-12 * slope
    };
    let right = near(d_cube(x, 1.0), x * x * x, 3.0 * x * x)
        && near(t_cube(x, 1.0), x * x * x, 3.0 * x * x)
        && near(d_fourth(x, 1.0), x * x * x * x, 4.0 * x * x * x);
    i32::from(!right || unsafe { CALLS } != 4)
}
"""

REFUSED = SEVERAL.replace("square(x) * x", "square(x) * unsafe { gamma_of_nobody(x) }") + (
    'unsafe extern "C" {\n    fn gamma_of_nobody(x: f64) -> f64;\n}\n'
)


@dataclass(frozen=True)
class Overtaxed:
    """An Enzyme that does what the real one does, but refuses a module that asks for more than so many derivatives."""

    real: EnzymeDriver
    most: int

    def differentiate(self, module: Path, text: Path, flags: Sequence[str], log: Path) -> list[Diagnostic]:
        said = subprocess.run([LLVM_DIS, "-o", "-", module], capture_output=True, text=True, check=True).stdout
        if len(re.findall(r"call void \(\.\.\.\) @__enzyme_", said)) > self.most:
            return [Diagnostic("Enzyme: too many")]
        return self.real.differentiate(module, text, flags, log)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_derivatives_that_are_had_one_by_one_are_those_of_one_program(bench: Workbench, tmp_path: Path, most: int) -> None:
    bench.write(SEVERAL)
    bench.build()
    later = {name: stage for name, stage in stages(3, TOOLS).items() if name in ("enzyme", "opt2", "codegen")}
    real = later["enzyme"]
    assert isinstance(real, Enzyme)
    given = bench.output() / "stages" / "05-abi_fixup"
    through = {**later, "enzyme": replace(real, driver=Overtaxed(real.driver, most))}
    program = build(given, through, bench.output() / "stages", tmp_path, TOOLS)
    assert subprocess.run([program], check=False).returncode == 0
    assert [path.name for path in (tmp_path / "enzyme").iterdir()] == [MODULE]


def test_only_what_is_refused_is_named_and_the_cause_once(bench: Workbench) -> None:
    bench.write(REFUSED)
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "d_fourth" not in finished.stderr
    for derivative, mode in (("d_cube", "reverse"), ("t_cube", "forward")):
        assert f"`{derivative}` was asked for, {mode} mode of `bench::cube` at src/main.rs:14:4" in finished.stderr
