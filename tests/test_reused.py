"""What is read where another type is written later is kept for the reverse sweep, which would find what was written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import untold
from pipeline.repairs import repair, reused
from pipeline.stages import MODULE
from tests.test_promises import refused
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# As std collects a `Vec<usize>` into a `Vec<f64>`: in the memory that it takes from.
COLLECTED = """define void @shim(ptr %xs, ptr %memory, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = getelementptr i64, ptr %memory, i64 %i
  %place = load i64, ptr %at
  %from = getelementptr double, ptr %xs, i64 %place
  %x = load double, ptr %from
  %square = fmul double %x, %x
  store double %square, ptr %at
  %next = add i64 %i, 1
  %is_last = icmp eq i64 %next, %n
  br i1 %is_last, label %end, label %loop
end:
  ret void
}"""
FLAG = COLLECTED.replace(
    "  %place = load i64, ptr %at\n",
    "  %behind = getelementptr i8, ptr %at, i64 8\n  %flag = load i8, ptr %behind\n  %is_one = trunc i8 %flag to i1\n"
    "  %place = select i1 %is_one, i64 %i, i64 0\n",
)
CHOSEN = COLLECTED.replace(
    "%from = getelementptr double, ptr %xs, i64 %place",
    "%is_small = icmp ult i64 %i, 3\n  %chosen = select i1 %is_small, i64 %place, i64 %i\n"
    "  %from = getelementptr double, ptr %xs, i64 %chosen",
)
REFERENCES = COLLECTED.replace("%place = load i64, ptr %at", "%from = load ptr, ptr %at").replace(
    "  %from = getelementptr double, ptr %xs, i64 %place\n", ""
)
NUMBERS = (
    COLLECTED.replace(
        "  %from = getelementptr double, ptr %xs, i64 %place\n  %x = load double, ptr %from\n",
        "  %x = uitofp i64 %place to double\n",
    )
    .replace("%square = fmul double %x, %x", "%square = fptosi double %x to i64")
    .replace("store double", "store i64")
)
# The numbers are written there before, by a loop of their own.
COUNTED = (
    COLLECTED.replace("%i = phi i64 [ 0, %0 ]", "%i = phi i64 [ 0, %count ]")
    .replace("  br label %loop\nloop", "  br label %count\nCOUNT\nloop")
    .replace(
        "COUNT",
        """count:
  %number = phi i64 [ 0, %0 ], [ %more, %count ]
  %to = getelementptr i64, ptr %memory, i64 %number
  store i64 %number, ptr %to
  %more = add i64 %number, 1
  %is_all = icmp eq i64 %more, %n
  br i1 %is_all, label %loop, label %count""",
    )
)
OF_A_STRUCT = COLLECTED.replace("i64, ptr %memory", "{ i64, double }, ptr %memory").replace(
    "  store double %square, ptr %at", "  %beside = getelementptr i8, ptr %at, i64 8\n  store double %square, ptr %beside"
)
ELSEWHERE = COLLECTED.replace("store double %square, ptr %at", "store double %square, ptr %xs")
SWAPPED = REFERENCES.replace(
    "%from = load ptr, ptr %at", "%as_number = load i64, ptr %at\n  %from = inttoptr i64 %as_number to ptr"
).replace(
    "store double %square, ptr %at",
    "%last = getelementptr ptr, ptr %memory, i64 %n\n  store i64 %as_number, ptr %last\n  store ptr %xs, ptr %at",
)
"""References, which LLVM moves as integers where it swaps them."""
BEHIND = COLLECTED.replace(
    "store double %square, ptr %at", "%there = load ptr, ptr %memory\n  store double %square, ptr %there"
)
"""Where the pointer lies, and not where it leads to."""
BEFORE = COLLECTED.replace("br label %loop\nloop", "store double 1.0, ptr %memory\n  br label %loop\nloop").replace(
    "store double %square, ptr %at", "store double %square, ptr %xs"
)
INDICES = COLLECTED.replace("store double %square, ptr %at", "store ptr %from, ptr %at")
"""As std collects a `Vec<usize>` into a `Vec<&f64>`."""
IN_PARTS = COLLECTED.replace("load double, ptr %from", "bitcast i64 %moved to double").replace(
    "%from = getelementptr double, ptr %xs, i64 %place", "%cut = and i64 %place, -16\n  %moved = or i64 %cut, 1"
)
TWO_AT_ONCE = COLLECTED.replace(
    "%place = load i64, ptr %at", "%both = load <2 x i64>, ptr %at\n  %place = extractelement <2 x i64> %both, i64 0"
)
WRITTEN_OVER = "a value of another type is written where this was read, and reverse mode would read what was written"


@pytest.mark.parametrize("source", [COLLECTED, FLAG, CHOSEN], ids=["an index", "a flag", "what is chosen from"])
def test_numbers_are_hidden(tmp_path: Path, source: str) -> None:
    text = body(mended(tmp_path, source, reused.hide))
    assert re.search(r"%\d+ = call i(8|64) @crategrad_access\(ptr %(at|behind)\)", text)
    assert not re.search(r"load i\d+", text)
    assert WRITTEN_OVER not in refused(tmp_path, reverse=["shim"])


def test_a_number_is_stored_out_of_sight_where_a_float_comes_later(tmp_path: Path) -> None:
    """Else it would be stored to the shadow, too, and its bits added to the float's adjoint."""
    text = body(mended(tmp_path, COUNTED, reused.hide))
    assert "call void @crategrad_store_number_i64(i64 %number, ptr %to)" in text
    assert "store i64" not in text
    assert "store double %square, ptr %at" in text


