"""The repairs of headers and moves, one by one, on modules written here; and on what rustc itself makes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.analyses.call_tree import call_tree, indirect_calls
from pipeline.analyses.debug_info import parameter_types
from pipeline.analyses.layout import INTEGER, Word, words_of_zeros
from pipeline.audit import audit
from pipeline.audit.paths import _TWICE
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.repairs import (
    NAMES,
    beginnings,
    by_pointer,
    constants,
    copies,
    dispatch,
    extremes,
    fills,
    floats,
    inline,
    integers,
    mixed,
    opaque,
    overlaps,
    repair,
    results,
    retype,
    split_words,
    statics,
    switches,
    vtables,
    zeroed,
)
from pipeline.repairs.words import Words
from pipeline.stages import MODULE
from pipeline.toolchain import Tool, find_tools

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
LLVM_DIS = Tool(TOOLS.llvm_as.path.with_name("llvm-dis"))
RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")


def compiled(folder: Path, source: str, level: str, *options: str) -> None:
    """Have rustc compile a source of one file, as the module that `rewritten` reads."""
    (folder / "given.rs").write_text(source)
    options = ("--edition=2024", "-g", "-Ccodegen-units=1", f"-Copt-level={level}", "--cap-lints=allow", *options)
    subprocess.run([RUSTC, *options, "--emit=llvm-bc", "given.rs", "-o", "given.bc"], cwd=folder, check=True)


def mended(folder: Path, source: str, *mends: Callable[[Editor, list[int]], object]) -> str:
    """The module after some repairs, as text; the function `@shim` is what is differentiated."""
    subprocess.run([TOOLS.llvm_as, "-o", folder / "given.bc", "-"], input=source, text=True, check=True)
    return rewritten(folder, *mends)


def rewritten(folder: Path, *mends: Callable[[Editor, list[int]], object]) -> str:
    with Module(TOOLS.libllvm, folder / "given.bc") as module:
        for mend in mends:
            mend(Editor(module), module.named(["shim"]))
        module.write(folder / MODULE)
    argv: list[str | Path] = [LLVM_DIS.path, "-o", "-", folder / MODULE]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return re.sub(r", !dbg !\d+", "", text)


def body(text: str, function: str = "shim") -> str:
    found = re.search(rf"^define [^\n]*@{function}\([^\n]*\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    assert found, text
    return found[1]


# ---- split_words


def split(editor: Editor, shims: list[int]) -> None:
    for function in shims:
        split_words.split(editor, function)
        editor.run_passes(inline.CLEAN, function)


def test_a_word_that_is_taken_apart_is_loaded_as_two_floats(tmp_path: Path) -> None:
    text = mended(
        tmp_path,
        """define void @shim(ptr %x, ptr %to) {
  %word = load i64, ptr %x, align 4
  %low = trunc i64 %word to i32
  %shifted = lshr i64 %word, 32
  %high = trunc i64 %shifted to i32
  %a = bitcast i32 %low to float
  %b = bitcast i32 %high to float
  %product = fmul float %a, %b
  store float %product, ptr %to
  ret void
}""",
        split,
    )
    assert body(text).count("load float") == 2
    assert "i64" not in body(text).replace("i64 4", "")


def test_a_word_that_is_put_together_is_stored_as_two_floats(tmp_path: Path) -> None:
    text = mended(
        tmp_path,
        """define void @shim(float %a, float %b, ptr %to) {
  %low = bitcast float %a to i32
  %high = bitcast float %b to i32
  %wide = zext i32 %high to i64
  %shifted = shl nuw i64 %wide, 32
  %other = zext i32 %low to i64
  %word = or disjoint i64 %shifted, %other
  store i64 %word, ptr %to, align 4
  ret void
}""",
        split,
    )
    assert body(text).count("store float") == 2
    assert "store i64" not in body(text)


def test_constants_among_words_are_taken_apart_too(tmp_path: Path) -> None:
    """Numbers of more than 64 bits, and addresses: nothing comes before them."""
    text = mended(
        tmp_path,
        """@place = external global i64
define void @shim(ptr %x, i1 %c, i1 %d, ptr %to) {
  %word = load i128, ptr %x, align 8
  %chosen = select i1 %c, i128 %word, i128 9444732965739290427395
  %either = select i1 %d, i128 %chosen, i128 ptrtoint (ptr @place to i128)
  %low = trunc i128 %either to i64
  %shifted = lshr i128 %either, 64
  %high = trunc i128 %shifted to i64
  store i64 %low, ptr %to
  %behind = getelementptr i8, ptr %to, i64 8
  store i64 %high, ptr %behind
  ret void
}""",
        split,
    )
    assert "load i128" not in body(text)
    assert "i64 3" in body(text)
    assert "i64 512" in body(text)


@pytest.mark.parametrize(
    "use",
    [
        "store i64 %word, ptr %to",
        "%sum = add i64 %word, 1\n  store i64 %sum, ptr %to",
        "%h = lshr i64 %word, 16\n  store i64 %h, ptr %to",
    ],
)
def test_a_word_that_is_wanted_whole_stays(tmp_path: Path, use: str) -> None:
    source = f"define void @shim(ptr %x, ptr %to) {{\n  %word = load i64, ptr %x\n  {use}\n  ret void\n}}"
    assert "load i64" in body(mended(tmp_path, source, split))


@pytest.mark.parametrize("access", ["load volatile i64, ptr %x, align 8", "load atomic i64, ptr %x monotonic, align 8"])
def test_a_volatile_or_atomic_word_stays(tmp_path: Path, access: str) -> None:
    source = f"""define i32 @shim(ptr %x) {{
  %word = {access}
  %low = trunc i64 %word to i32
  ret i32 %low
}}"""
    assert access.partition(",")[0] in body(mended(tmp_path, source, split))


# ---- retype


def retyped(editor: Editor, shims: list[int]) -> None:
    words = Words(editor, shims)
    for function in shims:
        retype.retype(editor, function, words)
        editor.run_passes(inline.CLEAN, function)


@pytest.mark.parametrize(("integer", "floating"), [("i64", "double"), ("i32", "float")])
def test_a_move_is_one_of_floats(tmp_path: Path, integer: str, floating: str) -> None:
    source = f"""define void @shim(ptr %x, ptr %to, {floating} %float) {{
  %bits = load {integer}, ptr %x
  store {integer} %bits, ptr %to
  %double = fadd {floating} %float, %float
  store {floating} %double, ptr %x
  ret void
}}"""
    assert integer not in body(mended(tmp_path, source, retyped))
    assert f"load {floating}" in body(mended(tmp_path, source, retyped))


def test_a_choice_between_moves_is_one_of_floats(tmp_path: Path) -> None:
    source = """define void @shim(ptr %x, ptr %y, i1 %c, ptr %to) {
  %a = load i64, ptr %x
  %b = load i64, ptr %y
  %chosen = select i1 %c, i64 %a, i64 %b
  store i64 %chosen, ptr %to
  store double 1.0, ptr %x
  ret void
}"""
    text = body(mended(tmp_path, source, retyped))
    assert "i64" not in text
    assert "store double" in text


def test_a_value_carried_through_a_loop_is_a_float(tmp_path: Path) -> None:
    source = """define void @shim(ptr %x, i64 %n, ptr %to) {
entry:
  %first = load i64, ptr %x
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %carried = phi i64 [ %first, %entry ], [ %chosen, %loop ]
  %p = getelementptr i64, ptr %x, i64 %i
  %here = load i64, ptr %p
  %odd = trunc i64 %i to i1
  %chosen = select i1 %odd, i64 %here, i64 %carried
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  store i64 %chosen, ptr %to
  store double 1.0, ptr %x
  ret void
}"""
    text = body(mended(tmp_path, source, retyped))
    assert text.count("load double") == 2
    assert "phi double" in text
    assert "store double" in text


def test_a_choice_that_is_frozen_is_one_of_floats(tmp_path: Path) -> None:
    source = """define double @shim(double %x, double %y, i1 %c) {
entry:
  %a = bitcast double %x to i64
  br i1 %c, label %other, label %end
other:
  %b = bitcast double %y to i64
  br label %end
end:
  %chosen = phi i64 [ %a, %entry ], [ %b, %other ]
  %frozen = freeze i64 %chosen
  %again = select i1 %c, i64 %frozen, i64 %a
  %float = bitcast i64 %again to double
  ret double %float
}"""
    text = body(mended(tmp_path, source, lambda editor, shims: retype.retype(editor, shims[0], Words(editor, shims))))
    assert [f"{what} double" in text for what in ("phi", "freeze", "select i1 %c,")] == [True] * 3
    assert "= phi i64" not in text


LENGTH = """
#![crate_type = "lib"]
pub enum Shape { One(f64), Counted(usize) }
#[unsafe(no_mangle)] pub fn shim(xs: &[f64; 3], all: &mut [usize; 8], i: usize, to: &mut Shape, lengths: &mut [usize; 2]) {
    BEFORE
    let k = all[i & 7];
    lengths[0] = k;
    *to = if k MAKES 3 == 0 { Shape::One(xs[0]) } else { Shape::Counted(k) };
}
"""


@pytest.mark.parametrize(
    ("before", "makes", "is_hidden"), [("", "%", True), ("", "&", False), ("all[3] = xs[1].to_bits() as usize;", "%", False)]
)
def test_a_number_is_no_float_where_it_is_stored_beside_one(tmp_path: Path, before: str, makes: str, is_hidden: bool) -> None:
    """By debug info, by what is computed with it, and as no float is put there: its bits could lie in an integer's place."""
    compiled(tmp_path, LENGTH.replace("BEFORE", before).replace("MAKES", makes), "3")
    text = body(rewritten(tmp_path, retyped))
    assert ("double @crategrad_float_of_i64(i64" in text) == is_hidden


BORROWED = """
#![crate_type = "lib"]
pub enum Shape { One(f64), Counted(usize) }
#[unsafe(no_mangle)] pub fn shim(xs: &[f64; 3], of: &dyn Fn(&mut usize) -> bool, to: &mut Shape) {
    let mut k = 2;
    let is_odd = of(&mut k);
    BETWEEN
    *to = if is_odd { Shape::One(xs[0]) } else { Shape::Counted(k) };
}
"""


@pytest.mark.parametrize(
    ("between", "is_hidden"), [("", True), ("if !is_odd { k = xs[1].to_bits() as usize; of(&mut k); }", False)]
)
def test_a_variable_that_debug_info_says_to_be_a_number_is_no_float(tmp_path: Path, between: str, is_hidden: bool) -> None:
    """Unless a float is put into it: its bits could lie in an integer's place."""
    compiled(tmp_path, BORROWED.replace("BETWEEN", between), "3")
    assert ("double @crategrad_float_of_i64(i64" in body(rewritten(tmp_path, retyped))) == is_hidden


def test_an_integer_that_is_counted_with_stays(tmp_path: Path) -> None:
    source = """define i64 @shim(ptr %x, ptr %to) {
  %n = load i64, ptr %x
  store i64 %n, ptr %to
  %m = add i64 %n, 1
  ret i64 %m
}"""
    assert "double" not in body(mended(tmp_path, source, retyped))


def test_a_word_of_two_singles_is_moved_as_two(tmp_path: Path) -> None:
    """As a double, the adjoint of one pair would be added to another as if both were one number."""
    text = body(mended(tmp_path, f"{SINGLES}\n{MOVE.replace('i32', 'i64')}", retyped))
    assert text.count("load float") == text.count("store float") == 2
    assert "i64" not in text.replace("i64 4", "")


def test_a_word_of_doubles_is_no_half_of_one(tmp_path: Path) -> None:
    assert "load i32" in body(mended(tmp_path, f"{SINGLES.replace('float', 'double')}\n{MOVE}", retyped))


