"""Two references that are only read: nobody says that they lead to two places; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import scopes
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# Of x and y each is of a scope of its own, and so is where `out` leads.
READERS = """define double @shim(ptr %x, ptr %y, ptr %out) {{
  %a = load double, ptr %x, !alias.scope !1, !noalias !{not_a}
  %b = load double, ptr %y, !alias.scope !2, !noalias !{not_b}
  {write}
  %sum = fadd double %a, %b
  ret double %sum
}}
!0 = distinct !{{!0}}
!1 = !{{!5}}
!2 = !{{!6}}
!3 = !{{!7}}
!4 = !{{!5, !6, !7}}
!5 = distinct !{{!5, !0}}
!6 = distinct !{{!6, !0}}
!7 = distinct !{{!7, !0}}
!8 = !{{!5, !6}}
!9 = !{{!6, !7}}
!10 = !{{!5, !7}}"""
COPY = "call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %y, i64 {}, i1 false), !alias.scope !3, !noalias !1"
STORE = "store double 0.0, ptr %out, !alias.scope !3, !noalias !8"


@pytest.mark.parametrize(
    ("not_a", "not_b", "write", "kept_by_loads"),
    [
        ("9", "10", STORE, 2),
        ("9", "10", "", 2),
        ("3", "3", STORE, 2),
        ("2", "1", STORE, 0),
    ],
)
def test_what_is_only_read_is_not_told_apart(tmp_path: Path, not_a: str, not_b: str, write: str, kept_by_loads: int) -> None:
    """Each load may be known not to meet what is written, and no more."""
    source = READERS.format(not_a=not_a, not_b=not_b, write=write)
    text = body(mended(tmp_path, source, scopes.say_less))
    loads = [line for line in text.splitlines() if "= load" in line]
    assert sum("!noalias" in line for line in loads) == kept_by_loads
    assert len({re.findall(r"!noalias !\d+", line)[0] for line in loads if "!noalias" in line}) <= 1
    assert all("!alias.scope" in line for line in loads)
    assert ("!noalias" in "".join(line for line in text.splitlines() if "store" in line)) == bool(write)


@pytest.mark.parametrize(("size", "is_kept"), [("%n", True), ("8", False)])
def test_a_copy_of_unknown_size_meets_none_of_what_is_only_read(tmp_path: Path, size: str, is_kept: bool) -> None:
    """Its derivative is not said to: of one of a known size a load may be made, and of that one the derivative is."""
    source = READERS.format(not_a="3", not_b="3", write=COPY.format(size)).replace("ptr %out)", "ptr %out, i64 %n)")
    text = mended(tmp_path, source + "\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)", scopes.say_less)
    assert ("!noalias" in next(line for line in text.splitlines() if "@llvm.memcpy" in line)) == is_kept


def test_nothing_is_done_where_all_that_is_said_is_so(tmp_path: Path) -> None:
    source = READERS.format(not_a="3", not_b="3", write=STORE)
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, scopes.say_less)


def test_the_audit_refuses_what_is_told_apart(tmp_path: Path) -> None:
    """In reverse mode only: forward mode adds nothing to where something was read."""
    source = READERS.format(not_a="9", not_b="10", write=STORE)
    mended(tmp_path, source, lambda *_: [])
    left = audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])
    assert [f.message.split(",")[0] for f in left] == ["what is read here may be what another reference reads"]
    assert audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) == []
    mended(tmp_path, source, scopes.say_less)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) == []


# What `p` and `c` lead to are two places in each run; what is written by the one is read by the other in a later run.
PAIRS = """define void @shim(ptr %a, i64 %n) {{
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !1)
  %p = getelementptr double, ptr %a, i64 %i
  %next = add i64 %i, 1
  %c = getelementptr double, ptr %a, i64 %next
  %x = load double, ptr %p, !alias.scope !{of_x}, !noalias !2
  store double %x, ptr %c, !alias.scope !2, !noalias !{not_c}
  %done = icmp eq i64 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}}
declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = distinct !{{!0}}
!1 = !{{!5}}
!2 = !{{!6}}
!3 = !{{!5, !7}}
!5 = distinct !{{!5, !0}}
!6 = distinct !{{!6, !0}}
!7 = distinct !{{!7, !0}}"""


@pytest.mark.parametrize(("of_x", "not_c"), [("1", "1"), ("3", "3")])
def test_what_a_loop_declares_is_said_of_nothing(tmp_path: Path, of_x: str, not_c: str) -> None:
    """What is declared before it is said of all runs, and stays."""
    text = mended(tmp_path, PAIRS.format(of_x=of_x, not_c=not_c), scopes.say_less)
    load, store = (next(line for line in text.splitlines() if word in line) for word in ("= load", "store double"))
    nodes = dict(re.findall(r"^(!\d+) = (!\{.*\})$", text, re.MULTILINE))
    said = [nodes[node] for node in re.findall(r"!(?:alias.scope|noalias) (!\d+)", load + store)]
    assert len(said) == (2 if of_x == "1" else 4)
    (declared,) = re.findall(r"loop:.*?decl\(metadata (!\d+)\)", text, re.DOTALL)
    assert not any(nodes[declared].strip("!{}") in re.findall(r"\d+", node) for node in said)
