"""What is computed and may not be chosen is computed of one then; on modules written here, and on data with holes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import hoisted, unchosen
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

STEEP = """
declare double @llvm.sqrt.f64(double)
define void @shim(ptr %x, ptr %to, i64 %n) {
  %v = load double, ptr %x
  %d = uitofp i64 %n to double
  %q = fdiv double %v, %d
  %twice = fmul double %q, 2.0
  %c = icmp eq i64 %n, 0
  %chosen = select i1 %c, double %v, double %twice
  %half = fdiv double %chosen, 2.0
  %root = call double @llvm.sqrt.f64(double %half)
  %again = select i1 %c, double %root, double %v
  %used = fdiv double %v, %d
  %last = select i1 %c, double %used, double %again
  %sum = fadd double %last, %used
  store double %sum, ptr %to
  ret void
}
"""


def _is_refused(module: Path) -> bool:
    found = [finding.message for finding in audit(TOOLS.libllvm, module, reverse=["shim"])]
    assert len(found) <= 1  # at no place: told once
    return any(message.startswith("an infinite slope, or NaN") for message in found)


def test_a_quotient_and_a_root_are_of_one(tmp_path: Path) -> None:
    """What is used whatever is chosen stays."""
    mended(tmp_path, STEEP)
    assert _is_refused(tmp_path / MODULE)
    text = body(mended(tmp_path, STEEP, unchosen.compute_of_one))
    assert re.search(r"select i1 %\S+, double %d, double 1\.0+e\+00", text)
    assert re.search(r"%used = fdiv double %v, %d", text)
    assert not _is_refused(tmp_path / MODULE)


IN_TWO_BLOCKS = """
define void @shim(ptr %x, ptr %to, i1 %c, i1 %other) {
  %theta = load double, ptr %x
  %more = getelementptr i8, ptr %x, i64 8
  %d = load double, ptr %more
  %product = fmul double %theta, %d
  %inner = select i1 %c, double %product, double 0.0
  br i1 %other, label %there, label %end
there:
  %outer = select i1 %other, double %inner, double %theta
  store double %outer, ptr %to
  br label %end
end:
  ret void
}
"""


def test_what_is_chosen_in_one_block_and_then_in_another_moves_once_at_a_time(tmp_path: Path) -> None:
    text = body(mended(tmp_path, IN_TWO_BLOCKS, unchosen.compute_of_one))
    assert text.count("fmul") == 1
    assert re.search(r"select i1 %\S+, double %(theta|d), double 1\.0+e\+00", text)
    assert not _is_refused(tmp_path / MODULE)


# The sum of what is there, and of its squares: both have the product.
SHARED = """
define void @shim(ptr %x, ptr %to, i1 %c, i1 %other) {
  %theta = load double, ptr %x
  %more = getelementptr i8, ptr %x, i64 8
  %d = load double, ptr %more
  %r = fmul double %theta, %d
  %s = fadd double %theta, %r
  %sum = select i1 %c, double %theta, double %s
  %square = fmul double %r, %r
  %both = or i1 %c, %other
  %squares = select i1 CONDITION, double 0.0, double %square
  %all = fadd double %sum, %squares
  store double %all, ptr %to
  MORE
  ret void
}
"""


@pytest.mark.parametrize("condition", ["%c", "%other"])
def test_what_two_choices_share_is_of_one_where_neither_wants_it(tmp_path: Path, condition: str) -> None:
    source = SHARED.replace("CONDITION", condition).replace("MORE", "")
    text = body(mended(tmp_path, source, unchosen.compute_of_one))
    assert text.count("call i1 @crategrad_same_needed_i1") == 1
    assert bool(re.search(r" = or i1 %\d+, %\d+\n", text)) == (condition == "%other")
    (product,) = re.findall(r"fmul double (%\d+), (%\d+)\n", text)[:1]
    assert all(re.search(rf"{one} = select i1 %\d+, double %(?:theta|d), double 1\.0", text) for one in product)
    assert not _is_refused(tmp_path / MODULE)


@pytest.mark.parametrize(
    ("condition", "more"),
    [
        ("%c", "store double %r, ptr %more"),  # wanted in any case
        ("%both", ""),  # a condition that comes after the first of the choices: `hoisted` makes two values of it before
    ],
)
def test_what_is_wanted_in_any_case_stays(tmp_path: Path, condition: str, more: str) -> None:
    source = SHARED.replace("CONDITION", condition).replace("MORE", more)
    text = body(mended(tmp_path, source, unchosen.compute_of_one))
    assert "%r = fmul double %theta, %d" in text
    assert not _is_refused(tmp_path / MODULE)


def test_of_what_two_choices_share_each_has_its_own_where_one_is_decided_late(tmp_path: Path) -> None:
    source = SHARED.replace("CONDITION", "%both").replace("MORE", "")
    text = body(mended(tmp_path, source, hoisted.compute_where_wanted, unchosen.compute_of_one))
    assert "fmul double %theta, %d" not in text
    assert text.count("call i1 @crategrad_same_needed_i1") == 2
    assert not _is_refused(tmp_path / MODULE)


def test_what_is_computed_once_for_a_loop_stays_before_it(tmp_path: Path) -> None:
    source = """define double @shim(ptr %x, i64 %n, double %theta, double %by) {
  %scale = fmul double %theta, %by
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_there = fcmp ord double %value, %value
  %product = fmul double %scale, %value
  %some = fadd double %sum, %product
  %more = select i1 %is_there, double %some, double %sum
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %loop
out:
  ret double %more
}"""
    text = body(mended(tmp_path, source, unchosen.compute_of_one))
    assert re.search(r"%scale = fmul double %theta, %by\n +br label %loop", text)
    assert re.search(r"select i1 %\d+, double %value, double 1\.0", text)


LATE = """
define double @shim(ptr %x, double %hole, i1 %c, i1 %is_there) {
  %v = load double, ptr %x
  br i1 %is_there, label %there, label %end
there:
  %product = fmul double %v, %hole
  br label %end
end:
  %one = phi double [ %product, %there ], [ 0x7FF8000000000000, %0 ]
  %chosen = select i1 %c, double %v, double %one
  ret double %chosen
}
"""


def test_what_is_computed_in_a_block_that_leads_to_the_choice_is_chosen_there(tmp_path: Path) -> None:
    text = body(mended(tmp_path, LATE, unchosen.compute_of_one))
    there = text.partition("there:")[2].partition("end:")[0]
    assert re.search(r"select i1 %\d+, double %hole, double 1\.0", there)
    assert re.search(r"select i1 %c, double %v, double %\S+\n +br label %end", there)


@pytest.mark.parametrize("otherwise", ["%sum = fadd double %one, %chosen", "%sum = fadd double %chosen, 1.0"])
def test_what_is_wanted_beside_the_choice_is_not_chosen_before(tmp_path: Path, otherwise: str) -> None:
    source = LATE.replace("ret double %chosen", f"{otherwise}\n  ret double %sum")
    text = body(mended(tmp_path, source, unchosen.compute_of_one))
    assert ("%product = fmul double %v, %hole" in text) == ("%one" in otherwise)


HOLES = """
use autodiff::*;

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
    *std::hint::black_box(&mut all[0]) = None;
    close(d_options(2.0, &all, 1.0).1, 1.0 + 2.0f64.cos() + 3.0);
}
"""


DROPPED = """
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


@pytest.mark.parametrize(("strong_zero", "given"), [("true", "1.5 1.5\n3 1.5\n"), ("false", "NaN 1.5\nNaN NaN\n")])
@pytest.mark.parametrize("fast_math", ["true", "false"])
def test_what_is_computed_and_left_out_is_zero_where_zero_is_strong(
    tmp_path: Path, strong_zero: str, given: str, fast_math: str
) -> None:
    bench = Workbench(tmp_path)
    bench.write(DROPPED)
    ran = bench.doit("run", f"enzyme.strong_zero={strong_zero}", f"enzyme.fast_math={fast_math}")
    assert ran.stdout == given, ran.stderr


@pytest.mark.parametrize("fast_math", ["true", "false"])
def test_what_is_no_number_and_left_out_is_in_no_gradient(tmp_path: Path, fast_math: str) -> None:
    bench = Workbench(tmp_path)
    bench.write(HOLES)
    ran = bench.doit("run", f"enzyme.fast_math={fast_math}")
    assert ran.returncode == 0, ran.stderr