def test_a_word_that_could_be_either_stays(tmp_path: Path) -> None:
    both = SINGLES + SINGLES.replace("float", "double").replace("@used", "@used_too")
    calls = "call void @used(ptr %x)\n  call void @used_too(ptr %x)"
    text = mended(tmp_path, f"{both}\n{MOVE.replace('i32', 'i64').replace('call void @used(ptr %x)', calls)}", retyped)
    assert "load i64" in body(text)


SINGLES = """define internal void @used(ptr %x) {
  %a = load float, ptr %x
  %b = fmul float %a, %a
  store float %b, ptr %x
  ret void
}"""
MOVE = """define void @shim(ptr %x, ptr %to) {
  %bits = load i32, ptr %x, align 4
  store i32 %bits, ptr %to, align 4
  call void @used(ptr %x)
  ret void
}"""


@pytest.mark.parametrize(
    "other",
    ["%other = add i32 %n, 1", "%more = icmp ult i32 %n, 7\n  %step = zext i1 %more to i32\n  %other = add i32 %n, %step"],
)
def test_a_payload_that_is_a_float_in_one_arm_is_one_in_both(tmp_path: Path, other: str) -> None:
    """The integer of the other arm goes through a function that Enzyme takes for inactive and does not look into."""
    text = mended(
        tmp_path,
        """define i32 @shim(float %x, i32 %n, ptr %to) {
entry:
  %odd = trunc i32 %n to i1
  br i1 %odd, label %err, label %ok
ok:
  %square = fmul float %x, %x
  %bits = bitcast float %square to i32
  br label %end
err:
  OTHER
  br label %end
end:
  %payload = phi i32 [ %bits, %ok ], [ %other, %err ]
  %float = bitcast i32 %payload to float
  store float %float, ptr %to
  %count = sub i32 %payload, 3
  ret i32 %count
}""".replace("OTHER", other),
        retyped,
    )
    assert "phi float [ %square, %ok ]" in body(text)
    assert "call float @crategrad_float_of_i32(i32 %other)" in body(text)
    assert "call i32 @crategrad_i32_of_float(float" in body(text)
    attributes = re.search(r"define internal .*float @crategrad_float_of_i32\(.*\) #(\d+)", text)
    assert attributes
    assert re.search(rf'attributes #{attributes[1]} = {{ .*"enzyme_inactive"', text)


def test_an_integer_that_lies_where_a_float_lies_is_stored_as_one(tmp_path: Path) -> None:
    text = mended(
        tmp_path,
        """define void @shim(double %x, i64 %n, i1 %c, ptr %to) {
  %payload = getelementptr inbounds i8, ptr %to, i64 8
  br i1 %c, label %ok, label %err
ok:
  store double %x, ptr %payload, align 8
  ret void
err:
  %twice = shl i64 %n, 1
  store i64 %twice, ptr %payload, align 8
  store i64 %n, ptr %to, align 8
  ret void
}""",
        retyped,
    )
    assert "call double @crategrad_float_of_i64(i64 %twice)" in body(text)
    assert "store i64 %n, ptr %to" in body(text)


# ---- opaque


@pytest.mark.parametrize(
    ("bits", "is_hidden"),
    [
        ("%bits = shl i64 %n, 52", True),
        ("%r = fptosi double %x to i64\n  %bits = add i64 %r, 1023", True),
        ("%of = bitcast double %x to i64\n  %bits = xor i64 %of, %n", False),
        ("%of = load i64, ptr %to\n  %bits = add i64 %of, %n", False),
    ],
)
def test_bits_that_are_counted_are_hidden_and_no_others(tmp_path: Path, bits: str, is_hidden: bool) -> None:
    text = mended(
        tmp_path,
        f"""define void @shim(double %x, i64 %n, ptr %to) {{
  {bits}
  %float = bitcast i64 %bits to double
  store double %float, ptr %to
  ret void
}}""",
        lambda editor, shims: [opaque.hide_integers(editor, function) for function in shims],
    )
    assert ("crategrad_float_of_i64" in body(text)) == is_hidden


COUNTER = """define void @shim(ptr %x, ptr %end, ptr %to, i1 %c) {
entry:
  %first = load double, ptr %x
  br label %loop
loop:
  %counter = phi double [ BEGIN, %entry ], [ %next, %loop ]
  %sum = phi double [ %first, %entry ], [ %more, %loop ]
  %p = phi ptr [ %x, %entry ], [ %after, %loop ]
  %more = fadd double %sum, %counter
  %bits = bitcast double %counter to i64
  %one = add i64 %bits, 1
  %next = bitcast i64 %one to double
  %after = getelementptr i8, ptr %p, i64 8
  %done = icmp eq ptr %after, %end
  br i1 %done, label %out, label %loop
out:
  store double %more, ptr %to
  ret void
}"""


@pytest.mark.parametrize(("begin", "is_hidden"), [("0.0", True), ("%first", False)])
def test_a_counter_among_floats_is_an_integer_to_enzyme(tmp_path: Path, begin: str, is_hidden: bool) -> None:
    hide = lambda editor, shims: [opaque.hide_integers(editor, function) for function in shims]  # noqa: E731
    text = body(mended(tmp_path, COUNTER.replace("BEGIN", begin), hide))
    assert ("bitcast" not in text) == is_hidden
    assert ("call i64 @crategrad_i64_of_float(double %counter)" in text) == is_hidden


# ---- vtables

CONSTANTS = """
@vtable = private constant [2 x ptr] [ptr null, ptr @method]
@tables = private constant [1 x ptr] [ptr @vtable]
@numbers = private constant [2 x double] [double 1.0, double 2.0]
@changing = internal global ptr @method
declare double @method(double)
declare void @take(ptr, ptr, ptr)
define void @shim(ptr %x) {
  call void @take(ptr @tables, ptr @numbers, ptr @changing)
  ret void
}
"""


def test_constants_with_functions_in_them_are_inactive(tmp_path: Path) -> None:
    text = mended(tmp_path, CONSTANTS, vtables.keep_from_shadows)
    assert sorted(re.findall(r"^@(\w+) = .*!enzyme_inactive", text, re.MULTILINE)) == ["tables", "vtable"]


# ---- statics

STATICS = """
@counter = internal global i64 0, !dbg !20
@sum = internal global double 0.0, !dbg !21
@unknown = internal global i64 0
@_ZN10std_detect5cache = internal global [2 x i64] zeroinitializer
@local = internal thread_local global i64 0, !dbg !22
declare ptr @llvm.threadlocal.address.p0(ptr)
define internal void @fill(ptr %to) {{
  store <2 x double> zeroinitializer, ptr %to
  ret void
}}
define void @shim(ptr %x) {{
  store i64 1, ptr @counter
  store i64 1, ptr @unknown
  store double 1.0, ptr @sum
  %where = call ptr @llvm.threadlocal.address.p0(ptr @local)
  store i64 1, ptr %where
  {more}
  ret void
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!1}}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, producer: "", emissionKind: FullDebug)
!1 = !{{i32 2, !"Debug Info Version", i32 3}}
!2 = !DIFile(filename: "src/main.rs", directory: "/here")
!10 = !DIBasicType(name: "u64", size: 64, encoding: DW_ATE_unsigned)
!11 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!12 = !DICompositeType(tag: DW_TAG_structure_type, name: "Cell<u64>", size: 64, elements: !{{!13}})
!13 = !DIDerivedType(tag: DW_TAG_member, name: "value", baseType: !10, size: 64)
!20 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression())
!21 = !DIGlobalVariableExpression(var: !24, expr: !DIExpression())
!22 = !DIGlobalVariableExpression(var: !25, expr: !DIExpression())
!23 = distinct !DIGlobalVariable(name: "counter", file: !2, type: !10)
!24 = distinct !DIGlobalVariable(name: "sum", file: !2, type: !11)
!25 = distinct !DIGlobalVariable(name: "local", file: !2, type: !12)
"""


_WIDE = "%number = ptrtoint ptr @counter to i64\n  %wide = zext i64 %number to i128"
_WITH_CACHE = ["counter", "_ZN10std_detect5cache", "local"]


@pytest.mark.parametrize(
    ("more", "inactive"),
    [
        ("", ["counter", "local"]),
        ("%bits = bitcast double 1.0 to i64\n  store i64 %bits, ptr %x", []),
        ("store double 1.0, ptr @counter", ["local"]),
        ("call void @fill(ptr @counter)", ["local"]),
        ("call void @fill(ptr %where)", ["counter"]),
        ("store ptr @counter, ptr %x", ["local"]),
        ("call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr @counter, i64 8, i1 false)", ["local"]),
        ("call void @llvm.memset.p0.i64(ptr @counter, i8 0, i64 8, i1 false)", ["counter", "local"]),
        ("%n = atomicrmw add ptr @counter, i64 1 seq_cst", ["counter", "local"]),
        ("%n = load atomic i64, ptr getelementptr (i8, ptr @_ZN10std_detect5cache, i64 8) monotonic, align 8", _WITH_CACHE),
        ("store double 1.0, ptr @_ZN10std_detect5cache", ["counter", "local"]),
        (f"{_WIDE}\n  %hash = mul i128 %wide, 7\n  store i128 %hash, ptr %x", ["counter", "local"]),
        (f"{_WIDE}\n  store i128 %wide, ptr %x", ["local"]),
    ],
    ids=[
        "integers",
        "bits of a float",
        "a float in an integer",
        "a float from a function that is given it",
        "a float in a thread's",
        "where it is goes elsewhere",
        "it is copied to where floats may be",
        "zeros",
        "counted at once",
        "what the processor can do",
        "a float where that is",
        "its address becomes a hash",
        "its address is kept as a number",
    ],
)
def test_statics_of_integers_are_inactive_unless_floats_may_hide_in_them(
    tmp_path: Path, more: str, inactive: list[str]
) -> None:
    text = mended(tmp_path, STATICS.format(more=more), statics.say_inactive)
    assert re.findall(r"^@(\w+) = .*!enzyme_inactive", text, re.MULTILINE) == inactive
    assert ("@llvm.threadlocal.address.p0(ptr @local), !enzyme_inactive" in text) == ("local" in inactive)


@pytest.mark.parametrize(("also", "inactive"), [("", ["counter", "local"]), ("store i64 1, ptr @counter", ["local"])])
def test_bits_of_floats_in_another_derivative_are_not_in_statics_of_this_one(
    tmp_path: Path, also: str, inactive: list[str]
) -> None:
    moved = "%bits = bitcast double 1.0 to i64\n  store i64 %bits, ptr %x"
    other = f"define void @other(ptr %x) {{\n  {moved}\n  {also}\n  ret void\n}}"
    both = ["shim", "other"]
    text = mended(
        tmp_path, STATICS.format(more="") + other, lambda editor, _: statics.say_inactive(editor, editor.module.named(both))
    )
    assert re.findall(r"^@(\w+) = .*!enzyme_inactive", text, re.MULTILINE) == inactive


KEYS_OF_THREAD = """
@keys = internal thread_local global i64 0
@key = constant {key}
declare ptr @llvm.threadlocal.address.p0(ptr)
define internal ptr @of_this_thread() {{
  %where = call ptr @llvm.threadlocal.address.p0(ptr @keys)
  ret ptr %where
}}
define {type} @shim(ptr %x) {{
  %keys = call ptr @of_this_thread()
  %key = load {type}, ptr %keys
  ret {type} %key
}}
"""


@pytest.mark.parametrize(
    ("key", "ty", "inactive"),
    [("ptr null", "i64", True), ("ptr null", "double", False), ("ptr @of_this_thread", "i64", False)],
    ids=["an integer", "a float", "whoever has the address"],
)
def test_a_thread_local_is_inactive_if_none_of_those_who_are_given_it_reads_a_float(
    tmp_path: Path, key: str, ty: str, inactive: bool
) -> None:
    text = mended(tmp_path, KEYS_OF_THREAD.format(key=key, type=ty), statics.say_inactive)
    assert ("@llvm.threadlocal.address.p0(ptr @keys), !enzyme_inactive" in text) == inactive


