"""Numbers that Enzyme does not see are in the tangent that a function leaves behind: there, too, an enum is of a variant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.llvm_edit import Editor
from pipeline.repairs import opaque, shadows
from pipeline.stages import MODULE
from tests.test_overlaid import module
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

STORES = """define void @shim(ptr %to, i16 %number) {
  store i64 258, ptr %to
  %beside = getelementptr i8, ptr %to, i64 8
  store i16 %number, ptr %beside
  ret void
}
define void @other(ptr %to) {
  call void @shim(ptr %to, i16 7)
  ret void
}"""


def _hide(editor: Editor, shims: list[int]) -> None:
    for store in [one for one in editor.module.instructions(shims[0]) if editor.is_plain_store(one)]:
        opaque.store(editor, store, is_number=True)


def test_a_number_is_filled_in_by_its_bytes_in_forward_mode(tmp_path: Path) -> None:
    """Each run of equal bytes at once, as many as nobody knows: it would be a store of an integer again."""
    text = body(mended(tmp_path, STORES, _hide, lambda editor, shims: shadows.store_alike(editor, shims, [])))
    filled = re.findall(r"call void @llvm.memset.*\(ptr align 1 (%\S+), i8 (\S+), i64 (%\d+), i1 false\)", text)
    counts = dict(re.findall(r"(%\d+) = call i64 @crategrad_same_i64\(i64 (\d)\)", text))
    assert [(byte, counts[count]) for _, byte, count in filled[:3]] == [("2", "1"), ("1", "1"), ("0", "6")]
    assert [counts[count] for *_, count in filled[3:]] == ["1", "1"]
    assert "crategrad_store" not in text
    assert "store i" not in text


def test_what_reverse_mode_comes_to_as_well_is_stored_once(tmp_path: Path) -> None:
    def for_both(editor: Editor, shims: list[int]) -> None:
        assert shadows.store_alike(editor, shims, editor.module.named(["other"])) == []

    assert "llvm.memset" not in mended(tmp_path, STORES, _hide, for_both)


@pytest.mark.parametrize("is_enum", [True, False])
def test_what_is_stored_once_is_refused_in_forward_mode_where_an_enum_is_left_behind(tmp_path: Path, *, is_enum: bool) -> None:
    source = module("store i64 %given, ptr %value")
    if is_enum:
        source = source.replace("DW_TAG_union_type", "DW_TAG_structure_type").replace("!{!7, !8}", "!{!15}")
        source += "!15 = !DICompositeType(tag: DW_TAG_variant_part, scope: !6, file: !2, size: 64, elements: !{!7})"
    mended(tmp_path, source, _hide)
    found = [one.message for one in audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"])]
    assert [said.startswith("what says which variant an enum is may be stored here, and not") for said in found] == [
        True
    ] * is_enum


PROGRAM = """
use autodiff::*;

#[derive(Clone, Copy, Debug)]
enum Shape { Empty, One(f64), Two(f64, f64), Counted(usize, f64) }

const ALL: [Shape; 4] = [Shape::Counted(2, 0.5), Shape::Two(1.75, -1.25), Shape::Empty, Shape::One(-0.375)];

#[autodiff_forward(t_grown, Dual, Dual, Const, Dual)]
#[autodiff_forward(w_grown, 2, Dual, Dual, Const, Dual)]
fn grown(x: f64, shapes: &mut Vec<Shape>, k: usize) -> f64 {
    let t = x - x;
    shapes.extend_from_slice(&ALL[(t * 3.0) as usize % 6 % 4 + k % 2..]);
    shapes.push(if k % 3 == 0 { Shape::Counted(k, x * x) } else { Shape::One(x * 3.0) });
    shapes.iter().map(numbers).map(|x| x * x).sum()
}

#[inline(never)]
fn next(shape: Shape, x: f64) -> Shape {
    match shape {
        Shape::Empty => Shape::Counted(3, x),
        Shape::One(y) if y > 1.0 => Shape::Two(x * y, y),
        Shape::One(y) => Shape::Counted(5, y * x),
        Shape::Two(y, z) => Shape::One(y * z),
        Shape::Counted(n, y) => if n > 3 { Shape::Empty } else { Shape::One(y * 2.0) },
    }
}

#[autodiff_forward(t_changed, Dual, Dual)]
fn changed(x: f64, shapes: &mut [Shape]) {
    for i in 0..shapes.len() {
        shapes[i] = next(shapes[(i + 1) % shapes.len()], x);
    }
}

fn main() {
    let one = std::env::args().count() as f64;
    for k in 0..6 {
        let given = || vec![Shape::One(0.5 * one), Shape::Two(1.5, 2.5), Shape::Counted(k, 2.0)];
        let zeros = || vec![Shape::One(0.0), Shape::Two(0.0, 0.0), Shape::Counted(k, 0.0)];
        let (mut shapes, mut tangent) = (given(), zeros());
        let (value, slope) = t_grown(1.5 * one, 1.0, &mut shapes, &mut tangent, k);
        println!("{slope} {shapes:?} {tangent:?} {:?}", grown(1.5 * one + STEP, &mut given(), k) - value);
        let (mut shapes, mut tangent, mut other) = (given(), zeros(), zeros());
        let slopes = w_grown(1.5 * one, 1.0, 2.0, &mut shapes, &mut tangent, &mut other, k);
        println!("{} {shapes:?} {other:?} {:?}", slopes[1], slopes[2] * STEP / 2.0);
        let (mut shapes, mut tangent) = (given(), zeros());
        t_changed(1.5 * one, 1.0, &mut shapes, &mut tangent);
        let mut after = given();
        changed(1.5 * one + STEP, &mut after);
        let sum = |shapes: &[Shape]| shapes.iter().map(numbers).sum::<f64>();
        println!("{} {shapes:?} {tangent:?} {:?}", sum(&tangent), sum(&after) - sum(&shapes));
    }
}

const STEP: f64 = 1e-6;

fn numbers(shape: &Shape) -> f64 {
    match *shape { Shape::Empty => 0.0, Shape::One(x) | Shape::Counted(_, x) => x, Shape::Two(x, y) => x + y }
}
"""


def test_an_enum_that_is_left_behind_is_of_the_same_variant_in_the_tangent(bench: Workbench) -> None:
    bench.write(PROGRAM)
    ran = bench.doit("run")
    assert ran.returncode == 0, ran.stderr
    lines = re.findall(r"^(\S+) \[(.*)\] \[(.*)\] (\S+)$", ran.stdout, re.MULTILINE)
    assert len(lines) == 18
    for slope, left, tangent, difference in lines:
        assert re.findall(r"[A-Z]\w+", left) == re.findall(r"[A-Z]\w+", tangent)
        assert float(slope) == pytest.approx(float(difference) / 1e-6, rel=1e-4, abs=1e-4)
