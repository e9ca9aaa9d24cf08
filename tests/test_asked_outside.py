"""What an inner loop came to, asked outside of the loop around it: kept where it is made; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.repairs import asked_outside
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain


# The first product of two of x's numbers that is large; {found} is what is made of it once both loops are left.
SEARCH = """define double @shim(ptr %x, i64 %n) {{
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %outer.latch ]
  %sum = phi double [ 0.0, %0 ], [ %more, %outer.latch ]
  %i.next = add nuw nsw i64 %i, 1
  %first.place = getelementptr inbounds double, ptr %x, i64 %i
  %first = load double, ptr %first.place
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.latch ]
  %more = phi double [ %sum, %outer ], [ %most, %inner.latch ]
  %place = getelementptr inbounds double, ptr %x, i64 %j
  %second = load double, ptr %place
  %product = fmul double %first, %second
  %is.large = fcmp ogt double %product, 5.0
  br i1 %is.large, label %{to}, label %inner.latch
inner.latch:
  %most = fadd double %more, %product
  %j.next = add nuw nsw i64 %j, 1
  %inner.ends = icmp eq i64 %j.next, %n
  br i1 %inner.ends, label %outer.latch, label %inner
outer.latch:
  %outer.ends = icmp eq i64 %i.next, %n
  br i1 %outer.ends, label %out, label %outer
found:
  {found}
  br label %out
out:
  %result = phi double [ %more, %outer.latch ], [ %square, %found ]
  ret double %result
}}"""


@pytest.mark.parametrize(
    ("found", "is_kept"),
    [
        ("%square = fmul double %product, %product", "double @crategrad_active_double(double %product)"),
        ("%count = uitofp i64 %j to double\n  %square = fmul double %count, %count", "i64 @crategrad_same_kept_i64(i64 %j)"),
        ("%square = load double, ptr %place", "ptr @crategrad_active_ptr(ptr %place)"),
    ],
)
def test_what_an_inner_loop_found_is_kept_for_outside(tmp_path: Path, found: str, is_kept: str) -> None:
    made = body(mended(tmp_path, SEARCH.format(to="found", found=found), asked_outside.keep), "shim")
    assert len(re.findall(r"call \S+ @crategrad_(?!same_kept_i1)", made)) == 1
    assert f"call {is_kept}" in made
    kept = re.search(rf"(%\S+) = call {re.escape(is_kept)}", made)
    assert kept
    assert kept[1] in made.partition("found:")[2]


def test_what_tells_how_the_outer_loop_was_left_is_kept(tmp_path: Path) -> None:
    found = "%square = fmul double %sum, 2.0"
    made = body(mended(tmp_path, SEARCH.format(to="found", found=found), asked_outside.keep), "shim")
    assert "call i1 @crategrad_same_kept_i1(i1 %is.large)" in made


def test_loops_that_are_left_one_by_one_stay_as_they_are(tmp_path: Path) -> None:
    source = SEARCH.format(to="inner.latch", found="%square = fadd double 0.0, 0.0")
    assert "crategrad" not in mended(tmp_path, source, asked_outside.keep)