@pytest.mark.parametrize(("ty", "zero"), [("i64", "0"), ("double", "0.0")])
def test_who_is_given_the_address_of_a_thread_local_is_looked_at(tmp_path: Path, ty: str, zero: str) -> None:
    begins = f"define internal void @begins(ptr %where) noinline {{\n  store {ty} {zero}, ptr %where\n  ret void\n}}\n"
    source = KEYS_OF_THREAD.format(key="ptr null", type="i64")
    source = source.replace("  %key =", "  call void @begins(ptr %keys)\n  %key =")
    text = mended(tmp_path, source + begins, statics.say_inactive)
    assert ("@llvm.threadlocal.address.p0(ptr @keys), !enzyme_inactive" in text) == (ty == "i64")


def test_what_returns_the_address_of_a_thread_local_is_inlined(tmp_path: Path) -> None:
    text = body(
        mended(tmp_path, KEYS_OF_THREAD.format(key="ptr @of_this_thread", type="i64"), inline.addresses_of_thread_locals)
    )
    assert "@llvm.threadlocal.address.p0(ptr @keys)" in text
    assert "@of_this_thread" not in text


# ---- dispatch

POINTER = """
define internal double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define internal double @cube(double %x) {
  %y = call double @square(double %x)
  %z = fmul double %y, %x
  ret double %z
}
define internal double @direct_only(double %x) {
  ret double %x
}
define internal float @of_another_type(float %x) {
  ret float %x
}
@vtable = constant [3 x ptr] [ptr @square, ptr @cube, ptr @of_another_type]
define double @shim(ptr captures(none) readonly %f, double %x) {
  %y = call double %f(double %x)
  %z = call double @direct_only(double %y)
  ret double %z
}
"""


def test_an_indirect_call_compares_with_every_candidate(tmp_path: Path) -> None:
    text = mended(tmp_path, POINTER, dispatch.indirect_calls)
    assert "call double @crategrad_dispatch_0(ptr %f, double %x)" in body(text)
    assert "define double @shim(ptr %f, double %x)" in text, "what was known of the pointer is known no more"
    dispatcher = body(text, "crategrad_dispatch_0")
    assert re.findall(r"icmp eq ptr %0, @(\w+)", dispatcher) == ["square", "cube"]
    assert re.findall(r"call double @crategrad_dispatch_0\.(\d)\(double %1\)", dispatcher) == ["0", "1"]
    assert "call double @square(double %0)" in body(text, r"crategrad_dispatch_0\.0")
    assert re.search(r'@crategrad_dispatch_0\.1\(double "enzyme_type"="{\[-1\]:Float@double}" %0\) #', text)
    assert "call void @crategrad_unexpected_call(ptr @" in dispatcher
    assert dispatcher.rstrip().endswith("unreachable")
    assert "none of what it could be here: square, cube" in text


# A candidate with an `f64`, a `usize`, and a `struct V(f32)` that rustc makes an integer of; the other one has no debug info.
TYPED = """
define internal double @typed(double %x, i64 %n, i32 %packed) !dbg !10 {
  ret double %x
}
define internal double @untyped(double %x, i64 %n, i32 %packed) {
  ret double %x
}
@table = constant [2 x ptr] [ptr @typed, ptr @untyped]
define double @shim(ptr %f, double %x, i64 %n, i32 %packed) {
  %y = call double %f(double %x, i64 %n, i32 %packed)
  ret double %y
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: FullDebug)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "a.rs", directory: ".")
!4 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!5 = !DIBasicType(name: "usize", size: 64, encoding: DW_ATE_unsigned)
!6 = !DIBasicType(name: "f32", size: 32, encoding: DW_ATE_float)
!7 = !DICompositeType(tag: DW_TAG_structure_type, name: "V", file: !3, size: 32, elements: !{!8})
!8 = !DIDerivedType(tag: DW_TAG_member, name: "__0", scope: !7, file: !3, baseType: !6, size: 32)
!9 = !DISubroutineType(types: !{!4, !4, !5, !7})
!10 = distinct !DISubprogram(name: "typed", scope: !3, file: !3, unit: !1, type: !9)
"""


def test_what_is_handed_on_to_a_candidate_is_an_integer_where_debug_info_says_that_no_float_is_packed_there(
    tmp_path: Path,
) -> None:
    text = mended(tmp_path, TYPED, dispatch.indirect_calls)
    told = re.findall(r"@crategrad_dispatch_0\.\d\(double \S+ %0, i64(.*?) %1, i32(.*?) %2\)", text)
    assert told == [(' "enzyme_type"="{[-1]:Integer}"', ""), ("", "")]


VTABLES = """
define internal double @of_one(ptr %self, double %x) {
  ret double %x
}
define internal double @of_another(ptr %self, double %x) {
  ret double %x
}
define internal double @in_another_slot(ptr %self, double %x) {
  ret double %x
}
define internal double @in_no_vtable(ptr %self, double %x) {
  ret double %x
}
@one = constant <{ [24 x i8], ptr, ptr }> <{ [24 x i8] zeroinitializer, ptr @of_one, ptr @in_another_slot }>
@another = constant <{ ptr, [16 x i8], ptr }> <{ ptr null, [16 x i8] zeroinitializer, ptr @of_another }>
@table = constant [1 x ptr] [ptr @in_no_vtable]
define double @shim(ptr %self, ptr %vtable, double %x) {
  %slot = getelementptr inbounds i8, ptr %vtable, i64 24
  %method = load ptr, ptr %slot, align 8, !invariant.load !0
  %y = call double %method(ptr %self, double %x)
  ret double %y
}
!0 = !{}
"""


def test_a_method_has_its_place_in_the_vtable(tmp_path: Path) -> None:
    dispatcher = body(mended(tmp_path, VTABLES, dispatch.indirect_calls), "crategrad_dispatch_0")
    assert re.findall(r"icmp eq ptr %0, @(\w+)", dispatcher) == ["of_one", "of_another"]


def test_of_several_candidates_none_is_told_what_the_pointer_of_another_led_to(tmp_path: Path) -> None:
    """What `self` is differs between them: its address is counted by what type analysis does not know."""
    dispatcher = body(mended(tmp_path, VTABLES, dispatch.indirect_calls), "crategrad_dispatch_0")
    (nowhere,) = re.findall(r"(%\d+) = call i64 @crategrad_same_i64\(i64 0\)", dispatcher)
    (same,) = re.findall(rf"(%\d+) = getelementptr inbounds \[1 x i8\], ptr %1, i64 {nowhere}", dispatcher)
    handed_on = re.findall(r"@crategrad_dispatch_0\.\d\(ptr (%\d+)", dispatcher)
    assert handed_on == [same] * 2


def test_what_is_not_surely_a_vtable_has_all_of_the_type(tmp_path: Path) -> None:
    text = mended(tmp_path, VTABLES.replace(", !invariant.load !0", ""), dispatch.indirect_calls)
    candidates = re.findall(r"icmp eq ptr %0, @(\w+)", body(text, "crategrad_dispatch_0"))
    assert candidates == ["of_one", "of_another", "in_another_slot", "in_no_vtable"]


def dispatched_and_cleaned(editor: Editor, shims: list[int]) -> None:
    dispatch.indirect_calls(editor, shims)
    editor.run_passes(inline.CLEAN, shims[0])


def test_what_drops_a_value_is_called_always_and_may_be_nothing(tmp_path: Path) -> None:
    """Else Enzyme sets what the function returns only where something is dropped."""
    text = mended(
        tmp_path,
        """@vtable = constant <{ ptr, [16 x i8] }> <{ ptr @glue, [16 x i8] zeroinitializer }>
define internal void @glue(ptr %self) {
  store i8 0, ptr %self
  ret void
}
define double @shim(ptr %self, ptr %vtable, double %x) {
  %drop = load ptr, ptr %vtable, align 8, !invariant.load !0
  %nothing = icmp eq ptr %drop, null
  br i1 %nothing, label %end, label %some
some:
  call void %drop(ptr %self)
  br label %end
end:
  ret double %x
}
!0 = !{}""",
        dispatched_and_cleaned,
    )
    assert "br " not in body(text)
    assert "icmp eq ptr %0, null" in body(text, "crategrad_dispatch_0")


def test_where_it_turns_out_that_there_is_nothing_to_drop_nothing_is_called(tmp_path: Path) -> None:
    """Of which type that would be which another vtable's function drops Enzyme is not told."""
    source = """@vtable = constant <{ ptr, [16 x i8] }> <{ ptr @glue, [16 x i8] zeroinitializer }>
define internal void @glue(ptr %self) {
  store i8 0, ptr %self
  ret void
}
define double @shim(ptr %self, ptr %vtable, double %x) {
  call void @drop(ptr null, ptr %self)
  call void @drop(ptr @glue, ptr %self)
  ret double %x
}
define internal void @drop(ptr %drop, ptr %self) alwaysinline {
  %slot = getelementptr inbounds i8, ptr @vtable, i64 0
  %glue = load ptr, ptr %slot, align 8, !invariant.load !0
  call void %glue(ptr %self)
  ret void
}
!0 = !{}"""
    source = source.replace("call void %glue(", "call void @crategrad_dispatch_0(ptr %drop, ptr ").replace("ptr ptr", "ptr")
    source += "\ndeclare void @crategrad_dispatch_0(ptr, ptr)\n"

    def inlined_and_called(editor: Editor, shims: list[int]) -> None:
        editor.run_passes("always-inline")
        dispatch.call_what_is_known(editor, shims)

    calls = re.findall(r"call .*", body(mended(tmp_path, source, inlined_and_called)))
    assert calls == ["call void @glue(ptr %self)"]


def test_what_nothing_could_be_is_never_called(tmp_path: Path) -> None:
    """In no vtable there is anything to drop; and of a function type that no function has none can be called."""
    source = """@vtable = constant <{ ptr, [16 x i8] }> <{ ptr null, [16 x i8] zeroinitializer }>
define double @shim(ptr %self, ptr %vtable, ptr %f) {
  %drop = load ptr, ptr %vtable, align 8, !invariant.load !0
  call void %drop(ptr %self)
  %y = call double %f(i32 1)
  ret double %y
}
!0 = !{}"""
    text = mended(tmp_path, source, dispatch.indirect_calls)
    assert re.findall(r"call \w+ (\S+)\(ptr %", body(text)) == ["@crategrad_dispatch_0", "@crategrad_dispatch_1"]
    assert "icmp eq ptr %0, null" in body(text, "crategrad_dispatch_0")
    assert "icmp" not in body(text, "crategrad_dispatch_1")
    assert text.count("none of what it could be here: nothing") == 2


def test_a_candidate_that_returns_a_float_beside_an_integer_does_so_by_pointer(tmp_path: Path) -> None:
    source = """define internal { i64, double } @next(double %x) {
  %r = insertvalue { i64, double } { i64 1, double undef }, double %x, 1
  ret { i64, double } %r
}
@vtable = constant [1 x ptr] [ptr @next]
define double @shim(ptr %f, double %x) {
  %r = call { i64, double } %f(double %x)
  %y = extractvalue { i64, double } %r, 1
  ret double %y
}"""

    def mend(editor: Editor, shims: list[int]) -> None:
        dispatch.indirect_calls(editor, shims)
        inline.headers_with_packed_floats(editor, shims)
        by_pointer.recursive_headers(editor, shims)

    text = mended(tmp_path, source, mend)
    assert re.search(r"call void @crategrad_dispatch_0\.0\.by_pointer\(ptr [^,]*, double", body(text))
    assert "load double" in body(text)
    assert "call { i64, double }" not in body(text)


def test_too_many_candidates_are_left_alone(tmp_path: Path) -> None:
    number = dispatch.MOST + 1
    many = "".join(f"define internal double @f{i}(double %x) {{\n  ret double %x\n}}\n" for i in range(number))
    table = f"@table = constant [{number} x ptr] [{', '.join(f'ptr @f{i}' for i in range(number))}]\n"
    source = many + table + "define double @shim(ptr %f, double %x) {\n  %y = call double %f(double %x)\n  ret double %y\n}"
    assert "call double %f(double %x)" in body(mended(tmp_path, source, dispatch.indirect_calls))


