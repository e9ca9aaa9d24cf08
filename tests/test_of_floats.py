"""What functions of bytes copy is of floats where their callers hand floats in; on what rustc makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.debug_info import elements_moved, functions_around, type_name
from pipeline.analyses.moves import is_copy
from pipeline.analyses.of_floats import are_of_floats
from pipeline.audit import audit
from pipeline.llvm import Module
from pipeline.llvm_inspect import Inspector
from tests.test_repairs import TOOLS, compiled

pytestmark = pytest.mark.toolchain

BEGIN = """
#![crate_type = "lib"]
fn bytes(xs: &[NUMBER]) -> &[u8] { unsafe { core::slice::from_raw_parts(xs.as_ptr().cast(), size_of_val(xs)) } }
"""
HANDED_IN = """
#[inline(never)] fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER]) -> Box<[u8]> { copied(bytes(xs)) }
"""
HANDED_ON = """
#[inline(never)] fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[inline(never)] fn skipped(bytes: &[u8], by: usize) -> Box<[u8]> { core::hint::black_box(copied(&bytes[by..])) }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER], by: &usize) -> Box<[u8]> { skipped(bytes(xs), *by) }
"""
KEPT = """
pub struct Text<'a> { at: usize, bytes: &'a [u8] }
#[inline(never)] fn next(text: &mut Text, n: usize) -> Box<[u8]> { text.at += n; text.bytes[text.at..][..n].into() }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER], by: &usize) -> [Box<[u8]>; 2] {
    let mut text = Text { at: *by, bytes: bytes(xs) };
    [next(&mut text, *by), next(&mut text, *by)]
}
"""
STORED = """
#[inline(never)] fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[inline(never)] fn filled(xs: &[NUMBER]) -> Box<[u8]> {
    let mut all = vec![0 as NUMBER; xs.len() + 1];
    for (to, x) in all.iter_mut().zip(xs) { *to = *x * *x; }
    copied(bytes(&all))
}
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER]) -> Box<[u8]> { filled(xs) }
"""

MADE = """
#[inline(never)] fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[inline(never)] fn made(xs: &[NUMBER]) -> Vec<NUMBER> { xs.iter().map(|x| *x * *x).collect() }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER]) -> Box<[u8]> { let all = made(xs); copied(bytes(&all)) }
"""
SHARED = """
static mut SHARED: *const u8 = core::ptr::null();
#[inline(never)] fn copied(size: usize) -> Box<[u8]> { unsafe { core::slice::from_raw_parts(SHARED, size) }.into() }
#[inline(never)] fn shared(xs: &[NUMBER]) { unsafe { SHARED = xs.as_ptr().cast() } }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER]) -> Box<[u8]> { shared(xs); copied(size_of_val(*xs)) }
"""
MIXED = """
#![crate_type = "lib"]
#[derive(Clone, Copy)] pub struct Mixed { n: usize, x: NUMBER }
#[inline(never)] fn copied(bytes: &[u8]) -> Box<[u8]> { bytes.into() }
#[inline(never)] fn made(xs: &[NUMBER]) -> Vec<Mixed> { xs.iter().map(|&x| Mixed { n: 1, x: x * x }).collect() }
#[unsafe(no_mangle)] pub fn shim(xs: &&[NUMBER]) -> Box<[u8]> {
    let all = made(xs);
    copied(unsafe { core::slice::from_raw_parts(all.as_ptr().cast(), size_of_val(&all[..])) })
}
"""


@pytest.mark.parametrize("source", [HANDED_IN, HANDED_ON, KEPT, STORED, MADE, SHARED])
@pytest.mark.parametrize(("number", "is_float"), [("f64", True), ("u64", False)])
def test_floats_that_a_function_of_bytes_copies_are_known_by_its_callers(
    tmp_path: Path, source: str, number: str, is_float: bool
) -> None:
    compiled(tmp_path, (BEGIN + source).replace("NUMBER", number), "3", "-Cpanic=abort")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        inspector = Inspector(module)
        tree = call_tree(inspector, module.named(["shim"]))
        copies = [call for function in tree for call in calls(inspector, function) if is_copy(inspector, call)]
        of_bytes = [copy for copy in copies if inspector.number(module.arguments(copy)[2]) is None]
        assert [are_of_floats(inspector, copy) for copy in of_bytes] == [is_float] * len(of_bytes)
        assert of_bytes


@pytest.mark.parametrize(("number", "is_refused"), [("f64", True), ("u64", False)])
def test_bytes_of_floats_beside_other_things_are_refused(tmp_path: Path, number: str, is_refused: bool) -> None:
    compiled(tmp_path, MIXED.replace("NUMBER", number), "3", "-Cpanic=abort")
    found = audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])
    assert any("a copy of elements that hold floats beside other things" in one.message for one in found) == is_refused


KEYS = """
#![crate_type = "lib"]
use std::collections::HashMap;
#[inline(always)] fn read<T>(word: &T) -> u64 { unsafe { *(word as *const T).cast() } }
#[unsafe(no_mangle)] pub fn shim(map: &mut HashMap<(u64, u64), f64>, x: f64) -> u64 {
    map.insert((1, 2), x);
    map.iter().map(|(key, value)| read(WORD)).fold(0, |sum, word| sum ^ word)
}
"""


@pytest.mark.parametrize(("word", "is_float"), [("&key.0", False), ("&key.1", False), ("value", True)])
def test_beside_the_floats_of_each_element_there_are_none(tmp_path: Path, word: str, is_float: bool) -> None:
    """Which part of a hash table's elements is read is known by how far they are apart."""
    compiled(tmp_path, KEYS.replace("WORD", word), "1", "-Cpanic=abort")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        inspector = Inspector(module)
        tree = call_tree(inspector, module.named(["shim"]))
        loads = (one for function in tree for one in module.returning_instructions(function) if inspector.is_plain_load(one))
        reads = [load for load in loads if functions_around(module, load)[:1] in (["read<u64>"], ["read<f64>"])]
        assert [are_of_floats(inspector, load) for load in reads] == [is_float] * len(reads)
        assert reads


