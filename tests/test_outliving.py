"""Memory that a function leaves behind: it stays, or is refused where adjoints would be lost with what it replaces."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.analyses.outliving import outlives
from pipeline.llvm import Module
from pipeline.llvm_inspect import Inspector
from pipeline.toolchain import find_tools
from tests.test_repairs import compiled
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

SHIM = """#![crate_type = "lib"]
use std::cell::{{Cell, RefCell}};
use std::rc::Rc;
static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
static SEEN: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
#[unsafe(no_mangle)] pub unsafe fn shim<'a>(given: *const {given}, result: *mut {result}) {{ {body} }}
"""


@pytest.mark.parametrize(
    ("given", "result", "body", "expected"),
    [
        ("&'a [f64]", "f64", "", False),
        ("&'a mut [f64]", "f64", "", False),
        ("&'a mut (f64, usize)", "(f64, usize)", "", False),
        ("&'a Vec<Vec<f64>>", "f64", "", False),
        ("Vec<f64>", "f64", "", False),
        ("&'a Cell<usize>", "f64", "", False),
        ("&'a mut Vec<u64>", "f64", "", True),
        ("&'a mut [Vec<u64>]", "f64", "", True),
        ("(f64, &'a mut Option<Box<f64>>)", "f64", "", True),
        ("&'a RefCell<Vec<i32>>", "f64", "", True),
        ("Rc<RefCell<Vec<i32>>>", "f64", "", True),
        ("&'a [f64]", "Vec<usize>", "", True),
        ("&'a [f64]", "Option<Box<usize>>", "", True),
        ("&'a [f64]", "f64", "COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);", False),
        ("&'a [f64]", "f64", "SEEN.lock().unwrap().push(7);", True),
    ],
)
def test_memory_may_be_left_where_pointers_may_be_stored(
    tmp_path: Path, given: str, result: str, body: str, expected: bool
) -> None:
    compiled(tmp_path, SHIM.format(given=given, result=result, body=body), "3")
    with Module(find_tools().libllvm, tmp_path / "given.bc") as module:
        (shim,) = module.named(["shim"])
        assert outlives(Inspector(module), shim) == expected


# Each leaves memory behind, thrice; what it leaves must be what a plain call does, and be the caller's to grow and to free.
LEFT = """
use autodiff::*;
use std::cell::RefCell;

#[autodiff_reverse(d_log, Duplicated, Const, Active)]
fn log(x: &[f64], seen: &mut Vec<usize>) -> f64 {
    x.iter().enumerate().filter(|(_, x)| **x > 0.3).map(|(i, x)| { seen.push(i); x * x }).sum()
}

#[autodiff_reverse(d_count, Duplicated, Const, Active)]
fn count(x: &[f64], seen: &RefCell<Vec<i32>>) -> f64 {
    x.iter().map(|x| { seen.borrow_mut().push((x * 10.0) as i32); x * x * seen.borrow().len() as f64 }).sum()
}

#[autodiff_reverse(d_squares, Duplicated, Duplicated, Const)]
fn squares(x: &[f64], to: &mut [f64]) -> Vec<usize> {
    to.iter_mut().zip(x).enumerate().filter_map(|(i, (to, x))| { *to = x * x; (*x > 0.3).then_some(i) }).collect()
}

// What is only moved stays, too.
#[autodiff_reverse(d_rows, Duplicated, Active)]
fn rows(rows: &mut Vec<Vec<f64>>) -> f64 {
    rows.swap(0, 1);
    rows[0].iter().zip(&rows[1]).map(|(a, b)| a * a * b).sum()
}

fn shown(what: &str, left: impl std::fmt::Debug, is_so: bool) {
    println!("{what} {left:?} {is_so}");
}

