"""Where it is asked which address an address is, in what rustc makes and LLVM has optimised as a slice."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.analyses.call_tree import call_tree
from pipeline.analyses.identities import compared_with_copies, of_statics
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from tests.test_repairs import TOOLS, compiled

pytestmark = pytest.mark.toolchain

BEGIN = """
#![crate_type = "lib"]
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
pub struct Rule { a: f64, b: f64, c: f64 }
static A: Rule = Rule { a: 1.0, b: 2.0, c: 3.0 };
static B: Rule = Rule { a: 4.0, b: 5.0, c: 6.0 };
static RULES: [&Rule; 2] = [&Rule { a: 1.5, b: 2.5, c: 3.5 }, &A];
static KNOTS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
static NAME: &str = "of a rule";
static NAMES: [&str; 3] = ["one", "two", "three"];
#[inline(never)] fn square(x: f64) -> f64 { x * x }
fn number<T>(of: &T) -> usize { of as *const T as usize }
#[unsafe(no_mangle)] pub fn shim(x: f64, GIVEN) -> f64 { VALUE }
"""

ASKING = {
    "a static": ("rule: &Rule", "if core::ptr::eq(rule, &A) { x * rule.b } else { x }"),
    "one of a table": ("rule: &Rule", "x * RULES.iter().position(|one| core::ptr::eq(*one, rule)).unwrap_or(7) as f64"),
    "what a static leads to": ("name: &str", "if name.as_ptr() == NAME.as_ptr() { x * x } else { x }"),
    "a range": ("knot: &f64", "if KNOTS.as_ptr_range().contains(&(knot as *const f64)) { x * knot } else { x }"),
    "how far": (
        "knot: &f64",
        "let at = number(knot).wrapping_sub(number(&KNOTS)) / 8; if at < 4 { x * KNOTS[3 - at] } else { x }",
    ),
    "how near": ("key: usize", "if key.abs_diff(number(&A)) < 8 { x * x } else { x }"),
    "which comes first": ("keys: &BTreeMap<usize, f64>", "keys.get(&number(&A)).map_or(x, |value| value * x)"),
    "among bytes": ("keys: &[usize; 3]", "if *keys == [number(&A), number(&B), number(&KNOTS)] { x * x } else { x }"),
    "by a hash": (
        "key: u64",
        "let mut of = DefaultHasher::new(); number(&A).hash(&mut of); if of.finish() == key { x * x } else { x }",
    ),
    "a function's number": ("key: usize", "if key ^ square as usize == 0 { square(x) } else { x }"),
    "a function as what it is not": ("key: *const f64", "if key == square as *const f64 { square(x) } else { x }"),
    "afterwards": ("kept: &Cell<&'static Rule>", "let one = if x > 1.0 { &A } else { &B }; kept.set(one); one.b * x"),
    "one of two, as a key": (
        "keys: &BTreeMap<usize, f64>",
        "let one = if x > 1.0 { &A } else { &B }; keys.get(&number(one)).map_or(x, |value| value * x)",
    ),
    "a number chosen": (
        "keys: &mut Vec<usize>",
        "let key = if x > 1.0 { number(&A) } else { number(&B) }; keys.push(key); x * x",
    ),
    "a table afterwards": ("to: &mut [&'static str; 3]", "*to = NAMES; x"),
}
NOT_ASKING = {
    "how long a table is": ("n: usize", "KNOTS.iter().enumerate().take(n).map(|(at, knot)| knot * at as f64).sum::<f64>() * x"),
    "two tables": (
        "n: usize",
        "KNOTS[n % 4..].iter().chain(&[x]).zip(KNOTS.iter().rev()).map(|(a, b)| a * b).sum()",
    ),
    "where it is in one": ("knot: f64", "KNOTS[KNOTS.partition_point(|one| *one < knot) % 4] * x"),
    "the same text": ("name: &str", "if name == NAME || NAMES.contains(&name) { x * x } else { x }"),
    "a text that is searched": ("name: &str", "NAME.split(' ').filter(|part| *part == name).count() as f64 * x"),
    "one that was chosen here": (
        "at: usize",
        "let one = RULES[at % 2]; if core::ptr::eq(one, RULES[1]) { one.a * x } else { one.c * x }",
    ),
    "kept here": ("at: usize", "let kept = Cell::new(&A); if at > 1 { kept.set(&B); } kept.get().b * x"),
    "a table kept here": ("at: usize", "let mut names = NAMES; names.sort(); names[at % 3].len() as f64 * x"),
    "a table of numbers": ("to: &mut [f64; 4]", "*to = KNOTS; to[0] += x; to[0] * x"),
    "numbers": (
        "keys: &[usize]",
        "let mut all = keys.to_vec(); all.sort(); all.dedup(); all.iter().map(|n| KNOTS[n % 4] * x).sum()",
    ),
    "by names": ("keys: &BTreeMap<String, f64>", "NAMES.iter().filter_map(|name| keys.get(*name)).sum::<f64>() * x"),
}


@pytest.mark.parametrize("case", [*ASKING, *NOT_ASKING])
def test_it_is_asked_which_address_it_is(tmp_path: Path, case: str) -> None:
    given, value = {**ASKING, **NOT_ASKING}[case]
    source = BEGIN.replace("GIVEN", given).replace("VALUE", value)
    compiled(tmp_path, source, "3", "-Cpanic=abort", "-Cno-prepopulate-passes")
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as module:
        editor = Editor(module)
        editor.hide_all_but(["shim"])
        for constant in of_statics(editor):
            editor.keep_address(constant)
        editor.run_passes("default<O2>")
        asked = list(compared_with_copies(editor, call_tree(editor, module.named(["shim"]))))
        assert bool(asked) is (case in ASKING)
