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
# What leads to `second` leads past it, too, out of the one loop; not out of the other, where there will be a block between.
OF_ONE_LOOP, OF_TWO_LOOPS = (
    PASSED.replace("i1 %d)", "i1 %d, i1 %e)")
    .replace("[ %q, %loop ]", "[ %q, %latch ]")
    .replace(
        "br i1 %c, label %loop, label %second",
        f"br label %inner\ninner:\n  br i1 %c, label %second, label %within\nwithin:\n  br {back}label %latch\n"
        "latch:\n  br i1 %d, label %loop, label %second",
    )
    for back in ("", "i1 %e, label %inner, ")
)
# The join is two, of which the one does nothing but that.
TWICE = (
    PASSED.replace("join:\n", "both:\n  %t = phi double [ %z, %second ], [ %n, %middle ]\n  br label %join\njoin:\n")
    .replace("[ %x, %0 ], [ %z, %second ], [ %n, %middle ]", "[ %x, %0 ], [ %t, %both ]")
    .replace("%d, label %join", "%d, label %both")
    .replace("1.0\n  br label %join", "1.0\n  br label %both")
)
# `second` parts the ways by `out` and by `join`, and is passed by where the first way is taken; ASKED is what it goes by.
AHEAD = """define double @shim(double %x, i1 %a, ptr %t, i64 %m, i64 %n) {
  %e = load i64, ptr %t
  br i1 %a, label %join, label %second
second:
  ASKED
  %c = icmp eq i64 %d, 1
  br i1 %c, label %middle, label %join
middle:
  %y = fmul double %x, %x
  br label %join
join:
  %r = phi double [ %x, %0 ], [ %y, %middle ], [ 1.0, %second ]
  ret double %r
}"""
READ, DIVIDED, COUNTED, CERTAIN = (
    AHEAD.replace("ASKED", f"%d = {asked}")
    for asked in ("load i64, ptr %t", "urem i64 %m, %n", "add i64 %m, %n", "xor i64 %e, 7")
)
# Of four ways two count as one: by neither a float comes that has a derivative.
FOUR = (
    READ.replace("label %middle, label %join", "label %middle, label %last")
    .replace(
        "join:\n", "last:\n  br i1 %a, label %join, label %other\nother:\n  call void @effect()\n  br label %join\njoin:\n"
    )
    .replace("[ 1.0, %second ]", "[ 1.0, %last ], [ 2.0, %other ]")
    + "\ndeclare void @effect()"
)


@pytest.mark.parametrize("source", [PASSED, TWICE, OF_TWO_LOOPS])
def test_ways_of_which_one_passes_the_branch_by_are_joined_before_the_third(tmp_path: Path, source: str) -> None:
    text = body(mended(tmp_path, source, joins.part))
    (first,) = re.findall(r"(%\w+) = phi double \[ %z, %second \], \[ %n, %middle \]", text)
    assert re.search(rf"phi double \[ %x, %0 \], \[ {re.escape(first)}, %\w+ \]", text)
    assert "call void @crategrad_stay()" in text


@pytest.mark.parametrize("source", [NOT_PASSED, OF_ONE_LOOP])
def test_ways_that_all_pass_the_branch_stay_one_join(tmp_path: Path, source: str) -> None:
    assert "crategrad_stay" not in mended(tmp_path, source, joins.part)


@pytest.mark.parametrize(("source", "first"), [(READ, "%x, %0"), (DIVIDED, "%x, %0"), (FOUR, "%x, %0")])
def test_ways_told_apart_by_what_may_not_be_there_are_joined_before_the_first(tmp_path: Path, source: str, first: str) -> None:
    text = body(mended(tmp_path, source, joins.part))
    assert re.search(rf"phi double \[ {re.escape(first)} \], \[ %\d+, %\d+ \]", text)
    assert re.search(r"phi double (?!\[ %x).*\[ %y, %middle \]", text)


@pytest.mark.parametrize("source", [COUNTED, CERTAIN])
def test_what_can_always_be_computed_is_asked(tmp_path: Path, source: str) -> None:
    assert "crategrad_stay" not in mended(tmp_path, source, joins.part)


def test_enzymes_own_passes_leave_it_so(tmp_path: Path) -> None:
    def both(editor: Editor, shims: list[int]) -> None:
        joins.part(editor, shims)
        for shim in shims:
            editor.run_passes(f"{ENZYMES_OWN},simplifycfg", shim)

    assert body(mended(tmp_path, PASSED, both)).count(" = phi double") == 4


@pytest.mark.parametrize("source", [PASSED, READ, FOUR])
def test_the_audit_finds_what_is_not_parted(tmp_path: Path, source: str) -> None:
    mended(tmp_path, source, lambda editor, shims: None)
    (found,) = audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"], [])
    assert found.message.startswith("three ways come together here")
    mended(tmp_path, source, joins.part)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"], []) == []
