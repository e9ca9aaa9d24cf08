"""The audit refuses what Enzyme takes without a word and differentiates wrongly."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.enzyme_driver import Diagnostic
from pipeline.toolchain import find_tools
from tests.workbench import CUBE, Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")

POINTER = """
define void @shim(ptr %f, ptr %x, ptr %to) {
  %in = load double, ptr %x
  %out = call double @caller(ptr %f, double %in)
  store double %out, ptr %to
  ret void
}
define internal double @caller(ptr %f, double %x) {
  %y = call double %f(double %x)
  ret double %y
}
"""


def findings(folder: Path, source: str) -> list[Diagnostic]:
    (folder / "module.ll").write_text(source)
    return audit(TOOLS.libllvm, folder / "module.ll", ["shim"])


def test_a_pointer_that_is_called_is_found_however_deep(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, POINTER)
    assert "called here through a pointer would count as constant" in found.message


def test_what_is_not_reached_or_ends_in_a_panic_is_none_of_its_business(tmp_path: Path) -> None:
    assert findings(tmp_path, POINTER.replace("@shim", "@other").replace("@caller", "@shim_not")) == []
    assert findings(tmp_path, POINTER.replace("  ret double %y", "  unreachable")) == []


@pytest.mark.parametrize(
    ("asking", "is_outside"),
    [
        ("%f = call ptr @of_a_library()", True),
        ("%f = load ptr, ptr @variable", True),
        ("%g = call ptr @of_a_library()\n  %f = select i1 %c, ptr %g, ptr @known", True),
        ("%f = select i1 %c, ptr @sin, ptr @known", False),
        ("%f = load ptr, ptr @own", False),
        ("%g = call noalias ptr @of_a_library()\n  %f = select i1 %c, ptr %g, ptr @known", False),
    ],
)
@pytest.mark.parametrize("given", ["%f", "%slot"])
def test_a_pointer_that_comes_from_outside_is_said_to(tmp_path: Path, asking: str, is_outside: bool, given: str) -> None:
    """Be it handed on as such, or by its place on the stack, as a shim gets its arguments."""
    shim = (
        POINTER
        if given == "%f"
        else POINTER.replace("@shim(ptr %f,", "@shim(ptr %p,").replace("%in =", "%f = load ptr, ptr %p\n%in =")
    )
    source = f"""{shim}
