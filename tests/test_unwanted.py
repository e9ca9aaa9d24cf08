"""Where something may be computed and not wanted zero is strong; on modules written here, and on Rust."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import unwanted
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

CHOICE = """
define void @shim(ptr %x, ptr %to, i1 %c, double %d) {
  %v = load double, ptr %x
  %r = fmul double %v, %d
  %half = fmul double %r, 0.5
  %chosen = select i1 %c, double %half, double %v
  MORE
  store double %chosen, ptr %to
  ret void
}
"""

LOOP = """
define void @shim(ptr %x, ptr %to, i64 %n, double %d) !dbg !3 {{
entry:
  %first = load double, ptr %x
  %r = fdiv double %first, %d{place}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi double [ {first}, %entry ], [ %more, %latch ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_large = fcmp ogt double %value, 5.0, !dbg !6
  br i1 %is_large, label %large, label %{other}
large:
  %scaled = fadd double %value, %r
  %grown = fadd double %sum, %scaled
  br label %latch
small:
  %grown_less = fsub double %sum, {less}
  br label %latch
never:
  call void @end()
  unreachable
latch:
  %more = phi double [ %grown, %large ], [ %grown_less, %small ]
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %loop
out:
  store double %more, ptr %to
  ret void
}}
!llvm.module.flags = !{{!0}}
!llvm.dbg.cu = !{{!1}}
!0 = !{{i32 2, !"Debug Info Version", i32 3}}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "lib.rs", directory: "/")
!3 = distinct !DISubprogram(name: "shim", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{{}}
!6 = !DILocation(line: 3, column: 8, scope: !3)
!7 = !DILocation(line: 2, column: 8, scope: !3)
"""

LAST = """
define void @shim(ptr %x, ptr %to, i64 %n, double %d) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %r = fdiv double %value, %d
  %more = fadd double %sum, %r
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %loop
out:
  store double %more, ptr %to
  ret void
}
"""

ASKED = """
declare void @__enzyme_autodiff(...)
declare i64 @llvm.fptosi.sat.i64.f64(double)
declare double @llvm.pow.f64(double, double)
declare void @end() noreturn
define void @asks(ptr %x, ptr %dx, ptr %to, ptr %dto, i1 %c, i64 %n, double %d) {
  call void (...) @__enzyme_autodiff(ptr @shim, ptr %x, ptr %dx, ptr %to, ptr %dto, i1 %c, double %d)
  ret void
}
"""


def _is_strong(folder: Path, source: str) -> bool:
    """Whether the repair asks for it: then the audit refuses the module before, and no more after."""
    mended(folder, source + ASKED)
    refused = [one.message for one in audit(TOOLS.libllvm, folder / MODULE, reverse=["shim"])]
    text = mended(folder, source + ASKED, unwanted.let_zero_be_strong)
    assert audit(TOOLS.libllvm, folder / MODULE, reverse=["shim"]) == []
    is_asked = "@__enzyme_autodiff(ptr @shim, ptr @enzyme_strong_zero, ptr %x," in text
    assert [message.startswith("an infinite slope, or NaN, of what") for message in refused] == [True] * is_asked
    return is_asked


@pytest.mark.parametrize(
    ("given", "instead", "is_strong"),
    [
        ("", "", True),
        ("fmul double %v, %d", "fdiv double %d, %v", True),
        ("fmul double %v, %d", "frem double %v, %d", True),
        ("fmul double %v, %d", "call double @llvm.pow.f64(double %v, double %d)", True),
        ("fmul double %v, %d", "fdiv double %v, 3.0", False),
        ("fmul double %v, %d", "fadd double %v, %d", False),
        ("double %half, double %v", "double %half, double %half", False),
        ("MORE", "store double %r, ptr %x", False),
        ("MORE", "%is_large = fcmp ogt double %r, 1.0", True),
        ("MORE", "%bits = bitcast double %r to i64\n  %is_less = icmp slt i64 %bits, 0", True),
        ("double %half, double %v", "double %v, double %d", False),  # nothing asks for its adjoint
    ],
)
def test_what_is_chosen_may_not_be_wanted(tmp_path: Path, given: str, instead: str, is_strong: bool) -> None:
    assert _is_strong(tmp_path, CHOICE.replace(given, instead).replace("MORE", "")) == is_strong


@pytest.mark.parametrize(
    ("given", "is_strong"),
    [
        ({}, True),
        ({"place": ", !dbg !6"}, True),  # that of the condition
        ({"place": ", !dbg !7"}, False),  # the user's own
        ({"less": "%r"}, False),  # each run wants it, by one way or the other
        ({"other": "never"}, False),  # what ends the program wants nothing
        ({"first": "%r"}, False),  # the loop begins with it
    ],
)
def test_what_llvm_computes_before_a_loop_may_not_be_wanted_in_it(
    tmp_path: Path, given: dict[str, str], is_strong: bool
) -> None:
    usual = {"place": "", "first": "0.0", "other": "small", "less": "%value"}
    assert _is_strong(tmp_path, LOOP.format(**usual | given)) == is_strong


@pytest.mark.parametrize(("stored", "is_strong"), [("%more", False), ("%r", True)])
def test_of_what_each_run_computes_the_last_may_be_wanted_alone(tmp_path: Path, stored: str, is_strong: bool) -> None:
    source = LAST.replace("store double %more", f"store double {stored}")
    assert _is_strong(tmp_path, source) == is_strong


PROGRAM = """
use autodiff::*;
use std::hint::black_box;

