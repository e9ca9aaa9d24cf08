"""Floats beside other things, or in their place: constants that are stored there, copies, and zeros; on what rustc makes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.analyses.debug_info import type_name
from pipeline.analyses.variables import Variables
from pipeline.audit import audit, untold
from pipeline.llvm import Module
from pipeline.llvm_inspect import Inspector
from pipeline.repairs import copies, fills
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, compiled, retyped, rewritten

pytestmark = pytest.mark.toolchain

FILLED = """
#![crate_type = "lib"]
#[unsafe(no_mangle)] pub fn shim(n: usize) -> Vec<(FIRST, bool, usize)> { vec![(CONSTANT, false, n); n] }
"""
BITS = {"1e3": "i64 4652007308841189376", "u64::MAX / 3": "i64 6148914691236517205"}
ADJOINT = "a constant that may be a float is stored as an integer here, and reverse mode would take it for an adjoint"


def test_a_constant_that_is_stored_where_a_float_is_is_one(tmp_path: Path) -> None:
    compiled(tmp_path, FILLED.replace("FIRST", "f64").replace("CONSTANT", "1e3"), "3")
    assert f"store {BITS['1e3']}" in body(rewritten(tmp_path))
    assert refused(tmp_path) == [ADJOINT]
    text = body(rewritten(tmp_path, retyped))
    assert f"store {BITS['1e3']}" not in text
    assert "store double 1.000000e+03" in text
    assert not refused(tmp_path)


def test_a_constant_that_is_stored_where_an_integer_is_stays_one(tmp_path: Path) -> None:
    compiled(tmp_path, FILLED.replace("FIRST", "u64").replace("CONSTANT", "u64::MAX / 3"), "3")
    assert f"store {BITS['u64::MAX / 3']}" in body(rewritten(tmp_path, retyped))
    assert not refused(tmp_path)


HANDED_ON = """
#![crate_type = "lib"]
#[derive(Clone, Copy)] pub enum Either { Float(f64), Halves(u32, u32), Words(u64, u64) }
#[inline(never)] fn next(either: Either, x: f64) -> Either {
    match either {
        Either::Float(y) if y > x => Either::Halves(1, 2),
        Either::Float(y) => Either::Float(y * x),
        Either::Halves(a, b) => Either::Float(x * a as f64 + b as f64),
        words => words,
    }
}
#[unsafe(no_mangle)] pub fn shim(all: &mut [Either], x: f64, i: usize) { all[i % 4] = next(all[(i + 1) % 4], x); }
"""
UNTOLD = "what is copied here is now of one type and now of another, and what is known of some of it would be taken for all"


def test_what_is_handed_on_is_copied_as_what_it_is(tmp_path: Path) -> None:
    """What a call returns by an address on the stack, and nobody calls a variable, is of the type that it returns."""
    compiled(tmp_path, HANDED_ON, "3")
    assert "llvm.memcpy" in body(rewritten(tmp_path))
    assert {one.message for one in untold(TOOLS.libllvm, tmp_path / MODULE, ["shim"])} == {UNTOLD}
    text = body(rewritten(tmp_path, copies.say_what_is_copied))
    assert "llvm.memcpy" not in text
    assert re.search(r"call void @crategrad_copy_\w*_8f648_\w*24\(", text)
    assert not untold(TOOLS.libllvm, tmp_path / MODULE, ["shim"])


GIVEN = """
#![crate_type = "lib"]
#[inline(never)] fn sum(all: &[f64]) -> f64 { all.iter().sum() }
#[inline(never)] fn chosen(all: [f64; 3], at: &[usize]) -> f64 { at.iter().map(|at| all[at % 3]).sum() }
#[unsafe(no_mangle)] pub fn shim(x: f64, at: &[usize]) -> f64 {
    let two = [x, 2.0];
    sum(&two[..at.len()]) + chosen([x, 1.0, x], at)
}
"""


def test_what_an_argument_refers_to_is_not_the_reference(tmp_path: Path) -> None:
    """A slice is as large as two floats, and its address is that of the first."""
    compiled(tmp_path, GIVEN, "3")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        inspector, (shim,) = Inspector(module), module.named(["shim"])
        places = [one for one in module.instructions(shim) if inspector.api.IsAAllocaInst(one)]
        found = [Variables(inspector, shim).whole(place, 0) for place in places]
        assert sorted(type_name(module, ty) for ty in found if ty) == ["[f64; 2]", "[f64; 3]"]


ZEROS = """
#![crate_type = "lib"]
#[derive(Clone)] pub struct State { weights: [f64; 4], counts: [u32; 4], best: Option<(usize, f64)> }
#[unsafe(no_mangle)] pub fn shim(i: usize) -> Vec<State> {
    let mut all = vec![State { weights: [0.25; 4], counts: [0; 4], best: None }; 3];
    all[i % 3].weights[i % 4] += 1.0;
    all[0].best = Some((i, all[1].weights[i % 4]));
    all
}
"""


def test_zeros_beside_floats_are_the_integers_of_an_element(tmp_path: Path) -> None:
    """By where floats are written beside them, and however floats may be counted from there."""
    compiled(tmp_path, ZEROS, "3", "-Cno-vectorize-slp")
    assert body(rewritten(tmp_path)).count("i8 0, i64 24, i1 false)") == 2
    text = body(rewritten(tmp_path, fills.say_what_is_filled))
    assert "i8 0, i64 24, i1 false)" not in text
    assert len(re.findall("store i32 0,", text)) == 8


def refused(folder: Path) -> list[str]:
    found = audit(TOOLS.libllvm, folder / MODULE, reverse=["shim"])
    return [one.message for one in found if "adjoint" in one.message]
