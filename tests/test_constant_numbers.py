"""What is read of a constant, and handed on, is a number without a tangent in forward mode."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import constant_numbers
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import MANIFEST, Workbench

pytestmark = pytest.mark.toolchain

# `table` and `row` lead to constants, `given` does not: nobody hands one over.
CHOSEN = """@table = private constant [16 x i8] c"\\00\\00\\00\\00\\00\\00\\F8?\\00\\00\\00\\00\\00\\00\\E0?"
@row = private constant { ptr, i64 } { ptr @table, i64 2 }
define double @shim(ptr %x, i64 %i, i1 %c, ptr %list) {
  %place = getelementptr double, ptr @table, i64 %i
  %constant = load double, ptr %place
  %computed = fmul double %constant, %constant
  %given = load double, ptr %x
  %chosen = select i1 %c, double %given, double %constant
  %factor = load double, ptr @table
  %product = fmul double %chosen, %factor
  %behind = load ptr, ptr @row
  %second = getelementptr double, ptr %behind, i64 1
  %one = load double, ptr %second
  store double %one, ptr %x
  %other = call double @picked(ptr %place, ptr %x)
  %sum = fadd double %product, %other
  ret double %sum
}
define double @picked(ptr %from, ptr %given) {
  %number = load double, ptr %from
  %own = load double, ptr %given
  store double %own, ptr %given
  ret double %number
}"""


def test_what_is_handed_on_is_a_sum_and_what_is_computed_with_stays(tmp_path: Path) -> None:
    text = mended(tmp_path, CHOSEN, constant_numbers.say_floats)
    sums = re.findall(r"(%\d+) = fadd double (%\w+), (%\d+)", text)
    assert [number for _, number, _ in sums] == ["%constant", "%one", "%number"]
    nothing = dict(re.findall(r"(%\d+) = call double @crategrad_same_double\(double (\S+)\)", text))
    assert {nothing[of] for *_, of in sums} == {"-0.000000e+00"}
    by_number = {number: made for made, number, _ in sums}
    assert f"select i1 %c, double %given, double {by_number['%constant']}" in body(text)
    assert f"store double {by_number['%one']}, ptr %x" in body(text)
    assert f"ret double {by_number['%number']}" in body(text, "picked")


def test_what_would_be_its_own_tangent_is_refused_in_forward_mode(tmp_path: Path) -> None:
    mended(tmp_path, CHOSEN, lambda *_: [])
    found = audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"])
    assert [finding.message.startswith("what is read here may be a constant's number") for finding in found] == [True]
    assert audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) == []
    mended(tmp_path, CHOSEN, constant_numbers.say_floats)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) == []


# Where the address of a constant comes to memory, what is read of addresses there may be a constant's number.
STORED = """@table = {kind} [1 x double] [double 1.5]
define void @shim(ptr %list, ptr %to) {{
  store ptr {stored}, ptr %list
  %from = load ptr, ptr %list
  %number = load double, ptr %from
  store double %number, ptr %to
  ret void
}}
define void @ends() noreturn {{
  store ptr @table, ptr null
  unreachable
}}"""


@pytest.mark.parametrize(
    ("kind", "stored", "is_mended"),
    [("private constant", "@table", True), ("private constant", "%to", False), ("internal global", "@table", False)],
)
def test_what_may_lead_to_a_constant(tmp_path: Path, kind: str, stored: str, is_mended: bool) -> None:
    source = STORED.format(kind=kind, stored=stored)
    text = mended(tmp_path, source, constant_numbers.say_floats)
    assert ("fadd" in body(text)) == is_mended
    if not is_mended:
        assert text == mended(tmp_path, source, lambda *_: [])


def test_vectors_of_two_types_are_told_apart(tmp_path: Path) -> None:
    source = """@table = private constant <4 x float> <float 1.0, float 0.0, float 0.0, float 0.0>
define void @shim(ptr %to) {
  %four = load <4 x float>, ptr @table
  %two = load <2 x float>, ptr @table
  store <4 x float> %four, ptr %to
  store <2 x float> %two, ptr %to
  ret void
}"""
    text = body(mended(tmp_path, source, constant_numbers.say_floats))
    assert "@crategrad_same_4_x_float(<4 x float> splat (float -0.000000e+00))" in text
    assert "@crategrad_same_2_x_float(<2 x float> splat (float -0.000000e+00))" in text


# Each against its derivative, in both modes; that of `matrix` was wrong only where both were asked for.
TABLES = """
use autodiff::*;

type Matrix = [[f64; 3]; 3];
type Reverse = fn(&[f64], &mut [f64], f64) -> f64;
type Forward = fn(&[f64], &[f64]) -> (f64, f64);

const TURNED: Matrix = [[0.0, -1.0, 0.5], [1.0, 0.0, 0.25], [0.0, 2.0, 1.0]];