fn main() {
    let n = std::env::args().count();
    let x: Vec<f64> = (0..n + 3).map(|i| 0.2 + 0.1 * i as f64).collect();
    let (mut seen, cell, mut dx) = (vec![], RefCell::new(vec![]), vec![0.0; n + 3]);
    for _ in 0..3 {
        d_log(&x, &mut dx, &mut seen, 1.0);
    }
    seen.extend(0..99);
    shown("log", &seen[..9], (1..4).all(|i| (dx[i] - 6.0 * x[i]).abs() < 1e-12));
    dx.fill(0.0);
    d_count(&x, &mut dx, &cell, 1.0);
    shown("count", cell, (0..4).all(|i| (dx[i] - 2.0 * x[i] * (i + 1) as f64).abs() < 1e-12));
    dx.fill(0.0);
    let (mut to, mut dto) = (vec![0.0; n + 3], vec![1.0; n + 3]);
    let mut given = d_squares(&x, &mut dx, &mut to, &mut dto);
    given.extend(0..99);
    shown("squares", &given[..3], (0..4).all(|i| (dx[i] - 2.0 * x[i]).abs() < 1e-12));
    let mut given = vec![vec![2.0; n], vec![3.0; n]];
    let mut shadow = vec![vec![0.0; n], vec![0.0; n]];
    d_rows(&mut given, &mut shadow, 1.0);
    shown("rows", given, shadow[1][0] == 9.0 && shadow[0][0] == 12.0);
}
"""


def test_what_is_left_behind_stays(bench: Workbench) -> None:
    bench.write(LEFT)
    shown = bench.doit("run")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stdout.splitlines()[-4:] == [
        "log [1, 2, 3, 1, 2, 3, 1, 2, 3] true",
        "count RefCell { value: [2, 3, 4, 5] } true",
        "squares [1, 2, 3] true",
        "rows [[3.0], [2.0]] true",
    ]


# In each the shadow of what the argument had would be freed, or be that of freed memory.
REPLACED = """
use autodiff::*;

#[autodiff_reverse(d_pushed, Duplicated, Active, Active)]
fn pushed(v: &mut Vec<f64>, k: f64) -> f64 {
    v.push(k * k); v.iter().sum()
}

#[autodiff_reverse(d_made, Duplicated, Active, Active)]
fn made(v: &mut Vec<f64>, k: f64) -> f64 {
    *v = v.iter().map(|v| v * k).collect(); v.iter().sum()
}

#[autodiff_reverse(d_taken, Duplicated, Active, Active)]
fn taken(v: &mut Vec<f64>, k: f64) -> f64 {
    let v = std::mem::take(v); v.iter().map(|v| v * k).sum()
}

#[autodiff_reverse(d_boxed, Duplicated, Active, Active)]
fn boxed(v: &mut Option<Box<f64>>, k: f64) -> f64 {
    v.take().map_or(k, |v| *v * k)
}

struct State {
    seen: Vec<usize>,
    x: f64,
}

#[autodiff_reverse(d_counted, Duplicated, Active, Active)]
fn counted(state: &mut State, k: f64) -> f64 {
    state.seen.push(7); state.x * k
}

#[autodiff_forward(t_pushed, Dual, Dual, Dual)]
fn pushed_on(v: &mut Vec<f64>, k: f64) -> f64 {
    v.push(k * k); v.iter().sum()
}

fn main() {
    let (mut v, mut d, mut o, mut p) = (vec![1.0], vec![0.0], None, None);
    t_pushed(&mut v, &mut d, 3.0, 1.0);
    d_pushed(&mut v, &mut d, 3.0, 1.0);
    d_made(&mut v, &mut d, 3.0, 1.0);
    d_taken(&mut v, &mut d, 3.0, 1.0);
    d_boxed(&mut o, &mut p, 3.0, 1.0);
    let state = || State { seen: vec![], x: 1.0 };
    d_counted(&mut state(), &mut state(), 3.0, 1.0);
}
"""


def test_what_would_lose_the_adjoint_of_what_was_there_is_refused(bench: Workbench) -> None:
    bench.write(REPLACED)
    refused = bench.doit("build")
    assert refused.returncode == 1
    errors = re.findall(r"^error: (.*)\n  --> src/main.rs:(\d+):", refused.stderr, re.MULTILINE)
    lines = REPLACED.splitlines()
    said = {lines[int(line) - 1].strip() for what, line in errors}
    assert {what for what, _ in errors} == {
        "memory that is reached by an argument is replaced here, and the adjoint of what was there would be lost"
    }
    assert len(said) == 5
    assert set(re.findall(r"`(\w+)` was asked for", refused.stderr)) == {
        "d_pushed",
        "d_made",
        "d_taken",
        "d_boxed",
        "d_counted",
    }
    assert "forward mode takes it" in refused.stderr
