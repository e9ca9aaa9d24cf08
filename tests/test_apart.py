"""What deals with text and the outside is inactive, if no float comes out of it; and the audit sees to it."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import apart, hash_tables
from tests.fuzz.runner import judge
from tests.idioms.corpus import corpus
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

RUST = Path(__file__).with_name("apart.rs")

pytestmark = pytest.mark.toolchain

WRITES = """
define void @shim(ptr %x, ptr %to) {
  %own = alloca [24 x i8]
  STORE
  %r = call i1 @_RNvNtCs_4core3fmt5write(PLACE)
  %n = load double, ptr %x
  store double %n, ptr %to
  ret void
}
declare noalias ptr @malloc(i64)
declare i1 @outside(ptr)
define internal i1 @_RNvNtCs_4core3fmt5write(ptr %sink) !dbg !10 {
  %f = load ptr, ptr @vtable
  %r = call i1 %f(ptr %sink)
  ret i1 %r
}
@vtable = internal global ptr @show
define internal i1 @show(ptr %value) !dbg !11 {
  %own = alloca double
  BODY
  %r = call i1 @outside(ptr %value)
  ret i1 %r
}
define internal i1 @of_another_name(ptr %value) !dbg !12 {
  store double 1.0, ptr %value
  ret i1 0
}
@table = internal global ptr @of_another_name
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "a.rs", directory: "/")
!2 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!3 = !DINamespace(name: "CRATE", scope: null)
!4 = !DINamespace(name: "fmt", scope: !3)
!5 = !DINamespace(name: "user", scope: null)
!6 = !DISubroutineType(types: !{null})
!10 = distinct !DISubprogram(name: "write", scope: !4, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "fmt", scope: !5, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "other", scope: !5, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
"""


def module(body: str = "", place: str = "ptr %own", store: str = "", crate: str = "core") -> str:
    return WRITES.replace("BODY", body).replace("PLACE", place).replace("STORE", store).replace("CRATE", crate)


def is_inactive(folder: Path, source: str) -> bool:
    text = mended(folder, source, apart.say_inactive)
    return any(
        '"enzyme_inactive"' in text.split(f"attributes #{number} =")[1].splitlines()[0]
        for number in re.findall(r"@_RNvNtCs_4core3fmt5write\(ptr %sink[^\n]*\)[^\n]* #(\d+)", text)
    )


@pytest.mark.parametrize("written", ["", "store double 1.0, ptr %own", "store i8 1, ptr %value", "store i64 1, ptr %value"])
def test_what_writes_text_and_no_float_is_inactive(tmp_path: Path, written: str) -> None:
    """What a function of another name would write is no matter: formatting calls none such."""
    assert is_inactive(tmp_path, module(written))


@pytest.mark.parametrize(
    "source",
    [
        module("store double 1.0, ptr %value"),
        module("%p = getelementptr i8, ptr %value, i64 8\n  store float 1.0, ptr %p"),
        module("%o = atomicrmw xchg ptr %value, double 1.0 monotonic"),
        module(crate="user"),
    ],
)
def test_where_a_float_may_come_out_it_is_not(tmp_path: Path, source: str) -> None:
    assert not is_inactive(tmp_path, source)


def test_a_method_is_what_stands_there_in_a_vtable(tmp_path: Path) -> None:
    """And no function of that type that somebody has the address of."""
    source = module(crate="std")
    assert not is_inactive(tmp_path, source)
    method = source.replace("load ptr, ptr @vtable", "load ptr, ptr @vtable, !invariant.load !{}")
    assert is_inactive(tmp_path, method.replace("global ptr @show", "constant { ptr } { ptr @show }"))


GIVEN = """
  %r = call i1 @_RNvNtCs_4std3sys4call(ptr %sink, TABLE), !dbg !14
  ret i1 %r
}
define internal i1 @_RNvNtCs_4std3sys4call(ptr %sink, ptr %methods) !dbg !13 {
  %f = load ptr, ptr %methods, !invariant.load !{}
  %r = call i1 %f(ptr %sink)
  ret i1 %r
}
@methods = internal constant { ptr } { ptr @show }
@others = internal constant { ptr } { ptr @of_another_name }
!14 = !DILocation(line: 1, scope: !10)
!13 = distinct !DISubprogram(name: "call", scope: !4, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
define"""


@pytest.mark.parametrize(
    ("table", "inactive"), [("ptr @methods", True), ("ptr @others", False), ("ptr %other", False), ("ptr %table", False)]
)
def test_of_a_vtable_that_is_handed_over_that_ones_methods_are_called(tmp_path: Path, table: str, inactive: bool) -> None:
    """And not those of whatever other vtable somebody else hands over."""
    begin, end = "  %f = load ptr, ptr @vtable\n", "define internal i1 @show"
    source = module(crate="std")
    if table == "ptr %table":  # what is asked about is given it
        given = ", ptr %table) !dbg !10 {\n"
        source = source.replace("ptr %sink) !dbg !10 {\n", f"ptr %sink{given}").replace(
            "write(ptr %own)", "write(ptr %own, ptr @methods)"
        )
    before, after = source.split(begin)
    rest = end + after.split(end)[1]
    other = "  %other = load ptr, ptr %sink\n" if table == "ptr %other" else ""
    whole = before + other + GIVEN.replace("TABLE", table).removesuffix("define") + rest
    assert is_inactive(tmp_path, whole) == inactive


@pytest.mark.parametrize(
    ("place", "store", "is_own"),
    [
        ("ptr %own", "store ptr inttoptr (i64 1 to ptr), ptr %own", True),
        ("ptr %own", "%m = call ptr @malloc(i64 9)\n  store ptr %m, ptr %own", True),
        ("ptr %own", "%m = load ptr, ptr %x\n  store ptr %m, ptr %own", False),
        ("ptr %own", "store ptr %own, ptr %to", False),
        ("ptr %own", "call void @llvm.memcpy.p0.p0.i64(ptr %own, ptr %x, i64 24, i1 false)", False),
        ("ptr %larger", "%larger = alloca [32 x i8]", False),
        ("ptr %x", "", False),
    ],
)
def test_text_is_written_to_what_is_nobody_elses(tmp_path: Path, place: str, store: str, is_own: bool) -> None:
    """A shadow would go on pointing to what is freed as the text grows."""
    source = module(place=place, store=store) + "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
    assert is_inactive(tmp_path, source) == is_own


def findings(folder: Path, source: str) -> list[str]:
    (folder / "module.ll").write_text(source)
    return [found.message for found in audit(TOOLS.libllvm, folder / "module.ll", ["shim"])]


def test_the_audit_refuses_inactive_functions_that_write_floats(tmp_path: Path) -> None:
    inactive = module().replace("ptr %sink) !dbg", 'ptr %sink) "enzyme_inactive" !dbg')
    assert findings(tmp_path, inactive) == []
    writing = module("store double 1.0, ptr %value").replace("ptr %sink) !dbg", 'ptr %sink) "enzyme_inactive" !dbg')
    (found,) = findings(tmp_path, writing)
    assert "said to have no derivative" in found


def test_the_audit_refuses_text_that_is_not_apart(tmp_path: Path) -> None:
    assert any("text is written here" in found for found in findings(tmp_path, module()))


TABLE = """
define void @shim(ptr %ctrl, ptr %x, i64 %n) !dbg !20 {
  %group = load <16 x i8>, ptr %ctrl, align 1, !dbg !30
  %tag = load i8, ptr %x, align 1, !dbg !31
  call void @llvm.memset.p0.i64(ptr %ctrl, i8 -1, i64 %n, i1 false), !dbg !32
  call void @llvm.memcpy.p0.p0.i64(ptr %ctrl, ptr %x, i64 16, i1 false), !dbg !33
  %key = load i8, ptr %x, align 1, !dbg !34
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "a.rs", directory: "/")
!2 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!3 = !DINamespace(name: "hashbrown", scope: null)
!4 = !DINamespace(name: "control", scope: !3)
!5 = !DINamespace(name: "raw", scope: !3)
!6 = !DISubroutineType(types: !{null})
!7 = !DICompositeType(tag: DW_TAG_structure_type, name: "Tag", scope: !4, size: 8, elements: !{})
!8 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!9 = !DIBasicType(name: "u32", size: 32, encoding: DW_ATE_unsigned)
!10 = !DICompositeType(tag: DW_TAG_structure_type, name: "(f64, u32, ())", size: 128, elements: !{!11, !12, !15})
!11 = !DIDerivedType(tag: DW_TAG_member, name: "__0", baseType: !8, size: 64, offset: 0)
!12 = !DIDerivedType(tag: DW_TAG_member, name: "__1", baseType: !9, size: 32, offset: 64)
!13 = !DINamespace(name: "RawTable<(f64, u32, ())>", scope: !5)
!14 = !DIBasicType(name: "()", encoding: DW_ATE_unsigned)
!15 = !DIDerivedType(tag: DW_TAG_member, name: "__2", baseType: !14, size: 0, offset: 96)
!20 = distinct !DISubprogram(name: "f", scope: !1, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!21 = distinct !DISubprogram(name: "load", scope: !4, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!22 = distinct !DISubprogram(name: "is_full", scope: !5, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!23 = distinct !DISubprogram(name: "fill", scope: !1, unit: !2, type: !6, spFlags: 8, templateParams: !{!25})
!24 = distinct !DISubprogram(name: "move", scope: !13, unit: !2, type: !6, spFlags: 8, templateParams: !{!26})
!25 = !DITemplateTypeParameter(name: "T", type: !7)
!26 = !DITemplateTypeParameter(name: "T", type: !10)
!29 = distinct !DILocation(line: 1, scope: !20)
!30 = !DILocation(line: 1, scope: !21, inlinedAt: !29)
!31 = !DILocation(line: 1, scope: !22, inlinedAt: !29)
!32 = !DILocation(line: 1, scope: !23, inlinedAt: !29)
!33 = !DILocation(line: 1, scope: !24, inlinedAt: !29)
!34 = !DILocation(line: 1, scope: !20)
"""


def test_control_bytes_are_kept_apart_and_elements_moved_word_by_word(tmp_path: Path) -> None:
    text = mended(tmp_path, TABLE, hash_tables.keep_apart)
    assert body(text).count("@crategrad_access") == 3
    assert "llvm.mem" not in body(text)
    assert re.findall(r"= load ([^,]+),", body(text)) == ["double", "i32", "i8"]
    assert re.findall(r"store (\w+) ", body(text)) == ["double", "i32"]


def test_the_modules_above_are_modules(tmp_path: Path) -> None:
    for source in (module(), TABLE):
        subprocess.run([TOOLS.llvm_as, "-o", tmp_path / "out.bc", "-"], input=source, text=True, check=True)


@dataclass(frozen=True)
class Function:
    """One of `apart.rs`."""

    name: str

    @property
    def text(self) -> str:
        """A module in which it is `body`."""
        return f'#[path = "{RUST}"]\nmod apart;\npub use apart::{self.name} as body;\n'


IDIOMS = ("dynamic_iterators", "dyn_shapes", "prints_seldom", "string_keys", "hash_map", "visited_once")
RIGHT = (
    "display_by_to_string",
    "cell_of_floats_and_text",
    "printed_points",
    "sums_by_name",
    "keys_are_numbers",
    "display_that_adds",
    "with_the_time",
    "errors_of_text",
    "errors_of_text_collected",
    "errors_of_text_in_an_enum",
    "errors_by_to_string",
    "texts_pushed_to_a_text",
    "bytes_of_texts",
)
REFUSED = {
    "label_on_the_stack": "text is written here",
    "numbers_as_text_and_back": "the bits of an integer are taken for a float here",
    "sink_that_adds": "a value of another type is written where this was read",
}


def test_idioms_that_touch_the_outside_are_right(tmp_path: Path) -> None:
    assert [verdict.kind for verdict in judge(corpus(IDIOMS), "3", tmp_path)] == ["right"] * len(IDIOMS)


PRINTS = """\
use autodiff::*;

#[autodiff_reverse(df, Active, Active)]
#[autodiff_forward(tf, Dual, Dual)]
fn f(x: f64) -> f64 {
    println!("{}", 7);
    x * x
}

fn main() {
    let x = std::hint::black_box(1.5);
    println!("{:?} {:?}", df(x, 1.0), tf(x, 1.0));
}
"""


@pytest.mark.full
def test_what_is_differentiated_may_print_where_floats_are_printed_elsewhere(bench: Workbench) -> None:
    bench.write(PRINTS)
    finished = bench.doit("run")
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.endswith("7\n7\n(2.25, 3.0) (2.25, 3.0)\n")


def test_no_float_is_lost_in_text(tmp_path: Path) -> None:
    """Beside text, and in a `Display` that is known, they are right; in a `Write`, and made of text again, they are refused."""
    verdicts = judge([Function(name) for name in (*RIGHT, *REFUSED)], "3", tmp_path)
    assert [verdict.kind for verdict in verdicts] == ["right"] * len(RIGHT) + ["refused"] * len(REFUSED)
    refused = verdicts[len(RIGHT) :]
    assert [said in verdict.said for verdict, said in zip(refused, REFUSED.values(), strict=True)] == [True] * len(REFUSED)
