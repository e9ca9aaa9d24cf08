"""`panic: unwind`: a panic is caught as ever, but in a derivative, where it ends the program."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PROGRAM = """\
use autodiff::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static DROPPED: AtomicUsize = AtomicUsize::new(0);
struct Noted;
impl Drop for Noted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[autodiff_reverse(d_picked, Duplicated, Const, Active)]
fn picked(x: &[f64], at: usize) -> f64 {
    let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
    squares[at] * x[0]
}

#[inline(never)]
fn outside(at: usize) -> f64 {
    let _noted = Noted;
    picked(&[2.0, 3.0], at)
}

#[inline(never)]
fn inside(at: usize) -> [f64; 2] {
    let (_noted, mut dx) = (Noted, [0.0; 2]);
    assert_eq!(d_picked(&[2.0, 3.0], &mut dx, at, 1.0), 18.0);
    dx
}

fn is_of_the_index(caught: Box<dyn std::any::Any + Send>) -> bool {
    caught.downcast_ref::<String>().unwrap().contains("the len is 2 but the index is 7")
}

fn main() {
    assert_eq!(outside(1), 18.0);
    assert_eq!(inside(1), [9.0, 12.0]);
    assert!(is_of_the_index(catch_unwind(|| outside(7)).unwrap_err()));
    assert!(is_of_the_index(std::thread::spawn(|| outside(7)).join().unwrap_err()));
    assert_eq!(DROPPED.load(Relaxed), 4);
    if std::env::args().count() > 1 {
        let _caught = catch_unwind(AssertUnwindSafe(|| inside(7)));
        println!("a derivative has unwound");
    }
}
"""

UNWIND = ("panic=unwind", "build_std=prebuilt")


def run(bench: Workbench, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([bench.output() / "bench", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("std", ["prebuilt", pytest.param("full", marks=pytest.mark.full)])
def test_a_panic_is_caught_but_in_a_derivative(bench: Workbench, std: str) -> None:
    bench.write(PROGRAM)
    bench.build("panic=unwind", f"build_std={std}")
    assert run(bench).returncode == 0, run(bench).stderr
    ended = run(bench, "panic in the derivative")
    assert ended.returncode == -6
    assert ended.stdout == ""
    assert ended.stderr.count("index out of bounds: the len is 2 but the index is 7") == 3
    assert "fatal runtime error: failed to initiate panic" in ended.stderr


CATCHING = """\
use autodiff::*;

#[autodiff_reverse(d_careful, Duplicated, Const, Active)]
fn careful(x: &[f64], at: usize) -> f64 {
    std::panic::catch_unwind(|| x[at] * x[at]).unwrap_or(0.0)
}

fn main() {
    d_careful(&[2.0, 3.0], &mut [0.0; 2], 1, 1.0);
}
"""


def test_what_would_catch_in_a_derivative_is_refused(bench: Workbench) -> None:
    """std counts panics in a variable that nobody else can name."""
    bench.write(CATCHING)
    refused = bench.doit("build", *UNWIND)
    assert refused.returncode == 1
    assert re.search(r"error: `panic: unwind` wants .* only one codegen unit sees \w*LOCAL_PANIC_COUNT", refused.stderr)


@pytest.mark.parametrize("strategy", ["single-module-merge", "fat-lto"])
def test_one_module_of_all_cannot_unwind(bench: Workbench, strategy: str) -> None:
    refused = bench.doit("build", *UNWIND, f"strategy={strategy}")
    assert refused.returncode == 3
    assert f"panic=unwind: `panic` cannot be `unwind` with `strategy: {strategy}`" in refused.stderr


POINTER = """\
use autodiff::*;
#[autodiff_reverse(d_applied, Const, Active, Active)]
fn applied(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}
fn main() {
    let f: Box<dyn Fn(f64) -> f64> = if std::env::args().count() == 1 { Box::new(|x| x * x) } else { Box::new(f64::sin) };
    d_applied(&*f, 2.0, 1.0);
}
"""


def test_what_only_the_whole_program_tells_is_refused(bench: Workbench) -> None:
    bench.write(POINTER)
    refused = bench.doit("build", *UNWIND)
    assert refused.returncode == 1
    assert (
        "error: `panic: unwind` wants what is differentiated apart from the program, and a pointer is called at src/main.rs:4:"
        in refused.stderr
    )
    assert "`panic: abort`" in refused.stderr


FAILING = """\
use autodiff::*;
#[autodiff_reverse(df, Active, Active)]
fn f(x: f64) -> f64 { x * x }
fn main() {}
#[test]
fn slope() { assert_eq!(df(3.0, 1.0), (9.0, 6.0)); }
#[test]
#[should_panic(expected = "caught by the harness")]
fn panics() { panic!("caught by the harness"); }
"""


def test_tests_run_in_threads_of_one_process(bench: Workbench) -> None:
    bench.write(FAILING)
    ran = bench.doit("run", *UNWIND, "bin=bench", "tests=1")
    assert "2 passed; 0 failed" in ran.stdout, ran.stdout + ran.stderr
    log = bench.output() / "stages/unit-tests/bin-bench/02-crate_bitcode.log"
    assert "-Zpanic_abort_tests" not in log.read_text()
