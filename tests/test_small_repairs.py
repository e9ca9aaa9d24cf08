"""Repairs of a few lines each: reallocation, addresses among numbers, results of recursive functions, pointers that mix."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import growth, integers, parsed, primals, raised, recursive_results, unguarded
from tests.test_repairs import body, compiled, mended, rewritten
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain


REALLOCATES = """
define ptr @shim(ptr %old, i64 %bytes, i64 %wanted) {
  %new = call ptr @_ZN7___rust_realloc(ptr %old, i64 %bytes, i64 ALIGNMENT, i64 %wanted)
  ret ptr %new
}
define ptr @_ZN7___rust_realloc(ptr %old, i64 %bytes, i64 %alignment, i64 %wanted) noinline {
  %new = call ptr @BEHIND(ptr %old, i64 %wanted)
  ret ptr %new
}
declare ptr @BEHIND(ptr, i64)
"""


@pytest.mark.parametrize(
    ("behind", "alignment", "is_mended"), [("realloc", 8, True), ("realloc", 64, False), ("other", 8, False)]
)
def test_a_reallocation_is_a_copy_of_the_smaller_size(tmp_path: Path, behind: str, alignment: int, is_mended: bool) -> None:
    """By std's own allocator, and aligned as `malloc` does."""
    source = REALLOCATES.replace("ALIGNMENT", str(alignment)).replace("BEHIND", behind)
    text = body(mended(tmp_path, source, growth.by_copy))
    assert ("___rust_realloc" not in text) == is_mended
    steps = r"malloc\(i64 %wanted\).* icmp ult i64 %bytes, %wanted.*select .* i64 %bytes, i64 %wanted.*memcpy.*free\(ptr %old\)"
    assert bool(re.search(steps, text, re.DOTALL)) == is_mended


CHOSEN_ADDRESS = """
define ptr @shim(i1 %fails, i1 %is_none, ptr %memory) {
  br i1 %fails, label %out, label %goes_on
goes_on:
  %address = ptrtoint ptr %memory to i64
  %aligned = select i1 %is_none, i64 8, i64 %address
  br label %out
out:
  %word = phi i64 [ 0, %0 ], [ %aligned, %goes_on ]
  %pointer = inttoptr i64 %word to ptr
  ret ptr %pointer
}
"""


def test_a_pointer_that_is_chosen_as_an_integer_is_chosen_as_a_pointer(tmp_path: Path) -> None:
    text = body(mended(tmp_path, CHOSEN_ADDRESS, raised.choose_pointers))
    (chosen,) = re.findall(r"(%\d+) = select i1 %is_none, ptr inttoptr \(i64 8 to ptr\), ptr %memory", text)
    (result,) = re.findall(rf"(%\d+) = phi ptr \[ null, %0 \], \[ {chosen}, %goes_on \]", text)
    assert f"ret ptr {result}" in text


@pytest.mark.parametrize("leaf", ["%number", "%offset"])
def test_what_may_be_another_number_stays_an_integer(tmp_path: Path, leaf: str) -> None:
    source = CHOSEN_ADDRESS.replace("ptr %memory)", "ptr %memory, i64 %number)", 1)
    source = source.replace("i64 8, i64 %address", f"i64 {leaf}, i64 %address")
    source = source.replace("  %aligned", "  %offset = add i64 %address, 8\n  %aligned")
    text = body(mended(tmp_path, source, raised.choose_pointers))
    assert "inttoptr i64 %word to ptr" in text


HANDED_NUMBER = """
define ptr @shim(ptr %memory, i64 %x) {
  %one = call ptr @grown(i64 8, ptr %memory)
  %other = call ptr @grown(i64 NUMBER, ptr %one)
  ret ptr %other
}
define internal ptr @grown(i64 %alignment, ptr %memory) noinline {
  %nothing = inttoptr i64 %alignment to ptr
  %is_none = icmp eq ptr %memory, null
  %pointer = select i1 %is_none, ptr %nothing, ptr %memory
  ret ptr %pointer
}
"""


def test_a_pointer_to_nothing_is_one_of_the_numbers_that_are_handed_in(tmp_path: Path) -> None:
    text = body(mended(tmp_path, HANDED_NUMBER.replace("NUMBER", "4"), raised.choose_pointers), "grown")
    (is_other,) = re.findall(r"(%\d+) = icmp eq i64 %alignment, 8", text)
    assert f"= select i1 {is_other}, ptr inttoptr (i64 8 to ptr), ptr inttoptr (i64 4 to ptr)" in text
    assert "inttoptr i64 %alignment" not in text


@pytest.mark.parametrize(
    "change", [("i64 NUMBER", "i64 %x"), ("i64 NUMBER", "i64 ptrtoint (ptr @grown to i64)"), ("internal ", "")]
)
def test_a_number_that_is_not_known_stays_one(tmp_path: Path, change: tuple[str, str]) -> None:
    source = HANDED_NUMBER.replace(*change).replace("NUMBER", "4")
    assert "inttoptr i64 %alignment" in body(mended(tmp_path, source, raised.choose_pointers), "grown")