def test_a_call_that_ends_in_a_panic_is_left_alone(tmp_path: Path) -> None:
    source = POINTER.replace(
        "  %y = call double %f(double %x)\n  %z = call double @direct_only(double %y)\n  ret double %z\n",
        "  %y = call double %f(double %x)\n  unreachable\n",
    )
    assert "crategrad_dispatch" not in mended(tmp_path, source, dispatch.indirect_calls)


PAYLOADS = """
#![crate_type = "lib"]
#[inline(never)]
fn callee(x: &[Result<f32, u32>], by: f32) -> f32 { x.iter().flatten().map(|value| value * by).sum() }
#[unsafe(no_mangle)]
pub extern "C" fn shim(by: f32, n: u32, to: &mut f32, magic: &mut u64) {
    *to = callee(&[if n == 2 { Ok(2.25) } else { Err(7) }, Ok(-1.5)], by);
    *magic = 0x9e37_79b9_7f4a_7c15;
}
#[unsafe(no_mangle)]
pub extern "C" fn without(n: u32, magic: &mut [u32; 2]) { *magic = if n == 2 { [0x9e37_79b9, 1] } else { [0x7f4a_7c15, 2] }; }
"""


@pytest.mark.parametrize("level", ["1", "2", "3", "s"])
def test_a_constant_payload_is_stored_as_the_float_that_it_may_be(tmp_path: Path, level: str) -> None:
    """Enzyme's tangent of memory that holds integers is those integers: read as a float, a constant too much."""
    compiled(tmp_path, PAYLOADS, level, "-Cno-vectorize-slp")
    text = rewritten(tmp_path, lambda editor, _: repair(editor.module, editor.module.named(["shim", "without"])))
    assert re.search(r"store float -1\.5", body(text))
    assert re.search(r"(select|phi) .*float .*2\.25", body(text))
    assert "store i64 -7046029254386353131" in body(text)
    assert "float" not in body(text, "without")


# ---- overlaps and copies


def test_an_overlapping_move_goes_by_a_copy(tmp_path: Path) -> None:
    source = """define void @shim(ptr %x, i64 %n) {
  %to = getelementptr i8, ptr %x, i64 8
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %x, i64 %n, i1 false)
  ret void
}
define void @unrelated(ptr %x, ptr %y) {
  call void @llvm.memmove.p0.p0.i64(ptr %y, ptr %x, i64 8, i1 false)
  ret void
}"""
    text = mended(tmp_path, source, overlaps.by_copy)
    calls = re.findall(r"call .*@([\w.]+)\(.*", body(text))
    assert calls == ["malloc", "llvm.memcpy.p0.p0.i64", "llvm.memcpy.p0.p0.i64", "free"]
    assert "memmove" in body(text, "unrelated")


def test_a_copy_is_aligned_as_the_move_was(tmp_path: Path) -> None:
    """What begins amid an element is known by that."""
    source = """define void @shim(ptr %x, ptr %to) {
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %to, ptr align 32 %x, i64 64, i1 false)
  ret void
}"""
    text = body(mended(tmp_path, source, overlaps.by_copy))
    assert re.findall(r"ptr (?:align (\d+) )?%", text) == ["16", "16", "4", "4", ""]


def test_zeroed_memory_is_zeroed_by_a_store(tmp_path: Path) -> None:
    source = """declare ptr @calloc(i64, i64)
define ptr @shim(i64 %n) {
  %x = call ptr @calloc(i64 %n, i64 8)
  ret ptr %x
}"""
    text = body(mended(tmp_path, source, zeroed.by_store))
    assert re.findall(r"@([\w.]+)\(", text) == ["malloc", "llvm.memset.p0.i64"]
    assert "ret ptr %2" in text


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("%v = load double, ptr %place", "Float@double"),
        ("%v = load float, ptr %place", "Float@float"),
        ("%v = load double, ptr %place\n  store double %v, ptr %x", "Float@double"),
        ("%v = load ptr, ptr %place", "Pointer"),
        ("%v = load double, ptr %place\n  store i64 3, ptr %x", ""),
        ("%v = load i64, ptr %place", ""),
        ("store ptr %place, ptr %to", ""),
    ],
)
def test_what_is_filled_is_of_the_type_that_it_is_read_as(tmp_path: Path, written: str, kind: str) -> None:
    source = f"""declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @shim(ptr %to, i64 %n) {{
  %x = alloca [8 x double]
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 64, i1 false)
  %place = getelementptr double, ptr %x, i64 %n
  {written}
  ret void
}}"""
    text = body(mended(tmp_path, source, fills.say_what_is_filled))
    assert re.findall(r'"enzyme_type"="{\[-1\]:Pointer, \[-1,-1\]:([^}]*)}"', text) == [kind] * bool(kind)


def test_what_is_filled_with_marks_holds_no_floats(tmp_path: Path) -> None:
    """As the control bytes of a hash table, of which nothing says a type."""
    source = """declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @shim(ptr %x, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %x, i8 -1, i64 %n, i1 false)
  ret void
}"""
    assert '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}"' in body(mended(tmp_path, source, fills.say_what_is_filled))
    unknown = source.replace("i8 -1", "i8 0")
    assert "enzyme_type" not in body(mended(tmp_path, unknown, fills.say_what_is_filled))


BOXED = """
#![crate_type = "lib"]
#[repr(C)] pub struct Counts { key: u64, sum: f64, count: usize, next: [usize; 2] }
#[unsafe(no_mangle)] pub fn shim(key: u64) -> RESULT(Counts { key, sum: 0.0, count: 0, next: [0; 2] }) }
"""


@pytest.mark.parametrize("result", ["Box<Counts> { Box::new", "Counts { std::convert::identity"])
def test_zeros_of_several_types_are_stored_one_by_one(tmp_path: Path, result: str) -> None:
    """What a box is made for, or a function returns, says which they are."""
    compiled(tmp_path, BOXED.replace("RESULT", result), "3")
    assert "llvm.memset" in body(rewritten(tmp_path, lambda *_: None))
    text = body(rewritten(tmp_path, fills.say_what_is_filled))
    assert sorted(re.findall(r"store (\w+ [\d.e+]+),", text)) == ["double 0.000000e+00", *["i64 0"] * 3]
    assert "llvm.memset" not in text


LEAF = """
#![crate_type = "lib"]
pub enum Tree { Leaf(f64), Split { feature: usize, threshold: f64, below: Box<Tree>, above: Box<Tree> } }
#[unsafe(no_mangle)] pub fn shim() -> Tree { Tree::Leaf(0.0) }
"""
ENTRY = """
#![crate_type = "lib"]
#[unsafe(no_mangle)] pub fn shim(at: *mut ((u32, usize), f64), n: usize) { unsafe { at.add(n).write(((0, 0), 0.0)) } }
"""
WHOLE = ENTRY.replace("((u32, usize), f64)", "(usize, f64, bool)").replace("((0, 0), 0.0)", "(0, 0.0, false)")


@pytest.mark.parametrize(
    ("source", "stored"),
    [
        (LEAF, ["double 0.000000e+00", "ptr null"]),
        (ENTRY, ["double 0.000000e+00", "i32 0", "i64 0"]),
        (WHOLE, ["double 0.000000e+00", "i64 0", "i8 0"]),
    ],
)
def test_zeros_say_what_they_are(tmp_path: Path, source: str, stored: list[str]) -> None:
    """Which variant of an enum; a part of an element, by what is written beside it, be there padding between; a whole one."""
    compiled(tmp_path, source, "3")
    assert "llvm.memset" in body(rewritten(tmp_path, lambda *_: None))
    text = body(rewritten(tmp_path, fills.say_what_is_filled))
    assert sorted(re.findall(r"store (\w+ (?:[\d.e+]+|null)),", text)) == stored
    assert "llvm.memset" not in text


TWO_ELEMENTS = """
#![crate_type = "lib"]
#[unsafe(no_mangle)] pub fn shim(first: &mut (usize, f64)) { unsafe { std::ptr::from_mut(first).write_bytes(0, NUMBER) } }
"""


@pytest.mark.parametrize(("number", "stored"), [("1", ["double 0.000000e+00", "i64 0"]), ("2", [])])
def test_zeros_of_which_only_the_first_are_known_are_not_those_alone(tmp_path: Path, number: str, stored: list[str]) -> None:
    """By a reference to the first element of some nobody knows of the others."""
    compiled(tmp_path, TWO_ELEMENTS.replace("NUMBER", number), "3")
    text = body(rewritten(tmp_path, fills.say_what_is_filled))
    assert sorted(re.findall(r"store (\w+ [\d.e+]+),", text)) == stored
    assert ("llvm.memset" in text) == (not stored)


TAG_BEHIND = """
#![crate_type = "lib"]
#[repr(C)] pub struct Pair { x: f64, is_new: bool }
pub enum Either { Number(Pair), Count(usize) }
#[unsafe(no_mangle)] pub fn shim(either: Either) -> bool { matches!(either, Either::Number(..)) }
"""


@pytest.mark.parametrize(("size", "found"), [(8, []), (16, [Word(0, 8, "f64"), Word(8, 1, INTEGER)])])
def test_zeros_before_a_tag_do_not_say_which_variant_it_is(tmp_path: Path, size: int, found: list[Word]) -> None:
    compiled(tmp_path, TAG_BEHIND, "0")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        (either,) = parameter_types(module, *module.named(["shim"]))
        assert words_of_zeros(module, either, size) == found


MEMBER_FIRST = """
#![crate_type = "lib"]
pub struct Inner { a: f64, b: f64 }
#[repr(C)] pub struct Outer { inner: Inner, counts: [usize; 4] }
impl Inner { #[inline(always)] fn scale(&mut self, by: f64) { self.a *= by; self.b -= self.a; } }
unsafe extern "C" { safe fn used(outer: &mut Outer); }
#[unsafe(no_mangle)] pub fn shim(by: &f64) -> f64 {
    let mut outer = Outer { inner: Inner { a: *by, b: 1.0 }, counts: [0; 4] };
    outer.inner.scale(*by);
    used(&mut outer);
    outer.inner.b + outer.counts[2] as f64
}
"""


def test_what_ends_before_says_nothing_of_what_is_filled(tmp_path: Path) -> None:
    compiled(tmp_path, MEMBER_FIRST, "3")
    filled = body(rewritten(tmp_path, lambda *_: None))
    assert "llvm.memset" in filled
    assert re.search(r"#dbg_value\(ptr %outer, !\d+, !DIExpression\(\),", filled)  # a member as well
    assert body(rewritten(tmp_path, fills.say_what_is_filled)).count("store i64 0,") == 4


def test_memory_that_is_chosen_from_or_held_somewhere_is_active(tmp_path: Path) -> None:
    source = """declare ptr @malloc(i64)
define ptr @shim(i1 %c, ptr %other) {
  %alone = call ptr @malloc(i64 16)
  store double 1.0, ptr %alone
  %held = call ptr @malloc(i64 24)
  br i1 %c, label %grows, label %out
grows:
  %grown = call ptr @malloc(i64 32)
  br label %out
out:
  %memory = phi ptr [ %grown, %grows ], [ %other, %0 ]
  store ptr %held, ptr %memory
  ret ptr %memory
}"""
    text = mended(tmp_path, source, mixed.make_active)
    (attributes,) = re.findall(r"^attributes (#\d+) = \{ \"enzyme_active\" \}", text, re.MULTILINE)
    for name, call in (("%grown", "call ptr @malloc(i64 32)"), ("%held", "call ptr @malloc(i64 24)")):
        used = rf"%\d+ = call ptr @crategrad_active_ptr\(ptr {name}\) {attributes}"
        assert re.search(rf"{name} = {re.escape(call)} {attributes}\n +{used}\n", body(text))
    assert re.search(r"%alone = call ptr @malloc\(i64 16\)$", body(text), re.MULTILINE)


