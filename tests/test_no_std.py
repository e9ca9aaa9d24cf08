"""Crates without std: a static library and a program, each with its own panic handler, and a library of a program with std."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_setups import LIBRARY, is_right, write
from tests.test_strategies import program
from tests.workbench import CUBE, MANIFEST, Workbench, every_strategy

pytestmark = pytest.mark.toolchain

PANICS = """\
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}
#[link(name = "c")]
unsafe extern "C" {
    fn abort() -> !;
}
"""


@every_strategy
def test_program_without_std(bench: Workbench, strategy: str) -> None:
    source = CUBE.replace("#![no_main]", "#![no_std]\n#![no_main]").replace("(dx - 3.0 * x * x).abs()", "(dx - 3.0 * x * x)")
    bench.write(source.replace("1e-12 * dx.abs()", "0.0") + PANICS)
    bench.build(f"config={strategy}")
    assert is_right(bench, strategy)


ALLOCATING = """
extern crate alloc;
use alloc::{boxed::Box, vec::Vec};
use core::alloc::{GlobalAlloc, Layout};
struct OfC;
unsafe impl GlobalAlloc for OfC {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 { unsafe { malloc(layout.size()) } }
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) { unsafe { free(memory) } }
}
#[link(name = "c")]
unsafe extern "C" {
    fn malloc(size: usize) -> *mut u8;
    fn free(memory: *mut u8);
}
#[global_allocator]
static ALLOCATOR: OfC = OfC;
#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, n: usize) -> f64 {
    let mut powers = Vec::new();
    for at in 0..n { powers.push(powers.last().map_or(x, |last| last * x) + at as f64); }
    let sum = Box::new(powers.iter().map(|power| power * x).sum::<f64>());
    *sum * *sum
}
"""


@every_strategy
def test_program_with_an_allocator_and_without_std(bench: Workbench, strategy: str) -> None:
    """The sum is x² + x (x² + 1) + x (x³ + x + 2)."""
    sum_, slope = "(x * x + x * (x * x + 1.0) + x * (x * x * x + x + 2.0))", "(4.0 * x * x * x + 3.0 * x * x + 4.0 * x + 3.0)"
    source = program(ALLOCATING, f"close(df(x, 3, 1.0).1, 2.0 * {sum_} * {slope})")
    bench.write(source.replace("#![no_main]", "#![no_std]\n#![no_main]") + PANICS)
    bench.build(f"config={strategy}")
    assert is_right(bench, strategy)


# Indexing panics where `n` is wrong: the handler is the crate's.
ENERGY = f"""\
#![no_std]
use autodiff::*;
{PANICS}
#[autodiff_reverse(d_energy, Duplicated, Const, Active)]
fn energy(x: &[f64], n: usize) -> f64 {{
    (0..n).map(|i| x[i] * x[i] * x[i]).sum()
}}
/// # Safety
/// There are `length` numbers at `x` and at `dx`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn energy_and_gradient(x: *const f64, dx: *mut f64, length: usize, n: usize) -> f64 {{
    let (x, dx) = unsafe {{ (core::slice::from_raw_parts(x, length), core::slice::from_raw_parts_mut(dx, length)) }};
    d_energy(x, dx, n, 1.0)
}}
"""

C_PROGRAM = """\
#include <stddef.h>
double energy_and_gradient(const double *x, double *dx, size_t length, size_t n);

int main(int argc, char **argv) {
    double x[2] = {1, 2}, dx[2] = {0, 0};
    double energy = energy_and_gradient(x, dx, 2, 1 + argc);
    return !(energy == 9 && dx[0] == 3 && dx[1] == 12);
}
"""


@pytest.fixture
def archived(bench: Workbench) -> Iterator[Workbench]:
    """The crate as a library for C alone."""
    library = bench.folder / "src/lib.rs"
    library.write_text(ENERGY)
    (bench.folder / "src/main.rs").unlink()
    (bench.folder / "Cargo.toml").write_text(
        MANIFEST.replace("[dependencies]", '[lib]\ncrate-type = ["staticlib"]\n[dependencies]')
    )
    yield bench
    library.unlink()


@every_strategy
def test_static_library_without_std(archived: Workbench, tmp_path: Path, strategy: str) -> None:
    archived.build("lib=1", f"config={strategy}")
    (tmp_path / "main.c").write_text(C_PROGRAM)
    subprocess.run(["cc", "-o", "program", "main.c", archived.output(strategy) / "libbench.a"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 0
    assert subprocess.run([tmp_path / "program", "one too many"], check=False).returncode == -6


QUARTIC = """\
#![no_std]
use autodiff::*;
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { x * x * x * x }
pub fn slope(x: f64) -> f64 { df(x, 1.0).1 }
"""


def test_library_without_std_in_a_program_with_it(bench: Workbench) -> None:
    write(bench.folder / "quartic", {"Cargo.toml": LIBRARY.format(name="quartic"), "src/lib.rs": QUARTIC})
    bench.write(
        program("", "close(quartic::slope(x), 4.0 * x.powi(3))"),
        MANIFEST.replace("[workspace]", 'quartic = { path = "quartic" }\n[workspace]'),
    )
    bench.build()
    assert is_right(bench)
    shutil.rmtree(bench.folder / "quartic")
