"""The place of an instruction in a module as LLVM prints it."""

from __future__ import annotations

import pytest

from pipeline.printed import place_of

PRINTED = """\
define double @f(ptr %x) !dbg !5 {
  %place = getelementptr i8, ptr %x, i64 8
  %chosen = phi ptr [ %x, %a ], [ %place, %b ]
  %v = load double, ptr %chosen, align 8, !dbg !10, !noalias !3
  %w = fadd double %v, %v, !dbg !11
  ret double %w
}
define double @g(ptr %y) {
  ret double 0.0, !dbg !13
}
!3 = !{!4}
!5 = distinct !DISubprogram(name: "f", scope: !6, file: !7, line: 3)
!6 = !DINamespace(name: "given", scope: null)
!7 = !DIFile(filename: "src/given.rs", directory: ".")
!8 = distinct !DILexicalBlock(scope: !5, file: !7, line: 4, column: 5)
!9 = !DISubprogram(name: "inner", scope: !6, file: !12, line: 30)
!10 = !DILocation(line: 0, scope: !8)
!11 = distinct !DILocation(line: 7, column: 9, scope: !9, inlinedAt: !13)
!12 = !DIFile(filename: "/a path/other.rs", directory: "/")
!13 = !DILocation(line: 5, column: 1, scope: !8)
"""


@pytest.mark.parametrize(
    "instruction",
    [
        "  %w = fadd double %v, %v, !dbg !77",
        "  %v = load double, ptr %chosen, align 8, !dbg !66, !noalias !55",
        "  %chosen = phi ptr [ %x, %a ], [ %place, %b ]",
    ],
)
def test_the_place_is_its_own_or_the_next_that_there_is(instruction: str) -> None:
    assert place_of(instruction, PRINTED.splitlines()) == "/a path/other.rs:7:9"


def test_numbers_of_other_prints_do_not_count() -> None:
    assert place_of("  ret double 0.0, !dbg !11", PRINTED.splitlines()) == "src/given.rs:5:1"


@pytest.mark.parametrize("instruction", ["  ret double %w", "  %unknown = load double, ptr %x", "double %0", ""])
def test_what_has_none_or_is_not_there_has_none(instruction: str) -> None:
    assert place_of(instruction, PRINTED.splitlines()) is None
    assert place_of(instruction, []) is None


def test_debug_info_that_is_cut_off_has_none() -> None:
    for end in range(len(PRINTED)):
        assert place_of("  %w = fadd double %v, %v", PRINTED[:end].splitlines()) in {None, "/a path/other.rs:7:9"}