def test_memory_whose_address_is_a_number_among_others_is_active_and_what_is_stored_there(tmp_path: Path) -> None:
    """As of vectors that are swapped; where nothing but a constant takes its place it is the only one."""
    source = """declare ptr @malloc(i64)
define void @shim(i1 %c, i64 %other) {
  %alone = call ptr @malloc(i64 16)
  %alone.number = ptrtoint ptr %alone to i64
  %alone.or.none = select i1 %c, i64 %alone.number, i64 8
  %alone.place = inttoptr i64 %alone.or.none to ptr
  store double 5.000000e-01, ptr %alone.place
  %swapped = call ptr @malloc(i64 24)
  %number = ptrtoint ptr %swapped to i64
  %chosen = select i1 %c, i64 %number, i64 %other
  %place = inttoptr i64 %chosen to ptr
  store double 2.500000e-01, ptr %place
  ret void
}"""
    text = body(mended(tmp_path, source, lambda *made: [mixed.make_active(*made), beginnings.make_active(*made)]))
    assert re.search(r"@crategrad_active_ptr\(ptr %swapped\)", text)
    assert "@crategrad_active_double(double 2.500000e-01)" in text
    assert "%alone)" not in text
    assert "store double 5.000000e-01" in text


def test_floats_in_memory_that_is_chosen_from_are_active_but_for_zeros(tmp_path: Path) -> None:
    source = """declare ptr @malloc(i64)
define void @shim(i1 %is_grown, ptr %other, double %x) {
  %chosen = call ptr @malloc(i64 24)
  %alone = call ptr @malloc(i64 8)
  store double 5.000000e-01, ptr %alone
  br label %filled
filled:
  %place = phi ptr [ %chosen, %0 ], [ %next, %filled ]
  store double 2.500000e-01, ptr %place
  %next = getelementptr i8, ptr %place, i64 8
  br i1 %is_grown, label %filled, label %end
end:
  store double 0.000000e+00, ptr %chosen
  store double %x, ptr %next
  %memory = select i1 %is_grown, ptr %other, ptr %chosen
  store double 7.500000e-01, ptr %memory
  ret void
}"""
    mended(tmp_path, source, lambda *_: [])
    assert [found.message[:22] for found in audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"])] == [
        "what is stored here ma"
    ]
    text = mended(tmp_path, source, beginnings.make_active)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) == []
    (attributes,) = re.findall(r"^attributes (#\d+) = \{ \"enzyme_active\" \}", text, re.MULTILINE)
    active = dict(
        re.findall(rf"(%\d+) = call double @crategrad_active_double\(double (.*)\) {attributes}$", text, re.MULTILINE)
    )
    stored = [active.get(value, value) for value in re.findall(r"store double (\S+),", body(text))]
    assert stored == ["5.000000e-01", "2.500000e-01", "0.000000e+00", "%x", "7.500000e-01"]
    assert sorted(active.values()) == ["%x", "2.500000e-01", "7.500000e-01"]


def test_what_counts_is_inactive_but_for_pointers_and_bits(tmp_path: Path) -> None:
    source = """declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.fshl.i64(i64, i64, i64)
define ptr @shim(i64 %n, double %x, ptr %p) {
  %counted = mul i64 %n, 24
  %bytes = shl i64 %n, 3
  %high = shl i64 %n, 32
  store i64 %high, ptr %p
  %hash = call i64 @llvm.fshl.i64(i64 %n, i64 %n, i64 7)
  %mixed = xor i64 %hash, %n
  %is_so = icmp eq i64 %mixed, 3
  %compared = xor i64 %n, 5
  %side_by_side = insertelement <2 x i64> zeroinitializer, i64 %compared, i32 0
  %are_so = icmp eq <2 x i64> %side_by_side, splat (i64 7)
  %bits = xor i64 %n, 9
  %beside = insertelement <2 x i64> zeroinitializer, i64 %bits, i32 0
  %floats = bitcast <2 x i64> %beside to <2 x double>
  %less = call i64 @llvm.umin.i64(i64 %counted, i64 %bytes)
  %sum = fadd double %x, %x
  store double %sum, ptr %p
  %address = ptrtoint ptr %p to i64
  %next = add i64 %address, 8
  %place = inttoptr i64 %next to ptr
  ret ptr %place
}"""
    lines = body(mended(tmp_path, source, integers.say_inactive)).splitlines()
    said = {line.split()[0] for line in lines if "!enzyme_inactive" in line or re.search(r" #\d+$", line)}
    assert said == {"%counted", "%bytes", "%less", "%hash", "%mixed", "%compared", "%side_by_side"}


@pytest.mark.parametrize(
    ("use", "is_hidden"), [("getelementptr i8, ptr %p, i64 %word", True), ("inttoptr i64 %word to ptr", False)]
)
def test_an_address_that_is_chosen_beside_an_index_is_hidden_where_it_is_taken_for_one(
    tmp_path: Path, use: str, is_hidden: bool
) -> None:
    source = f"""define ptr @shim(i1 %is_found, ptr %p, i64 %index) {{
  %address = ptrtoint ptr %p to i64
  %word = select i1 %is_found, i64 %index, i64 %address
  %aligned = select i1 %is_found, i64 8, i64 %address
  %is_so = icmp eq i64 %aligned, 16
  %place = {use}
  ret ptr %place
}}"""
    text = mended(tmp_path, source, integers.say_inactive)
    assert text.count("@crategrad_same_i64(i64 %address)") == is_hidden
    assert ("i64 %index, i64 %address" in text) != is_hidden


@pytest.mark.parametrize(
    ("made", "hidden"),
    [
        (["%up = add i64 %a, 7", "%word = and i64 %up, -8", "%n = sub i64 %word, %a"], ["a"]),
        (["%low = and i64 %a, 7", "%n = icmp eq i64 %low, 0"], ["a"]),
        (["%lacks = sub i64 %count, %a", "%n = add i64 %lacks, %b"], ["a", "b"]),
        (["%lacks = sub i64 %count, %a", "%n = add i64 %b, %lacks"], ["a", "b"]),
        (["%n = sub i64 %b, %a", "%is_before = icmp ult i64 %a, %b"], []),
        (["%word = and i64 %a, -8", "%n = inttoptr i64 %word to ptr"], []),
        (["%word = and i64 %a, -8", "store i64 %word, ptr %q"], []),
        (["%word = and i64 %a, -8", "%n = sub i64 %word, %count"], []),
        (["%n = add i64 %a, %count", "%is_aligned = and i64 %b, 7", "%m = icmp eq i64 %is_aligned, 0"], ["b"]),
    ],
    ids=[
        "to the next word",
        "lowest bits",
        "one taken away before another is added",
        "the other way round",
        "a difference of two",
        "a pointer again",
        "stored",
        "moved by a number",
        "one of two",
    ],
)
def test_an_address_of_which_only_numbers_are_made_is_hidden(tmp_path: Path, made: list[str], hidden: list[str]) -> None:
    lines = "\n  ".join(made)
    source = f"""define void @shim(ptr %p, ptr %q, i64 %count) {{
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  {lines}
  ret void
}}"""
    text = mended(tmp_path, source, integers.say_inactive)
    assert re.findall(r"call i64 @crategrad_same_i64\(i64 %(\w)\)", text) == hidden
    assert not [address for address in hidden if re.search(rf"= (?:add|sub|and|icmp) .*%{address}\b", text)]


def test_what_is_loaded_as_a_float_is_said_to_be_one(tmp_path: Path) -> None:
    source = """define double @shim(ptr %x) {
  %value = load double, ptr %x
  %word = load i64, ptr %x
  ret double %value
}
define float @bystander(ptr %x) {
  %value = load float, ptr %x
  ret float %value
}"""
    text = mended(tmp_path, source, floats.say_loaded)
    assert re.findall(r"(%\w+) = load .*!enzyme_type", text) == ["%value"]
    assert '!{!"Float@double"}' in text


def test_what_memory_is_allocated_or_copied_by_is_an_integer(tmp_path: Path) -> None:
    source = """define ptr @shim(ptr %x, ptr %to) {
  %count = load i64, ptr %x
  %begin = getelementptr i8, ptr %x, i64 8
  %length = load i64, ptr %begin
  %bits = load i64, ptr %to
  %bytes = shl i64 %count, 3
  %memory = call ptr @malloc(i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %memory, ptr %to, i64 %length, i1 false)
  %shifted = shl i64 %bits, 3
  store i64 %shifted, ptr %memory
  ret ptr %memory
}
declare ptr @malloc(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"""
    text = mended(tmp_path, source, floats.say_loaded)
    assert re.findall(r"(%\w+) = load .*!enzyme_type", text) == ["%count", "%length"]
    assert '!{!"Integer"}' in text


@pytest.mark.parametrize(
    ("ty", "said"),
    [("Option<&'a str>", "8-15"), ("(usize, &'a f64)", "0-7"), ("(f64, u32)", "8-11"), ("(f64, Either)", ""), ("usize", "")],
)
def test_what_is_returned_beside_a_pointer_or_a_float_is_an_integer(tmp_path: Path, ty: str, said: str) -> None:
    source = f"""#![crate_type = "lib"]
pub union Either {{ pub float: f64, pub integer: u64 }}
#[inline(never)] fn found<'a>(at: &'a {ty}, by: &mut usize) -> {ty} {{ *by += 1; unsafe {{ std::ptr::read_volatile(at) }} }}
#[unsafe(no_mangle)] pub fn shim<'a>(at: &'a {ty}, by: &mut usize, to: &mut {ty}) {{ *to = found(at, by); }}"""
    compiled(tmp_path, source, "3")
    text = rewritten(tmp_path, floats.say_loaded)
    (attributes,) = re.findall(r'^define .*?"enzyme_type"="{(.*?)}".* @\S*found', text, re.MULTILINE) or [""]
    begin, _, end = said.partition("-")
    assert (
        attributes == ", ".join(f"[{place}]:Integer" for place in range(int(begin), int(end) + 1)) if said else not attributes
    )


REFERENCE = """
#![crate_type = "lib"]
pub struct Edge {{ pub weight: f64, pub next: u32 }}
pub struct Other {{ pub weight: f64, pub next: f32 }}
#[inline(always)] unsafe fn next(edge: {ty}) -> u32 {{ unsafe {{ (*edge).next }} }}
#[inline(always)] fn weight(other: &Other) -> f64 {{ other.weight }}
#[unsafe(no_mangle)] pub unsafe fn shim(at: &{of}, to: *mut u32) {{
    {more}
    unsafe {{ *to = next({made}) }};
}}
"""


@pytest.mark.parametrize(
    ("ty", "of", "made", "more", "known"),
    [
        ("&Edge", "Edge", "at", "", ["Integer"]),
        (
            "&Edge",
            "Edge",
            "at",
            "unsafe { *to.add(1) = weight(std::mem::transmute::<&Edge, &Other>(at)) as u32 };",
            [],
        ),  # nobody knows which of them it is
        ("*const Edge", "u64", "(&raw const *at).cast()", "", []),
    ],
)
def test_what_a_reference_leads_to_is_of_its_type(
    tmp_path: Path, ty: str, of: str, made: str, more: str, known: list[str]
) -> None:
    compiled(tmp_path, REFERENCE.format(ty=ty, of=of, made=made, more=more), "3")
    text = rewritten(tmp_path, floats.say_loaded)
    said = re.findall(r"= load i32, .*!enzyme_type !(\d+)", body(text))
    kinds = [kind for one in said for kind in re.findall(rf"^!{one} = !{{.*, !(\d+)}}", text, re.MULTILINE)]
    assert [re.findall(rf'^!{kind} = !{{!"(.*)"}}', text, re.MULTILINE)[0] for kind in kinds] == known


