"""The tag of an enum is an integer, whatever it is chosen from and stored beside: so is that of the tangent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.repairs import floats
from tests.test_repairs import mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain


@pytest.mark.parametrize(
    ("ty", "below", "is_said"),
    [("i64", 2, True), ("i64", 2**52, True), ("i64", 2**52 + 1, False), ("i32", 2**23, True), ("i32", 2**23 + 1, False)],
)
def test_what_is_smaller_than_the_bits_of_floats_is_an_integer(tmp_path: Path, ty: str, below: int, is_said: bool) -> None:
    source = f"""define void @shim(ptr %x, ptr %to) {{
  %tag = load {ty}, ptr %x, !range !0
  store {ty} %tag, ptr %to
  ret void
}}
!0 = !{{{ty} 0, {ty} {below}}}"""
    text = mended(tmp_path, source, floats.say_loaded)
    assert bool(re.search(r"%tag = load .*!enzyme_type", text)) == is_said


PROGRAM = """
use autodiff::*;

#[autodiff_forward(t_or, Dual, Dual)]
#[autodiff_reverse(d_or, Duplicated, Duplicated)]
fn or(o: &mut Option<f64>, x: &Option<f64>) {
    *o = if let Some(b) = *x { Some(b) } else { *o };
}

#[autodiff_forward(t_product, Dual, Dual)]
#[autodiff_reverse(d_product, Duplicated, Duplicated)]
fn product(o: &mut Option<f64>, x: &Option<f64>) {
    *o = match (*o, *x) { (Some(a), Some(b)) => Some(a * b), (a, None) => a, (_, b) => b };
}

#[autodiff_forward(t_filled, Dual, Dual)]
fn filled(v: &mut [Option<f64>]) -> f64 {
    let n = v.len();
    (0..n).map(|i| {
        v[i] = if let Some(b) = v[(i + 1) % n] { Some(b) } else { v[i] };
        v[i].map_or(1.0, |v| v * v)
    }).sum()
}

fn main() {
    let a = std::env::args().count() as f64;
    for (o, x) in [(Some(a), Some(0.5)), (Some(a), None), (None, Some(0.5)), (None, None)] {
        let (od, xd) = (o.map(|_| 0.25), x.map(|_| 0.125));
        let (mut one, mut tangent) = (o, od);
        t_or(&mut one, &mut tangent, &x, &xd);
        print!("{one:?} {tangent:?} ");
        let (mut one, mut tangent) = (o, od);
        t_product(&mut one, &mut tangent, &x, &xd);
        print!("{one:?} {tangent:?} ");
        let (mut one, mut seed, mut adjoint) = (o, o.or(x).map(|_| 1.0), x.map(|_| 0.0));
        d_or(&mut one, &mut seed, &x, &mut adjoint);
        print!("{adjoint:?} ");
        let (mut one, mut seed, mut adjoint) = (o, o.or(x).map(|_| 1.0), x.map(|_| 0.0));
        d_product(&mut one, &mut seed, &x, &mut adjoint);
        println!("{adjoint:?}");
    }
    let mut v = [Some(a), None, Some(2.0), Some(3.0), None];
    let mut d = [Some(0.5), None, Some(0.25), Some(0.125), None];
    println!("{:?} {d:?}", t_filled(&mut v, &mut d));
}
"""


def test_the_tag_of_a_tangent_is_that_of_the_value(bench: Workbench) -> None:
    bench.write(PROGRAM)
    shown = bench.doit("run")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stdout.splitlines() == [
        "Some(0.5) Some(0.125) Some(0.5) Some(0.25) Some(1.0) Some(1.0)",
        "Some(1.0) Some(0.25) Some(1.0) Some(0.25) None None",
        "Some(0.5) Some(0.125) Some(0.5) Some(0.125) Some(1.0) Some(1.0)",
        "None None None None None None",
        "(24.0, 4.5) [Some(0.5), Some(0.25), Some(0.125), Some(0.125), Some(0.5)]",
    ]