@pytest.mark.parametrize(
    ("source", "kept", "for_whom"),
    [
        pytest.param(COLLECTED, "call i64 @crategrad_same_kept_i64(i64 %place)", "ptr %xs, i64 ", id="an index"),
        pytest.param(FLAG, "call i8 @crategrad_same_kept_i8(i8 %flag)", "trunc i8 ", id="a flag"),
        pytest.param(CHOSEN, "call i64 @crategrad_same_kept_i64(i64 %chosen)", "ptr %xs, i64 ", id="what is chosen from"),
        pytest.param(REFERENCES, "call ptr @crategrad_same_kept_ptr(ptr %from, i32 0)", "load double, ptr ", id="a reference"),
    ],
)
def test_what_is_read_is_kept(tmp_path: Path, source: str, kept: str, for_whom: str) -> None:
    text = body(mended(tmp_path, source, reused.keep))
    name = text.partition(kept)[0].rpartition(" = ")[0].rpartition(" ")[2]
    assert kept in text
    assert f"{for_whom}{name}" in text
    assert WRITTEN_OVER not in refused(tmp_path, reverse=["shim"])


@pytest.mark.parametrize(
    "source",
    [NUMBERS, SWAPPED, OF_A_STRUCT, ELSEWHERE, BEHIND, BEFORE],
    ids=["one type", "references", "beside", "elsewhere", "behind a pointer", "before"],
)
def test_what_nothing_else_is_written_over_is_read_again(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source, reused.hide, reused.keep) == mended(tmp_path, source, lambda *_: [])
    assert WRITTEN_OVER not in refused(tmp_path, reverse=["shim"])


@pytest.mark.parametrize("is_forward", [False, True])
def test_in_forward_mode_nothing_is_read_again(tmp_path: Path, *, is_forward: bool) -> None:
    done: list[str] = []
    mended(tmp_path, REFERENCES, lambda editor, shims: done.extend(repair(editor.module, shims, shims if is_forward else ())))
    assert any(line.startswith("reused: ") for line in done) != is_forward


def test_the_audit_refuses_what_is_not_kept(tmp_path: Path) -> None:
    mended(tmp_path, COLLECTED, lambda *_: [])
    assert WRITTEN_OVER in refused(tmp_path, reverse=["shim"])
    assert WRITTEN_OVER not in refused(tmp_path, forward=["shim"])


def test_where_types_are_looked_for_less_references_and_numbers_have_places_of_their_own(tmp_path: Path) -> None:
    mended(tmp_path, INDICES, lambda *_: [])
    for shims in ([["shim"], []], [[], ["shim"]]):
        found = untold(TOOLS.libllvm, tmp_path / MODULE, *shims)
        assert [one.message for one in found] == [
            "a reference is stored here where a number is, too, and what it leads to would have no derivative"
        ]
    mended(tmp_path, INDICES, reused.hide)
    assert not untold(TOOLS.libllvm, tmp_path / MODULE, ["shim"], [])


@pytest.mark.parametrize("source", [IN_PARTS, TWO_AT_ONCE], ids=["parts of one", "several at once"])
def test_what_may_be_a_float_s_bits_is_left_to_the_audit(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source, reused.hide, reused.keep) == mended(tmp_path, source, lambda *_: [])
    assert WRITTEN_OVER in refused(tmp_path, reverse=["shim"])


# As the source moves what a type is read for that leads to floats by its argument alone: `read<Shared<f64>>`.
READ = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "main.rs", directory: "/src")
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = !DICompositeType(tag: DW_TAG_structure_type, name: "Shared", size: 64, elements: !{}, templateParams: !12)
!6 = distinct !DISubprogram(name: "shim", file: !2, unit: !0, type: !3, spFlags: DISPFlagDefinition)
!7 = distinct !DISubprogram(name: "read", file: !2, unit: !0, type: !3, spFlags: DISPFlagDefinition, templateParams: !8)
!8 = !{!9}
!9 = !DITemplateTypeParameter(name: "T", type: !5)
!10 = distinct !DILocation(line: 1, scope: !6)
!11 = !DILocation(line: 2, scope: !7, inlinedAt: !10)
!12 = !{!13}
!13 = !DITemplateTypeParameter(name: "T", type: !14)
!14 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
"""


@pytest.mark.parametrize(("into", "is_kept"), [("ptr", False), ("double", True)])
def test_an_integer_that_is_made_a_pointer_is_not_kept(tmp_path: Path, into: str, *, is_kept: bool) -> None:
    """It would have no shadow: forward mode, of the same function, would free the memory twice."""
    made = "inttoptr i64 %moved to ptr" if into == "ptr" else "getelementptr double, ptr %xs, i64 %moved"
    source = COLLECTED.replace("shim(ptr %xs, ptr %memory, i64 %n)", "shim(ptr %xs, ptr %memory, i64 %n) !dbg !6").replace(
        "%place = load i64, ptr %at\n  %from = getelementptr double, ptr %xs, i64 %place",
        f"%moved = load i64, ptr %at, !dbg !11\n  %from = {made}",
    )
    assert ("crategrad_same_kept_i64" in body(mended(tmp_path, source + READ, reused.keep))) == is_kept
