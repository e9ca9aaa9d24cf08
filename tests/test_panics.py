"""What panics in a function panics in its derivatives, with the same words: Enzyme by itself drops the checks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.analyses.call_tree import calls
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.repairs import panics
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PROGRAM = """#![no_main]
use autodiff::*;

#[inline(never)]
fn at(x: &[f64], i: usize) -> f64 {
    x[i] * x[0]
}

#[autodiff_reverse(d_index, Duplicated, Const, Active)]
#[autodiff_forward(t_index, Dual, Const, Dual)]
fn index(x: &[f64], i: usize) -> f64 {
    (1..i).map(|i| at(x, i)).sum()
}

#[autodiff_reverse(d_picked, Duplicated, Const, Active)]
fn picked(x: &[f64], at: &[usize]) -> f64 {
    at.iter().map(|&i| x[i] * x[i]).sum()
}

#[autodiff_reverse(d_unwrap, Active, Const, Active)]
fn unwrap(x: f64, i: usize) -> f64 {
    x * x * f64::from(u8::try_from(i).ok().filter(|i| *i < 4).unwrap())
}

#[autodiff_reverse(d_said, Active, Const, Active)]
fn said(x: f64, i: usize) -> f64 {
    assert!(i < 4, "there are {i} of {}", x + 1.0);
    x.powi(i as i32)
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (x, mut dx) = ([1.0, 2.0, 3.0], [0.0; 3]);
    let _ = d_index(&x, &mut dx, 3, 1.0);
    let all_is_well = dx == [5.0, 1.0, 1.0]
        && t_index(&x, &[1.0, 0.0, 0.0], 3) == (5.0, 5.0)
        && d_unwrap(3.0, 2, 1.0) == (18.0, 12.0)
        && d_said(3.0, 2, 1.0) == (9.0, 6.0);
    let wrong = 6 + argc as usize;
    match argc {
        2 => drop(d_index(&x, &mut dx, wrong, 1.0)),
        3 => drop(t_index(&x, &dx, wrong)),
        4 => drop(d_unwrap(1.0, wrong, 1.0)),
        5 => drop(d_said(1.0, wrong, 1.0)),
        6 => return d_picked(&[1.0, 2.0, x[0]], &mut dx, std::hint::black_box(&[0, 4]), 1.0) as i32,
        _ => {}
    }
    i32::from(!all_is_well)
}
"""


@pytest.mark.parametrize("config", ["default", pytest.param("debug", marks=pytest.mark.full)])
def test_what_panics_panics_in_the_derivative(bench: Workbench, config: str) -> None:
    bench.write(PROGRAM)
    bench.build(f"config={config}")
    program = bench.output(config) / "bench"
    assert subprocess.run([program], check=False).returncode == 0
    said = [
        "index out of bounds: the len is 3 but the index is 3",
        "index out of bounds: the len is 3 but the index is 3",
        "called `Option::unwrap()` on a `None` value",
        "there are 11 of 2",
        "index out of bounds: the len is 3 but the index is 4",
    ]
    for arguments, words in enumerate(said, start=1):
        done = subprocess.run([program, *["x"] * arguments], capture_output=True, text=True, check=False)
        assert done.returncode == -6, done.stderr
        assert words in done.stderr
        assert "panicked at src/main.rs:" in done.stderr


# What never returns, of all that is called here or of some of it.
ENDING = """use autodiff::*;
use std::hint::black_box;

fn boom(x: f64) -> f64 {
    panic!("boom {x}")
}

fn cube(x: f64) -> f64 {
    x * x * x
}

trait Shape {
    fn area(&self, x: f64) -> f64;
}
struct Square;
struct Endless;
impl Shape for Square {
    fn area(&self, x: f64) -> f64 {
        x * x
    }
}
impl Shape for Endless {
    fn area(&self, _: f64) -> f64 {
        panic!("no end")
    }
}

#[autodiff_reverse(d_called, Const, Active, Active)]
#[autodiff_forward(t_called, Const, Dual, Dual)]
fn called(f: Option<fn(f64) -> f64>, x: f64) -> f64 {
    f.map_or(3.0 * x, |f| f(x) * 2.0)
}

