"""Places and names by number: what moves them leaves a module as it is, and whoever is told of one is told what it is now."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from pipeline import locations
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.places import NO_NUMBERS, Places, number_of, numbered
from pipeline.repairs import panics
from tests.test_repairs import TOOLS, body

pytestmark = pytest.mark.toolchain

NAMES = ["_RNv1a.crategrad", "_RNv1b.crategrad"]

FILE, DESCRIBED = "src/main.rs", '{"version":2,"derivative":"df","result":null,"file":"src/main.rs","line":3,"column":4}'


def text_of(data: str) -> str:
    escaped = data.replace('"', r"\22")
    return rf'[{len(data) + 1} x i8] c"{escaped}\00"'


def location(length: str) -> str:
    """A constant as rustc has it of a place that panics tell of."""
    numbers = length + r"\00\00\00\00\00\00\00\05\00\00\00\09\00\00\00"
    return f'private unnamed_addr constant <{{ ptr, [16 x i8] }}> <{{ ptr @0, [16 x i8] c"{numbers}" }}>, align 8'


CONSTANTS = f"""target triple = "x86_64-unknown-linux-gnu"
@0 = private unnamed_addr constant {text_of(FILE)}
@1 = {location(chr(92) + "0B")}
@2 = private unnamed_addr constant {text_of(DESCRIBED)}
@3 = {location(chr(92) + "0A")}
"""

MODULE = (
    CONSTANTS
    + """
define i64 @f(i64 %x) !dbg !4 {
    #dbg_value(i64 %x, !9, !DIExpression(), !12)
  %y = mul i64 %x, %x, !dbg !13
  %z = add i64 %y, %x, !dbg !14
  %w = sub i64 %z, %y, !dbg !15
  call void @panic(ptr @1), !dbg !13
  call void @panic(ptr @3), !dbg !16
  call void @panic(ptr @2), !dbg !17
  ret i64 %w
}

declare void @panic(ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, producer: "rustc", emissionKind: FullDebug)
!1 = !DIFile(filename: "src/main.rs", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "f", scope: !5, file: !1, line: 3, type: !6, scopeLine: 3, unit: !0,
  spFlags: DISPFlagDefinition, retainedNodes: !8)
!5 = !DINamespace(name: "bench", scope: null)
!6 = !DISubroutineType(types: !7)
!7 = !{!11, !11}
!8 = !{!9}
!9 = !DILocalVariable(name: "left", arg: 1, scope: !4, file: !1, line: 3, type: !11)
!10 = distinct !DILexicalBlock(scope: !4, file: !1, line: 4, column: 5)
!11 = !DIBasicType(name: "u64", size: 64, encoding: DW_ATE_unsigned)
!12 = !DILocation(line: 0, scope: !4)
!13 = !DILocation(line: 5, column: 9, scope: !4)
!14 = !DILocation(line: 5, column: 13, scope: !4)
!15 = !DILocation(line: 5, column: 9, scope: !10)
!16 = !DILocation(line: 5, column: 9, scope: !18, inlinedAt: !20)
!17 = !DILocation(line: 6, column: 13, scope: !4)
!18 = distinct !DISubprogram(name: "g", scope: !5, file: !19, line: 3, type: !6, unit: !0,
  scopeLine: 3, spFlags: DISPFlagDefinition)