@pytest.mark.parametrize(("ty", "known"), [("Cell<isize>", ["Integer"]), ("Cell<f64>", ["Float@double"]), ("u64", [])])
def test_what_a_cell_of_integers_holds_is_one(tmp_path: Path, ty: str, known: list[str]) -> None:
    """As the counts of an `Rc` and of a `RefCell`; what is read through a pointer may be anything."""
    read = "at.get()" if "Cell" in ty else "*at"
    source = f"""#![crate_type = "lib"]
use std::cell::Cell;
#[unsafe(no_mangle)] pub unsafe fn shim(at: *const {ty}, to: *mut {ty.removeprefix("Cell<").removesuffix(">")}) {{
    unsafe {{ let at = &*at; *to = {read} }}
}}"""
    compiled(tmp_path, source, "3")
    text = rewritten(tmp_path, floats.say_loaded)
    (load,) = re.findall(r"= load .*", body(text))
    assert re.findall(r'^!\d+ = !{!"(Integer|Float@double)"}', text, re.MULTILINE) == known
    assert ("!enzyme_type" in load) == bool(known)


@pytest.mark.parametrize(("weight", "at", "is_said"), [("f64", "u16", True), ("f64", "u32", False), ("u64", "u16", False)])
def test_what_is_moved_and_narrower_than_the_floats_there_is_an_integer(
    tmp_path: Path, weight: str, at: str, is_said: bool
) -> None:
    source = f"""#![crate_type = "lib"]
pub struct Node {{ weight: {weight}, at: std::mem::MaybeUninit<{at}> }}
#[inline(always)] unsafe fn moved(from: *const Node, to: *mut Node) {{ unsafe {{ (*to).at = (*from).at; }} }}
#[unsafe(no_mangle)] pub unsafe fn shim(from: *const u8, to: *mut u8) {{ unsafe {{ moved(from.cast(), to.cast()); }} }}"""
    compiled(tmp_path, source, "3")
    text = rewritten(tmp_path, floats.say_loaded)
    (load,) = re.findall(r"= load i\d+, .*", body(text))
    assert ("!enzyme_type" in load) == is_said


SWITCH = """define double @shim(i64 %n, double %x) {{
  switch i64 %n, label %out [
    i64 0, label %{third}
    i64 1, label %squares
    i64 4, label %{third}
  ]
squares:
  %square = fmul double %x, %x
  br label %out
other:
  br label %out
out:
  %y = phi double [ %x, %0 ], {twice}[ %square, %squares ], [ 1.0, %other ]
  ret double %y
}}"""


def test_a_switch_that_gives_a_float_twice_is_branches(tmp_path: Path) -> None:
    source = SWITCH.format(third="out", twice="[ %x, %0 ], [ %x, %0 ], ").replace("other:", "other: ; no way leads here")
    text = body(mended(tmp_path, source, switches.lower))
    assert "switch" not in text
    assert [finding.message for finding in audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])] == [_TWICE]
    assert audit(TOOLS.libllvm, tmp_path / "given.bc", forward=["shim"]) == []
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


def test_a_switch_that_gives_each_float_once_stays(tmp_path: Path) -> None:
    assert "switch i64" in body(mended(tmp_path, SWITCH.format(third="other", twice=""), switches.lower))
    assert audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"]) == []


def test_a_switch_that_may_give_a_float_twice_is_branches(tmp_path: Path) -> None:
    """What lies between has no effect, and may go."""
    source = SWITCH.format(third="other", twice="").replace("1.0, %other", "%x, %other")
    assert "switch" not in body(mended(tmp_path, source, switches.lower))
    assert [finding.message for finding in audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])] == [_TWICE]
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


@pytest.mark.parametrize(("unknown", "known"), [("maximumnum.f64", "maxnum.f64"), ("minimumnum.v2f64", "minnum.v2f64")])
def test_the_larger_of_two_is_by_an_intrinsic_that_enzyme_knows(tmp_path: Path, unknown: str, known: str) -> None:
    ty = "<2 x double>" if "v2" in unknown else "double"
    source = f"""declare {ty} @llvm.{unknown}({ty}, {ty})
define {ty} @shim({ty} %x, {ty} %y) {{
  %z = call nsz {ty} @llvm.{unknown}({ty} %x, {ty} %y)
  ret {ty} %z
}}
define {ty} @bystander({ty} %x) {{
  %z = call {ty} @llvm.{unknown}({ty} %x, {ty} %x)
  ret {ty} %z
}}"""
    text = mended(tmp_path, source, extremes.by_older_intrinsics, extremes.let_nan_give_way)
    (counts, other) = ("%x", "%y") if "max" in known else ("%y", "%x")
    (tested,) = re.findall(r"fcmp uno .* (%\w+), \1$", body(text), re.MULTILINE)
    hidden = f"{tested} = call double @crategrad_same_double(double {counts})"  # or LLVM would ask what it is made of
    assert hidden in body(text) if ty == "double" else tested == counts
    (chosen,) = re.findall(rf"(%\d) = select .*, {ty} {other}, {ty} {counts}$", body(text), re.MULTILINE)
    arguments = f"({ty} {chosen}, {ty} %y)" if "max" in known else f"({ty} %x, {ty} {chosen})"
    assert f"%z = call nsz {ty} @llvm.{known}{arguments}" in body(text)
    assert f"@llvm.{unknown}(" in body(text, "bystander")
    assert [found.message[:40] for found in audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])] == [
        "of the larger or the smaller of two floa"
    ]
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


@pytest.mark.parametrize(
    ("arguments", "is_guarded"),
    [
        ("1.000000e+00, double %x", False),
        ("0x7FF8000000000000, double %x", True),
        ("%x, double 1.0", True),
        ("%x, double %x", False),
    ],
)
def test_what_is_a_number_needs_no_other_in_its_place(tmp_path: Path, arguments: str, is_guarded: bool) -> None:
    call = f"%z = call double @llvm.maxnum.f64(double {arguments})"
    source = (
        f"declare double @llvm.maxnum.f64(double, double)\ndefine double @shim(double %x) {{\n  {call}\n  ret double %z\n}}"
    )
    text = body(mended(tmp_path, source, extremes.let_nan_give_way))
    assert (call in text) != is_guarded
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


@pytest.mark.parametrize(("use", "is_found"), [("fptosi double %z to i64", False), ("bitcast double %z to i64", True)])
def test_what_is_only_rounded_may_be_of_nan(tmp_path: Path, use: str, is_found: bool) -> None:
    """LLVM makes the choice of what is left where NaN gave way."""
    source = f"""declare double @llvm.maxnum.f64(double, double)
define i64 @shim(double %x) {{
  %z = call double @llvm.maxnum.f64(double %x, double 0.0)
  %i = {use}
  ret i64 %i
}}"""
    mended(tmp_path, source, lambda *_: None)
    assert ("of the larger or" in str(audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]))) == is_found


COPIES = """
#![crate_type = "lib"]
#[derive(Clone, Copy)] pub struct Point { x: f64, y: [f64; 3] }
#[derive(Clone, Copy)] pub struct Named { x: f64, name: [u64; 2] }
#[inline(always)] fn copy<T>(from: &[T], to: &mut [T]) {
    unsafe { core::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), from.len()) }
}
#[unsafe(no_mangle)] pub fn doubles(from: &[f64], to: &mut [f64]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn singles(from: &[Option<[f32; 0]>], to: &mut [f32], of: &[f32]) { let _ = from; copy(of, to) }
#[unsafe(no_mangle)] pub fn points(from: &[Point], to: &mut [Point]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn counts(from: &[(u32, i32)], to: &mut [(u32, i32)]) { copy(from, to) }
pub enum Either { Float(f64), Count(u64) }
#[repr(C)] pub enum Part { Float(f32), Count(u64) }
pub enum There { Float(f64), At(&'static f64) }
#[unsafe(no_mangle)] pub fn references(from: &[&'static f64], to: &mut [&'static f64]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn bytes(from: &[u8], to: &mut [u8]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn options(from: &[Option<f64>], to: &mut [Option<f64>]) { copy(from, to) }
#[unsafe(no_mangle)] pub unsafe fn boxes(from: &[(Option<Box<u8>>, f64, bool)], to: &mut [(Option<Box<u8>>, f64, bool)]) {
    copy(from, to)
}
#[unsafe(no_mangle)] pub fn either(from: &[Either], to: &mut [Either]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn part(from: &[Part], to: &mut [Part]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn there(from: &[There], to: &mut [There]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn arrays(from: &[([f64; 64], usize)], to: &mut [([f64; 64], usize)]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn named(from: &[Named], to: &mut [Named]) { copy(from, to) }
#[unsafe(no_mangle)] pub fn strings(from: &[&'static str], to: &mut [&'static str]) { copy(from, to) }
"""


LETTERS = """
#![crate_type = "lib"]
use core::ptr::{copy_nonoverlapping, read, write};
type Letter = (char, u8, f64);
#[unsafe(no_mangle)] pub unsafe fn shim(first: *mut Letter, mut at: *mut Letter) {
    let last = read(at);
    while at > first && ((*at.sub(1)).0, (*at.sub(1)).1) > (last.0, last.1) {
        copy_nonoverlapping(at.sub(1), at, 1);
        at = at.sub(1);
    }
    write(at, last);
}
"""

SWAPS = """
#![crate_type = "lib"]
#[unsafe(no_mangle)] pub fn shim(one: &mut (f64, usize), other: &mut (f64, usize)) {
    core::mem::swap(one, other);
    one.0 *= 2.0;
}
"""

KEYS = """
#![crate_type = "lib"]
use std::cell::Cell;
thread_local! { static KEYS: Cell<(u64, u64)> = const { Cell::new((1, 2)) } }
#[unsafe(no_mangle)] pub fn shim(x: &mut f64, keys: &mut (u64, u64)) {
    *keys = KEYS.with(|own| own.replace((own.get().0.wrapping_add(1), own.get().1)));
    *x *= 2.0;
}
"""


TEXT = """declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @shim(ptr %to, ptr %from) !dbg !3 {{
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 18, i1 false), !dbg !10
  ret void
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "lib.rs", directory: "")
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = distinct !DISubprogram(name: "shim", scope: !1, file: !1, unit: !0)
!4 = !DINamespace(name: "core", scope: null)
!5 = !DINamespace(name: "ptr", scope: !4)
!6 = distinct !DISubprogram(name: "copy_nonoverlapping<u8>", scope: !5, file: !1, unit: !0)
!7 = !DINamespace(name: "slice", scope: !8)
!8 = !DINamespace(name: "alloc", scope: null)
!9 = distinct !DISubprogram(name: "to_vec<{of}>", scope: !7, file: !1, unit: !0)
!10 = !DILocation(line: 1, scope: !6, inlinedAt: !11)
!11 = !DILocation(line: 2, scope: !9, inlinedAt: !12)
!12 = !DILocation(line: 3, scope: !3)
"""


@pytest.mark.parametrize(("of", "is_text"), [("u8, alloc::alloc::Global", True), ("f64, alloc::alloc::Global", False)])
def test_text_that_std_copies_is_of_bytes(tmp_path: Path, of: str, is_text: bool) -> None:
    """Of what std was built with debug info has no types; bytes may be of anything, where the caller does not say so, too."""
    text = mended(tmp_path, TEXT.format(of=of), copies.say_what_is_copied)
    assert body(text).count('"enzyme_type"="{[-1]:Pointer, [-1,0]:Integer}"') == 2 * is_text


@pytest.mark.parametrize(("at", "is_text"), [(0, False), (16, False), (24, True)])
def test_bytes_where_floats_are_read_are_no_text(tmp_path: Path, at: int, is_text: bool) -> None:
    read = f"%p = getelementptr i8, ptr %to, i64 {at}\n  %f = load double, ptr %p\n  ret void"
    source = TEXT.format(of="u8, alloc::alloc::Global").replace("ret void", read)
    text = body(mended(tmp_path, source, copies.say_what_is_copied))
    assert text.count("Integer") == 2 * is_text
    assert text.count("Float@double") == 2 * (at == 0)