#[autodiff_reverse(d_area, Const, Active, Active)]
#[autodiff_forward(t_area, Const, Dual, Dual)]
fn area(shape: Option<&dyn Shape>, x: f64) -> f64 {
    shape.map_or(3.0 * x, |shape| shape.area(x) * 2.0)
}

#[autodiff_reverse(d_always, Active, Active)]
fn always(x: f64) -> f64 {
    boom(x)
}

#[autodiff_reverse(d_surely, Duplicated, Active)]
fn surely(x: &[f64]) -> f64 {
    for x in x {
        assert!(*x < 9.0, "large");
    }
    panic!("sure")
}

#[autodiff_reverse(d_number, Const, Active, Active)]
fn number(f: usize, x: f64) -> f64 {
    if f == 0 { x * x } else { unsafe { std::mem::transmute::<usize, extern "C" fn(f64, i32) -> f64>(f)(x, 2) } }
}

fn main() {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let (f, shape): (fn(f64) -> f64, &dyn Shape) = if asked.is_empty() { (cube, &Square) } else { (boom, &Endless) };
    let (f, shape, none) = black_box((Some(f), Some(shape), asked == "none"));
    println!("{:?}", match asked.as_str() {
        "" | "d_called" => d_called(f, 1.5, 1.0),
        "t_called" => t_called(f, 1.5, 1.0),
        "d_area" => d_area(shape, 1.5, 1.0),
        "t_area" => t_area(shape, 1.5, 1.0),
        "d_always" => d_always(1.5, 1.0),
        "d_surely" => (d_surely(&[1.5], &mut [0.0], 1.0), 0.0),
        "d_number" => d_number(boom as *const () as usize, 1.5, 1.0),
        _ => (d_called(f.filter(|_| !none), 1.5, 1.0).1 + d_number(usize::from(!none), 1.5, 1.0).1, 0.0),
    });
    assert!(!asked.is_empty() || d_area(shape, 1.5, 1.0) == (4.5, 6.0));
}
"""
SAID = {
    "d_called": "boom 1.5",
    "t_called": "boom 1.5",
    "d_area": "no end",
    "t_area": "no end",
    "d_always": "boom 1.5",
    "d_surely": "error: differentiated code panicked at src/main.rs:",
    "d_number": "error: differentiated code called a pointer that is none of what it could be here: nothing",
}


@pytest.mark.parametrize("config", ["default", pytest.param("debug", marks=pytest.mark.full)])
def test_what_is_called_and_never_returns_ends_the_program(bench: Workbench, config: str) -> None:
    """Enzyme takes it, and the branch that leads to it, for unreachable."""
    bench.write(ENDING)
    bench.build(f"config={config}")

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([bench.output(config) / "bench", *arguments], capture_output=True, text=True, check=False)

    assert ran().stdout == "(6.75, 13.5)\n"
    assert ran("none").stdout == "(6.0, 0.0)\n"
    ended = {what: ran(what) for what in SAID}
    assert {what: done.stdout for what, done in ended.items()} == dict.fromkeys(SAID, "")
    assert [what for what, words in SAID.items() if words not in ended[what].stderr] == []


NEVER = """declare void @panic(i64) noreturn
define internal double @never(double %x, i64 %i) noreturn {
  call void @panic(i64 %i)
  unreachable
}
define double @shim(double %x, i64 %i) {
  %v = call double @never(double %x, i64 %i)
  %w = fmul double %v, %x
  ret double %w
}"""


def test_a_call_that_never_returns_does_for_all_that_enzyme_knows(tmp_path: Path) -> None:
    text = mended(tmp_path, NEVER, kept)
    assert "call void @crategrad_check(i1 true, double %x, i64 %i)" in body(text)
    assert "ret double" in body(text)
    assert "@never(" not in body(text)
    assert "call double @never(double %1, i64 %2)" in body(text, "crategrad_check")


def test_what_is_differentiated_and_never_returns_does_for_all_that_enzyme_knows(tmp_path: Path) -> None:
    alone = NEVER.replace("@never", "@shim").partition("define double @shim(double %x, i64 %i) {")[0]
    text = mended(tmp_path, alone.replace("internal ", ""), kept)
    assert re.search(r"call void @crategrad_check\(i1 %\w+, i64 %i\)\n  ret double 0", body(text))
    assert "call void @panic(i64 %1)" in body(text, "crategrad_check")


CHECK = """define void @shim(ptr %x, i64 %i, i64 %n, ptr %to) {
  %fits = icmp ult i64 %i, %n
  br i1 %fits, label %ok, label %bad
ok:
  %p = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %p
  store double %v, ptr %to
  ret void
bad:
  %twice = add i64 %i, %i
  call void @panic(i64 %twice, i64 %n, ptr @place)
  unreachable
}
@place = constant i8 0
declare void @panic(i64, i64, ptr) noreturn"""


def kept(editor: Editor, shims: list[int]) -> list[str]:
    return panics.keep(editor, shims)


def test_a_check_becomes_a_call_that_enzyme_makes_as_it_stands(tmp_path: Path) -> None:
    text = mended(tmp_path, CHECK, kept)
    assert "br " not in body(text)
    assert re.search(r"call void @crategrad_check\(i1 %\d+, i64 %i, i64 %n\)", body(text))
    assert re.search(r"%0 = call i64 @crategrad_same_i64\(i64 %i\)\n.*icmp uge i64 %0", body(text), re.DOTALL)
    assert "call void @panic(i64 %5, i64 %2, ptr @place)" in body(text, "crategrad_check")
    assert "memory(read, inaccessiblemem: readwrite" in text
    assert "enzyme_inactive" in text


def test_the_call_has_a_place_where_its_function_has_one_though_the_branch_had_none(tmp_path: Path) -> None:
    """Inlined where it has none, what it calls would have none either, and LLVM takes that for a broken module."""
    placed = (
        CHECK.replace("ptr %to) {", "ptr %to) !dbg !2 {")
        + """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!4}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "main.rs", directory: "/")
