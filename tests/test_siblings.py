"""Addresses of loops of which neither is always run before the other; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.repairs import siblings
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

# `%first` is there in one branch alone, `%columns` and `%rows` in it after that.
LOOPS = """define double @shim(ptr %x, ptr %y, i1 %c, i64 %n) {
  br i1 %c, label %first, label %between
first:
  %h = phi i64 [ 0, %0 ], [ %h.next, %first ]
  %r = getelementptr double, ptr %x, i64 %h
  store double 1.0, ptr %r
  %h.next = add i64 %h, 1
  %h.ends = icmp eq i64 %h.next, %n
  br i1 %h.ends, label %between, label %first
between:
  %last = phi i64 [ 0, %0 ], [ %h, %first ]
  br label %columns
columns:
  %i = phi i64 [ 0, %between ], [ %i.next, %out ]
  BEFORE
  br label %rows
rows:
  %j = phi i64 [ 0, %columns ], [ %j.next, %rows ]
  %row = getelementptr ptr, ptr %y, i64 %j
  %q = load ptr, ptr %row
  %p = getelementptr double, ptr %x, i64 0
  STEP
  %v = load double, ptr %s
  %j.next = add i64 %j, 1
  %j.ends = icmp eq i64 %j.next, END
  br i1 %j.ends, label %out, label %rows
out:
  %i.next = add i64 %i, 1
  %i.ends = icmp eq i64 %i.next, %n
  br i1 %i.ends, label %done, label %columns
done:
  ret double %v
}
declare i64 @end()"""


@pytest.mark.parametrize(
    ("step", "end", "hidden"),
    [
        ("double, ptr %q, i64 %i", "%n", "%i"),  # the row changes with `%i`
        ("double, ptr %p, i64 %i", "%n", ""),
        ("double, ptr %p, i64 %j", "%n", ""),
        ("double, ptr %p, i64 %j", "%m", ""),  # how far `%j` comes changes with `%i`, but is not made of it
        ("double, ptr %p, i64 %j", "%k", "%j"),
    ],
)
def test_a_counter_beside_what_changes_with_it_is_hidden(tmp_path: Path, step: str, end: str, hidden: str) -> None:
    before = {"%m": "%m = call i64 @end()", "%k": "%m = call i64 @end()\n  %k = add i64 %i, %m"}.get(end, "")
    source = LOOPS.replace("BEFORE", before).replace("STEP", f"%s = getelementptr {step}").replace("END", end)
    text = body(mended(tmp_path, source, siblings.tell_apart))
    assert f"i64 @crategrad_same_i64(i64 {hidden})" in text if hidden else "crategrad_same" not in text
    assert "getelementptr double, ptr %x, i64 %h\n" in text


def test_a_counter_whose_loop_is_over_is_hidden(tmp_path: Path) -> None:
    source = LOOPS.replace("BEFORE", "").replace("END", "%n").replace("STEP", "%s = getelementptr double, ptr %p, i64 %j")
    after = "%z = getelementptr double, ptr %p, i64 %i\n  %w = load double, ptr %z\n  ret double %w"
    assert "i64 @crategrad_same_i64(i64 %i)" in body(
        mended(tmp_path, source.replace("ret double %v", after), siblings.tell_apart)
    )


def test_loops_of_which_one_always_comes_first_stay_as_they_are(tmp_path: Path) -> None:
    one = LOOPS.replace("br i1 %c, label %first, label %between", "br label %first")
    one = one.replace("[ 0, %0 ], [ %h, %first ]\n  br label %columns", "[ %h, %first ]\n  br label %columns")
    one = one.replace("BEFORE", "").replace("END", "%n").replace("STEP", "%s = getelementptr double, ptr %q, i64 %i")
    assert "crategrad_same" not in body(mended(tmp_path, one, siblings.tell_apart))