/// Data with holes: NaN is what is not there.
#[autodiff_reverse(d_squares, Active, Const, Active)]
fn squares(theta: f64, data: &[f64]) -> f64 {
    data.iter().map(|&d| if d.is_nan() { 0.0 } else { (theta * d - 1.0).powi(2) }).sum()
}

#[autodiff_reverse(d_finite, Active, Const, Active)]
fn finite(theta: f64, data: &[f64]) -> f64 {
    data.iter().filter(|d| d.is_finite()).map(|d| theta * d).sum()
}

#[autodiff_reverse(d_moments, Active, Const, Active)]
fn moments(theta: f64, data: &[f64]) -> f64 {
    let (mut sum, mut squares, mut count) = (0.0, 1.0, 0.0);
    for &d in data {
        if !d.is_nan() {
            let r = theta * d;
            sum += r;
            squares += r * r;
            count += 1.0;
        }
    }
    sum / count + squares
}

#[autodiff_reverse(d_masked, Duplicated, Const, Active)]
fn masked(x: &[f64], mask: &[f64]) -> f64 {
    x.iter().zip(mask).map(|(x, m)| if *m > 0.0 { x * m } else { *x }).sum()
}

/// What a `None` has in its place may have been anything.
#[autodiff_reverse(d_options, Active, Const, Active)]
fn options(theta: f64, all: &[Option<f64>]) -> f64 {
    all.iter().fold(theta, |sum, one| sum + one.map_or(sum.sin(), |x| theta * x))
}

/// What no run of the loop wants, and LLVM would compute once before it.
#[autodiff_reverse(d_scaled, Const, Active, Active, Active)]
fn scaled(x: &[f64], a: f64, b: f64) -> f64 {
    x.iter().fold(a, |sum, &x| if x > 5.0 { sum + (a / b) * 3.0 * x } else { sum })
}

#[autodiff_reverse(d_rated, Const, Active, Active, Active)]
fn rated(x: &[f64], a: f64, b: f64) -> f64 {
    let rate = if b != 0.0 { Some(a / b * 3.0) } else { None };
    x.iter().fold(a, |sum, x| sum + rate.map_or(0.0, |rate| rate * x))
}

#[autodiff_reverse(d_matched, Const, Active, Active, Active)]
fn matched(x: &[f64], a: f64, b: f64) -> f64 {
    let each = x.iter().enumerate().map(|(i, &x)| match (i % 3, x > 5.0) {
        (0, true) => a / b,
        (1, true) => (a / b).sqrt() * 2.0,
        (_, true) => b.ln() * 3.0,
        _ => 0.0,
    });
    a + each.sum::<f64>()
}

#[autodiff_reverse(d_pushed, Const, Active, Active, Active)]
fn pushed(x: &[f64], a: f64, b: f64) -> f64 {
    let mut all = vec![a];
    for &one in x {
        if one > 5.0 {
            all.push((a / b).sqrt() + b.powf(0.5) + (1.0 / b).exp() + (1.0 / b).sin());
        }
    }
    all.iter().sum()
}

#[autodiff_reverse(d_chosen, Const, Active, Active, Active)]
fn chosen(x: &[f64], a: f64, b: f64) -> f64 {
    x.iter().fold(a, |sum, &x| sum + if x > 5.0 { b.ln() } else if x > 4.0 { b.sqrt() } else { 0.0 })
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs(), "{got}, not {want}");
}