#[derive(Clone, Copy)]
struct Material {
    is_solid: bool,
    density: f64,
    index: u32,
    stiffness: f64,
}
const fn material(is_solid: bool, density: f64, index: u32, stiffness: f64) -> Material {
    Material { is_solid, density, index, stiffness }
}
static MATERIALS: [Material; 3] = [material(true, 1.5, 0, 0.5), material(false, -2.0, 2, 0.75), material(true, 0.25, 1, 3.0)];
static LOW: [f64; 2] = [0.5, -1.5];
static HIGH: [f64; 2] = [2.5, 1.75];
static ROWS: [&[f64]; 2] = [&LOW, &HIGH];

// Of the sum of the squares of the entries of a product.
#[autodiff_reverse(r_matrix, Duplicated, Active)]
#[autodiff_forward(f_matrix, Dual, Dual)]
fn matrix(x: &[f64]) -> f64 {
    let mut a = TURNED;
    a[2][0] = x[0];
    a[2][1] = x[1];
    let mut b = TURNED;
    b[0][2] = x[2];
    let mut total = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            let entry: f64 = (0..3).map(|k| a[i][k] * b[k][j]).sum();
            total += entry * entry;
        }
    }
    total
}

#[autodiff_reverse(r_records, Duplicated, Active)]
#[autodiff_forward(f_records, Dual, Dual)]
fn records(x: &[f64]) -> f64 {
    let mut all: Vec<Material> = MATERIALS.to_vec();
    all[x.len() % 3].density = x[0] * x[1];
    let by = |m: &Material| if m.is_solid { m.density * m.density * x[m.index as usize] } else { m.stiffness * m.density };
    all.iter().map(by).sum()
}

#[autodiff_reverse(r_pushed, Duplicated, Active)]
#[autodiff_forward(f_pushed, Dual, Dual)]
fn pushed(x: &[f64]) -> f64 {
    let mut all = Vec::new();
    for (i, &x) in x.iter().enumerate() {
        all.push(if x > 1.0 { x * x } else { MATERIALS[i].stiffness });
    }
    all.iter().zip(x).map(|(a, x)| a * a * x).sum()
}

#[autodiff_reverse(r_rows, Duplicated, Active)]
#[autodiff_forward(f_rows, Dual, Dual)]
fn rows(x: &[f64]) -> f64 {
    let mut last = x[0];
    for (i, &x) in x.iter().enumerate() {
        last = if x > 1.0 { x * last } else { ROWS[i % 2][i / 2] };
    }
    last * last * x[0]
}

fn main() {
    let x = [0.7, -1.3, 1.9];
    let in_rows = 2.5 * x[2];
    let density = x[0] * x[1];
    let in_records = [2.0 * density * x[1] * x[0] + density * density, 2.0 * density * x[0] * x[0] + 0.0625, 0.0];
    let all: [(&str, Reverse, Forward, [f64; 3]); 4] = [
        ("matrix", r_matrix, f_matrix, in_matrix(x)),
        ("records", r_records, f_records, in_records),
        ("pushed", r_pushed, f_pushed, [0.25, 0.5625, 5.0 * x[2].powi(4)]),
        ("rows", r_rows, f_rows, [in_rows * in_rows, 0.0, 2.0 * in_rows * 2.5 * x[0]]),
    ];
    for (name, reverse, forward, right) in all {
        let mut adjoints = [0.0; 3];
        reverse(&x, &mut adjoints, 1.0);
        for i in 0..3 {
            let mut towards = [0.0; 3];
            towards[i] = 1.0;
            for (mode, got) in [("reverse", adjoints[i]), ("forward", forward(&x, &towards).1)] {
                let is_right = (got - right[i]).abs() <= 1e-12 * right[i].abs().max(1.0);
                assert!(is_right, "{name}, {mode}, {i}: {got} instead of {}", right[i]);
            }
        }
    }
    println!("all as they should be");
}

fn in_matrix(x: [f64; 3]) -> [f64; 3] {
    let (mut a, mut b) = (TURNED, TURNED);
    (a[2][0], a[2][1], b[0][2]) = (x[0], x[1], x[2]);
    let entry = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum::<f64>();
    let of_a = |column: usize| (0..3).map(|j| 2.0 * entry(2, j) * b[column][j]).sum::<f64>();
    [of_a(0), of_a(1), (0..3).map(|i| 2.0 * entry(i, 2) * a[i][0]).sum()]
}
"""


@pytest.mark.parametrize("level", ["0", "3"])
def test_numbers_of_tables_have_no_tangents(tmp_path: Path, level: str) -> None:
    bench = Workbench(tmp_path)
    bench.write(TABLES, f'{MANIFEST}\n[profile.of]\ninherits = "release"\nopt-level = {level}\n')
    ran = bench.doit("run", "profile=of", f"opt1.level={level}")
    assert "all as they should be" in ran.stdout, ran.stdout + ran.stderr