@variable = external global ptr
@own = internal global ptr @known
declare ptr @of_a_library()
declare double @sin(double)
declare double @known(double)
declare void @__enzyme_autodiff(...)
@enzyme_const = external global i32
@enzyme_dup = external global i32
define void @asking(i1 %c, ptr %x, ptr %to) {{
  %slot = alloca ptr
  {asking}
  store ptr %f, ptr %slot
  call void (...) @__enzyme_autodiff(ptr @shim, ptr @enzyme_const, ptr {given}, ptr @enzyme_dup, ptr %x, ptr %to)
  ret void
}}"""
    (found,) = findings(tmp_path, source)
    assert ("comes from outside of the program" in found.message) == is_outside


@pytest.mark.parametrize("called", ["ptr @calloc(i64 8, i64 %n)", "ptr @__rust_alloc_zeroed(i64 %n, i64 8)"])
def test_memory_that_is_allocated_zeroed_is_found(tmp_path: Path, called: str) -> None:
    declared = "\ndeclare ptr @calloc(i64, i64)\ndeclare ptr @__rust_alloc_zeroed(i64, i64)"
    (found,) = findings(tmp_path, inside(f"%p = call {called}", "i64 %n") + declared)
    assert found.message.startswith("memory that is allocated zeroed would be taken for undefined")


@pytest.mark.parametrize(
    ("used", "is_found"),
    [
        ("%p = select i1 %c, ptr %m, ptr %x\n  store double 1.0, ptr %p", True),
        ("store ptr %m, ptr %x", True),
        ("store double 1.0, ptr %m", False),
    ],
)
def test_memory_that_may_be_other_memory_is_found_unless_it_is_said_to_be_active(
    tmp_path: Path, used: str, is_found: bool
) -> None:
    allocates = "%m = call ptr @malloc(i64 8)"
    declared = "\ndeclare ptr @malloc(i64)"
    found = findings(tmp_path, inside(f"{allocates}\n  {used}", "i1 %c, ptr %x") + declared)
    assert ["memory that is one of several" in one.message for one in found] == [True] * is_found
    said = f'{allocates} "enzyme_active"\n  {used}'
    assert bool(findings(tmp_path, inside(said, "i1 %c, ptr %x") + declared)) == is_found
    active = "call ptr @crategrad_active_ptr(ptr %m)"
    declared += "\ndeclare ptr @crategrad_active_ptr(ptr)"
    assert findings(tmp_path, inside(f"{said}\n  {active}", "i1 %c, ptr %x") + declared) == []


@pytest.mark.parametrize(("said", "is_found"), [("", True), (", !enzyme_inactive !0", False)])
def test_a_thread_local_is_found_unless_it_is_said_to_be_inactive(tmp_path: Path, said: str, is_found: bool) -> None:
    variables = "\n@local = internal thread_local global double 0.0\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n!0 = !{}"
    source = inside(f"%p = call ptr @llvm.threadlocal.address.p0(ptr @local){said}\n  store double 1.0, ptr %p", "ptr %x")
    assert ["thread-local" in one.message for one in findings(tmp_path, source + variables)] == [True] * is_found


HALVES = """define void @shim(ptr %x, ptr %to, i1 %is_float) {
  br i1 %is_float, label %loads, label %stores
loads:
  %low = load i32, ptr %x
  %next = getelementptr i8, ptr %x, i64 4
  %high = load i32, ptr %next
  br label %stores
stores:
  %one = phi i32 [ %low, %loads ], [ 0, %0 ]
  %other = phi i32 [ %high, %loads ], [ undef, %0 ]
  %tag = add i32 %one, 1
  %again = add i32 %other, 1
  store i32 %one, ptr %to
  %place = getelementptr i8, ptr %to, i64 4
  store i32 %other, ptr %place
  store i32 %tag, ptr %x
  store i32 %again, ptr %x
  ret void
}"""


def test_half_of_a_float_beside_nothing_is_found(tmp_path: Path) -> None:
    found = findings(tmp_path, HALVES)
    assert {one.message.partition(":")[0] for one in found} == {"what may be half of a float is moved as an integer here"}
    assert findings(tmp_path, HALVES.replace("undef", "1")) == []
    assert findings(tmp_path, HALVES.replace("i64 4\n  %high", "i64 8\n  %high")) == []


def inside(text: str, parameters: str = "ptr %x, ptr %to") -> str:
    return f"define void @shim({parameters}) {{\n  {text}\n  ret void\n}}"


@pytest.mark.parametrize(
    "moved",
    [
        "%word = load i64, ptr %x\n  store i64 %word, ptr %to",
        "%word = load i32, ptr %x\n  store i32 %word, ptr %to",
        "%word = load i128, ptr %x\n  store i128 %word, ptr %to",
        "%word = load i64, ptr %x\n  %half = trunc i64 %word to i32\n  store i32 %half, ptr %to",
        "%word = load i64, ptr %x\n  %up = lshr i64 %word, 32\n  %half = trunc i64 %up to i32\n  store i32 %half, ptr %to",
        "%word = load i64, ptr %x\n  store i64 %word, ptr %to\n  %tag = trunc i64 %word to i8\n  store i8 %tag, ptr %x",
        "%a = load i32, ptr %x\n  %z = zext i32 %a to i64\n  %b = shl i64 %z, 32\n  %c = or i64 %b, 1\n  store i64 %c, ptr %to",
        "%a = load i64, ptr %x\n  %b = load i64, ptr %to\n  %word = select i1 true, i64 %a, i64 %b\n  store i64 %word, ptr %to",
    ],
)
def test_a_word_that_is_moved_as_an_integer_is_found(tmp_path: Path, moved: str) -> None:
    assert {finding.message.partition(" is moved")[0] for finding in findings(tmp_path, inside(moved))} == {
        "a word that may hold floats"
    }


@pytest.mark.parametrize(
    "counted",
    [
        "%word = load i64, ptr %x\n  %next = add i64 %word, 1\n  store i64 %next, ptr %to",
        "%n = load i64, ptr %x\n  store i64 %n, ptr %to\n  %p = getelementptr i8, ptr %x, i64 %n\n  store i8 0, ptr %p",
        "%byte = load i8, ptr %x\n  store i8 %byte, ptr %to",
        "%n = load i64, ptr %x\n  %m = or i64 %n, 8\n  store i64 %m, ptr %to",
        "%n = load i64, ptr %x\n  %up = lshr i64 %n, 40\n  %f = uitofp i64 %up to double\n  store double %f, ptr %to",
        "%n = load i32, ptr %x\n  %z = zext i32 %n to i64\n  store i64 %z, ptr %to",
        "%n = load i32, ptr %x\n  %byte = trunc i32 %n to i8\n  store i8 %byte, ptr %to",
        "%word = load double, ptr %x\n  store double %word, ptr %to",
    ],
)
def test_a_number_that_is_counted_with_is_none(tmp_path: Path, counted: str) -> None:
    assert findings(tmp_path, inside(counted)) == []


def test_bits_of_an_integer_that_are_taken_for_a_float_are_found(tmp_path: Path) -> None:
    text = "%n = load i64, ptr %x\n  %m = or i64 %n, 1\n  %f = bitcast i64 %m to double\n  store double %f, ptr %to"
    (found,) = findings(tmp_path, inside(text))
    assert "the bits of an integer are taken for a float here" in found.message


HIDDEN_BITS = "%e = call i64 @crategrad_same_apart_i64(i64 %n, i64 1)"


@pytest.mark.parametrize(
    ("use", "is_found"),
    [
        ("%e = lshr i64 %n, 52\n  %odd = icmp eq i64 %e, 7\n  store i1 %odd, ptr %to", False),
        ("%e = lshr i64 %n, 52\n  %f = uitofp i64 %e to double\n  store double %f, ptr %to", False),
        ("store i64 %n, ptr %to", True),
        ("%e = shl i64 %n, 1\n  store i64 %e, ptr %to", True),
        ("call void @other(i64 %n)", True),
        (f"{HIDDEN_BITS}\n  %odd = icmp sgt i64 %e, 7\n  store i1 %odd, ptr %to", False),
        (f"{HIDDEN_BITS}\n  store i64 %e, ptr %to", True),
    ],
)
def test_bits_of_a_float_may_be_looked_at_and_not_moved(tmp_path: Path, use: str, is_found: bool) -> None:
    text = inside(f"%v = load double, ptr %x\n  %n = bitcast double %v to i64\n  {use}")
    text += "\ndeclare void @other(i64)\ndeclare i64 @crategrad_same_apart_i64(i64, i64)"
    assert bool(findings(tmp_path, text)) == is_found


COUNTED = "%n = bitcast double %v to i64\n  %m = mul i64 %n, 3\n  %f = sitofp i64 %m to double\n  store double %f, ptr %to"


@pytest.mark.parametrize(
    ("given", "is_found"),
    [
        ("%u = load double, ptr %x\n  %v = fmul double %u, %u", True),
        ("%v = load double, ptr %x", False),
        ("%v = call double @crategrad_float_of_i64(i64 7)", False),
    ],
)
def test_bits_of_a_float_are_none_where_the_place_may_hold_an_integer(tmp_path: Path, given: str, is_found: bool) -> None:
    """LLVM reads the payload of a `Result<f64, i64>` once, for both arms, and casts it in one."""
    hidden = """define internal double @crategrad_float_of_i64(i64 %n) "enzyme_inactive" {
  %x = bitcast i64 %n to double
  ret double %x
}"""
    found = findings(tmp_path, inside(f"{given}\n  {COUNTED}") + "\n" + hidden)
    beside = [finding for finding in found if not finding.message.startswith("an infinite slope")]  # of the product
    assert ["computed with as an integer" in finding.message for finding in beside] == [True] * is_found


# A word that lies among floats, for all that is known, is read and counted with.
SHARED = """define void @shim(ptr %x, ptr %to) !dbg !20 {{
  %all = call noalias ptr @malloc(i64 320)
  %i = load i64, ptr %x
  %one = getelementptr double, ptr %all, i64 %i
  %v = load double, ptr %to
  store double %v, ptr %one
  %n = load i64, ptr %all{said}
  %m = add i64 %n, 1
  %f = uitofp i64 %m to double
  store double %f, ptr %to
  ret void
}}
declare ptr @malloc(i64)
!llvm.dbg.cu = !{{!1}}
!llvm.module.flags = !{{!2}}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: FullDebug)
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = !DIFile(filename: "a.rs", directory: ".")
!4 = !DINamespace(name: "core", scope: null)
!5 = !DINamespace(name: "cell", scope: !4)
!6 = !DICompositeType(tag: DW_TAG_structure_type, name: "Cell<usize>", file: !3, scope: !5, size: 64)
!7 = !DIBasicType(name: "usize", size: 64, encoding: DW_ATE_unsigned)
!8 = !{{!DITemplateTypeParameter(name: "T", type: !7)}}
!9 = !DINamespace(name: "{around}", scope: null)
!10 = distinct !DISubprogram(name: "get<usize>", scope: !6, file: !3, unit: !1, templateParams: !8)
!11 = distinct !DISubprogram(name: "update<usize>", scope: !6, file: !3, unit: !1, templateParams: !8)
!12 = distinct !DISubprogram(name: "strong", scope: !9, file: !3, unit: !1)
!20 = distinct !DISubprogram(name: "shim", scope: !3, file: !3, unit: !1)
!30 = !DILocation(line: 1, scope: !10, inlinedAt: !31)
!31 = distinct !DILocation(line: 2, scope: !11, inlinedAt: !32)
!32 = distinct !DILocation(line: 3, scope: !12, inlinedAt: !33)
!33 = distinct !DILocation(line: 4, scope: !20)
!40 = !{{i64 {bounds}}}
"""


@pytest.mark.parametrize(("around", "is_found"), [("alloc", False), ("user", True)])
def test_what_std_counts_in_a_cell_is_no_float(tmp_path: Path, around: str, is_found: bool) -> None:
    """How many share an `Rc<[f64]>` lies before the floats; a `Cell<u64>` of the user's may have a float's bits."""
    found = findings(tmp_path, SHARED.format(said=", !dbg !30", around=around, bounds="0, i64 2"))
    assert ["computed with as an integer" in finding.message for finding in found] == [True] * is_found


@pytest.mark.parametrize(
    ("bounds", "is_found"),
    [("0, i64 2", False), ("0, i64 -9223372036854775808", True), ("1, i64 0", True), ("-1, i64 2", True)],
)
def test_what_is_said_to_be_small_is_no_float(tmp_path: Path, bounds: str, is_found: bool) -> None:
    """So rustc says of a tag; a `NonZero<u64>` may have a float's bits."""
    found = findings(tmp_path, SHARED.format(said=", !range !40", around="alloc", bounds=bounds))
    assert ["computed with as an integer" in finding.message for finding in found] == [True] * is_found