fn main() {
    let data = [1.0, f64::NAN, 2.0];
    close(d_squares(0.75, &data, 1.0).1, 2.0 * (0.75 - 1.0) + 4.0 * (1.5 - 1.0));
    close(d_finite(0.5, &[1.0, f64::NAN, 2.0, f64::INFINITY], 1.0).1, 3.0);
    close(d_moments(0.5, &data, 1.0).1, 1.5 + 2.0 * 0.5 * 5.0);
    let mut dx = [0.0; 3];
    d_masked(&[1.0, 2.0, 3.0], &mut dx, &[4.0, f64::NEG_INFINITY, f64::NAN], 1.0);
    assert_eq!(dx, [4.0, 1.0, 1.0]);
    let mut all = [Some(f64::INFINITY), Some(3.0)];
    *black_box(&mut all[0]) = None;
    close(d_options(2.0, &all, 1.0).1, 1.0 + 2.0f64.cos() + 3.0);
    let (a, b, x) = (3.0f64, 2.0f64, black_box([6.0, 7.0, 8.0]));
    for derivative in [d_scaled, d_rated, d_matched, d_pushed, d_chosen] {
        assert_eq!(derivative(black_box(&[1.0, 2.0, 3.0]), a, 0.0, 1.0), (a, 1.0, 0.0));
    }
    let root = (a / b).sqrt();
    let slopes = |derivative: fn(&[f64], f64, f64, f64) -> (f64, f64, f64), by_a, by_b| {
        let (_, da, db) = derivative(&x, a, b, 1.0);
        close(da, by_a);
        close(db, by_b);
    };
    slopes(d_scaled, 1.0 + 63.0 / b, -63.0 * a / (b * b));
    slopes(d_rated, 1.0 + 63.0 / b, -63.0 * a / (b * b));
    slopes(d_matched, 1.0 + 1.0 / b + root / a, -a / (b * b) - root / b + 3.0 / b);
    let sum = -0.5 * root / b + 0.5 * b.powf(-0.5) - ((1.0 / b).exp() + (1.0 / b).cos()) / (b * b);
    slopes(d_pushed, 1.0 + 1.5 * root / a, 3.0 * sum);
    slopes(d_chosen, 1.0, 3.0 / b);
}
"""


@pytest.mark.parametrize(
    "settings",
    [
        ["profile=release"],
        ["profile=dev", "enzyme.fast_math=false"],
        pytest.param(["strategy=single-module-merge"], marks=pytest.mark.full),
        pytest.param(["strategy=fat-lto"], marks=pytest.mark.full),
    ],
    ids=" ".join,
)
def test_what_is_infinite_and_not_wanted_is_in_no_gradient(bench: Workbench, settings: list[str]) -> None:
    bench.write(PROGRAM)
    ran = bench.doit("run", *settings)
    assert ran.returncode == 0, ran.stderr


LEFT_OUT = """
use autodiff::*;

#[autodiff_reverse(d_residuals, Active, Const, Active)]
#[autodiff_forward(t_residuals, Dual, Const, Dual)]
fn residuals(theta: f64, data: &[f64]) -> f64 {
    data.iter().map(|&d| theta * d - 1.0).filter(|r| r.is_finite()).map(|r| r * r).sum()
}

#[autodiff_reverse(d_positive, Active, Const, Active)]
fn positive(theta: f64, data: &[f64]) -> f64 {
    data.iter().map(|d| (theta * d).max(0.0)).sum()
}

#[autodiff_reverse(d_quotients, Active, Const, Active)]
fn quotients(theta: f64, data: &[f64]) -> f64 {
    data.iter().map(|&d| theta / d).filter(|r| r.is_finite()).sum()
}

fn main() {
    let data = [1.0, f64::NAN, 2.0, f64::INFINITY];
    println!("{} {}", d_residuals(0.75, &data, 1.0).1, t_residuals(0.75, 1.0, &data).1);
    println!("{} {}", d_positive(0.75, &data[..3], 1.0).1, d_quotients(0.75, &[1.0, 0.0, 2.0], 1.0).1);
}
"""


@pytest.mark.parametrize("fast_math", ["true", "false"])
def test_what_the_user_computes_and_leaves_out_is_in_no_gradient_where_zero_is_strong(bench: Workbench, fast_math: str) -> None:
    bench.write(LEFT_OUT)
    ran = bench.doit("run", "enzyme.strong_zero=true", f"enzyme.fast_math={fast_math}")
    assert ran.stdout == "1.5 1.5\n3 1.5\n", ran.stderr
