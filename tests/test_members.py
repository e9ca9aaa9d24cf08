"""Structs that are chosen or frozen are so member by member; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.repairs import members
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

SELECTED = """define { i64, double } @shim(i1 %c, { i64, double } %some) {
  %chosen = select i1 %c, { i64, double } { i64 0, double undef }, { i64, double } %some
  ret { i64, double } %chosen
}"""
FROZEN = """define double @shim({ i64, double } %some) {
  %frozen = freeze { i64, double } %some
  %float = extractvalue { i64, double } %frozen, 1
  ret double %float
}"""
# As `find` has it: what is chosen is changed, and looked at again in the next run.
CARRIED = """define double @shim(i64 %n, double %x) {
  br label %loop
loop:
  %kept = phi { i64, double } [ { i64 2, double undef }, %0 ], [ %changed, %loop ]
  %i = phi i64 [ 0, %0 ], [ %i.next, %loop ]
  %i.next = add i64 %i, 1
  %last = extractvalue { i64, double } %kept, 1
  %next = fmul double %last, %x
  %changed = insertvalue { i64, double } %kept, double %next, 1
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %out, label %loop
out:
  %float = extractvalue { i64, double } %changed, 1
  ret double %float
}"""
SWITCHED = """define double @shim(i64 %n, { i64, double } %one, { i64, double } %other) {
  switch i64 %n, label %last [ i64 1, label %out
                               i64 2, label %out ]
last:
  br label %out
out:
  %chosen = phi { i64, double } [ %one, %0 ], [ %one, %0 ], [ %other, %last ]
  %float = extractvalue { i64, double } %chosen, 1
  ret double %float
}"""


@pytest.mark.parametrize(
    ("source", "made"),
    [
        (SELECTED, ["select i1 %c, i64 0, i64 %", "select i1 %c, double undef, double %"]),
        (FROZEN, ["freeze double %", "ret double %2"]),
        (CARRIED, ["phi double [ undef, %0 ], [ %next, %loop ]", "ret double %next"]),
        (SWITCHED, ["phi double [ %1, %0 ], [ %1, %0 ], [ %2, %last ]"]),
    ],
)
def test_each_member_is_chosen(tmp_path: Path, source: str, made: list[str]) -> None:
    text = body(mended(tmp_path, source, members.choose))
    assert [one for one in made if one not in text] == []
    assert not any(f"{choice} {{ i64, double }}" in text for choice in ("phi", "freeze", "select i1 %c,"))


def test_what_is_no_struct_is_left_alone(tmp_path: Path) -> None:
    source = "define double @shim(i1 %c, double %x) {\n  %chosen = select i1 %c, double 1.0, double %x\n  ret double %chosen\n}"
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, members.choose)