@pytest.mark.parametrize(("beside", "is_found"), [(8, False), (0, True), (16, True)])
def test_an_integer_beside_the_float_of_each_element_is_none(tmp_path: Path, beside: int, is_found: bool) -> None:
    """A pair of a float and a number in a vector is written in one loop and read in another."""
    text = f"""%all = call noalias ptr @malloc(i64 320)
  %i = load i64, ptr %x
  %one = getelementptr {{ double, i64 }}, ptr %all, i64 %i
  %v = load double, ptr %to
  store double %v, ptr %one
  %other = getelementptr {{ double, i64 }}, ptr %all, i64 7
  %second = getelementptr i8, ptr %other, i64 {beside}
  %n = load i64, ptr %second
  %f = uitofp i64 %n to double
  store double %f, ptr %to"""
    found = findings(tmp_path, inside(text) + "\ndeclare ptr @malloc(i64)")
    assert ["computed with as an integer" in finding.message for finding in found] == [True] * is_found


def test_an_integer_beside_floats_is_none_where_a_repair_hid_the_place_or_nothing_may_be(tmp_path: Path) -> None:
    text = """%all = call noalias ptr @malloc(i64 320)
  %i = load i64, ptr %x
  %nothing = call i64 @crategrad_same_apart_i64(i64 0, i64 3)
  %is_empty = icmp eq i64 %i, 0
  %begin = select i1 %is_empty, ptr inttoptr (i64 8 to ptr), ptr %all
  %one = getelementptr { double, i64 }, ptr %begin, i64 %i
  %v = load double, ptr %one
  store double %v, ptr %to
  %other = getelementptr { double, i64 }, ptr %all, i64 7
  %second = getelementptr i8, ptr %other, i64 8
  %hidden = getelementptr [8 x i8], ptr %second, i64 %nothing
  %n = load i64, ptr %hidden
  %f = uitofp i64 %n to double
  store double %f, ptr %to"""
    found = findings(tmp_path, inside(text) + "\ndeclare ptr @malloc(i64)\ndeclare i64 @crategrad_same_apart_i64(i64, i64)")
    assert not any("computed with as an integer" in finding.message for finding in found)