!19 = !DIFile(filename: "src/other.rs", directory: ".")
!20 = distinct !DILocation(line: 7, column: 5, scope: !4)
"""
)

# A comment above, a longer name for the local, and what stands behind it further right.
EDITED = (
    re.sub(r"\b(line|scopeLine): ([3-9])", lambda found: f"{found[1]}: {int(found[2]) + 7}", MODULE)
    .replace('"left"', '"left_hand"')
    .replace("line: 12, column: 13", "line: 12, column: 18")
    .replace(text_of(DESCRIBED), text_of(DESCRIBED.replace(":3", ":10")))
    .replace(r"\05\00\00\00\09", r"\0C\00\00\00\0D", 1)
)


def given(tmp_path: Path, text: str) -> Path:
    (tmp_path / "given.ll").write_text(text)
    return tmp_path / "given.ll"


def taken_out(tmp_path: Path, text: str) -> tuple[str, Places, str]:
    """A module without its places, what they are, and the tables beside it; as `slice` does it."""
    with Module(TOOLS.libllvm, given(tmp_path, text)) as module:
        found = locations.leave_out(Editor(module), NAMES)
        made, places = numbered(module.as_text())
        return made, places, locations.tables(made, NAMES, found, places.lines)


def test_what_moves_places_and_renames_locals_leaves_the_module(tmp_path: Path) -> None:
    (before, was, tables), (after, now, others) = (taken_out(tmp_path, text) for text in (MODULE, EDITED))
    assert before == after
    assert was != now
    assert tables != others


def test_another_instruction_another_type_and_another_text_do_not(tmp_path: Path) -> None:
    made = {MODULE: taken_out(tmp_path, MODULE)[0]}
    for old, new in (("sub i64", "add i64"), ('"u64"', '"i64"'), ('name: "f"', 'name: "h"'), (r"\22df\22", r"\22dg\22")):
        made[old] = taken_out(tmp_path, MODULE.replace(old, new))[0]
    assert len(set(made.values())) == len(made)


def test_one_place_is_one_number_and_two_are_two(tmp_path: Path) -> None:
    text, places, _ = taken_out(tmp_path, MODULE)
    with (
        Module(TOOLS.libllvm, given(tmp_path, text)) as numbers,
        Module(TOOLS.libllvm, tmp_path / "given.ll", places.told) as told,
    ):
        found, known = ([m.place(i) for f in m.functions() for i in m.instructions(f)] for m in (numbers, told))
        assert [told.subprogram_line(told.subprogram(f)) for f in told.functions() if told.is_defined(f)] == [3]
    where = ["5:9", "5:13", "5:9"]
    assert known == [
        *(f"src/main.rs:{each}" for each in where),
        "src/main.rs:5:9",
        "src/other.rs:5:9",
        "src/main.rs:6:13",
        None,
    ]
    assert [places.told(place or "") for place in found] == [place or "" for place in known]
    assert [len({a for a, b in zip(found, known, strict=True) if b == place}) for place in set(known)] == [1] * len(set(known))
    assert "src/main.rs:0:0" not in known


def test_of_two_columns_that_llvm_makes_one_of_the_line_is_told(tmp_path: Path) -> None:
    text, places, _ = taken_out(tmp_path, MODULE)
    with Module(TOOLS.libllvm, given(tmp_path, text)) as module:
        first, second = (f"{module.place(i)}".rpartition(":") for i in list(module.instructions(module.named(["f"])[0]))[:2])
    assert first[0] == second[0]
    assert first[2] != second[2]
    assert places.told(f"{first[0]}:0") == "src/main.rs:5:0"


def test_what_has_no_line_is_told_by_where_it_was_inlined(tmp_path: Path) -> None:
    text = MODULE.replace("!16 = !DILocation(line: 5, column: 9, scope: !18", "!16 = !DILocation(line: 0, scope: !18")
    with Module(TOOLS.libllvm, given(tmp_path, text)) as module:
        call = list(module.instructions(module.named(["f"])[0]))[4]
        assert (module.own_place(call), module.users_place(call)) == ("src/other.rs:0:0", "src/main.rs:7:5")


def test_a_derivatives_description_is_as_long_as_its_type_says(tmp_path: Path) -> None:
    text, places, _ = taken_out(tmp_path, MODULE)
    with Module(TOOLS.libllvm, given(tmp_path, text)) as module:  # LLVM refuses an array of another length
        described = [text for text in map(module.string, module.variables()) if text and text.startswith("{")]
    fields = json.loads(described[0])
    assert fields["derivative"] == "df"
    assert places.told(f"{fields['file']}:{fields['line']}:{fields['column']}") == "src/main.rs:3:4"


def test_names_are_told_too_and_what_is_no_number_stays(tmp_path: Path) -> None:
    text, places, _ = taken_out(tmp_path, MODULE)
    (name,) = re.findall(r'DILocalVariable\(name: "(.*?)"', text)
    assert places.told(f"`{name}` is kept") == "`left` is kept"
    for words in ("at 12:30:00", "src/main.rs:7:1", "x: 1000000000", "src/main.rs:1999999999:1", "crategrad.local.99"):
        assert places.told(words) == words
        assert NO_NUMBERS.told(words) == words
    assert number_of("5:9") is None


def test_what_is_beside_a_module_is_read_again_and_what_is_damaged_is_nothing(tmp_path: Path) -> None:
    places = taken_out(tmp_path, MODULE)[1]
    places.write(tmp_path)
    assert Places.beside(tmp_path) == Places(list(places.lines), list(places.names))
    for damaged in ("", "[]", "{", '{"line": 3}'):
        (tmp_path / "places.json").write_text(damaged)
        assert Places.beside(tmp_path) == NO_NUMBERS


def test_what_a_panic_tells_is_in_a_table_and_what_only_looks_like_it_stays(tmp_path: Path) -> None:
    text, _, tables = taken_out(tmp_path, MODULE)
    assert "i64 11, i32 5, i32 9" in tables
    assert text.count("<{ ptr, [16 x i8] }>") == 1  # the length of the other is not that of the text
    assert "@_RNv1a.crategrad.locations = external hidden constant [24 x i8], align 8, !enzyme_inactive" in text
    assembled = given(tmp_path, tables)
    subprocess.run([TOOLS.llc.path, "-filetype=obj", "-o", tmp_path / "tables.o", assembled], check=True)
    assert b"5:13\0" in (tmp_path / "tables.o").read_bytes()


def test_nothing_of_it_is_for_a_debugger(tmp_path: Path) -> None:
    text = taken_out(tmp_path, MODULE)[0]
    subprocess.run([TOOLS.llc.path, "-filetype=obj", "-o", tmp_path / "made.o", given(tmp_path, text)], check=True)
    assert b".debug_line" not in (tmp_path / "made.o").read_bytes()


def test_a_program_tells_a_place_by_its_number_in_the_other_table(tmp_path: Path) -> None:
    check = MODULE.replace("  call void @panic(ptr @1), !dbg !13\n", "").replace(
        "  ret i64 %w",
        "  %fits = icmp ult i64 %w, 3\n  br i1 %fits, label %ok, label %bad, !dbg !17\nok:\n  ret i64 %w\n"
        "bad:\n  call void @panic(ptr @1)\n  br label %more\nmore:\n  call void @panic(ptr @1)\n  unreachable",
    )
    check += f'\ndefine void @"{NAMES[0]}"() {{\n  ret void\n}}\n'
    for text in (taken_out(tmp_path, check)[0], check):
        with Module(TOOLS.libllvm, given(tmp_path, text)) as module:
            panics.keep(Editor(module), module.named(["f"]))
            checked = body(module.as_text(), "crategrad_check")
        number = re.search(r"ptr getelementptr inbounds \(i8, ptr @_RNv1a.crategrad.lines, i64 (\d+)\)", checked)
        if text == check:
            assert number is None
        else:
            assert number is not None
            places = taken_out(tmp_path, check)[1]
            assert places.lines[int(number[1]) // 24] == "6:13"
