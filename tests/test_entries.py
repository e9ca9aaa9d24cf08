"""Cycles that are entered at several blocks; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.llvm_edit import Editor
from pipeline.repairs import ENZYMES_OWN, entries
from pipeline.repairs.inline import CLEAN
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

AMID = """define double @shim(double %x, i1 %begins, i64 %n) {
  br i1 %begins, label %one, label %other
one:
  %p = phi double [ %x, %0 ], [ %s, %other ]
  %i = phi i64 [ 0, %0 ], [ %more, %other ]
  %q = fmul double %p, %x
  %is_last = icmp ugt i64 %i, %n
  br i1 %is_last, label %end, label %other
other:
  %r = phi double [ %x, %0 ], [ %q, %one ]
  %j = phi i64 [ 0, %0 ], [ %i, %one ]
  %s = fmul double %r, %x
  %more = add i64 %j, 1
  br label %one
end:
  ret double %q
}"""
LOOP = (
    AMID.replace("br i1 %begins, label %one, label %other", "br label %one")
    .replace("[ %x, %0 ], [ %q, %one ]", "[ %q, %one ]")
    .replace("[ 0, %0 ], [ %i, %one ]", "[ %i, %one ]")
)


def said(module: Path) -> list[str]:
    found = [one.message for one in audit(TOOLS.libllvm, module, ["shim"])]
    return [message for message in found if "a loop is entered at several places" in message]


def test_a_cycle_that_is_entered_at_two_blocks_becomes_a_loop(tmp_path: Path) -> None:
    def clean(editor: Editor, shims: list[int]) -> None:
        for shim in shims:
            editor.run_passes(f"{CLEAN},{ENZYMES_OWN},{CLEAN}", shim)

    text = mended(tmp_path, AMID, entries.unite, clean)  # what LLVM does then leaves it one
    assert len(said(tmp_path / "given.bc")) == 1
    assert said(tmp_path / MODULE) == []
    assert "call i1 @crategrad_same_i1(" in body(text)


def test_a_loop_stays_as_it_is(tmp_path: Path) -> None:
    assert mended(tmp_path, LOOP, entries.unite) == mended(tmp_path, LOOP)
    assert said(tmp_path / MODULE) == []


def test_what_no_path_leads_to_is_no_cycle(tmp_path: Path) -> None:
    mended(tmp_path, LOOP.replace("end:", "left:\n  br label %right\nright:\n  br label %left\nend:"))
    assert said(tmp_path / MODULE) == []
