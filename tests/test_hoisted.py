"""What LLVM computes before a branch or a choice wants it is computed there; on modules written here, and on Rust."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import hoisted
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

LOOP = """
define double @shim(ptr %x, i64 %n, double %a, double %b) !dbg !3 {
entry:
  %quotient = fdiv double %a, %b PLACE
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %sum = phi double [ 0.0, %entry ], [ %more, %latch ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_large = fcmp ogt double %value, 5.0
  br i1 %is_large, label %large, label %latch
large:
  %scaled = fmul double %value, %quotient
  %grown = fadd double %sum, %scaled
  br label %latch
latch:
  %more = phi double [ %grown, %large ], [ %sum, %loop ]
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %loop
out:
  ret double %more
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "lib.rs", directory: "/")
!3 = distinct !DISubprogram(name: "shim", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocation(line: 2, scope: !3)
"""


def _is_refused(module: Path) -> bool:
    found = [finding.message for finding in audit(TOOLS.libllvm, module, reverse=["shim"])]
    return any(message.startswith("an infinite slope, or NaN") for message in found)


def test_what_a_branch_in_a_loop_wants_is_computed_there(tmp_path: Path) -> None:
    source = LOOP.replace("PLACE", "")
    mended(tmp_path, source)
    assert _is_refused(tmp_path / MODULE)
    text = body(mended(tmp_path, source, hoisted.compute_where_wanted))
    assert re.search(r"large:.*\n +%\d+ = fdiv double %a, %b\n +%scaled = fmul double %value, %\d+\n", text)
    assert text.count("fdiv") == 1
    assert not _is_refused(tmp_path / MODULE)


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        ("PLACE\n", ", !dbg !6\n  %early = fadd double %quotient, 1.0\n"),  # the user's own place for it
        ("br i1 %is_large, label %large, label %latch", "br label %large"),  # each run wants it
        ("fdiv double %a, %b PLACE", "fadd double %a, %b"),  # its slope is 1 whatever it is of
        ("fdiv double %a, %b PLACE", "fdiv double %a, 3.0"),
    ],
)
def test_what_is_the_users_or_wanted_or_harmless_stays(tmp_path: Path, given: str, instead: str) -> None:
    source = LOOP.replace(given, instead)
    source = source.replace("double %value, %quotient", "double %value, %early") if "early" in instead else source
    if "large, label" in given:
        source = source.replace("%more = phi double [ %grown, %large ], [ %sum, %loop ]", "%more = fadd double %grown, 0.0")
    source = source.replace("PLACE", "")
    before = body(mended(tmp_path, source))
    assert body(mended(tmp_path, source, hoisted.compute_where_wanted)) == before
    assert not _is_refused(tmp_path / MODULE)


CHOICES = """
define double @shim(ptr %x, double %a, double %b, i1 %first, i1 %second) {
entry:
  %quotient = fdiv double %a, %b
  %one = select i1 %first, double %quotient, double %a
  br i1 %second, label %there, label %end
there:
  %is_small = fcmp olt double %a, 1.0
  %other = select i1 %is_small, double %quotient, double %b
  br label %end
end:
  %last = phi double [ %one, %entry ], [ %other, %there ]
  ret double %last
}
"""


def test_choices_in_two_places_have_a_quotient_each(tmp_path: Path) -> None:
    text = body(mended(tmp_path, CHOICES, hoisted.compute_where_wanted))
    first, second = text.split("there:")
    assert [part.count("fdiv double %a, %b") for part in (first, second)] == [1, 1]


ON_EACH_WAY = """
define double @shim(double %a, double %b, i1 %which, i1 %is_wanted) {
entry:
  br i1 %which, label %one, label %other
one:
  %first = fmul double %a, %b
  br label %end
other:
  %second = fmul double %a, %b
  br label %end
end:
  %product = phi double [ %first, %one ], [ %second, %other ]
  %chosen = select i1 %is_wanted, double %product, double %a
  ret double %chosen
}
"""


def test_what_each_way_leads_by_is_done_where_they_have_met(tmp_path: Path) -> None:
    text = body(mended(tmp_path, ON_EACH_WAY, hoisted.compute_where_wanted))
    assert re.search(r"end:.*\n +(%\d+) = fmul double %a, %b\n +%chosen = select i1 %is_wanted, double \1, double %a", text)
    assert text.count("fmul") == 1
    other = ON_EACH_WAY.replace("%second = fmul double %a, %b", "%second = fmul double %a, %a")
    assert body(mended(tmp_path, other, hoisted.compute_where_wanted)) == body(mended(tmp_path, other))


NESTED = """
define double @shim(ptr %x, i64 %n, double %a) {
entry:
  %root = call double @llvm.sqrt.f64(double %a)
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next, %after ]
  %sum = phi double [ 0.0, %entry ], [ %so_far, %after ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_large = fcmp ogt double %value, 5.0
  br i1 %is_large, label %inner, label %after
inner:
  %j = phi i64 [ 0, %outer ], [ %following, %inner ]
  %partial = phi double [ %sum, %outer ], [ %grown, %inner ]
  %grown = fadd double %partial, %root
  %following = add i64 %j, 1
  %is_over = icmp eq i64 %following, %n
  br i1 %is_over, label %after, label %inner
after:
  %so_far = phi double [ %sum, %outer ], [ %grown, %inner ]
  %next = add i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %outer
out:
  ret double %so_far
}
declare double @llvm.sqrt.f64(double)
"""


def test_what_each_run_of_an_inner_loop_wants_is_computed_once_before_it(tmp_path: Path) -> None:
    text = body(mended(tmp_path, NESTED, hoisted.compute_where_wanted))
    assert re.search(r"\n(\S*preheader\S*):.*\n +%\d+ = call double @llvm\.sqrt\.f64\(double %a\)\n +br label %inner", text)
    assert text.count("@llvm.sqrt") == 1


LOOPS = """
use autodiff::*;

#[autodiff_reverse(d_scaled, Duplicated, Active, Active, Active)]
fn scaled(x: &[f64], a: f64, b: f64) -> f64 {
    let mut sum = a;
    for &one in x {
        sum += if one > 5.0 { a / b } else { one * one };
    }
    sum
}

#[autodiff_reverse(d_pushed, Duplicated, Active, Active, Active)]
fn pushed(x: &[f64], a: f64, b: f64) -> f64 {
    let mut all = vec![a];
    for &one in x {
        if one > 5.0 {
            all.push((a / b).sqrt());
        }
    }
    all.iter().sum()
}

fn main() {
    for derivative in [d_scaled, d_pushed] {
        for b in [0.0, 2.0] {
            let x = std::hint::black_box([0.5, if b == 0.0 { 1.5 } else { 6.0 }]);
            let mut dx = [0.0; 2];
            let (value, da, db) = derivative(&x, &mut dx, 3.0, b, 1.0);
            println!("{value} {da} {db} {} {}", dx[0], dx[1]);
        }
    }
}
"""


@pytest.mark.parametrize("profile", ["release", "dev"])
def test_gradients_are_numbers_where_no_run_divides_by_zero(bench: Workbench, profile: str) -> None:
    bench.write(LOOPS)
    ran = bench.doit("run", f"profile={profile}")
    assert ran.returncode == 0, ran.stderr
    root = 1.5**0.5
    wanted = [
        [3 + 0.25 + 2.25, 1, 0, 1, 3],
        [3 + 0.25 + 1.5, 1.5, -0.75, 1, 0],
        [3, 1, 0, 0, 0],
        [3 + root, 1 + 0.25 / root, -0.375 / root, 0, 0],
    ]
    got = [[float(number) for number in line.split()] for line in ran.stdout.splitlines()[-4:]]
    assert [pytest.approx(row, rel=1e-14, abs=0) for row in wanted] == got
