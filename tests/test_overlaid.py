"""Integers that are stored where a float may have been; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import overlaid
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

MODULE_OF = """define void @shim(ptr %value, {ty} %given) !dbg !3 {{
  {store}, !dbg !12
  ret void, !dbg !12
}}
!llvm.module.flags = !{{!0}}
!llvm.dbg.cu = !{{!1}}
!0 = !{{i32 2, !"Debug Info Version", i32 3}}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "lib.rs", directory: "/")
!3 = distinct !DISubprogram(name: "shim", scope: {scope}, file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{{null, !5, !9}})
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "&mut Value", baseType: !6, size: 64)
!6 = !DICompositeType(tag: DW_TAG_union_type, name: "Value", file: !2, size: 64, elements: !{{!7, !8}})
!7 = !DIDerivedType(tag: DW_TAG_member, name: "float", scope: !6, file: !2, baseType: !{float}, size: 64)
!8 = !DIDerivedType(tag: DW_TAG_member, name: "int", scope: !6, file: !2, baseType: !9, size: 64)
!9 = !DIBasicType(name: "i64", size: 64, encoding: DW_ATE_signed)
!10 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!12 = !DILocation(line: 2, scope: !3)
!13 = !DINamespace(name: "vec", scope: !14)
!14 = !DINamespace(name: "alloc", scope: null)
"""
SAID = "the bits of an integer that is stored here would be added to the adjoint of a float that was in its place before"


def module(store: str, ty: str = "i64", floats: int = 10, scope: str = "!2") -> str:
    return MODULE_OF.format(store=store, ty=ty, float=floats, scope=scope)


@pytest.mark.parametrize(
    ("store", "ty"),
    [
        ("store i64 %given, ptr %value", "i64"),
        ("store i64 -1, ptr %value", "i64"),
        ("store i64 4611686018427387904, ptr %value", "i64"),
        ("store i32 %given, ptr %value", "i32"),  # a half
    ],
)
def test_what_may_be_in_a_floats_place_is_stored_once(tmp_path: Path, store: str, ty: str) -> None:
    text = mended(tmp_path, module(store, ty), lambda *_: [])
    assert refused(tmp_path) == [SAID]
    text = mended(tmp_path, module(store, ty), overlaid.store_once)
    kind = "" if "4611686018427387904" in store else "number_"  # 2.0, as a float
    assert f"call void @crategrad_store_{kind}{ty}({ty} " in body(text)
    assert f"store {ty}" not in body(text)
    assert refused(tmp_path) == []


def test_of_what_may_be_a_float_a_zero_is_stored_before(tmp_path: Path) -> None:
    one_of = "%c = icmp eq i64 %given, 7\n  %v = select i1 %c, i64 %given, i64 {}\n  store i64 %v, ptr %value, align 8"
    text = mended(tmp_path, module(one_of.format(4609434218613702656)), overlaid.store_once)
    lines = [line.split(",")[0].strip() for line in body(text).splitlines()]
    at = lines.index("store double 0.000000e+00")
    assert lines[at + 1] == "call void @crategrad_store_i64(i64 %v"
    for number in (-1, 3):  # as a float no number, and next to nothing
        assert "store double" not in mended(tmp_path, module(one_of.format(number)), overlaid.store_once)


@pytest.mark.parametrize(
    "source",
    [
        module("store i64 3, ptr %value"),  # next to nothing, as a float
        module("store double %given, ptr %value", "double"),
        module("store i64 %given, ptr %value", floats=9),  # no variant has a float
        module("store i64 %given, ptr %value", scope="!13"),  # a length
        module("%to = ptrtoint ptr %given to i64\n  store i64 %to, ptr %value", "ptr"),
    ],
)
def test_the_rest_is_left_alone(tmp_path: Path, source: str) -> None:
    text = mended(tmp_path, source, overlaid.store_once)
    assert "crategrad_store" not in text
    assert refused(tmp_path) == []


def test_a_word_that_is_moved_may_be_a_float_or_a_pointer_and_is_left_to_the_audit(tmp_path: Path) -> None:
    text = mended(tmp_path, module("%w = load i64, ptr %given\n  store i64 %w, ptr %value", "ptr"), overlaid.store_once)
    assert "crategrad_store" not in text
    assert refused(tmp_path) == ["a word that may hold floats is moved as an integer here, and their derivatives would be lost"]


def test_it_is_of_no_account_in_forward_mode(tmp_path: Path) -> None:
    """What reads a float there reads what was stored as a float, with its tangent."""
    mended(tmp_path, module("store i64 %given, ptr %value"), lambda *_: [])
    assert not [found for found in audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) if found.message == SAID]


def refused(folder: Path) -> list[str]:
    return [found.message for found in audit(TOOLS.libllvm, folder / MODULE, reverse=["shim"])]