@pytest.mark.parametrize(("step", "is_found"), [(16, False), (8, True), (24, True)])
def test_an_integer_beside_the_floats_that_a_loop_leads_to_is_none(tmp_path: Path, step: int, is_found: bool) -> None:
    """A loop over the pairs of a vector moves a pointer on, by as much as they are apart."""
    text = f"""%all = call noalias ptr @malloc(i64 320)
  %i = load i64, ptr %x
  br label %next
next:
  %one = phi ptr [ %all, %0 ], [ %another, %next ]
  %another = getelementptr i8, ptr %one, i64 {step}
  %v = load double, ptr %one
  store double %v, ptr %to
  %is_last = fcmp oeq double %v, 0.0
  br i1 %is_last, label %end, label %next
end:
  %other = getelementptr {{ double, i64 }}, ptr %all, i64 %i
  %second = getelementptr i8, ptr %other, i64 8
  %n = load i64, ptr %second
  %f = uitofp i64 %n to double
  store double %f, ptr %to"""
    found = findings(tmp_path, inside(text) + "\ndeclare ptr @malloc(i64)")
    assert any("computed with as an integer" in finding.message for finding in found) == is_found


def test_what_another_function_has_where_nothing_is_counts_for_none(tmp_path: Path) -> None:
    """What is empty begins at the same number everywhere: there may be pairs here, and floats there."""
    text = """%all = call noalias ptr @malloc(i64 320)
  br label %next
next:
  %begin = phi ptr [ %all, %0 ], [ inttoptr (i64 8 to ptr), %next ]
  %second = getelementptr i8, ptr %begin, i64 8
  %n = load i64, ptr %second
  %m = mul i64 %n, 3
  %f = sitofp i64 %m to double
  store double %f, ptr %to
  br i1 true, label %next, label %end
end:"""
    other = """define double @other(ptr %all) {
  br label %next
next:
  %begin = phi ptr [ %all, %0 ], [ inttoptr (i64 8 to ptr), %next ]
  %second = getelementptr double, ptr %begin, i64 1
  %v = load double, ptr %second
  br i1 true, label %next, label %end
end:
  ret double %v
}"""
    found = findings(tmp_path, "\n".join([inside(text), other, "declare ptr @malloc(i64)"]))
    assert not any("computed with as an integer" in finding.message for finding in found)