COLLECTED = """
#![crate_type = "lib"]
use std::collections::BTreeSet;
#[unsafe(no_mangle)] pub fn shim(xs: &[usize]) -> BTreeSet<usize> { xs.iter().copied().collect() }
"""


def test_where_pointers_lead_back_among_themselves_an_end_is_found(tmp_path: Path) -> None:
    """The nodes of a `BTreeMap` have places for their children side by side: a way to one may lead by any number of others."""
    compiled(tmp_path, COLLECTED, "3", "-Cpanic=abort")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        inspector = Inspector(module)
        tree = call_tree(inspector, module.named(["shim"]))
        copies = [call for function in tree for call in calls(inspector, function) if is_copy(inspector, call)]
        of_keys = [copy for copy in copies if (ty := elements_moved(module, copy)) and "usize" in type_name(module, ty)]
        assert [are_of_floats(inspector, copy) for copy in of_keys] == [False] * len(of_keys)
        assert of_keys


@pytest.mark.parametrize(
    ("number", "is_float"),
    [("-1", False), ("-1000", False), ("4607182418800017408", True), ("-2251799813685248", True), ("7", False), ("0", False)],
)
def test_what_is_just_below_zero_is_no_float(tmp_path: Path, number: str, is_float: bool) -> None:
    """-1 counts who borrows of a `RefCell`; the fourth is what `-f64::NAN` is."""
    source = tmp_path / "module.ll"
    source.write_text(f"define void @store(ptr %x) {{\n  store i64 {number}, ptr %x\n  ret void\n}}\n")
    with Module(TOOLS.libllvm, source) as module:
        inspector = Inspector(module)
        (store, _) = module.instructions(module.named(["store"])[0])
        assert inspector.could_be_float(inspector.operands(store)[0]) == is_float


EMPTY = """
define void @shim(ptr %node, ptr %to, i64 %size) {
  %where = getelementptr i8, ptr %node, i64 8
  %kept = load ptr, ptr %where
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %kept, i64 %size, i1 false)
  ret void
}
define void @caller(i1 %is_empty, ptr %to, i64 %size) {
  %memory = call ptr @malloc(i64 64)
  %node = select i1 %is_empty, ptr NOWHERE, ptr %memory
  call void @shim(ptr %node, ptr %to, i64 %size)
  ret void
}
define void @other(i64 %at, ptr %floats) {
  %place = getelementptr i8, ptr NOWHERE, i64 %at
  store ptr %floats, ptr %place
  store double 2.0, ptr %floats
  ret void
}
declare ptr @malloc(i64)
@somewhere = internal global [8 x ptr] zeroinitializer
"""


@pytest.mark.parametrize(("nowhere", "is_float"), [("inttoptr (i64 8 to ptr)", False), ("null", False), ("@somewhere", True)])
def test_what_is_empty_leads_to_nothing_that_others_keep(tmp_path: Path, nowhere: str, is_float: bool) -> None:
    (tmp_path / "module.ll").write_text(EMPTY.replace("NOWHERE", nowhere))
    with Module(TOOLS.libllvm, tmp_path / "module.ll") as module:
        inspector = Inspector(module)
        (copy,) = (call for call in calls(inspector, module.named(["shim"])[0]) if is_copy(inspector, call))
        assert are_of_floats(inspector, copy) == is_float
