"""Records of floats and other things that are exchanged word by word, in a loop: no word of them is taken for another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import switches
from tests.test_repairs import body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

CASES = """define i64 @shim(i64 %n, ptr %x) {{
entry:
  switch i64 %n, label %out [
    i64 3, label %loop
    {another}
  ]
loop:
  %i = phi i64 [ %n, %entry ]{more}, [ %next, %loop ]
  %next = add i64 %i, 1
  store i64 %i, ptr %x
  %is_last = icmp eq i64 %next, 8
  br i1 %is_last, label %out, label %loop
out:
  ret i64 %n
}}"""


def test_where_a_case_leads_is_its_number_what_the_switch_asks_for(tmp_path: Path) -> None:
    def say(editor: Editor, shims: Sequence[Value]) -> None:
        for shim in shims:
            switches.say_cases(editor, shim)

    assert "phi i64 [ 3, %entry ]" in body(mended(tmp_path, CASES.format(another="", more=""), say))
    several = CASES.format(another="i64 4, label %loop", more=", [ %n, %entry ]")
    assert body(mended(tmp_path, several, say)).count("[ %n, %entry ]") == 2


# Of several sizes: so std's loop over words is one in each of the functions, and begins at what `match` asks for.
PROGRAM = """
use autodiff::*;
use std::mem::swap;

struct Record {
    weight: f64,
    history: Vec<f64>,
}

type Boxed = (f64, Box<[f64]>);
type Grown = (f64, Vec<f64>);

#[inline(never)]
fn exchange(a: &mut Record, b: &mut Record, how: usize) {
    match how % 3 {
        0 => swap(a, b),
        1 => swap(&mut a.history, &mut b.history),
        _ => swap(&mut a.weight, &mut b.weight),
    }
}

#[inline(never)]
fn exchange_boxed(a: &mut Boxed, b: &mut Boxed, how: usize) {
    match how % 3 {
        0 => swap(a, b),
        1 => {}
        _ => swap(&mut a.0, &mut b.0),
    }
}

#[inline(never)]
fn exchange_grown(a: &mut Grown, b: &mut Grown, how: usize) {
    match how % 3 {
        0 => swap(a, b),
        1 => {}
        _ => swap(&mut a.0, &mut b.0),
    }
}

#[autodiff_reverse(reverse, Duplicated, Const, Active)]
#[autodiff_forward(forward, Dual, Const, Dual)]
fn exchanged(xs: &[f64], k: usize) -> f64 {
    let mut all: Vec<Record> = xs.iter().map(|&x| Record { weight: x, history: vec![x; 2] }).collect();
    all.push(Record { weight: xs[0], history: vec![xs[0] * 0.5, xs[0].sin()] });
    for i in 0..all.len() - 1 {
        let (a, b) = all.split_at_mut(i + 1);
        exchange(&mut a[0], &mut b[0], i + k);
    }
    let (mut p, mut q) = ((xs[0], Box::from([xs[0]])), (xs[0], Box::from([xs[0]])));
    let (mut r, mut s) = ((xs[0], vec![xs[0]]), (xs[0], vec![xs[0]]));
    exchange_boxed(&mut p, &mut q, k);
    exchange_grown(&mut r, &mut s, k);
    let sum = all.iter().enumerate().map(|(i, one)| one.weight * (i as f64 + 1.0) + one.history.iter().product::<f64>());
    sum.sum::<f64>() + p.1[0] * r.1[0]
}

fn main() {
    let n = std::env::args().count();
    let xs: Vec<f64> = (0..n + 5).map(|i| 0.5 + 0.1 * i as f64).collect();
    for k in n - 1..n + 2 {
        let mut gradient = vec![0.0; xs.len()];
        let value = reverse(&xs, &mut gradient, k, 1.0);
        println!("{}", value == exchanged(&xs, k));
        for i in 0..xs.len() {
            let moved = |x| xs.iter().enumerate().map(|(j, &y)| if i == j { x } else { y }).collect::<Vec<_>>();
            let at = |x| exchanged(&moved(x), k);
            let difference = (at(xs[i] + 1e-5) - at(xs[i] - 1e-5)) / 2e-5;
            let direction: Vec<f64> = (0..xs.len()).map(|j| f64::from(i == j)).collect();
            let (_, slope) = forward(&xs, &direction, k);
            println!("{}", (gradient[i] - difference).abs() < 1e-8 && (slope - difference).abs() < 1e-8);
        }
    }
}
"""


def test_records_that_are_exchanged_keep_their_derivatives(bench: Workbench) -> None:
    bench.write(PROGRAM)
    shown = bench.doit("run")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stdout.split() == ["true"] * 21