ALLOCATED_FOR = """
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: FullDebug)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "raw_vec.rs", directory: ".")
!4 = distinct !DISubprogram(name: "with_capacity_in<ELEMENT, alloc::alloc::Global>", scope: !3, file: !3, unit: !1)
!5 = !DILocation(line: 1, scope: !4)
"""


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("element", ["f64", "usize", "u8"])
def test_where_a_text_is_allocated_stays_an_integer_in_forward_mode(tmp_path: Path, element: str, mode: str) -> None:
    def mend(editor: Editor, shims: Sequence[Value]) -> list[str]:
        return raised.choose_pointers(editor, shims, shims if mode == "forward" else ())

    source = CHOSEN_ADDRESS.replace("%memory)", "%memory) !dbg !4").replace("%word to ptr", "%word to ptr, !dbg !5")
    text = body(mended(tmp_path, source + ALLOCATED_FOR.replace("ELEMENT", element), mend))
    assert ("inttoptr i64 %word" in text) == ((element, mode) == ("u8", "forward"))


RAW_VEC = """
define void @shim(ptr %vec) {
  call void @_ZN5alloc7raw_vec4grow(ptr %vec)
  ret void
}
define void @_ZN5alloc7raw_vec4grow(ptr %vec) noinline {
  call void @_ZN5alloc7raw_vec6finish(ptr %vec)
  ret void
}
define void @_ZN5alloc7raw_vec6finish(ptr %vec) noinline {
  store i64 7, ptr %vec
  ret void
}
"""


def test_what_grows_a_vector_is_inlined_however_deep(tmp_path: Path) -> None:
    text = body(mended(tmp_path, RAW_VEC, growth.inline_raw_vec))
    assert "store i64 7" in text
    assert "call" not in text


PARSES = """
define void @shim(ptr %text, i64 %length, ptr %x) {
  %result = alloca [16 x i8]
  call void @reads(ptr %result, ptr %text, i64 %length)
  %place = getelementptr i8, ptr %result, i64 8
  %read = load double, ptr %place
  %old = load double, ptr %x
  %new = fmul double %old, %read
  store double %new, ptr %x
  MORE
  ret void
}
define void @reads(ptr sret([16 x i8]) %result, ptr %text, i64 %length) !dbg !5 {
  %place = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %result
  store double 2.5, ptr %place
  ret void
}
define void @writes(ptr %x) !dbg !6 {
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: "", emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "core/src/num/mod.rs", directory: "/std")
!3 = !DINamespace(name: "num", scope: !4)
!4 = !DINamespace(name: "core", scope: null)
!5 = distinct !DISubprogram(name: "from_str", scope: !7, file: !2, line: 1, type: !9, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "to_text", scope: !8, file: !2, line: 2, type: !9, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DINamespace(name: "float_parse", scope: !3)
!8 = !DINamespace(name: "flt2dec", scope: !3)
!9 = !DISubroutineType(types: !{})
"""


def test_a_float_that_is_read_from_text_is_written_where_enzyme_sees_it(tmp_path: Path) -> None:
    text = mended(tmp_path, PARSES.replace("MORE", ""), parsed.say_inactive)
    said = re.search(r"define void @reads\(.*#(\d+) !dbg", text)
    assert said
    assert re.search(rf'attributes #{said[1]} = .*"crategrad_parsed".*"enzyme_inactive"', text)
    assert "call void @crategrad_parsed_shown(ptr %result" in body(text)
    shown = body(text, "crategrad_parsed_shown")
    assert re.search(r"call void @reads\(ptr (%\d+), .*load i64, ptr \1.*store double %\d+, ptr %\d+", shown, re.DOTALL)
    assert "crategrad_store_i64" in shown, "of the tag there is no shadow"


def test_a_float_is_read_from_text_as_it_is_where_floats_are_written(tmp_path: Path) -> None:
    """The text could be of one that has a derivative."""
    text = mended(tmp_path, PARSES.replace("MORE", "call void @writes(ptr %x)"), parsed.say_inactive)
    assert "crategrad" not in text
    assert "enzyme_inactive" not in text


RECURSIVE = """
#![crate_type = "lib"]
pub struct Sum { value: f64, count: usize, OTHER }
#[unsafe(no_mangle)] pub fn shim(x: &[f64], to: &mut Sum) { *to = sum(x); }
#[unsafe(no_mangle)] #[inline(never)] fn sum(x: &[f64]) -> Sum {
    if x.len() < 2 {
        return Sum { value: x[0], count: 1, other: LAST };
    }
    let (a, b) = x.split_at(x.len() / 2);
    let (a, b) = (sum(a), sum(b));
    Sum { value: a.value * b.value, count: a.count + b.count, other: b.other }
}
"""