@pytest.mark.parametrize("result", ["{ i64, double }", "{ float, i32 }", "{ i1, double }", "{ double, ptr }", "{ ptr, float }"])
def test_a_float_that_is_returned_beside_an_integer_or_a_pointer_is_found(tmp_path: Path, result: str) -> None:
    callee = f"define internal {result} @callee() {{\n  ret {result} zeroinitializer\n}}"
    (found,) = findings(tmp_path, inside(f"%r = call {result} @callee()") + "\n" + callee)
    assert found.message.endswith("returns floats beside integers or pointers would lose their derivatives: `callee`")


def test_what_enzyme_takes_for_inactive_is_none_of_its_business(tmp_path: Path) -> None:
    callee = """define internal { i64, double } @callee(ptr %x) "enzyme_inactive" {
  %word = load i64, ptr %x
  store i64 %word, ptr %x
  ret { i64, double } zeroinitializer
}"""
    assert findings(tmp_path, inside("%r = call { i64, double } @callee(ptr %x)") + "\n" + callee) == []


def compiled(folder: Path, source: str) -> Path:
    """What rustc makes of a library."""
    (folder / "lib.rs").write_text(source)
    options = ["--edition=2024", "-g", "-Copt-level=2", "-Ccodegen-units=1", "-Cno-vectorize-slp", "--emit=llvm-bc"]
    subprocess.run([RUSTC, *options, folder / "lib.rs", "-o", folder / "lib.bc"], check=True)
    return folder / "lib.bc"


