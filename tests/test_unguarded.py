"""What is copied of memory that may be `Const`: its values are no tangents, and nothing is added to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workbench import MANIFEST, Workbench

pytestmark = pytest.mark.toolchain

# Each takes what it copies from `first`, which is `Const`, or from what is made of x: from a list, carried by a loop, by a
# function, and chosen before a loop.
PROGRAM = """
use autodiff::*;
use std::array::from_fn;

type Pose = [f64; 12];

#[autodiff_forward(list_forward, Dual, Const, Dual)]
#[autodiff_reverse(list_reverse, Duplicated, Const, Active)]
fn list(x: &[f64], first: &Pose) -> f64 {
    let own = own(x);
    let all = [&own, first, &own];
    x.iter().enumerate().map(|(i, v)| work(*all[i % 3], *v)).sum()
}

#[autodiff_forward(carried_forward, Dual, Const, Dual)]
#[autodiff_reverse(carried_reverse, Duplicated, Const, Active)]
fn carried(x: &[f64], first: &Pose) -> f64 {
    let own = own(x);
    let (mut at, mut sum) = (first, 0.0);
    for v in x {
        sum += work(*at, *v);
        if sum > 1.0 {
            at = &own;
        }
    }
    sum
}

#[autodiff_forward(called_forward, Dual, Const, Dual)]
#[autodiff_reverse(called_reverse, Duplicated, Const, Active)]
fn called(x: &[f64], first: &Pose) -> f64 {
    let own = own(x);
    x.iter().enumerate().map(|(i, v)| copied(if i % 2 == 0 { &own } else { first }, *v)).sum()
}

#[autodiff_forward(before_forward, Dual, Const, Dual)]
#[autodiff_reverse(before_reverse, Duplicated, Const, Active)]
fn before(x: &[f64], first: &Pose) -> f64 {
    let own = own(x);
    let at = if x[0] > 1.0 { first } else { &own };
    x.iter().map(|v| work(*at, *v)).sum()
}

static TABLE: Pose = [0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.9, 0.8, 0.35, 0.25, 0.15];

#[autodiff_forward(global_forward, Dual, Const, Dual)]
#[autodiff_reverse(global_reverse, Duplicated, Const, Active)]
fn global(x: &[f64], _: &Pose) -> f64 {
    let own = own(x);
    let at = if x[0] > 1.0 { &TABLE } else { &own };
    x.iter().map(|v| work(*at, *v)).sum()
}

fn own(x: &[f64]) -> Pose {
    from_fn(|at| x[at % x.len()] * 0.2)
}

#[inline(never)]
fn copied(pose: &Pose, v: f64) -> f64 {
    work(*pose, v)
}

#[inline(never)]
fn work(mut pose: Pose, v: f64) -> f64 {
    pose[3] *= v;
    for at in 1..12 {
        pose[at] += (pose[at] * pose[at - 1]).sin();
    }
    pose.iter().sum::<f64>() * 0.1
}

type Function = fn(&[f64], &Pose) -> f64;
type Forward = fn(&[f64], &[f64], &Pose) -> (f64, f64);
type Reverse = fn(&[f64], &mut [f64], &Pose, f64) -> f64;

fn check(name: &str, f: Function, forward: Forward, reverse: Reverse, x: [f64; 5]) {
    let first: Pose = from_fn(|at| std::hint::black_box(at as f64 * 0.1 + 0.3));
    let (given, mut dx) = (first, [0.0; 5]);
    assert_eq!(reverse(&x, &mut dx, &first, 1.0), f(&x, &first), "{name}");
    assert_eq!(first, given, "{name}: what is `Const` was written to");
    for i in 0..x.len() {
        let near = |h| { let mut near = x; near[i] += h; f(&near, &first) };
        let difference = (near(1e-6) - near(-1e-6)) / 2e-6;
        let (_, tangent) = forward(&x, &from_fn::<f64, 5, _>(|at| if at == i { 1.0 } else { 0.0 }), &first);
        assert!((dx[i] - difference).abs() <= 1e-7 * difference.abs().max(1.0), "{name} {i}: {} {difference}", dx[i]);
        assert!((tangent - dx[i]).abs() <= 1e-13 * tangent.abs().max(1.0), "{name} {i}: {tangent} {}", dx[i]);
    }
}

fn main() {
    for x in [[0.5, 0.3, 1.2, -0.7, 0.9], [2.0, 0.3, 1.2, -0.7, 0.9]] {
        check("list", list, list_forward, list_reverse, x);
        check("carried", carried, carried_forward, carried_reverse, x);
        check("called", called, called_forward, called_reverse, x);
        check("before", before, before_forward, before_reverse, x);
        check("global", global, global_forward, global_reverse, x);
    }
    println!("as they should be");
}
"""

# Each copies x, or a row that is deep in what is `Const`.
ROWS = """
use autodiff::*;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

#[derive(Clone, PartialEq)]
struct Settings {
    usual: Vec<f64>,
    count: usize,
}