@pytest.mark.parametrize(
    ("other", "last", "is_hidden"), [("other: u8", "7", True), ("other: Option<Box<f64>>", "Some(Box::new(x[0]))", False)]
)
def test_integers_of_a_recursive_result_are_stored_once(tmp_path: Path, other: str, last: str, is_hidden: bool) -> None:
    """Where no pointer beside them leads to floats, that somebody would read of the shadow."""
    compiled(tmp_path, RECURSIVE.replace("OTHER", other).replace("LAST", last), "3")
    text = body(rewritten(tmp_path, recursive_results.hide), "sum")
    assert ("call void @crategrad_store_i64(i64" in text) == is_hidden
    assert ("store i64" not in text) == is_hidden
    assert "store double" in text


COMPARED = """
@enzyme_runtime_activity = external global i8
define void @shim(ptr %x) {
  call void @fills(ptr %x)
  ret void
}
define void @fills(ptr %x) {
  store double 1.0, ptr %x
  ret void
}
define void @asks(ptr %x, ptr %dx) {
  call void (...) @__enzyme_autodiff(ptr @shim, MARK ptr %x, ptr %dx)
  ret void
}
declare void @__enzyme_autodiff(...)
"""


@pytest.mark.parametrize(("mark", "is_said"), [("ptr @enzyme_runtime_activity,", True), ("", False)])
def test_pointers_are_handed_over_where_they_are_compared(tmp_path: Path, mark: str, is_said: bool) -> None:
    text = mended(tmp_path, COMPARED.replace("MARK", mark), primals.preserve)
    attributes = [re.search(rf"@{name}\(.*#(\d+)", text) for name in ("shim", "fills")]
    assert [bool(found) for found in attributes] == [is_said] * 2
    assert ('"enzyme_preserve_primal"' in text) == is_said


COPIED = """
#![crate_type = "lib"]
#[derive(Clone, Copy)] pub struct Pose { at: KIND, x: [f64; 12] }
static TABLE: Pose = Pose { at: 1 as KIND, x: [0.5; 12] };
#[unsafe(no_mangle)] pub fn shim(own: &Pose, takes_own: bool, to: &mut f64) {
    let at = if takes_own { own } else { OTHER };
    *to = work(*at);
}
#[inline(never)] fn work(mut pose: Pose) -> f64 {
    pose.x[pose.at as usize % 12] *= 2.0;
    pose.x.iter().sum()
}
"""


@pytest.mark.parametrize(
    ("kind", "other", "is_mended"), [("f64", "&TABLE", True), ("usize", "&TABLE", False), ("f64", "own", False)]
)
def test_what_may_be_of_a_constant_is_copied_number_by_number(tmp_path: Path, kind: str, other: str, is_mended: bool) -> None:
    """Where it is floats; and what surely is of an argument stays a copy."""
    source = COPIED.replace("KIND", kind).replace("OTHER", other)
    compiled(tmp_path, source, "3", f"--remap-path-prefix={tmp_path}=.")  # the user's own folder, as the pipeline calls it
    assert "llvm.memcpy" in body(rewritten(tmp_path))
    text = body(rewritten(tmp_path, unguarded.by_words))
    assert ("call void @crategrad_copy_0f648_8(" in text) == is_mended
    assert ("llvm.memcpy" not in text) == is_mended


ROUNDED = """
define void @shim(ptr %x, double %at, ptr %to) {
  %index = call i64 @llvm.fptoui.sat.i64.f64(double %at)
  %last = call i64 @llvm.umin.i64(i64 %index, i64 7)
  %place = getelementptr double, ptr %x, i64 %last
  %value = load double, ptr %place
  store double %value, ptr %to
  ret void
}
"""


def test_a_float_that_is_rounded_to_an_index_is_inactive(tmp_path: Path) -> None:
    """A saturating cast is an intrinsic, of which Enzyme knows nothing."""
    text = mended(tmp_path, ROUNDED, integers.say_inactive)
    calls = re.findall(r"call i64 @llvm\.(\w+).*(#\d+)", body(text))
    assert [name for name, _ in calls] == ["fptoui", "umin"]
    for _, number in calls:
        assert re.search(rf'attributes {number} = {{[^}}]*"enzyme_inactive"', text)


READ = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(d_scaled, Active, Const, Active)]
#[autodiff_forward(t_scaled, Dual, Const, Dual)]
fn scaled(x: f64, text: &str) -> f64 {
    text.split(' ').map(|word| word.parse::<f64>().map_or(x, |by| by * x * x)).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (x, text) = (f64::from(argc) + 0.5, ["", "0.25 -1e1 x 3"][argc as usize]);
    let right = (-6.75 * x * x + x, -13.5 * x + 1.0);
    i32::from(d_scaled(x, text, 1.0) != right || t_scaled(x, 1.0, text) != right)
}
"""


def test_what_is_read_from_text_is_a_constant(bench: Workbench) -> None:
    bench.write(READ)
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    assert "parsed: " in (bench.output() / "stages" / "05-abi_fixup.log").read_text()
