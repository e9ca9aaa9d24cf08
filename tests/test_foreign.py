"""What has no body in the program: inactive where no float comes or goes by it, and otherwise refused; names of C's; bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.advice import in_words_of_rust
from pipeline.enzyme_driver import Diagnostic
from pipeline.repairs import c_names, foreign, locks, statics
from tests.test_audit import findings
from tests.test_repairs import mended

pytestmark = pytest.mark.toolchain

DEBUG = """
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!2}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "a.rs", directory: "/")
!2 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: FullDebug)
!3 = !DINamespace(name: "std", scope: null)
!4 = !DINamespace(name: "sys", scope: !3)
!5 = !DINamespace(name: "sync", scope: !4)
!6 = !DISubroutineType(types: !{null, !7, !7})
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "&f64", baseType: !8, size: 64)
!8 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!10 = distinct !DISubprogram(name: "f", file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "now", scope: !4, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!12 = distinct !DISubprogram(name: "lock", scope: !5, file: !1, unit: !2, type: !6, spFlags: DISPFlagDefinition)
!13 = !DILocation(line: 1, scope: !10)
!14 = !DILocation(line: 2, scope: !11, inlinedAt: !13)
!15 = !DILocation(line: 3, scope: !12, inlinedAt: !13)
"""

SHIM = """
@text = private constant [3 x i8] c"ab\\00"
define void @shim(ptr %x, ptr %to) !dbg !10 {{
  %n = load double, ptr %x, !dbg !13
  %own = alloca [16 x i8]
  {body}
  store double %n, ptr %to, !dbg !13
  ret void
}}
declare i32 @outside(ptr, i64)
declare i64 @syscall(i64, ...)
declare double @gives(i64)
declare void @takes(double)
declare void @calls(ptr)
"""


def shim(body: str) -> str:
    return SHIM.format(body=body) + DEBUG


@pytest.mark.parametrize(
    ("body", "is_apart"),
    [
        ("call i32 @outside(ptr @text, i64 1), !dbg !13", True),
        ("call i32 @outside(ptr null, i64 1), !dbg !13", True),
        ("call i32 @outside(ptr %own, i64 1), !dbg !14\n %s = load i64, ptr %own, !dbg !14", True),
        ("call i32 @outside(ptr %own, i64 1), !dbg !14\n %s = load double, ptr %own, !dbg !14", False),
        ("call i32 @outside(ptr %own, i64 1), !dbg !13\n %s = load i64, ptr %own, !dbg !13", False),
        ("call i32 @outside(ptr %x, i64 1), !dbg !14", False),
        ("%a = ptrtoint ptr %x to i64\n call i32 @outside(ptr null, i64 %a), !dbg !13", False),
        ("call double @gives(i64 1), !dbg !13", False),
        ("call void @takes(double 1.0), !dbg !13", False),
        ("call void @calls(ptr @shim), !dbg !13", False),
        ("call i64 (i64, ...) @syscall(i64 202, ptr %x, i32 129, i32 1), !dbg !13", True),
        ("call i64 (i64, ...) @syscall(i64 202, ptr %x, i32 131, i32 1), !dbg !13", False),
        ("call i64 (i64, ...) @syscall(i64 0, ptr %x, i32 129, i32 1), !dbg !13", False),
        ('call void asm sideeffect "", "r,~{memory}"(ptr %x), !dbg !13', True),
        ('call void asm sideeffect "fstp (%0)", "r,~{memory}"(ptr %x), !dbg !13', False),
        ('call double asm sideeffect "", "=x,0"(double %n), !dbg !13', False),
        ('call i64 asm sideeffect "bswap %0", "=r,0"(i64 1), !dbg !13', True),
        ("call void @llvm.x86.sse2.pause(), !dbg !13", True),
    ],
)
def test_what_no_float_comes_or_goes_by_is_inactive(tmp_path: Path, body: str, *, is_apart: bool) -> None:
    """Memory on the stack that std's own code for the system reads holds none; the user's may, and what `x` leads to."""
    mended(tmp_path, shim(body), foreign.say_inactive)
    assert ("enzyme_inactive" in mended(tmp_path, shim(body), foreign.say_inactive)) == is_apart


@pytest.mark.parametrize(
    ("access", "is_locks"),
    [
        ("%o = atomicrmw xchg ptr %x, i32 0 release, !dbg !15", True),
        ("%o = cmpxchg ptr %x, i32 0, i32 1 acquire monotonic, !dbg !15", True),
        ("%o = load atomic i32, ptr %x monotonic, align 4, !dbg !15", True),
        ("%o = atomicrmw xchg ptr %x, i32 0 release, !dbg !13", False),
        ("%o = atomicrmw xchg ptr %x, ptr null release, !dbg !15", False),
    ],
)
def test_words_of_stds_locks_are_kept_apart(tmp_path: Path, access: str, *, is_locks: bool) -> None:
    text = mended(tmp_path, shim(access), locks.keep_apart)
    assert ("crategrad_access" in text) == is_locks


NAMED = """
define void @shim(ptr %x, ptr %to) {
  %n = load double, ptr %x
  %r = call double @NAME(double %n)
  store double %r, ptr %to
  ret void
}
define internal double @NAME(double %n) !dbg !10 {
  ret double %n
}
""".rstrip()


@pytest.mark.parametrize(
    ("name", "is_renamed"), [("time", True), ("f90io_x", True), ("_ZN1f1gE", False), ("_RNv1f", False), ("memcpy", False)]
)
def test_functions_with_names_of_c_get_one_of_their_own(tmp_path: Path, name: str, *, is_renamed: bool) -> None:
    text = mended(tmp_path, NAMED.replace("NAME", name) + DEBUG, c_names.give_own)
    assert (f"@own.{name}(" in text) == is_renamed


def test_one_that_is_called_from_outside_of_rust_is_refused(tmp_path: Path) -> None:
    source = (NAMED.replace("NAME", "time") + DEBUG).replace("define internal", "define")
    assert "@own" not in mended(tmp_path, source, c_names.give_own)
    (found,) = findings(tmp_path, source)
    assert "called from outside of Rust would be taken for what Enzyme knows by its name: `time`" in found.message


STATIC = """
@kept = internal global { i32, double } { i32 0, double 2.0 }
define void @main(double %n) {
  store double %n, ptr getelementptr (i8, ptr @kept, i64 8)
  ret void
}
define void @shim(ptr %x, ptr %to) {
  %k = load double, ptr getelementptr (i8, ptr @kept, i64 8)
  BODY
  store double %k, ptr %to
  ret void
}
define internal void @callee(ptr %p, double %n) {
  INSIDE
  ret void
}
declare void @outside(ptr)
"""


@pytest.mark.parametrize(
    ("body", "inside", "is_only_read"),
    [
        ("", "", True),
        ("call void @callee(ptr @kept, double %k)", "%l = load double, ptr %p", True),
        ("call void @callee(ptr @kept, double %k)", "store double %n, ptr %p", False),
        ("store double %k, ptr getelementptr (i8, ptr @kept, i64 8)", "", False),
        ("call void @outside(ptr @kept)", "", False),
        ("%q = load ptr, ptr @kept\n  store double %k, ptr %q", "", False),
        ("store ptr @kept, ptr %x", "", False),
    ],
)
def test_a_static_that_is_only_read_is_constant(tmp_path: Path, body: str, inside: str, *, is_only_read: bool) -> None:
    """By what is differentiated: `main` may well set it."""
    source = STATIC.replace("BODY", body).replace("INSIDE", inside)
    assert ("!enzyme_inactive" in mended(tmp_path, source, statics.say_inactive)) == is_only_read
    assert any("`@kept`" in one.message or "static" in one.message for one in findings(tmp_path, source))


# ---- bits

COMPUTED = "the bits of a float are computed with as an integer here"
MADE = "an integer that was computed is stored here as the bits of a float"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%b = bitcast double %n to i64\n %c = add i64 %b, 5\n store i64 %c, ptr %to", [COMPUTED, MADE]),
        ("%b = load i64, ptr %x\n %c = add i64 %b, 5\n store i64 %c, ptr %to", [COMPUTED, MADE]),
        ("%b = bitcast double %n to i64\n %f = uitofp i64 %b to double\n store double %f, ptr %to", [COMPUTED]),
        ("%b = bitcast double %n to i64\n %c = icmp ugt i64 %b, 5", []),
        ("%b = bitcast double %n to i64\n %c = add i64 %b, 5\n %d = icmp ugt i64 %c, 5", []),
        ("%b = bitcast double %n to i64\n %e = lshr i64 %b, 52\n %f = uitofp i64 %e to double\n store double %f, ptr %to", []),
        ("%b = bitcast double %n to i64\n %e = lshr i64 %b, 20\n %f = uitofp i64 %e to double", [COMPUTED]),
        (
            "%b = bitcast double %n to i64\n %e = lshr i64 %b, 52\n %s = shl i64 %e, 52\n store i64 %s, ptr %to",
            [COMPUTED, MADE],
        ),
        ("%i = fptosi double %n to i64\n %c = add i64 %i, 1023\n store i64 %c, ptr %to", [MADE]),
        ("%i = fptosi double %n to i64\n %c = add i64 %i, 1023\n store i64 %c, ptr %own", []),
    ],
)
def test_bits_of_floats_that_are_computed_with_are_found(tmp_path: Path, body: str, said: list[str]) -> None:
    found = {one.message.partition(",")[0] for one in findings(tmp_path, shim(body))}
    assert {message for message in found if message in (COMPUTED, MADE)} == set(said)


# ---- In words of Rust


@pytest.mark.parametrize(
    ("said", "meant", "advice"),
    [
        ("Enzyme: No augmented forward pass found for g(h)", "`g` has no body in the program's bitcode", "by clang"),
        ("Enzyme: cannot handle (forward) unknown intrinsic", "this instruction of the processor", "write it in Rust"),
        ("Enzyme: in Mode: ForwardMode", "an exchange in memory that may hold floats", "`Mutex`"),
        ("Enzyme: the same memory holds values of two types prev:{}", "holds values of two types, as far as", "a `union`"),
        ("Enzyme: Cannot deduce adding type of:   %35", "whether this is a float or an integer", "docs/abi.md"),
        ("a static that may hold floats", "a static that may hold floats", "hand the value in as an argument"),
        ("Enzyme broke down (SIGABRT)", "Enzyme broke down", "the log"),
        ("something else", "something else", "docs/abi.md"),
    ],
)
def test_a_refusal_says_what_to_do(said: str, meant: str, advice: str) -> None:
    told = in_words_of_rust(Diagnostic(said))
    assert meant in told.message
    assert advice in told.help
    assert told.notes == ((said,) if not told.message.startswith(said) else ())


def test_what_is_too_long_is_cut() -> None:
    assert len(in_words_of_rust(Diagnostic("Enzyme: " + "x" * 5000)).render()) < 800
