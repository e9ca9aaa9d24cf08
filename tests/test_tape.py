"""The memory of derivatives: what is said where there is none."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline import process
from pipeline.tape import Tape
from pipeline.toolchain import find_tools
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()


# ---- A module, before and after


DERIVATIVE = """
declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) nounwind
    willreturn "alloc-family"="malloc"
declare noalias ptr @calloc(i64, i64) allockind("alloc,zeroed") allocsize(0, 1) memory(inaccessiblemem: readwrite) nounwind
    willreturn "alloc-family"="malloc"
declare ptr @realloc(ptr allocptr, i64)
declare void @free(ptr allocptr captures(none)) allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite)
    nounwind willreturn "alloc-family"="malloc"

define void @df(i64 %n, ptr %to) {
  %tape = call nonnull dereferenceable(8) ptr @malloc(i64 %n)
  %longer = call ptr @realloc(ptr %tape, i64 %n)
  store double 1.0, ptr %longer
  call void @shared(i64 %n)
  store ptr %longer, ptr %to
  ret void
}
define void @dg.1(i64 %n) {
  call void @shared(i64 %n)
  ret void
}
define internal void @shared(i64 %n) noinline {
  %unused = call ptr @calloc(i64 %n, i64 8)
  call void @free(ptr %unused)
  ret void
}
define ptr @other(i64 %n) {
  %memory = call ptr @malloc(i64 %n)
  ret ptr %memory
}
"""


def provided(folder: Path, *, passes: str = "") -> str:
    """The module above, of which `df` and `dg` are derivatives, as text."""
    module = folder / "part.bc"
    subprocess.run([TOOLS.llvm_as.path, "-o", module, "-"], input=DERIVATIVE, text=True, check=True)
    Tape(TOOLS.libllvm).provide(module, {"df": "`df` of `f`", "dg": "`dg` of `g`"})
    return process.ask([TOOLS.opt, "-S", f"-passes={passes}", module]).output


def called(text: str, function: str) -> list[str]:
    """What a function calls."""
    body = re.search(rf"^define [^\n]*@{re.escape(function)}\(.*?^}}", text, re.MULTILINE | re.DOTALL)
    assert body, text
    return re.findall(r"call [^@\n]*@(\w+)", body[0])


def test_all_memory_that_a_derivative_is_given_is_looked_at_and_no_other(tmp_path: Path) -> None:
    text, check = provided(tmp_path), "crategrad_memory_is_there"
    assert called(text, "df") == ["malloc", check, "realloc", check, "shared"]
    assert called(text, "shared") == ["calloc", check, "free"]
    assert called(text, "other") == ["malloc"]


def test_each_allocation_says_which_derivatives_it_is_of(tmp_path: Path) -> None:
    said = re.findall(r'c"(`[^"]*)\\00"', provided(tmp_path))
    assert sorted(said) == ["`df` of `f`", "`df` of `f`", "`df` of `f` or `dg` of `g`"]


def test_what_nobody_needs_llvm_leaves_out_all_the_same(tmp_path: Path) -> None:
    text = provided(tmp_path, passes="default<O2>")
    assert called(text, "df") == ["malloc", "crategrad_no_memory", "realloc", "crategrad_no_memory"]
    assert "shared" not in text
    assert "@crategrad_memory_is_there" not in text


# ---- No memory

HUGE = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(d_long, Duplicated, Const, Active)]
fn long(x: &[f64], steps: usize) -> f64 {
    let mut y = x[0];
    for i in 0..steps {
        y += 0.25 * x[i % x.len()] * y;
    }
    y
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let mut dx = [0.0; 2];
    let y = d_long(&[0.5, 1.0], &mut dx, if argc == 1 { 2 } else { 10_000_000_000_000 }, 1.0);
    // y = x0 (1 + x0/4) (1 + x1/4)
    let is_right = (y - 0.703125).abs() < 1e-15 && (dx[0] - 1.5625).abs() < 1e-15 && (dx[1] - 0.140625).abs() < 1e-15;
    i32::from(!is_right)
}
"""


@pytest.mark.parametrize("strategy", ["slice", "single-module-merge", pytest.param("fat-lto", marks=pytest.mark.full)])
def test_where_there_is_no_memory_the_derivative_is_told(tmp_path_factory: pytest.TempPathFactory, strategy: str) -> None:
    bench = Workbench(tmp_path_factory.getbasetemp() / "huge")
    bench.write(HUGE)
    bench.build(f"strategy={strategy}")
    program = bench.output() / "bench"
    assert subprocess.run([program], check=False).returncode == 0
    finished = subprocess.run([program, "huge"], capture_output=True, text=True, check=False)
    assert finished.stderr == "memory allocation of 80000000000000 bytes failed in the derivative `d_long` of `bench::long`\n"
    assert finished.returncode == -6  # SIGABRT, as Rust's own
