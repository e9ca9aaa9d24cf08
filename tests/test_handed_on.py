"""Functions that are handed to others; on modules written here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.repairs import handed_on
from tests.test_repairs import body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

HANDED = """define double @shim(ptr %x) {{
  %value = call double @with(ptr %x, ptr @dropped)
  ret double %value
}}
define internal double @with(ptr %x, ptr %drop) {{
  {use}
  %value = load double, ptr %x
  ret double %value
}}
define internal void @dropped(ptr %x) {{
  store double 0.0, ptr %x
  ret void
}}
declare void @strange(ptr)"""


@pytest.mark.parametrize("use", ["", "call void %drop(ptr %x)", "call void @strange(ptr %drop)"])
def test_a_function_that_is_never_called_is_not_handed_on(tmp_path: Path, use: str) -> None:
    text = mended(tmp_path, HANDED.format(use=use), handed_on.nothing_instead)
    assert ("ptr @dropped)" in body(text)) == bool(use)
    constant = re.search(r"^@crategrad_nothing = internal constant i8 0, !enzyme_inactive", text, re.MULTILINE)
    assert bool(constant) != bool(use)


def test_what_is_called_elsewhere_stays(tmp_path: Path) -> None:
    source = HANDED.format(use="").replace(
        "define internal double @with", "declare double @other(ptr, ptr)\ndefine double @with"
    )
    outside = source.replace("@with(ptr %x, ptr @dropped)", "@other(ptr %x, ptr @dropped)")
    assert "@other(ptr %x, ptr @dropped)" in body(mended(tmp_path, outside, handed_on.nothing_instead))


# Two tables of different elements: std's function that both grow by is handed what drops them.
PROGRAM = """\
use autodiff::*;
use std::collections::HashMap;

#[autodiff_reverse(d_grouped, Duplicated, Active)]
fn grouped(xs: &[f64]) -> f64 {
    let mut groups: HashMap<u32, Vec<f64>> = HashMap::new();
    for (i, &x) in xs.iter().enumerate() {
        groups.entry(i as u32 % 2).or_default().push(x);
    }
    (0..2).map(|k| groups[&k].iter().map(|x| x * x).sum::<f64>() * (k + 1) as f64).sum()
}

#[autodiff_reverse(d_summed, Duplicated, Active)]
fn summed(xs: &[f64]) -> f64 {
    let mut sums: HashMap<u64, f64> = HashMap::new();
    for (i, &x) in xs.iter().enumerate() {
        *sums.entry(i as u64 % 2).or_insert(0.0) += x;
    }
    (0..2).map(|k| sums[&k] * sums[&k] * (k + 1) as f64).sum()
}

fn main() {
    for n in [2, 5, 40] {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7 + 1.0).sin()).collect();
        let (mut one, mut other) = (vec![0.0; n], vec![0.0; n]);
        d_grouped(&x, &mut one, 1.0);
        d_summed(&x, &mut other, 1.0);
        for at in 0..n {
            let weight = (at % 2 + 1) as f64;
            let sum: f64 = x.iter().skip(at % 2).step_by(2).sum();
            for (got, right) in [(one[at], 2.0 * x[at] * weight), (other[at], 2.0 * sum * weight)] {
                assert!((got - right).abs() <= 1e-13 * right.abs().max(1.0), "{n}, {at}: {got}, not {right}");
            }
        }
    }
}
"""


def test_tables_of_different_elements(bench: Workbench) -> None:
    """By closed form, to 1e-13 relative, absolute below 1."""
    bench.write(PROGRAM)
    bench.build()
    subprocess.run([bench.output() / "bench"], check=True)