COMPARED = """
#![crate_type = "lib"]
#[inline(never)] fn of<T: Copy>(from: &[T], to: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let least = if is_less(&from[0], &from[1]) { &from[0] } else { &from[1] };
    unsafe { core::ptr::copy_nonoverlapping(least, &mut to[0], 1) }
}
#[unsafe(no_mangle)] pub fn shim(from: &[f64], to: &mut [f64]) { of(from, to, |a, b| a.total_cmp(b).is_lt()) }
"""


def test_a_float_that_is_compared_by_its_bits_is_moved_as_a_float(tmp_path: Path) -> None:
    compiled(tmp_path, COMPARED, "3")

    def all_retyped(editor: Editor, shims: list[int]) -> None:
        retyped(editor, list(call_tree(editor, shims)))

    assert "store i64" in rewritten(tmp_path, lambda *_: None)
    text = rewritten(tmp_path, all_retyped)
    assert "store double" in text
    assert "store i64" not in text


LABELLED = """
#![crate_type = "lib"]
#[repr(C)] pub struct Labelled { key: usize, label: *const u8, value: f64 }
#[unsafe(no_mangle)] pub unsafe fn shim(from: *const Labelled, to: *mut Labelled) {
    if unsafe { (*from).label }.is_null() {
        return;
    }
    let one = unsafe { core::ptr::read(from) };
    unsafe { ((*to).key, (*to).label, (*to).value) = (one.key, one.label.wrapping_add(1), one.value * 2.0) }
}
"""


def test_words_of_elements_are_known_by_a_pointer_among_them(tmp_path: Path) -> None:
    """The pointer was read before, by who compared it: not all words are read by what moves the element."""
    compiled(tmp_path, LABELLED, "3")
    assert body(rewritten(tmp_path, lambda *_: None)).count("load i64") == 1
    assert body(rewritten(tmp_path, retyped)).count("load i64") == 1
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


VARIABLES = """
#![crate_type = "lib"]
pub struct Grid<T> { columns: usize, elements: [T; 2] }
#[inline(always)] fn copied<T: Copy>(given: &Grid<T>, to: &mut (usize, T)) { *to = (given.columns, given.elements[1]) }
#[unsafe(no_mangle)] pub fn shim(x: f64, columns: usize, change: fn(&mut Grid<f64>), to: &mut (usize, f64)) {
    let mut grid = Grid { columns, elements: [x, x] };
    change(&mut grid);
    copied(&grid, to);
}
"""


def copied(folder: Path, function: str) -> str:
    # Higher up, functions of the same instructions are merged.
    compiled(folder, COPIES, "1")
    return rewritten(folder, lambda editor, _: copies.say_what_is_copied(editor, editor.module.named([function])))


STDS_OWN = """
define void @shim(ptr %to, ptr %from, i64 %length) !dbg !10 {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %length, i1 false), !dbg !20
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!2}
!1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !3, emissionKind: FullDebug)
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "a.rs", directory: ".")
!4 = !DINamespace(name: "core", scope: null)
!5 = !DINamespace(name: "ptr", scope: !4)
!6 = !DINamespace(name: "alloc", scope: null)
!7 = !DIBasicType(name: "f64", size: 64, encoding: DW_ATE_float)
!8 = !{!DITemplateTypeParameter(name: "T", type: !7)}
!10 = distinct !DISubprogram(name: "clone<f64>", scope: !3, file: !3, unit: !1, templateParams: !8)
!11 = distinct !DISubprogram(name: "to_vec<u8, alloc::alloc::Global>", scope: !6, file: !3, unit: !1)
!12 = distinct !DISubprogram(name: "copy_nonoverlapping<u8>", scope: !5, file: !3, unit: !1)
!20 = !DILocation(line: 1, scope: !12, inlinedAt: !21)
!21 = distinct !DILocation(line: 2, scope: !11, inlinedAt: !22)
!22 = distinct !DILocation(line: 3, scope: !10)
"""


def test_what_std_was_built_to_copy_is_not_what_the_function_around_is_made_for(tmp_path: Path) -> None:
    """The name of an element that has floats, too, is a text: of std's own functions debug info has no types."""
    text = body(mended(tmp_path, STDS_OWN, copies.say_what_is_copied))
    assert text.count('"enzyme_type"="{[-1]:Pointer, [-1,0]:Integer}"') == 2


# A vector of floats grows by functions that std was built with, which debug info has the names of alone.
GROWN_BY_STD = (
    STDS_OWN.replace(
        """name: "clone<f64>", scope: !3""",
        """name: "push<f64, alloc::alloc::Global>", scope: !3""",
    )
    .replace("to_vec<u8, alloc::alloc::Global>", "grow_one<{named}, alloc::alloc::Global>")
    .replace("""name: "copy_nonoverlapping<u8>", scope: !5""", """name: "realloc_nonnull", scope: !30""")
    .replace("!20 = !DILocation(line: 1, scope: !12, inlinedAt: !21)", "!20 = !DILocation(line: 1, scope: !12, inlinedAt: !23)")
    .replace("""(name: "T", type: !7)}""", """(name: "T", type: !7), !DITemplateTypeParameter(name: "A", type: !31)}""")
    + """!23 = distinct !DILocation(line: 2, scope: !32, inlinedAt: !21)
!30 = !DINamespace(name: "alloc", scope: !6)
!31 = !DICompositeType(tag: DW_TAG_structure_type, name: "Global", file: !3, scope: !30, elements: !{})
!32 = distinct !DISubprogram(name: "finish_grow<alloc::alloc::Global>", scope: !33, file: !3, unit: !1)
!33 = !DINamespace(name: "raw_vec", scope: !6)
"""
)


@pytest.mark.parametrize(("named", "count"), [("f64", 2), ("u16", 0)])
def test_what_std_was_built_to_grow_is_what_the_function_around_is_made_for_where_the_names_say_so(
    tmp_path: Path, named: str, count: int
) -> None:
    text = body(mended(tmp_path, GROWN_BY_STD.replace("{named}", named), copies.say_what_is_copied))
    assert text.count('"enzyme_type"="{[-1]:Pointer, [-1,0]:Float@double}"') == count


def test_what_somebody_else_reallocates_is_not_what_the_function_around_is_made_for(tmp_path: Path) -> None:
    """A `SmallVec<[f64; 4]>` is made for an array of what it grows by."""
    by_another = GROWN_BY_STD.replace("{named}", "f64").replace('!DINamespace(name: "raw_vec"', '!DINamespace(name: "other"')
    assert "Float@double" not in body(mended(tmp_path, by_another, copies.say_what_is_copied))


# Bytes are copied to where a float is, for all that is known, by a function of std's for texts, or by one that it calls.
TEXT_OVER_FLOATS = STDS_OWN.replace("  call void @llvm", "  store double 0.0, ptr %to\n  call void @llvm").replace(
    """name: "to_vec<u8, alloc::alloc::Global>", scope: !6""", """name: "clone", scope: !30"""
)


@pytest.mark.parametrize(
    ("space", "count"),
    [
        ("""!DINamespace(name: "string", scope: !6)""", 2),
        ("""!DINamespace(name: "str", scope: !6)""", 2),
        ("""!DINamespace(name: "user", scope: null)""", 0),
    ],
)
def test_the_bytes_of_a_text_are_no_floats(tmp_path: Path, space: str, count: int) -> None:
    text = body(mended(tmp_path, f"{TEXT_OVER_FLOATS}!30 = {space}\n", copies.say_what_is_copied))
    assert text.count('"enzyme_type"="{[-1]:Pointer, [-1,0]:Integer}"') == count


def test_what_a_text_is_made_of_by_the_user_is_none(tmp_path: Path) -> None:
    """As by the closure of an iterator of which a `String` is collected."""
    source = (
        TEXT_OVER_FLOATS.replace("scope: !30", "scope: !31")
        + """!30 = !DINamespace(name: "string", scope: !6)
!31 = !DINamespace(name: "user", scope: null)
!32 = distinct !DISubprogram(name: "from_iter", scope: !30, file: !3, unit: !1)
!33 = distinct !DILocation(line: 2, scope: !32, inlinedAt: !22)
"""
    )
    source = source.replace(
        "!21 = distinct !DILocation(line: 2, scope: !11, inlinedAt: !22)",
        "!21 = distinct !DILocation(line: 2, scope: !11, inlinedAt: !33)",
    )
    assert "enzyme_type" not in body(mended(tmp_path, source, copies.say_what_is_copied))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("doubles", "[-1,0]:Float@double"),
        ("singles", "[-1,0]:Float@float"),
        ("points", "[-1,0]:Float@double"),
        ("counts", "[-1,0]:Integer, [-1,1]:Integer, [-1,2]:Integer, [-1,3]:Integer"),
        ("references", "[-1,0]:Pointer"),
        ("bytes", "[-1,0]:Integer"),
    ],
)
def test_a_copy_is_of_the_type_that_its_function_is_about(tmp_path: Path, function: str, told: str) -> None:
    (call,) = re.findall(r"call .*@llvm.memcpy.*", body(copied(tmp_path, function), function))
    assert call.count(f'"enzyme_type"="{{[-1]:Pointer, {told}}}"') == 2


@pytest.mark.parametrize(
    ("function", "loads"),
    [
        ("named", ["i64 Integer", "i64 Integer", "double Float@double"]),
        ("strings", ["ptr Pointer", "i64 Integer"]),
        ("options", ["i64 Integer", "double Float@double"]),
        ("boxes", ["ptr Pointer", "double Float@double", "i8 Integer"]),
        ("either", ["i64 Integer", "double Float@double"]),
        ("part", ["i32 Integer", "float Float@float", "i32 Integer"]),
    ],
)
def test_a_copy_of_mixed_elements_is_made_word_by_word(tmp_path: Path, function: str, loads: list[str]) -> None:
    text = copied(tmp_path, function)
    (copier,) = re.findall(r"call .*@(crategrad_copy\w+)\(", body(text, function))
    assert "llvm.memcpy" not in body(text, function)
    nodes = dict(re.findall(r"^(!\d+) = !\{(.*)\}$", text, re.MULTILINE))
    said = re.findall(r"load (\w+), .*!enzyme_type (!\d+)", body(text, copier))
    kinds = [(ty, nodes[nodes[node].rpartition(" ")[2]]) for ty, node in said]
    assert [f"{ty} {kind[2:-1]}" for ty, kind in kinds] == loads
    assert body(text, copier).count("store ") == len(loads)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, [function]) == []
    if "double Float@double" in loads:
        (found,) = audit(TOOLS.libllvm, tmp_path / "given.bc", [function])
        assert "a copy of elements that hold floats beside other things" in found.message


def test_a_part_of_an_element_is_copied_without_the_padding_that_it_begins_with(tmp_path: Path) -> None:
    compiled(tmp_path, LETTERS, "2")
    assert body(rewritten(tmp_path)).count("i64 11, i1 false") == 2
    text = body(rewritten(tmp_path, copies.say_what_is_copied))
    assert "llvm.memcpy" not in text
    assert text.count("@crategrad_copy_3f648_11(") == 2
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []
    found = audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])
    assert any("may begin amid an element" in one.message for one in found)


@pytest.mark.parametrize("source", [SWAPS, KEYS], ids=["elements", "thread-local"])
def test_words_of_elements_and_of_thread_locals_are_known(tmp_path: Path, source: str) -> None:
    """What is swapped beside a float, or read of a thread-local of integers, is none of the floats around."""
    compiled(tmp_path, source, "1")
    given = body(rewritten(tmp_path, lambda *_: None))

    def mend(editor: Editor, shims: list[int]) -> None:
        retyped(editor, shims)
        statics.say_inactive(editor, shims)

    text = rewritten(tmp_path, mend)
    assert body(text).count("load i64") == given.count("load i64") > 0
    assert audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) == []


