"""What conditions are computed of promises nothing, so that Enzyme may ask them where a promise would not be kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import promises, repair
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# As an `Option` of a struct with a `bool` comes: 2 is `None`, and the bit that is taken of the others is no bit of that.
TAG = """define double @shim(ptr %tag, double %x, i64 %n, ptr %to) {
  %read = load i8, ptr %tag
  %is_none = icmp eq i8 %read, 2
  br i1 %is_none, label %end, label %some
some:
  %flag = trunc nuw i8 %read to i1
  br i1 %flag, label %even, label %end
even:
  %square = fmul double %x, %x
  br label %end
end:
  %value = phi double [ %x, %0 ], [ %x, %some ], [ %square, %even ]
  ret double %value
}"""
COMPUTED = """  %less = sub nuw nsw i64 %n, 1
  %half = lshr exact i64 %less, 1
  %wide = zext nneg i8 %read to i64
  %both = or disjoint i64 %half, %wide
  %flag = icmp samesign ult i64 %both, 3"""
SUMS = TAG.replace("  %flag = trunc nuw i8 %read to i1", COMPUTED)
PRODUCT = (
    TAG.replace("trunc nuw i8 %read to i1", "icmp ult i64 %product, 1000")
    .replace("some:", "some:\n  %wide = zext i8 %read to i64\n  %product = mul nuw i64 %n, %wide")
    .replace("even:", "even:\n  store double 0.0, ptr %to")
)
COUNTED = """define double @shim(double %x, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %y = phi double [ %x, %0 ], [ %z, %loop ]
  %z = fmul double %y, %y
  %next = add nuw nsw i64 %i, 1
  %is_last = icmp eq i64 %next, %n
  br i1 %is_last, label %end, label %loop
end:
  ret double %z
}"""
NO_CONDITION = TAG.replace("br i1 %flag, label %even, label %end", "br label %even").replace("[ %x, %some ], ", "")
SURE = "what is asked here is sure only behind what was asked before, and reverse mode would ask it everywhere"


@pytest.mark.parametrize("source", [TAG, SUMS])
def test_conditions_promise_nothing(tmp_path: Path, source: str) -> None:
    text = body(mended(tmp_path, source, promises.take_back))
    assert not any(f" {promise} " in text for promise in ("nuw", "nsw", "exact", "nneg", "disjoint", "samesign"))
    assert not refused(tmp_path, reverse=["shim"])


@pytest.mark.parametrize("source", [COUNTED, NO_CONDITION])
def test_counters_of_loops_and_what_is_no_condition_keep_their_promises(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source, promises.take_back) == mended(tmp_path, source, lambda *_: [])
    assert not refused(tmp_path, reverse=["shim"])


@pytest.mark.parametrize("is_forward", [False, True])
def test_in_forward_mode_nothing_is_asked_twice(tmp_path: Path, *, is_forward: bool) -> None:
    done: list[str] = []
    mended(tmp_path, PRODUCT, lambda editor, shims: done.extend(repair(editor.module, shims, shims if is_forward else ())))
    assert any(line.startswith("promises: ") for line in done) != is_forward
    assert not refused(tmp_path, forward=["shim"])


def test_the_audit_refuses_what_may_be_poison(tmp_path: Path) -> None:
    mended(tmp_path, TAG, lambda *_: [])
    assert refused(tmp_path, reverse=["shim"]) == [SURE]


def refused(folder: Path, reverse: Sequence[str] = (), forward: Sequence[str] = ()) -> list[str]:
    return [one.message for one in audit(TOOLS.libllvm, folder / MODULE, reverse, forward)]
