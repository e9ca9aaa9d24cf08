"""Enums with a float in one variant and a pointer in its place in another."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.ladder import LADDER
from pipeline.repairs import variants
from tests.test_repairs import body, compiled, rewritten
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

BOXED = """
#![crate_type = "lib"]
pub enum Tree { Leaf(f64), Split { at: usize, below: Box<Tree>, above: Box<Tree> } }
pub enum Tagged { Number(f64), Text(Box<u8>), Nothing }
#[unsafe(no_mangle)] pub fn shim(tree: TYPE) -> Box<TYPE> { Box::new(tree) }
"""


@pytest.mark.parametrize(
    ("ty", "tag", "words"),
    [("Tree", "icmp eq ptr", ["ptr", "double", "i64", "ptr", "ptr"]), ("Tagged", "icmp eq i64", ["i64", "double", "ptr"])],
)
def test_a_value_is_copied_as_the_variant_that_it_is(tmp_path: Path, ty: str, tag: str, words: list[str]) -> None:
    """Its tag first, which may be a pointer that is null in the other variant; then the words of that variant."""
    compiled(tmp_path, BOXED.replace("TYPE", ty), "3", "-Cpanic=abort")
    text = rewritten(tmp_path, variants.copy_each)
    (copier,) = re.findall(r"call void @(crategrad_copy_variants_\w+)\(.*, i64 (?:24|16)\)", body(text))
    assert "memcpy" not in body(text)
    assert tag in body(text, copier)
    assert re.findall(r"= load (\w+), ptr %\d+, align 1, !enzyme_type", body(text, copier)) == words


def test_nobody_knows_where_floats_and_pointers_are_read_and_written(tmp_path: Path) -> None:
    compiled(tmp_path, BOXED.replace("TYPE", "Tree"), "3", "-Cpanic=abort")
    text = rewritten(tmp_path, variants.copy_each, variants.forget_places)
    (copier,) = re.findall(r"call void @(crategrad_copy_variants_\w+)\(", body(text))
    (nowhere,) = re.findall(r"(%\d+) = call i64 @crategrad_same_apart_i64\(i64 0, i64 0\)", body(text, copier))
    hidden = re.findall(rf"(%\d+) = getelementptr inbounds \[1 x i8\], ptr %\d+, i64 {nowhere}", body(text, copier))
    accessed = re.findall(r"(?:load|store) (?:ptr|double)(?: %\d+)?, ptr (%\d+)", body(text, copier))
    assert accessed
    assert set(accessed) <= set(hidden)


TREES = """\
#![no_main]
use autodiff::*;

enum Tree {
    Leaf(f64),
    Split { at: usize, below: Box<Tree>, above: Box<Tree> },
}

impl Tree {
    fn grown(values: &[f64]) -> Tree {
        match values {
            [value] => Tree::Leaf(value * value),
            _ => {
                let (left, right) = values.split_at(values.len() / 2);
                Tree::Split { at: values.len(), below: Box::new(Tree::grown(left)), above: Box::new(Tree::grown(right)) }
            }
        }
    }

    fn value(&self, key: usize) -> f64 {
        match self {
            Tree::Leaf(value) => *value,
            Tree::Split { at, below, .. } if key % at == 0 => below.value(key),
            Tree::Split { above, .. } => above.value(key / 2) * 2.0,
        }
    }
}

#[autodiff_reverse(d_trees, Duplicated, Const, Active)]
#[autodiff_forward(t_trees, Dual, Const, Dual)]
fn trees(xs: &[f64], keys: usize) -> f64 {
    let tree = Tree::grown(xs);
    (0..keys).map(|key| tree.value(key)).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (xs, keys) = ([1.5, -2.0, 3.0, 0.5, 1.25], 9 * argc as usize);
    let mut dx = [0.0; 5];
    d_trees(&xs, &mut dx, keys, 1.0);
    // It is a sum of weighted squares, and each weight what it is of one of them.
    let unit = |at: usize| core::array::from_fn::<f64, 5, _>(|i| if i == at { 1.0 } else { 0.0 });
    let is_right = |i: usize| {
        let right = 2.0 * xs[i] * trees(&unit(i), keys);
        dx[i] == right && t_trees(&xs, &unit(i), keys).1 == right
    };
    i32::from(!((0..5).all(is_right) && dx.iter().filter(|&&d| d != 0.0).count() >= 3))
}
"""


def test_a_tree_of_floats_and_boxes_is_differentiated_on_the_rung_that_keeps_them_apart(bench: Workbench) -> None:
    bench.write(TREES)
    built = bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    told = [line for line in built.stdout.splitlines() if "rung" in line]
    assert len(told) == 2
    assert all(line.endswith(f", by the rung `{LADDER[2].name}` of the ladder") for line in told)
    cost = bench.doit("perf", "trees")
    assert "d_trees, reverse mode: " in cost.stdout, cost.stderr
