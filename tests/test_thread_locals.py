"""Thread-locals that serve as memory for numbers: right in each mode, whatever was in them before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.repairs import statics, thread_locals
from tests.test_repairs import mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PROGRAM = """\
use autodiff::*;
use std::cell::{Cell, RefCell, UnsafeCell};

const X: [f64; 9] = [0.7, -1.1, 1.8, 0.3, -0.5, 2.2, 0.9, -0.2, 1.3];

thread_local! {
    static LAST: Cell<f64> = Cell::new(2.0);
    static ROW: RefCell<[f64; 8]> = const { RefCell::new([0.5; 8]) };
    static BYTES: UnsafeCell<[u8; 64]> = const { UnsafeCell::new([0; 64]) };
}

/// The thread-local is made at first use, and read before it is written.
#[autodiff_reverse(d_last, Duplicated, Active)]
#[autodiff_forward(f_last, Dual, Dual)]
#[autodiff_forward(w_last, 2, Dual, Dual)]
fn last(x: &[f64]) -> f64 {
    let before = LAST.get();
    for &x in x {
        LAST.set(LAST.get() * 0.5 + x * x);
    }
    LAST.get() * before
}

#[autodiff_reverse(d_row, Duplicated, Active)]
#[autodiff_forward(f_row, Dual, Dual)]
#[autodiff_forward(w_row, 2, Dual, Dual)]
fn row(x: &[f64]) -> f64 {
    ROW.with_borrow_mut(|row| {
        for (i, &x) in x.iter().enumerate() {
            row[i % 8] = x * x + row[(i + 7) % 8] * 0.5;
        }
        row.iter().map(|x| x * x).sum()
    })
}

/// Memory for numbers by what is made of its address alone.
#[autodiff_reverse(d_bytes, Duplicated, Active)]
#[autodiff_forward(f_bytes, Dual, Dual)]
#[autodiff_forward(w_bytes, 2, Dual, Dual)]
fn bytes(x: &[f64]) -> f64 {
    BYTES.with(|bytes| {
        let start = bytes.get().cast::<u8>();
        let numbers = unsafe { std::slice::from_raw_parts_mut(start.add(start.align_offset(8)).cast::<f64>(), 7) };
        for (i, &x) in x.iter().enumerate() {
            numbers[i % 7] = x * x + numbers[(i + 6) % 7] * 0.5;
        }
        numbers.iter().map(|x| x * x).sum()
    })
}

type Reverse = fn(&[f64], &mut [f64], f64) -> f64;
type Forward = fn(&[f64], &[f64]) -> (f64, f64);
type Wide = fn(&[f64], &[f64], &[f64]) -> [f64; 3];

fn begin() {
    LAST.set(2.0);
    ROW.set([0.5; 8]);
    BYTES.with(|bytes| unsafe { bytes.get().write([0; 64]) });
}

fn unit(at: usize) -> [f64; 9] {
    std::array::from_fn(|i| f64::from(i == at))
}

fn check(name: &str, of: fn(&[f64]) -> f64, reverse: Reverse, forward: Forward, wide: Wide) {
    for round in 0..2 {
        let mut gradient = [0.0; 9];
        begin();
        reverse(&X, &mut gradient, 1.0);
        for at in 0..9 {
            let moved = |by: f64| {
                let mut x = X;
                x[at] += by;
                begin();
                of(&x)
            };
            let step = 1e-3;
            let differences = (8.0 * (moved(step) - moved(-step)) - (moved(2.0 * step) - moved(-2.0 * step))) / (12.0 * step);
            begin();
            let tangent = forward(&X, &unit(at)).1;
            begin();
            let tangents = wide(&X, &unit(0), &unit(at));
            for (mode, got) in [("reverse", gradient[at]), ("forward", tangent), ("width 2", tangents[2])] {
                let off = (got - differences).abs() / differences.abs().max(1.0);
                assert!(off < 1e-9, "{name}, {mode}, round {round}, {at}: {got}, not {differences}");
            }
        }
    }
}

fn main() {
    check("last", last, d_last, f_last, w_last);
    check("row", row, d_row, f_row, w_row);
    check("bytes", bytes, d_bytes, f_bytes, w_bytes);
    std::thread::spawn(|| check("row of another thread", row, d_row, f_row, w_row)).join().unwrap();
}
"""


@pytest.mark.parametrize("arguments", [[], ["opt1.level=0"]], ids=["slice", "as written"])
def test_gradients_are_those_of_differences(bench: Workbench, arguments: list[str]) -> None:
    """Of the fourth order, to 1e-9 relative, absolute below 1; what was there before is constant."""
    bench.write(PROGRAM)
    bench.build(*arguments)
    subprocess.run([bench.output() / "bench"], check=True)


MODULE = """
@numbers = internal thread_local global [2 x double] zeroinitializer, align 16, !dbg !20
declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @__enzyme_autodiff(...)
declare void @__enzyme_fwddiff(...)
@enzyme_width = external global i32
define double @shim(ptr %x) {{
  %where = call ptr @llvm.threadlocal.address.p0(ptr @numbers)
  %number = load double, ptr %where
  {more}
  ret double %number
}}
define void @reverse(ptr %x) {{
  call void (...) @__enzyme_autodiff(ptr @shim, ptr %x, ptr %x)
  ret void
}}
define void @wide(ptr %x) {{
  call void (...) @__enzyme_fwddiff(ptr @shim, ptr @enzyme_width, i64 4, ptr %x, ptr %x, ptr %x, ptr %x, ptr %x)
  ret void
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!1}}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: "", emissionKind: FullDebug)
!1 = !{{i32 2, !"Debug Info Version", i32 3}}
!2 = !DIFile(filename: "src/main.rs", directory: "/here")
!10 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!11 = !DICompositeType(tag: DW_TAG_structure_type, name: "Numbers", size: 128, elements: !{{!12, !13}})
!12 = !DIDerivedType(tag: DW_TAG_member, name: "a", baseType: !10, size: 64)
!13 = !DIDerivedType(tag: DW_TAG_member, name: "b", baseType: {second}, size: 64, offset: 64)
!14 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "*mut f64", baseType: !10, size: 64)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "numbers", file: !2, type: !11)
"""


def test_the_shadow_has_as_many_lanes_as_are_asked_for_and_begins_as_zeros(tmp_path: Path) -> None:
    text = mended(tmp_path, MODULE.format(more="", second="!10"), thread_locals.give_shadows)
    assert "@numbers.shadow = internal thread_local global [4 x [2 x double]] zeroinitializer, align 16" in text
    assert "call ptr @llvm.threadlocal.address" not in text
    assert text.count("call void @llvm.memset.p0.i64(ptr align 16 @numbers.shadow, i8 0, i64 64, i1 false)") == 2


@pytest.mark.parametrize(
    ("more", "second"),
    [("", "!14"), ("call void @reverse(ptr %x)", "!10")],
    ids=["a pointer is in it", "a derivative within another"],
)
def test_there_is_none_where_it_would_have_to_lead_somewhere_or_be_of_two(tmp_path: Path, more: str, second: str) -> None:
    text = mended(tmp_path, MODULE.format(more=more, second=second), thread_locals.give_shadows)
    assert "shadow" not in text


def test_there_is_none_where_it_is_inactive(tmp_path: Path) -> None:
    integers = MODULE.format(more="", second="!10").replace("double", "i64").replace('"f64"', '"u64"')
    text = mended(tmp_path, integers, statics.say_inactive, thread_locals.give_shadows)
    assert "shadow" not in text
