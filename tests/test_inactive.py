"""`#[autodiff::inactive]`: a derivative calls the function as it stands, and nothing in it is looked at."""

from __future__ import annotations

import subprocess

import pytest

from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

# `sum_of` is variadic, which no derivative can be had of; `weight` is a constant to the derivative, whatever it is made of.
SOURCE = """\
#![no_main]
use autodiff::*;

unsafe extern "C" {
    fn snprintf(to: *mut u8, size: usize, format: *const core::ffi::c_char, ...) -> i32;
}

struct Scale {
    factor: f64,
}

impl Scale {
    #[inactive]
    fn weight<T: Into<f64>>(&self, x: T) -> f64 {
        let x: f64 = x.into();
        let digits = unsafe { snprintf(core::ptr::null_mut(), 0, c"%.0f".as_ptr(), x) };
        self.factor * x * f64::from(digits)
    }
}

#[autodiff_reverse(d, Duplicated, Const, Active)]
#[autodiff_forward(t, Dual, Const, Dual)]
fn f(xs: &[f64], scale: &Scale) -> f64 {
    xs.iter().map(|x| x * x * scale.weight(*x)).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let (xs, scale) = ([x, 2.0 * x], Scale { factor: 0.25 });
    let mut dx = [0.0; 2];
    let value = d(&xs, &mut dx, &scale, 1.0);
    let near = |got: f64, right: f64| (got - right).abs() <= 1e-12 * right.abs();
    let slope = |x: f64| 2.0 * x * 0.25 * x;
    let right = near(value, 0.25 * x * x * x * 9.0)
        && near(dx[0], slope(x))
        && near(dx[1], slope(2.0 * x))
        && near(t(&xs, &[0.0, 1.0], &scale).1, slope(2.0 * x));
    i32::from(!right)
}
"""

THROUGH_MEMORY = SOURCE.replace("-> f64 {\n        let x: f64", "-> [f64; 3] {\n        let x: f64").replace(
    "self.factor * x * f64::from(digits)", "[self.factor, x, f64::from(digits)]"
)
THROUGH_MEMORY = THROUGH_MEMORY.replace("scale.weight(*x)", "scale.weight(*x)[0]")


# What is only chosen and handed on has no type but the one that is said.
CHOSEN = SOURCE.replace("xs.iter().map(|x| x * x * scale.weight(*x)).sum()", "sum_of(&chosen(xs, scale))").replace(
    "    #[inactive]\n",
    """\
    #[inactive]
    fn both(&self, x: f64) -> (f64, usize) {
        (self.weight(x), x as usize)
    }

    #[inactive]
""",
)
CHOSEN += """
#[inline(never)]
fn chosen(xs: &[f64], scale: &Scale) -> Vec<(f64, usize)> {
    let mut all = Vec::new();
    for &x in xs {
        all.push(if x > 0.0 { (x * x * scale.weight(x), 1) } else { scale.both(x) });
        all.push((if x < 0.0 { x } else { scale.weight(-x) }, 0));
    }
    all
}

fn sum_of(all: &[(f64, usize)]) -> f64 {
    all.iter().map(|&(x, n)| x * n as f64).sum()
}
"""


@pytest.mark.parametrize("level", [pytest.param(0, marks=pytest.mark.full), 3])
@pytest.mark.parametrize("source", [SOURCE, CHOSEN], ids=["computed with", "chosen"])
def test_what_is_inactive_is_a_constant_and_may_be_anything(bench: Workbench, source: str, level: int) -> None:
    bench.write(source)
    bench.build(f"opt1.level={level}")
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    assert "inactive: " in (bench.output() / "stages" / "05-abi_fixup.log").read_text()


def test_without_the_attribute_it_is_refused(bench: Workbench) -> None:
    bench.write(SOURCE.replace("    #[inactive]\n", ""))
    assert "error: a variadic function cannot be differentiated: `snprintf`" in bench.doit("build").stderr


def test_what_returns_through_memory_is_refused_at_its_place(bench: Workbench) -> None:
    bench.write(THROUGH_MEMORY)
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "error: an inactive function that returns through memory would leave what its shadow held before" in finished.stderr
    assert "--> src/main.rs:13:5" in finished.stderr


KEEPING = """\
#![no_main]
use autodiff::*;

#[inactive]
fn length(text: KEPT) -> usize {
    text.len()
}

#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    x * x * length(GIVEN) as f64
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    i32::from(df(x, 1.0) != (5.0 * x * x, 10.0 * x))
}
"""


def test_what_frees_what_it_is_given_is_refused(bench: Workbench) -> None:
    """Enzyme frees what is allocated in its sight, too; a reference is as good."""
    bench.write(KEEPING.replace("KEPT", "String").replace("GIVEN", 'String::from("given")'))
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "error: an inactive function that is given memory to keep would free it" in finished.stderr
    assert "  --> src/main.rs:" in finished.stderr
    bench.write(KEEPING.replace("KEPT", "&str").replace("GIVEN", '&String::from("given")'))
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
