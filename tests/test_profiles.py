"""Cargo's profiles: what is checked as the program runs is what plain cargo has checked, in derivatives and beside them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.host_crates import folder_of
from tests.workbench import MANIFEST, Finished, Workbench

pytestmark = pytest.mark.toolchain

# What is done goes by how many arguments there are; under plain cargo the function itself stands for its derivative.
PROGRAM = """\
#![no_main]
use autodiff::*;
use std::hint::black_box;

#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 {
    debug_assert!(x < 9.0, "x is large");
    x * x * x
}

#[autodiff_reverse(dg, Duplicated, Const, Active)]
fn g(x: &[f64], at: u8) -> f64 {
    let next = at + 1;
    x[usize::from(next) % 2] * x[0]
}

fn of_f(x: f64) -> bool {
    let (value, dx) = if available() { df(x, 1.0) } else { (f(x), 3.0 * x * x) };
    value == x * x * x && dx == 3.0 * x * x
}

fn of_g(at: u8) -> bool {
    let (x, mut dx) = ([2.0, 3.0], [0.0; 2]);
    let value = if available() { dg(&x, &mut dx, at, 1.0) } else { g(&x, at) };
    let (right, gradient) = if at % 2 == 0 { (6.0, [3.0, 2.0]) } else { (4.0, [4.0, 0.0]) };
    value == right && (dx == gradient || !available())
}

#[unsafe(no_mangle)]
pub extern "C" fn main(case: i32, _arguments: *const *const u8) -> i32 {
    let right = match case {
        1 => of_f(2.0),
        2 => of_f(black_box(10.0)),
        3 => of_g(black_box(4)),
        4 => of_g(black_box(255)),
        5 => black_box(200_u8) + black_box(100) == 44,
        6 => black_box([200_u8, 100]).iter().sum::<u8>() == 44,
        7 => black_box(i32::MIN).abs() == i32::MIN,
        8 => unsafe { *black_box([1, 2, 3].as_slice()).get_unchecked(if cfg!(debug_assertions) { 3 } else { 1 }) == 2 },
        9 => {
            debug_assert!(black_box(false), "beside derivatives");
            true
        }
        _ => unreachable!(),
    };
    i32::from(!right) + 10 * i32::from(cfg!(debug_assertions))
}
"""
CASES = range(1, 10)
PROFILES = """
[profile.careful]
inherits = "release"
overflow-checks = true

[profile.quick]
inherits = "dev"
debug-assertions = false
"""

CHECKED = {
    "dev": (2, 4, 5, 6, 7, 8, 9),
    "release": (),
    "careful": (4, 5, 6, 7),
    "quick": (4, 5, 6, 7),
}
"""The cases that panic by profile: of a debug assertion, or because a number overflows."""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    bench = Workbench(tmp_path_factory.mktemp("profiles"))
    bench.write(PROGRAM, MANIFEST + PROFILES)
    return bench


@pytest.mark.parametrize(
    ("profile", "config"),
    [
        ("dev", "slice"),
        pytest.param("dev", "debug", marks=pytest.mark.full),
        ("release", "slice"),
        pytest.param("careful", "slice", marks=pytest.mark.full),
        pytest.param("quick", "slice", marks=pytest.mark.full),
        pytest.param("careful", "fat-lto", marks=pytest.mark.full),
    ],
)
def test_what_is_checked_is_what_cargo_checks(checked: Workbench, profile: str, config: str) -> None:
    checked.build(f"config={config}", f"profile={profile}")
    plain = built_by_cargo(checked.folder, profile)
    for case in CASES:
        ours, cargos = ended(checked.output(config) / "bench", case), ended(plain, case)
        assert ours == cargos, case
        assert (case in CHECKED[profile]) == bool(ours.stderr), case
        assert ours.stderr or ours.returncode == 10 * (profile == "dev"), case


def built_by_cargo(folder: Path, profile: str) -> Path:
    command = ["/usr/bin/cargo", "build", "--quiet", "--profile", profile, "--config", f'profile.{profile}.panic="abort"']
    subprocess.run(command, cwd=folder, env={**os.environ, "PATH": "/usr/bin:/bin"}, check=True)
    return folder / "target" / folder_of(profile) / "bench"


def ended(program: Path, case: int) -> Finished:
    """How the program ended, and what it panicked with: where, by the file's name, and for what."""
    ran = subprocess.run([program, *"x" * (case - 1)], capture_output=True, text=True, check=False)
    panicked = re.search(r"panicked at .*?([^/]*:\n.*)\n", ran.stderr)
    assert bool(panicked) == bool(ran.stderr), ran.stderr
    return Finished(ran.returncode, ran.stdout, panicked[1] if panicked else "")