macro_rules! of {
    ($name:ident, $constant:ty, $made:expr, |$x:ident, $constants:ident, $is_x:ident| $row:expr) => {
        mod $name {
            use super::*;

            #[autodiff_reverse(reverse, Duplicated, Const, Const, Active)]
            #[autodiff_forward(forward, Dual, Const, Const, Dual)]
            fn f($x: &[f64], $constants: &$constant, $is_x: bool) -> f64 {
                let own: Vec<f64> = $row;
                own.iter().zip(1..).map(|(v, i)| v * v * f64::from(i)).sum()
            }

            pub fn check(is_x: bool) {
                let name = stringify!($name);
                let (x, constants): ([f64; 3], $constant) = std::hint::black_box(([0.7, -0.4, 1.3], $made));
                let mut dx = [0.0; 3];
                assert_eq!(reverse(&x, &mut dx, &constants, is_x, 1.0), f(&x, &constants, is_x), "{name}");
                assert!(constants == $made, "{name}: what is `Const` was written to");
                for i in 0..3 {
                    let near = |h| { let mut near = x; near[i] += h; f(&near, &constants, is_x) };
                    let difference = (near(1e-6) - near(-1e-6)) / 2e-6;
                    let mut towards = [0.0; 3];
                    towards[i] = 1.0;
                    let (_, tangent) = forward(&x, &towards, &constants, is_x);
                    assert!((dx[i] - difference).abs() <= 1e-7, "{name} {i}: {} {difference}", dx[i]);
                    assert!((tangent - dx[i]).abs() <= 1e-13, "{name} {i}: {tangent} {}", dx[i]);
                }
            }
        }
    };
}

fn row() -> Vec<f64> {
    vec![5.5, 5.7, 0.2]
}

of!(nested, Vec<Vec<f64>>, vec![vec![], row()], |x, rows, is_x| (if is_x { x } else { &rows[1] }).to_vec());
of!(joined, Vec<Vec<f64>>, vec![row(), row()], |x, rows, is_x| [x, &rows[usize::from(is_x)]].concat());
of!(hashed, HashMap<bool, Vec<f64>>, HashMap::from([(false, row())]), |x, rows, is_x| {
    rows.get(&is_x).map_or(x, |row| row).to_vec()
});
of!(sorted, BTreeMap<bool, Vec<f64>>, BTreeMap::from([(false, row())]), |x, rows, is_x| {
    rows.get(&is_x).map_or(x, |row| row).to_vec()
});
of!(setting, Settings, Settings { usual: row(), count: 2 }, |x, of, is_x| {
    (if is_x { x } else { &of.usual[..of.count] }).to_vec()
});
of!(optional, Option<Vec<f64>>, Some(row()), |x, row, is_x| match row {
    Some(row) if !is_x => &row[..],
    _ => x,
}
.to_vec());
of!(shared, Rc<Vec<f64>>, Rc::new(row()), |x, row, is_x| (if is_x { x } else { &row[..] }).to_vec());

/// A table behind a box that is chosen with its row; `Option::copied` copies it.
mod boxed {
    use super::*;

    struct Row {
        weights: Vec<f64>,
        table: Option<Box<[f64; 9]>>,
    }

    #[autodiff_forward(forward, Dual, Const, Const, Dual)]
    fn f(rows: &[Row], others: &[Row], are_own: &[bool]) -> f64 {
        let mut sum = 0.0;
        for (i, is_own) in are_own.iter().enumerate() {
            let table = if *is_own { &rows[i].table } else { &others[i].table };
            let own: [f64; 9] = table.as_deref().copied().unwrap_or([0.5; 9]);
            sum += own[i] * own[i + 1];
        }
        sum
    }

    fn rows(of: f64) -> Vec<Row> {
        (0..2).map(|_| Row { weights: vec![of; 3], table: Some(Box::new(std::array::from_fn(|i| of * i as f64))) }).collect()
    }

    pub fn check() {
        let (own, others, tangent) = std::hint::black_box((rows(1.5), rows(2.5), rows(2.0)));
        assert_eq!(own[0].weights.len(), 3);
        // of the first table 1.5 i and 2 i, of the others' second 2.5 i, which is constant
        assert_eq!(forward(&own, &tangent, &others, &std::hint::black_box([true, false])), (12.5, 0.0));
        assert_eq!(forward(&own, &tangent, &others, &std::hint::black_box([false, true])), (4.5, 12.0));
    }
}

fn main() {
    for is_x in [true, false] {
        nested::check(is_x);
        joined::check(is_x);
        hashed::check(is_x);
        sorted::check(is_x);
        setting::check(is_x);
        optional::check(is_x);
        shared::check(is_x);
    }
    boxed::check();
    println!("as they should be");
}
"""

# What is copied has floats where a pointer may be.
MIXED = """
use autodiff::*;

#[derive(Clone, Copy)]
enum Step<'a> {
    Slopes([f64; 12]),
    Others(&'a [f64; 12]),
}

#[autodiff_forward(df, Dual, Const, Dual)]
fn f(x: &[f64], first: &Step) -> f64 {
    let own = Step::Slopes(std::array::from_fn(|at| x[at % x.len()]));
    let all = [&own, first];
    x.iter().enumerate().map(|(i, v)| work(*all[i % 2], *v)).sum()
}

#[inline(never)]
fn work(mut step: Step, v: f64) -> f64 {
    match &mut step {
        Step::Slopes(slopes) => {
            for at in 1..12 {
                slopes[at] *= slopes[at - 1] * v;
            }
            slopes.iter().sum()
        }
        Step::Others(slopes) => slopes.iter().sum(),
    }
}

fn main() {
    let first = Step::Others(&[0.5; 12]);
    println!("{:?}", df(&[1.0, 2.0], &[1.0, 0.0], &first));
}
"""


@pytest.mark.parametrize("program", [PROGRAM, ROWS], ids=["arrays", "rows"])
def test_what_may_be_const_is_copied_with_its_tangent(tmp_path: Path, program: str) -> None:
    bench = Workbench(tmp_path)
    bench.write(program, MANIFEST)
    ran = bench.doit("run")
    assert "as they should be" in ran.stdout, ran.stdout + ran.stderr


def test_what_it_is_not_known_how_to_copy_is_refused(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.write(MIXED, MANIFEST)
    refused = bench.doit("build")
    assert refused.returncode == 1
    assert (
        "what is copied here may be of a `Const` argument: its values would be tangents, or adjoints be added to it"
        in refused.stderr
    )
    assert "src/main.rs:14:" in refused.stderr
