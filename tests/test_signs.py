"""The sign of a float among its bits: taken off, turned and set, it is the float's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.repairs import signs
from tests.test_repairs import body, mended
from tests.workbench import Workbench, every_strategy

pytestmark = pytest.mark.toolchain

PROGRAM = """\
use autodiff::*;

const SIGN: u64 = 1 << 63;

#[autodiff_reverse(d_off, Duplicated, Active)]
#[autodiff_forward(f_off, Dual, Dual)]
fn off(x: &[f64]) -> f64 { x.iter().map(|x| f64::from_bits(x.to_bits() & !SIGN) * x).sum() }

#[autodiff_reverse(d_turned, Duplicated, Active)]
#[autodiff_forward(f_turned, Dual, Dual)]
fn turned(x: &[f64]) -> f64 { x.iter().map(|x| f64::from_bits(x.to_bits() ^ SIGN) * x).sum() }

#[autodiff_reverse(d_set, Duplicated, Active)]
#[autodiff_forward(f_set, Dual, Dual)]
fn set(x: &[f64]) -> f64 { x.iter().map(|x| f64::from_bits(x.to_bits() | SIGN) * x).sum() }

#[autodiff_reverse(d_single, Duplicated, Active)]
#[autodiff_forward(f_single, Dual, Dual)]
fn single(x: &[f32]) -> f32 { x.iter().map(|x| f32::from_bits(x.to_bits() & 0x7fff_ffff) * x).sum() }

macro_rules! check {
    ($ty:ty: $reverse:ident, $forward:ident, $slope:expr) => {
        let x: [$ty; 4] = [1.5, -0.5, -2.0, 0.25];
        let (mut dx, right) = ([0.0; 4], x.map($slope));
        $reverse(&x, &mut dx, 1.0);
        assert_eq!(dx, right);
        for i in 0..4 {
            let mut unit = [0.0; 4];
            unit[i] = 1.0;
            assert_eq!($forward(&x, &unit).1, right[i]);
        }
    };
}

fn main() {
    check!(f64: d_off, f_off, |x| 2.0 * x.abs());
    check!(f64: d_turned, f_turned, |x| -2.0 * x);
    check!(f64: d_set, f_set, |x| -2.0 * x.abs());
    check!(f32: d_single, f_single, |x| 2.0 * x.abs());
}
"""


@every_strategy
def test_derivatives_are_exact(strategy: str, tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.write(PROGRAM)
    bench.build(f"strategy={strategy}", "enzyme.fast_math=false")
    subprocess.run([bench.output() / "bench"], check=True)


MODULE = """define double @shim(ptr %x) {{
  %word = load i64, ptr %x
  %bits = {what} i64 %word, {mask}
  {more}
}}"""
AS_FLOAT = "%float = bitcast i64 %bits to double\n  ret double %float"
OFF, SIGN = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("what", "mask", "made"),
    [
        ("and", OFF, ["call double @llvm.fabs.f64"]),
        ("or", SIGN, ["call double @llvm.fabs.f64", "fneg double"]),
        ("xor", SIGN, ["fneg double"]),
    ],
)
def test_each_is_computed_with_the_float(what: str, mask: int, made: list[str], tmp_path: Path) -> None:
    text = body(mended(tmp_path, MODULE.format(what=what, mask=mask, more=AS_FLOAT), signs.of_floats))
    assert f" {what} " not in text
    assert all(one in text for one in made)


@pytest.mark.parametrize(
    ("what", "mask", "more"),
    [
        ("and", SIGN, AS_FLOAT),
        ("and", OFF >> 1, AS_FLOAT),
        ("or", OFF, AS_FLOAT),
        ("and", OFF, "store i64 %bits, ptr %x\n  ret double 0.0"),
    ],
    ids=["the sign alone", "a bit more", "all but the sign", "an integer"],
)
def test_other_bits_are_left(what: str, mask: int, more: str, tmp_path: Path) -> None:
    text = body(mended(tmp_path, MODULE.format(what=what, mask=mask, more=more), signs.of_floats))
    assert f"{what} i64 %word, {mask}" in text
