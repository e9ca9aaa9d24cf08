"""Memory that is active or not as the program runs: adjoints stay out of what is `Const`, and tangents are no values of it."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.test_forms import is_right
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PROGRAM = """\
use autodiff::*;
use std::hint::black_box;

struct Pair<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

fn squares(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum()
}

macro_rules! tried {
    ($($name:ident($x:ident, $c:ident, $n:ident) $body:block)*) => {
        $(mod $name {
            use super::*;

            #[autodiff_reverse(reverse, Duplicated, Const, Const, Active)]
            #[autodiff_forward(forward, Dual, Const, Const, Dual)]
            pub fn primal($x: &[f64], $c: &[f64], $n: usize) -> f64 $body
        })*

        fn main() {
            $(for n in 0..3 {
                let (x, c) = (black_box([1.5, 2.5]), black_box([3.0, 4.0]));
                let differences: Vec<f64> = (0..2).map(|i| {
                    let (mut above, mut below) = (x, x);
                    (above[i], below[i]) = (x[i] + 0.125, x[i] - 0.125);
                    ($name::primal(&above, &c, n) - $name::primal(&below, &c, n)) / 0.25
                }).collect();
                let tangents: Vec<f64> = (0..2).map(|i| {
                    let mut direction = [0.0; 2];
                    direction[i] = 1.0;
                    $name::forward(&x, &direction, &c, n).1
                }).collect();
                let (plain, mut dx) = ($name::primal(&x, &c, n), [0.0; 2]);
                let value = $name::reverse(&x, &mut dx, &c, n, 1.0);
                let got = [&[value], &dx[..], &tangents, &c].concat();
                let right = [&[plain], &differences[..], &differences, &[3.0, 4.0]].concat();
                println!(r#"{{"case": "{} {n}", "precision": "f64", "got": {got:?}, "right": {right:?}}}"#, stringify!($name));
            })*
        }
    };
}

tried! {
    arguments(x, c, n) { squares(if n == 0 { x } else { c }) + x[0] }
    rows(x, c, n) { squares([x, c][n % 2]) + x[1] }
    vector_of_rows(x, c, n) {
        let rows: Vec<&[f64]> = vec![x, c, x];
        rows[n..].iter().enumerate().map(|(i, row)| squares(row) * (i + 1) as f64).sum()
    }
    local(x, c, n) { let own = [1.0, c[0]]; squares(if n == 0 { x } else { &own }) + x[0] }
    heap(x, c, n) { let own = vec![1.0, c[0], 2.0]; squares(if n == 0 { x } else { &own }) + x[0] }
    pair(x, c, n) { let pair = black_box(Pair { a: x, b: c }); squares(pair.a) * squares(pair.b) + n as f64 * x[0] }
    filled(x, c, n) {
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        let to = if n == 0 { &mut a } else { &mut b };
        (to[0], to[1]) = (x[0], c[1]);
        a[0] * x[1] + b[0] * b[1] * x[1]
    }
    either(x, c, n) { squares((n == 1).then_some(x).unwrap_or(c)) + x[0] * x[1] }
    got(x, c, n) { x.get(n).unwrap_or(&2.0) * x[0] * c[0] }
    chained(x, c, n) { std::iter::once(&0.5).chain(x).map(|v| v * v).sum::<f64>() * c[n % 2] }
    longest(x, c, n) { [x, c].into_iter().max_by_key(|v| v.len() * (n + 1)).map_or(0.0, squares) + x[0] }
    cloned(x, c, n) {
        let pairs: Vec<(f64, usize)> = x.iter().copied().zip(3..).collect();
        pairs.clone().iter().map(|&(x, k)| x * x * (k + n) as f64).sum::<f64>() * c[0]
    }
    sorted(x, c, n) {
        let mut pairs: Vec<(f64, usize)> = x.iter().copied().zip(3..).collect();
        pairs.extend(c.iter().map(|&c| (c, n)));
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        pairs.iter().enumerate().map(|(i, &(x, k))| x * x * (i * k + n) as f64).sum()
    }
    on_the_stack(x, c, n) {
        let mut pairs = [(0.0, 1); 4];
        pairs.iter_mut().enumerate().for_each(|(i, pair)| *pair = (x[i % 2] * c[i % 2], i));
        pairs.rotate_left(n);
        let before = pairs;
        pairs.swap(0, 1);
        pairs.iter().zip(&before).map(|(a, b)| a.0 * a.0 * (a.1 + 2 * b.1) as f64).sum()
    }
}
"""


def test_what_is_active_as_it_runs_is_right_and_what_is_constant_stays(bench: Workbench) -> None:
    """Central differences: all are of degree two in each argument, where these are exact but for rounding."""
    bench.write(PROGRAM)
    bench.build()
    done = subprocess.run([bench.output() / "bench"], capture_output=True, text=True, check=True)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(cases) == 3 * 14
    assert [case for case in cases if not is_right(case)] == []
