"""Values that a loop carries on or replaces and uses: found, and made by a function; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import _CARRIED, audit
from pipeline.repairs import carried
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

LOOP = """define double @shim(ptr %x, i64 %n) {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %best = phi double [ 1.0, %0 ], [ %better, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %p
  %is_better = fcmp olt double %value, 0.0
  %better = {made}
  %more = fadd double %sum, {used}
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  %last = fmul double %better, %more
  ret double %last
}}"""

KEPT = "select i1 %is_better, double %best, double %value"
REPLACED = "select nnan i1 %is_better, double %value, double %best"
DIVIDED = "fdiv fast double %best, %value"


@pytest.mark.parametrize(("made", "by"), [(KEPT, "choose"), (REPLACED, "choose"), (DIVIDED, "divide")])
def test_what_is_carried_and_used_is_made_by_a_function(tmp_path: Path, made: str, by: str) -> None:
    text = mended(tmp_path, LOOP.format(made=made, used="%better"), carried.by_call)
    assert f"%better = {made}" not in body(text)
    assert f"call double @crategrad_{by}_f64(" in body(text)
    kept = body(text, f"crategrad_{by}_f64")
    assert made.split(maxsplit=1)[0] in kept
    assert not {"nnan", "fast"} & set(kept.split())
    assert made.count("%") == body(text).partition(f"@crategrad_{by}_f64(")[2].partition(")")[0].count("%")
    given, made_module = tmp_path / "given.bc", tmp_path / MODULE
    assert [finding.message for finding in audit(TOOLS.libllvm, given, reverse=["shim"])] == [_CARRIED]
    assert audit(TOOLS.libllvm, given, forward=["shim"]) == audit(TOOLS.libllvm, made_module, reverse=["shim"]) == []


@pytest.mark.parametrize(
    ("made", "used"),
    [
        (KEPT, "%value"),  # the shortcut holds
        (DIVIDED, "%value"),
        ("fdiv double %value, %best", "%better"),
        ("fsub double %best, %value", "%better"),
        ("select i1 %is_better, double %value, double 2.0", "%better"),
    ],
)
def test_what_is_only_carried_or_made_anew_stays(tmp_path: Path, made: str, used: str) -> None:
    text = mended(tmp_path, LOOP.format(made=made, used=used), carried.by_call)
    assert "crategrad" not in text
    assert audit(TOOLS.libllvm, tmp_path / "given.bc", reverse=["shim"]) == []