!2 = distinct !DISubprogram(name: "shim", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!3 = !DISubroutineType(types: !{})
!4 = !{i32 2, !"Debug Info Version", i32 3}"""
    )
    located: list[int] = []

    def kept_and_located(editor: Editor, shims: list[int]) -> None:
        kept(editor, shims)
        located.extend(editor.module.location(call) for call in calls(editor, shims[0]))

    mended(tmp_path, placed, kept_and_located)
    assert len(located) == 3
    assert all(located)


def test_what_the_compiler_was_promised_is_no_check(tmp_path: Path) -> None:
    promised = CHECK.replace("  %twice = add i64 %i, %i\n  call void @panic(i64 %twice, i64 %n, ptr @place)\n", "")
    assert "crategrad_check" not in mended(tmp_path, promised, kept)


def test_a_panic_that_several_checks_share_is_told_by_each(tmp_path: Path) -> None:
    shared = CHECK.replace("ok:", "ok:\n  %late = icmp eq i64 %n, 7\n  br i1 %late, label %bad, label %well\nwell:").replace(
        "bad:\n  %twice = add i64 %i, %i", "bad:\n  %which = phi i64 [ %i, %0 ], [ 7, %ok ]\n  %twice = add i64 %which, 1"
    )
    text = mended(tmp_path, shared, kept)
    assert body(text).count("call void @crategrad_check") == 2
    assert "br " not in body(text)
    assert "panic" not in body(text)


def test_a_panic_that_takes_several_steps_ends_the_program_with_its_place(tmp_path: Path) -> None:
    steps = CHECK.replace(
        "  unreachable", "  br label %more\nmore:\n  call void @panic(i64 0, i64 0, ptr @place)\n  unreachable"
    )
    text = mended(tmp_path, steps, kept)
    assert "call void @crategrad_unexpected_call" in body(text, "crategrad_check")
    assert "differentiated code panicked at" in text


def test_a_function_without_checks_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plain.ll").write_text("define void @shim(ptr %x) {\n  store double 1.0, ptr %x\n  ret void\n}")
    with Module(TOOLS.libllvm, tmp_path / "plain.ll") as module:
        assert panics.keep(Editor(module), module.named(["shim"])) == []