def test_words_of_variables_on_the_stack_are_known(tmp_path: Path) -> None:
    """Of a struct that its function reads is known which word is none of the floats that this function is about."""
    compiled(tmp_path, VARIABLES, "1")
    assert body(rewritten(tmp_path, lambda *_: None)).count("load i64") == 1
    assert body(rewritten(tmp_path, retyped)).count("load i64") == 1
    assert [f for f in audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) if "moved as an integer" in f.message] == []


@pytest.mark.parametrize("function", ["there", "arrays"])
def test_a_copy_of_elements_whose_words_are_not_known_or_too_many_stays(tmp_path: Path, function: str) -> None:
    (call,) = re.findall(r"call .*@llvm.memcpy.*", body(copied(tmp_path, function), function))
    assert "enzyme_type" not in call


# ---- constants


@pytest.mark.parametrize(
    ("stored", "visible"),
    [
        ("store i64 4584664420663164929, ptr %x", ["store i32 1, ptr %x", "store i32 0, ptr"]),  # 1, and 1.25 as f32
        ("store i32 1067450368, ptr %x", ["store i32 0, ptr %x"]),
        (
            "%w = select i1 %c, i64 4584664420663164929, i64 0\n  store i64 %w, ptr %x",
            ["select i1 %c, i32 1, i32 0", "select i1 %c, i32 0, i32 0"],
        ),
    ],
)
def test_a_constant_that_may_be_a_float_stays_out_of_the_tangent(tmp_path: Path, stored: str, visible: list[str]) -> None:
    source = f"define void @shim(ptr %x, i1 %c) {{\n  {stored}\n  ret void\n}}"
    text = mended(tmp_path, source, constants.keep_out)
    bits = 64 if "i64" in stored else 32
    assert re.search(rf"call void @crategrad_store_i{bits}\(i{bits} \S+, ptr %x\)", body(text))
    assert f"store i{bits} 4" not in body(text)
    assert [line for line in visible if line not in body(text)] == []


def test_one_of_several_constants_is_chosen_part_by_part(tmp_path: Path) -> None:
    source = """
define void @shim(ptr %x, i1 %c) {
entry:
  br i1 %c, label %some, label %none
some:
  br label %none
none:
  %w = phi i64 [ 4584664420663164929, %some ], [ 0, %entry ]
  store i64 %w, ptr %x
  ret void
}
"""
    text = body(mended(tmp_path, source, constants.keep_out))
    assert re.search(r"phi i32 \[ 1, %some \], \[ 0, %entry \]", text)
    assert re.search(r"phi i32 \[ 0, %some \], \[ 0, %entry \]", text)


@pytest.mark.parametrize(
    "stored", ["store i64 1000, ptr %x", "store i32 0, ptr %x", "store float 1.25, ptr %x", "store i64 %n, ptr %x"]
)
def test_small_numbers_and_what_is_no_constant_stay(tmp_path: Path, stored: str) -> None:
    source = f"define void @shim(ptr %x, i64 %n) {{\n  {stored}\n  ret void\n}}"
    assert "call" not in mended(tmp_path, source, constants.keep_out)


# ---- headers, as rustc makes them

HEADERS = {
    "[f32; 2]": True,
    "[f32; 1]": True,
    "[f64; 1]": True,
    "Vector": True,
    "Option<f32>": True,
    "Option<f64>": True,
    "Result<f32, u32>": True,
    "(bool, f64)": True,
    "(f32, i32)": True,
    "(f64, &'static f64)": True,
    "(Box<f64>, f32)": True,
    "(f32, f32)": False,
    "(f64, f64)": False,
    "[f32; 4]": False,
    "f64": False,
    "u64": False,
    "(u32, u32)": False,
    "[u8; 8]": False,
    "Option<usize>": False,
    "&'static [f64]": False,
    "Vec<f64>": False,
}
"""Types, and whether a function that takes and returns them has floats in its integers, or beside what is none."""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    folder = tmp_path_factory.mktemp("headers")
    source = '#![crate_type = "lib"]\npub struct Vector([f32; 2]);\n'
    for number, ty in enumerate(HEADERS):
        source += f"#[unsafe(no_mangle)] pub fn f{number}(x: {ty}) -> {ty} {{ x }}\n"
    compiled(folder, source, "0")
    with Module(TOOLS.libllvm, folder / "given.bc") as module:
        functions = {module.name(function): function for function in module.functions()}
        editor = Editor(module)
        return {ty: inline.packs_floats(editor, functions[f"f{number}"]) for number, ty in enumerate(HEADERS)}


@pytest.mark.parametrize("ty", HEADERS)
def test_a_header_that_packs_floats_is_known(packed: dict[str, bool], ty: str) -> None:
    assert packed[ty] == HEADERS[ty]


SHIM = """
#![crate_type = "lib"]
#[inline(never)]
fn callee(x: [f32; 2]) -> [f32; 2] { [x[0] * x[1], x[0]] }
#[inline(never)]
fn itself(x: [f32; 2], n: u32) -> [f32; 2] {
    if n == 0 { return x; }
    let y = itself([x[1], x[0] * x[0]], n - 1);
    [y[0] + x[0], y[1]]
}
#[unsafe(no_mangle)]
pub extern "C" fn shim(x: &[f32; 2], to: &mut f32) { let y = callee(*x); *to = y[0] * y[1]; }
#[unsafe(no_mangle)]
pub extern "C" fn other(x: &[f32; 2], to: &mut f32) { let y = itself(callee(*x), 7); *to = y[0] * y[1]; }
#[unsafe(no_mangle)]
pub extern "C" fn unrelated(x: &[f32; 2], to: &mut [f32; 2]) { *to = itself(callee(*x), 9); }
"""


@pytest.fixture
def rust_module(tmp_path: Path) -> Path:
    compiled(tmp_path, SHIM, "2", "-Cno-vectorize-slp")
    return tmp_path


def test_a_callee_with_such_a_header_is_inlined_and_its_floats_are_floats(rust_module: Path) -> None:
    text = body(rewritten(rust_module, lambda editor, shims: repair(editor.module, shims)))
    assert "call" not in text
    assert "load i64" not in text
    assert text.count("load float") == 2


def test_one_that_calls_itself_goes_by_pointer(rust_module: Path) -> None:
    text = rewritten(rust_module, lambda editor, shims: repair(editor.module, editor.module.named(["other"])))
    name = re.search(r"@(\w*itself\w*\.by_pointer)\(ptr %0, ptr %1, i32 %2\)", text)
    assert name, text
    inside = body(text, re.escape(name[1]))
    assert not re.search(r"(load|store|phi|or|shl|lshr) .*i64", re.sub(r"#dbg.*|i64 4", "", inside))
    assert inside.count("store float") == inside.count("load float") == 4
    assert "trunc" not in inside


def test_what_is_called_from_elsewhere_keeps_its_header_there(rust_module: Path) -> None:
    """Nobody pays who does not differentiate: the call in `unrelated` is the one that rustc made."""
    text = rewritten(rust_module, lambda editor, shims: repair(editor.module, editor.module.named(["shim", "other"])))
    assert re.search(r"call .*i64 @\w*callee\w*\(i64", body(text, "unrelated"))
    assert re.search(r"call .*i64 @\w*itself\w*\(i64", body(text, "unrelated"))


CALLED = """define void @shim(ptr %x, ptr %to) {
  %value = load double, ptr %x
  %y = call double @f(double %value)
  %z = call double @ATTRIBUTED(double %y)
  store double %z, ptr %to
  ret void
}
define double @f(double %x) {
  %y = call double @g(double %x)
  ret double %y
}
define double @g(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define double @apart(double %x) noinline {
  ret double %x
}
define double @itself(double %x) {
  %y = call double @itself(double %x)
  ret double %y
}"""


@pytest.mark.parametrize(("called", "stays"), [("f", False), ("apart", True), ("itself", True)])
def test_what_a_shim_calls_is_inlined_and_nothing_further_down(tmp_path: Path, called: str, stays: bool) -> None:
    text = body(mended(tmp_path, CALLED.replace("ATTRIBUTED", called), inline.what_shims_call))
    assert set(re.findall(r"call double @(\w+)", text)) == ({"g", called} if stays else {"g"})


def test_one_that_calls_itself_is_not_inlined(rust_module: Path) -> None:
    with Module(TOOLS.libllvm, rust_module / "given.bc") as module:
        editor = Editor(module)
        (other,) = (function for function in module.functions() if module.name(function) == "other")
        done = inline.headers_with_packed_floats(editor, [other])
        assert not any("itself" in line for line in done)
        assert any("itself" in module.name(function) for function in call_tree(editor, [other]))
        assert indirect_calls(editor, other) == []


ENTRY = """
#![crate_type = "lib"]
pub enum Entry<'a> { Old(&'a f64, &'a [f64]), New(u64, usize, bool) }
#[inline(never)]
fn entry(x: &[f64], at: usize) -> Entry<'_> {
    match x.get(at) { Some(value) => Entry::Old(value, x), None => Entry::New(at as u64 * 0x9e37, at, at % 3 == 0) }
}
#[unsafe(no_mangle)]
pub extern "C" fn shim(x: &[f64; 5], at: usize, to: &mut f64) {
    *to = match entry(x, at) {
        Entry::Old(value, x) => *value * x[0],
        Entry::New(hash, at, is_odd) => if is_odd { hash as f64 } else { at as f64 },
    };
}
"""


def test_pointers_and_numbers_that_are_returned_in_one_place_have_their_own_ways(tmp_path: Path) -> None:
    compiled(tmp_path, ENTRY, "2")
    assert re.search("call .*sret", body(rewritten(tmp_path, lambda *_: None)))
    text = body(rewritten(tmp_path, inline.results_with_pointers_for_numbers))
    assert not re.search("call .*sret|alloca|inttoptr", text), text


@pytest.mark.parametrize("name", NAMES)
def test_a_repair_can_be_left_out(rust_module: Path, name: str) -> None:
    def done(without: set[str]) -> set[str]:
        lines: list[str] = []
        rewritten(rust_module, lambda e, _: lines.extend(repair(e.module, e.module.named(["shim", "other"]), without=without)))
        return {line.partition(":")[0] for line in lines}

    assert {"inline", "by_pointer", "split_words"} <= done(set()) <= set(NAMES)
    assert name not in done({name})
    assert done(set(NAMES)) == set()


# ---- results

RETURNS = """define void @shim(ptr %x, ptr %y) {{
  %value = call double @f(ptr %x)
  ret void
}}
define {returned} @f(ptr %x) {{
  %value = load double, ptr %x
  %is_large = fcmp ogt double %value, 5.0
  br i1 %is_large, label %large, label %out
large:
  {first}
  br label %out
out:
  {second}
  ret {result}
}}
define void @g(ptr %x) {{
  store double 1.0, ptr %x
  ret void
}}
define void @inactive(ptr %x) "enzyme_inactive" {{
  ret void
}}"""
CALL, OTHER, NO_CALL = "call void @g(ptr %x)", "call void @inactive(ptr %x)", ""


@pytest.mark.parametrize(
    ("first", "second", "result", "is_lost"),
    [
        (CALL, NO_CALL, "double %value", True),
        (CALL, CALL, "double %value", True),
        (NO_CALL, CALL, "double %value", False),
        (OTHER, NO_CALL, "double %value", False),
        (CALL, OTHER, "double %value", False),
        (CALL, NO_CALL, "void", False),
    ],
)
def test_a_result_is_kept_whatever_branch_calls_something(
    tmp_path: Path, first: str, second: str, result: str, is_lost: bool
) -> None:
    """What is inactive is no reason to lose a result, and one to keep it where it may free memory."""
    source = RETURNS.format(returned=result.partition(" ")[0], first=first, second=second, result=result)
    source = source if result != "void" else source.replace("double @f", "void @f").replace("%value = call void", "call void")
    mended(tmp_path, source, lambda *_: None)
    found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])]
    assert ["what is returned here would be lost" in message for message in found] == [True] * is_lost
    text = mended(tmp_path, source, results.keep)
    assert ("crategrad_free_nothing" in body(text, "f")) == is_lost
    assert audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) == []
