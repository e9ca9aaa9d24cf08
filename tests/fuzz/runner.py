"""Programs of random functions, and what becomes of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tests.fuzz.tree import Function
from tests.programs import Kind, Verdict
from tests.workbench import ROOT, Workbench

MODES = ("reverse", "forward", "width 2")

TOLERANCE = 1e-9
"""Relative to the largest number of what belongs together, absolute below 1: derivatives may be reordered (fast math)."""

_LARGEST = 1e8
"""Beyond that a function is no test: of what cancels in it too few digits are left."""

# How many elements there are, and `k`, the compiler cannot see.  Every line has for each input and each of its elements the
# value and the derivative; the first is that of dual numbers.
_SHARED = """\
#[path = "ROOT/tests/crates/bodies/src/dual.rs"]
pub mod dual;

type Reverse = fn(&[f64], &mut [f64], usize, f64) -> f64;
type Forward = fn(&[f64], &[f64], usize) -> (f64, f64);
type Wide = fn(&[f64], &[f64], &[f64], usize) -> [f64; 3];

const INPUTS: [f64; 9] = [0.7371, -1.1293, 1.8147, 0.3217, -0.4639, 2.2391, 0.9173, -0.2713, 1.3719];

pub struct Case {
    pub number: usize,
    pub n: usize,
}

impl Case {
    pub fn right(&self, of: fn(&[dual::Dual], usize) -> dual::Dual) {
        self.show(|xs, k, at| {
            let number = |(value, tangent)| dual::Dual { value, tangent };
            let got = of(&xs.iter().copied().zip(towards(xs, at)).map(number).collect::<Vec<_>>(), k);
            (got.value, got.tangent)
        });
    }

    pub fn reverse(&self, of: Reverse) {
        self.show(|xs, k, at| {
            let mut gradient = vec![0.0; xs.len()];
            let value = of(xs, &mut gradient, k, 1.0);
            (value, gradient[at])
        });
    }

    pub fn forward(&self, of: Forward) {
        self.show(|xs, k, at| of(xs, &towards(xs, at), k));
    }

    pub fn width_2(&self, of: Wide) {
        self.show(|xs, k, at| {
            let got = of(xs, &towards(xs, at), &towards(xs, 0), k);
            (got[0], got[1])
        });
        self.show(|xs, k, at| {
            let got = of(xs, &towards(xs, 0), &towards(xs, at), k);
            (got[0], got[2])
        });
    }

    fn show(&self, of: impl Fn(&[f64], usize, usize) -> (f64, f64)) {
        let mut numbers = Vec::new();
        for (size, k) in [(9, 3), (1, 0), (2, 1), (6, 2)] {
            let xs = &INPUTS[..size + self.n - DEPTH];
            for at in 0..xs.len() {
                let (value, slope) = of(xs, k * self.n, at);
                numbers.extend([value, slope]);
            }
        }
        show(self.number, &[&numbers]);
    }
}

fn towards(xs: &[f64], at: usize) -> Vec<f64> {
    (0..xs.len()).map(|i| if i == at { 1.0 } else { 0.0 }).collect()
}
""".replace("ROOT", str(ROOT)).replace("DEPTH", "2")

_SIZES = (9, 1, 2, 6)
"""Of the inputs above."""

_OF_MODE = {
    "reverse": ("#[autodiff_reverse(reverse, Duplicated, Const, Active)]", "case.reverse(reverse);"),
    "forward": ("#[autodiff_forward(forward, Dual, Const, Dual)]", "case.forward(forward);"),
    "width 2": ("#[autodiff_forward(wide, 2, Dual, Const, Dual)]", "case.width_2(wide);"),
}
_RUSTC = re.compile(r"E\d{4}: ")
_LINES = {"reverse": ["reverse"], "forward": ["forward"], "width 2": ["width 2, first", "width 2, second"]}


@dataclass(frozen=True)
class Program:
    """A function, differentiated in these modes."""

    function: Function
    modes: tuple[str, ...] = MODES

    def __str__(self) -> str:
        return str(self.function)


def source(program: Program, number: int) -> str:
    """The module of a program."""
    attributes, calls = zip(*(_OF_MODE[mode] for mode in program.modes), strict=True)
    return "\n".join([
        "use crate::dual::Number;",
        "use autodiff::{autodiff_forward, autodiff_reverse};",
        program.function.text,
        *attributes,
        "fn primal(xs: &[f64], k: usize) -> f64 {",
        "    body(xs, k)",
        "}",
        "pub fn report(n: u32) {",
        f"    let case = crate::Case {{ number: {number}, n: n as usize }};",
        "    case.right(body);",
        *(f"    {call}" for call in calls),
        "}",
        "",
    ])  # fmt: skip


def compared(program: Program, lines: list[list[float]]) -> Verdict:
    """Whether each mode gives what dual numbers give."""
    right, *got = lines
    if len(right) != 2 * sum(_SIZES) or not all(abs(number) < _LARGEST for number in right):
        return Verdict("invalid", "the function itself is infinite, or nearly so")
    names = [line for mode in program.modes for line in _LINES[mode]]
    differing = [
        f"{name}: {what}" for name, numbers in zip(names, got, strict=True) for what in _differences(numbers, right)
    ]
    return Verdict("wrong", "; ".join(differing)) if differing else Verdict("right")


def _differences(got: list[float], right: list[float]) -> list[str]:
    """The first number of each input that is another; NaN is equal to none."""
    if len(got) != len(right):
        return [f"{len(got)} numbers instead of {len(right)}"]
    found, end = [], 0
    for size in _SIZES:
        begin, end = end, end + 2 * size
        scale = max(1.0, *map(abs, right[begin:end]))
        for at in range(begin, end):
            if not abs(got[at] - right[at]) <= TOLERANCE * scale:
                what = f"derivative {(at - begin) // 2}" if (at - begin) % 2 else "value"
                found.append(f"{what} of {size} is {got[at]:.12g}, not {right[at]:.12g}")
                break
    return found


def judge(programs: Sequence[Program], level: str, bench: Workbench) -> dict[Program, Verdict]:
    """What becomes of each program at a level."""
    verdicts: dict[Program, Verdict] = {}
    for modes, its in groupby(sorted(programs, key=lambda p: p.modes), key=lambda p: p.modes):
        lines = 1 + sum(len(_LINES[mode]) for mode in modes)
        Kind(_SHARED, source, compared, lines).judge(list(its), level, bench, verdicts)
    return {p: Verdict("invalid", v.said) if _RUSTC.match(v.said) else v for p, v in verdicts.items()}