RECURSIVE = """
define void @shim(ptr %x, ptr %to) {
  call void @deeper(ptr %to, ptr %x, i32 2)
  ret void
}
define internal void @deeper(ptr %result, ptr %x, i32 %n) {
  %place = getelementptr i8, ptr %result, i64 8
  store i32 %n, ptr %place
  %more = icmp ugt i32 %n, 0
  br i1 %more, label %again, label %done
again:
  %less = sub i32 %n, 1
  call void @deeper(ptr %result, ptr %x, i32 %less)
  br label %done
done:
  ret void
}
"""


def test_an_integer_that_a_recursive_function_returns_by_pointer_is_found_in_reverse_mode(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, RECURSIVE)
    assert "an integer that a recursive function returns by pointer" in found.message
    assert audit(TOOLS.libllvm, tmp_path / "module.ll", forward=["shim"]) == []
    assert findings(tmp_path, RECURSIVE.replace("ptr %result, i64 8", "ptr %x, i64 8")) == []
    assert findings(tmp_path, RECURSIVE.replace("call void @deeper(ptr %result, ptr %x, i32 %less)", "")) == []


HEADERS = """#![crate_type = "lib"]
#![allow(improper_ctypes_definitions)]
#[inline(never)] fn pair(x: [f32; 2]) -> f32 { x[0] * x[1] }
#[inline(never)] fn both(x: f32) -> [f32; 2] { [x, x * x] }
#[inline(never)] fn counted(x: [u32; 2], y: f64) -> f64 { y * f64::from(x[0] + x[1]) }
#[inline(never)] fn plain(x: (f64, f64), y: &[f64]) -> (f64, f64) { (x.0 * x.1, y[0]) }
#[unsafe(no_mangle)] pub extern "C" fn of_pair(x: f32) -> f32 { pair([x, x]) }
#[unsafe(no_mangle)] pub extern "C" fn of_both(x: f32) -> f32 { let y = both(x); y[0] * y[1] }
#[unsafe(no_mangle)] pub extern "C" fn of_counted(x: u32, y: f64) -> f64 { counted([x, x], y) }
#[unsafe(no_mangle)] pub extern "C" fn of_plain(x: f64, y: &[f64; 3]) -> f64 { plain((x, x), y).1 }
"""


@pytest.mark.parametrize(("shim", "packed"), [("of_pair", "pair"), ("of_both", "both"), ("of_counted", ""), ("of_plain", "")])
def test_a_header_of_rustcs_own_that_packs_floats_is_found(tmp_path: Path, shim: str, packed: str) -> None:
    found = [finding.message for finding in audit(TOOLS.libllvm, compiled(tmp_path, HEADERS), [shim])]
    assert [packed in message for message in found if "has floats in the integers" in message] == [True] * bool(packed)


CONSTANTS = """#![crate_type = "lib"]
#![allow(improper_ctypes_definitions)]
#[unsafe(no_mangle)] pub extern "C" fn either(to: &mut Result<f32, u32>, n: u32) {
    *to = if n > 2 { Ok(-2.5) } else { Err(8) };
}
#[unsafe(no_mangle)] pub extern "C" fn numbers(to: &mut Result<f32, u32>, n: u32) {
    *to = if n > 2 { Err(u32::MAX) } else { Err(8) };
}
#[unsafe(no_mangle)] pub extern "C" fn beside(to: &mut Option<[f32; 1]>, n: u32) {
    *to = if n > 2 { Some([-2.5]) } else { Some([1.0]) };
}
#[unsafe(no_mangle)] pub extern "C" fn no_float(to: &mut [u32; 2], n: u32) {
    to[1] = if n > 2 { 0x4000_0000 } else { 8 };
}
"""


@pytest.mark.parametrize(("shim", "is_found"), [("either", True), ("beside", True), ("numbers", False), ("no_float", False)])
def test_a_constant_that_may_be_a_float_is_found_in_forward_mode(tmp_path: Path, shim: str, is_found: bool) -> None:
    module = compiled(tmp_path, CONSTANTS)
    reverse, forward = (
        [one.message for one in audit(TOOLS.libllvm, module, **{mode: [shim]})] for mode in ("reverse", "forward")
    )
    assert not [message for message in reverse if "tangent" in message]
    assert ["would take it for its own tangent" in message for message in forward] == [True] * is_found


