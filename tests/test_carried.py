"""Values that a loop carries, kept from a shortcut of Enzyme's; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import carried, unwanted
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

LOOP = """define double @shim(ptr %x, i64 %n) {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = phi double [ 1.0, %0 ], [ %q, %loop ]
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %is_large = fcmp ogt double %value, 1.0
  {makes}
  %more = fadd double %sum, {used}
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  %result = fadd double %sum, %q
  ret double %result
}}
declare void @__enzyme_autodiff(...)
define void @asks(ptr %x, ptr %dx, i64 %n) {{
  call void (...) @__enzyme_autodiff(ptr @shim, ptr %x, ptr %dx, i64 %n)
  ret void
}}"""
CHOSEN, OTHERWISE, ANEW = (
    f"%q = select i1 %is_large, double {one}, double {other}"
    for one, other in (("%p", "%value"), ("%value", "%p"), ("%value", "2.0"))
)
DIVIDED, DIVIDING, MULTIPLIED = (
    f"%q = {operation}" for operation in ("fdiv double %p, %value", "fdiv double %value, %p", "fmul double %p, %value")
)


@pytest.mark.parametrize(
    ("makes", "used", "is_wrong"),
    [
        (CHOSEN, "%q", True),
        (OTHERWISE, "%q", True),
        (DIVIDED, "%q", True),
        (DIVIDED, "%value", True),
        (CHOSEN, "%value", False),
        (ANEW, "%q", False),
        (DIVIDING, "%q", False),
        (MULTIPLIED, "%q", False),
    ],
)
def test_what_enzyme_has_a_shortcut_for_is_used_twice(tmp_path: Path, makes: str, used: str, is_wrong: bool) -> None:
    """The shortcut is right for what is only wanted in the end, but for a product of divisors, which may be no number."""
    source = LOOP.format(makes=makes, used=used)
    mended(tmp_path, source, lambda *_: None)
    found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])]
    assert ["of a value that this loop carries" in message for message in found] == [True] * is_wrong
    assert audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) == []
    text = body(mended(tmp_path, source, lambda editor, shims: [carried.use_twice(editor, shims)]))
    assert ("call i1 @crategrad_same_i1(i1 false)" in text) == is_wrong
    assert ("select i1 %1, double %p, double %q" in text) == is_wrong
    mended(tmp_path, source, lambda editor, shims: [carried.use_twice(editor, shims)], unwanted.let_zero_be_strong)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) == []


DECIDED = """define double @shim(ptr %x, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %length = phi i64 [ %n, %0 ], [ %other, %latch ]
  %is_empty = icmp eq i64 %length, %i
  br i1 %is_empty, label %latch, label %else
else:
  br label %latch
latch:
  %other = phi i64 [ 0, %loop ], [ {other}, %else ]
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 9
  br i1 %done, label %out, label %loop
out:
  %result = uitofp i64 %other to double
  ret double %result
}"""


@pytest.mark.parametrize(("other", "is_endless"), [("%n", True), ("%length", False)])
def test_what_decides_on_its_own_next_value_may_stay(tmp_path: Path, other: str, is_endless: bool) -> None:
    """Enzyme sees by itself that what is made of its last value is not to be computed anew."""
    text = body(mended(tmp_path, DECIDED.replace("{other}", other), lambda editor, shims: [carried.use_twice(editor, shims)]))
    assert ("select i1 %1, i64 %length, i64 %other" in text) == is_endless
