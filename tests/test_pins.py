"""Headers stay as rustc lowered them until Enzyme has run; after that LLVM may do with them what it likes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.stages import MODULE
from pipeline.stages.opt1 import Opt1
from pipeline.stages.opt2 import Opt2
from pipeline.toolchain import Tool, find_tools
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
LLVM_DIS = Tool(TOOLS.llvm_as.path.with_name("llvm-dis"))

# Promoted (x), unused, always the same (k): what argument promotion, dead argument elimination and IPSCCP are for.
GIVEN = """
define internal float @callee(ptr %x, float %unused, float %k) noinline {
  %a = load float, ptr %x
  %e = fmul float %a, %k
  ret float %e
}
define float @caller(ptr %x, float %y) {
  %r = call float @callee(ptr %x, float %y, float 2.0)
  ret float %r
}
"""


def headers(module: Path) -> dict[str, list[str]]:
    """The types of each function's parameters."""
    text = subprocess.run([LLVM_DIS.path, "-o", "-", module], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^define [^@]*@([\w.$]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text, re.MULTILINE)
    return {name: [parameter.split()[0] for parameter in parameters.split(",") if parameter] for name, parameters in found}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_opt1_keeps_every_header_and_opt2_none(tmp_path: Path, level: int) -> None:
    for folder in ("in", "opt1", "opt2"):
        (tmp_path / folder).mkdir()
    subprocess.run([TOOLS.llvm_as, "-o", tmp_path / "in" / MODULE, "-"], input=GIVEN, text=True, check=True)
    Opt1(TOOLS.opt, level).run({"module": tmp_path / "in"}, tmp_path / "opt1", tmp_path / "log")
    assert headers(tmp_path / "opt1" / MODULE)["callee"] == ["ptr", "float", "float"]
    Opt2(TOOLS.opt, 3).run({"module": tmp_path / "opt1"}, tmp_path / "opt2", tmp_path / "log")
    assert headers(tmp_path / "opt2" / MODULE)["callee"] == ["float"]


PROGRAM = """#![no_main]
use autodiff::*;

#[inline(never)]
fn scaled(x: &[f32; 2], _unused: f32, by: f32) -> f32 {
    x[0] * x[1] * by
}

#[autodiff_reverse(df, Duplicated, Active)]
fn f(x: &[f32; 2]) -> f32 {
    scaled(x, 1.0, 3.0)
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let mut dx = [0.0; 2];
    df(&[argc as f32, 2.0], &mut dx, 1.0);
    i32::from(dx != [6.0, 3.0 * argc as f32])
}
"""


def test_the_header_of_what_is_called_is_rustcs_own_until_enzyme_has_run(bench: Workbench) -> None:
    """rustc itself would promote the reference and drop the other two, at this level."""
    bench.write(PROGRAM)
    bench.build()
    subprocess.run([bench.output() / "bench"], check=True)
    for stage in ("03-llvm_link", "04-opt1", "05-abi_fixup"):
        (header,) = (types for name, types in headers(bench.output() / "stages" / stage / MODULE).items() if "scaled" in name)
        assert header == ["ptr", "float", "float"], stage
