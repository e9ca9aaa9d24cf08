"""Enums that go from variant to variant; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.repairs import by_variant
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

# The word of the enum is a float in the first variant, a count in the second; the last variant decides what is returned.
CARRIED = """define double @shim(double %x, i64 %n) {
  br label %loop
loop:
  %variant = phi i64 [ 0, %0 ], [ %next, %both ]
  %word = phi i64 [ 0, %0 ], [ %made, %both ]
  %i = phi i64 [ 0, %0 ], [ %j, %both ]
  %j = add i64 %i, 1
  switch i64 %variant, label %never [
    i64 0, label %none
    i64 1, label %float
    i64 2, label %count
  ]
none:
  %bits = BITS
  br label %both
float:
  br label %both
count:
  %more = add i64 %word, 1
  br label %both
both:
  %next = phi i64 [ 1, %none ], [ 2, %float ], [ 2, %count ]
  %made = phi i64 [ %bits, %none ], [ 3, %float ], [ %more, %count ]
  %done = icmp eq i64 %j, %n
  br i1 %done, label %end, label %loop
end:
  switch i64 %next, label %never [
    i64 1, label %one
    i64 2, label %two
  ]
one:
  %f = bitcast i64 %made to double
  ret double %f
two:
  %g = uitofp i64 %made to double
  ret double %g
never:
  unreachable
}"""


def test_a_word_is_of_one_kind_on_each_way(tmp_path: Path) -> None:
    """The float is returned as it came; what is counted comes from numbers alone."""
    text = body(mended(tmp_path, CARRIED.replace("BITS", "bitcast double %x to i64"), by_variant.lead))
    assert "bitcast" not in text
    assert "switch" not in text
    assert re.search(r"phi double .*%x, |ret double %x", text)
    counted = re.findall(r"uitofp i64 (%\S+) to double", text)
    assert len(counted) == 1


def test_without_floats_among_them_words_go_as_they_went(tmp_path: Path) -> None:
    source = CARRIED.replace("BITS", "add i64 %n, 7").replace("bitcast i64", "sitofp i64")
    assert body(mended(tmp_path, source, by_variant.lead)) == body(mended(tmp_path, source))
