"""Blocks where three ways come together; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.llvm_edit import Editor
from pipeline.repairs import ENZYMES_OWN, joins
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# `second` parts the ways by `out` and by `middle` where it is passed; PAST leads to `middle` past it.
THREE = """define double @shim(double %x, i1 %a, i1 %b, i1 %c, i1 %d) {
  br i1 %a, label %join, label %some
some:
  %y = fmul double %x, %x
  br i1 %b, label %PAST, label %loop
loop:
  %p = phi double [ %y, %some ], [ %q, %loop ]
  %q = fmul double %p, %x
  br i1 %c, label %loop, label %second
second:
  %z = fadd double %q, %y
  br i1 %d, label %join, label %middle
middle:
  %m = phi double [ %z, %second ], [ %y, %some ]
  %n = fadd double %m, 1.0
  br label %join
join:
  %r = phi double [ %x, %0 ], [ %z, %second ], [ %n, %middle ]
  ret double %r
}"""
PASSED = THREE.replace("%PAST", "%middle")
NOT_PASSED = (
    THREE.replace("%PAST", "%loop")
    .replace(", [ %y, %some ]\n  %n", "\n  %n")
    .replace("br i1 %b, label %loop, label %loop", "br label %loop")
)
# The join is two, of which the one does nothing but that.
TWICE = (
    PASSED.replace("join:\n", "both:\n  %t = phi double [ %z, %second ], [ %n, %middle ]\n  br label %join\njoin:\n")
    .replace("[ %x, %0 ], [ %z, %second ], [ %n, %middle ]", "[ %x, %0 ], [ %t, %both ]")
    .replace("%d, label %join", "%d, label %both")
    .replace("1.0\n  br label %join", "1.0\n  br label %both")
)


@pytest.mark.parametrize("source", [PASSED, TWICE])
def test_ways_of_which_one_passes_the_branch_by_are_joined_before_the_third(tmp_path: Path, source: str) -> None:
    text = body(mended(tmp_path, source, joins.part))
    (first,) = re.findall(r"(%\w+) = phi double \[ %z, %second \], \[ %n, %middle \]", text)
    assert re.search(rf"phi double \[ %x, %0 \], \[ {re.escape(first)}, %\w+ \]", text)
    assert "call void @crategrad_stay()" in text


def test_ways_that_all_pass_the_branch_stay_one_join(tmp_path: Path) -> None:
    assert "crategrad_stay" not in mended(tmp_path, NOT_PASSED, joins.part)


def test_enzymes_own_passes_leave_it_so(tmp_path: Path) -> None:
    def both(editor: Editor, shims: list[int]) -> None:
        joins.part(editor, shims)
        for shim in shims:
            editor.run_passes(f"{ENZYMES_OWN},simplifycfg", shim)

    assert body(mended(tmp_path, PASSED, both)).count(" = phi double") == 4


def test_the_audit_finds_what_is_not_parted(tmp_path: Path) -> None:
    mended(tmp_path, PASSED, lambda editor, shims: None)
    (found,) = audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"], [])
    assert found.message.startswith("three ways come together here")
    mended(tmp_path, PASSED, joins.part)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"], []) == []