EITHER_LENGTH = """#![no_main]
use autodiff::*;

pub enum Length { Metres(f32), Steps(u32) }

#[inline(never)]
fn further(by: f32, length: Length) -> Length {
    match length {
        Length::Metres(metres) => Length::Metres(metres * by),
        Length::Steps(steps) => Length::Steps(steps + 1),
    }
}

#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f32, n: u32) -> f32 {
    let mut length = if n > 2 { Length::Metres(x) } else { Length::Steps(n) };
    FURTHER
    match length {
        Length::Metres(metres) => metres,
        Length::Steps(steps) => steps as f32 * x,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = 1.5 * argc as f32;
    let is_right = df(x, argc as u32, 1.0) == (2.0 * x, 2.0) && df(x, argc as u32 + 2, 1.0) == (x * x, 2.0 * x);
    i32::from(!is_right)
}
"""

ROUND = "for _ in 0..n { length = further(x, length); }"


def test_a_payload_that_is_counted_with_in_one_arm_is_followed_in_the_other(bench: Workbench) -> None:
    bench.write(EITHER_LENGTH.replace("FURTHER", "length = further(x, length);"))
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0


def test_where_it_goes_round_a_loop_it_is_refused_at_its_place(bench: Workbench) -> None:
    """By its bits alone it could be the float of the other arm, looked at as an integer."""
    bench.write(EITHER_LENGTH.replace("FURTHER", ROUND))
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "error: the bits of an integer are taken for a float here" in finished.stderr
    assert "--> src/main.rs:8:5" in finished.stderr
    assert "`df` was asked for, reverse mode of `bench::f` at src/main.rs:15:4" in finished.stderr


def test_the_audit_stays_where_the_repairs_are_off(bench: Workbench) -> None:
    bench.write(CUBE.replace("fn f(x: f64) -> f64 {\n    x * x * x", "fn f(x: f64) -> f64 {\n    half([x as f32; 2])") + HALF)
    assert bench.doit("build").returncode == 0
    refused = bench.doit("build", "abi_fixup=false")
    assert refused.returncode == 1
    assert "has floats in the integers of its header" in refused.stderr


HALF = """
#[inline(never)]
fn half(x: [f32; 2]) -> f64 {
    f64::from(x[0] * x[1]) / 2.0
}
"""


@pytest.mark.parametrize(
    ("copy", "is_found"),
    [
        ("ptr align 1 %x, ptr align 1 %y, i64 11", True),
        ("ptr align 4 %x, ptr align 1 %y, i64 12", True),
        ("ptr align 1 %x, ptr align 8 %y, i64 11", False),
        ("ptr align 4 %x, ptr align 1 %y, i64 4", False),
        ('ptr "enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}" %x, ptr %y, i64 11', False),
    ],
)
def test_a_copy_that_may_begin_amid_an_element_is_found(tmp_path: Path, copy: str, *, is_found: bool) -> None:
    source = f"""define void @shim(ptr %x, ptr %y) {{
  call void @llvm.memcpy.p0.p0.i64({copy}, i1 false)
  ret void
}}"""
    said = [one.message for one in findings(tmp_path, source)]
    assert any("may begin amid an element" in message for message in said) == is_found


@pytest.mark.parametrize(
    ("place", "is_found"),
    [
        ("i8, ptr %x, i64 4", True),
        ("i8, ptr %x, i64 8", False),
        ("i8, ptr %x, i64 %n", True),
        ("[16 x i8], ptr %x, i64 %n", True),
        ("[16 x i8], ptr %x.1, i64 %n", False),  # from the second word of each element on
    ],
)
def test_part_of_a_float_that_is_moved_is_found(tmp_path: Path, place: str, *, is_found: bool) -> None:
    source = f"""define void @shim(ptr %x, ptr %y, i64 %m, i64 %n) {{
  %x.1 = getelementptr i8, ptr %x, i64 8
  %p = getelementptr [16 x i8], ptr %x, i64 %m
  %v = load double, ptr %p
  %q = getelementptr {place}
  %w = load i8, ptr %q
  store i8 %w, ptr %y
  ret void
}}"""
    said = [one.message for one in findings(tmp_path, source)]
    assert any("moved in parts" in message for message in said) == is_found
