"""What is copied from one of two places: each copy is from memory of one activity."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.repairs import chosen_copies
from tests.test_repairs import body, mended
from tests.workbench import MANIFEST, Workbench

pytestmark = pytest.mark.toolchain

COPY = """define double @shim(ptr %first, ptr %to, i1 %c) {{
  %own = alloca [96 x i8]
  %other = alloca [96 x i8]
  %from = select i1 %c, ptr {one}, ptr %own
  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {size}, i1 false)
  %value = load double, ptr {kept}
  ret double %value
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"""
GIVEN = {"one": "%first", "to": "%to", "source": "%from", "size": "96", "kept": "%to"}


def test_one_of_two_copies_is_made(tmp_path: Path) -> None:
    text = mended(tmp_path, COPY.format(**GIVEN), chosen_copies.one_by_one)
    assert "call void @crategrad_copy_chosen(i1 %c, ptr %to, ptr %first, ptr %own)" in body(text)
    assert "select" not in body(text)
    assert "memcpy" not in body(text)
    assert body(text, "crategrad_copy_chosen").count("call void @llvm.memcpy.p0.p0.i64(") == 2
    assert "i64 96" in body(text, "crategrad_copy_chosen")


def test_what_is_chosen_stays_where_it_is_used_otherwise(tmp_path: Path) -> None:
    text = mended(tmp_path, COPY.format(**GIVEN | {"kept": "%from"}), chosen_copies.one_by_one)
    assert "select" in body(text)
    assert "crategrad_copy_chosen" in body(text)


@pytest.mark.parametrize("other", [{"one": "%other"}, {"source": "%first"}, {"to": "%from", "source": "%first"}])
def test_a_copy_from_own_memory_and_from_one_place_is_left_alone(tmp_path: Path, other: dict[str, str]) -> None:
    source = COPY.format(**GIVEN | other)
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, chosen_copies.one_by_one)


# The adjoint of what is copied was added to what `first` borrows. d/dx_i of the sum of the products: by central differences.
CONSTANT = """
use autodiff::*;
use std::array::from_fn;

type Pose = [f64; 12];

#[autodiff_reverse(df, Duplicated, Const, Active)]
fn f(x: &[f64], first: &Pose) -> f64 {
    let mut all: Vec<Pose> = Vec::with_capacity(x.len());
    for (i, x) in x.iter().enumerate() {
        let before: Pose = if i % 4 == 0 { *first } else { all[i - 1] };
        all.push(joined(&before, &pose(*x)));
    }
    all.iter().map(|pose| pose[0] * pose[5]).sum()
}

fn pose(x: f64) -> Pose {
    let rows = [[x.cos(), -x.sin(), 0.1], [x.sin(), x.cos(), 0.2], [0.1, 0.2, 0.3]];
    from_fn(|at| if at % 4 == 3 { x } else { rows[at / 4][at % 4] })
}

fn joined(a: &Pose, b: &Pose) -> Pose {
    from_fn(|at| {
        let (row, column) = (4 * (at / 4), at % 4);
        let shift = if column == 3 { a[row + 3] } else { 0.0 };
        a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column] + shift
    })
}

fn main() {
    let x = [2.0, 3.0, 5.0, 0.5, 1.5];
    let first: Pose = from_fn(|at| std::hint::black_box(at as f64 * 0.1 + 0.3));
    let (given, mut dx) = (first, [0.0; 5]);
    let value = df(&x, &mut dx, &first, 1.0);
    assert_eq!(first, given, "what is `Const` was written to");
    assert_eq!(value, f(&x, &first));
    for i in 0..x.len() {
        let (mut up, mut down) = (x, x);
        up[i] += 1e-6;
        down[i] -= 1e-6;
        let difference = (f(&up, &first) - f(&down, &first)) / 2e-6;
        assert!((dx[i] - difference).abs() <= 1e-6 * difference.abs().max(1.0), "{i}: {} {difference}", dx[i]);
    }
    println!("as they should be");
}
"""


def test_what_is_const_is_not_written_to(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.write(CONSTANT, MANIFEST)
    ran = bench.doit("run")
    assert "as they should be" in ran.stdout, ran.stdout + ran.stderr
