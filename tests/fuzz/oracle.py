"""What is right: the same functions, of dual numbers, in a program of plain cargo; central differences bear them out."""

from __future__ import annotations

import subprocess
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from tests.programs import Verdict, errors
from tests.workbench import ROOT


class Source(Hashable, Protocol):
    """A function that can be tried, of whatever origin."""

    @property
    def text(self) -> str:
        """Rust that has `pub fn body<T: Number>(xs: &[T], k: usize) -> T`."""


S = TypeVar("S", bound=Source)

SIZES = (9, 1, 2, 6)
"""How many elements each input has."""

DUAL = f'#[path = "{ROOT}/tests/crates/bodies/src/dual.rs"]\npub mod dual;\n'

SINGLE = f'#[path = "{ROOT}/tests/fuzz/single.rs"]\npub mod single;\n'

CASTS = f'#[path = "{ROOT}/tests/fuzz/casts.rs"]\npub mod casts;\n'

INPUTS = """\
const NUMBERS: [f64; 9] = [0.7371, -1.1293, 1.8147, 0.3217, -0.4639, 2.2391, 0.9173, -0.2713, 1.3719];
const INPUTS: [(usize, usize); 4] = [(9, 3), (1, 0), (2, 1), (6, 2)];
"""
"""The numbers, and of each input how many of them there are and `k`."""


@dataclass(frozen=True)
class Precision:
    """The numbers that functions are differentiated of."""

    is_single: bool
    tolerance: float
    """Relative to the largest number of what belongs together, absolute below 1: derivatives may be reordered (fast math)."""
    agreement: float
    """How near the value is to that of dual numbers, which are double; else the function is no test."""
    largest: float
    """Beyond that a function is no test: of what cancels in it too few digits are left."""
    rounding: float
    """How far each tangent may be off, relative to it: if a tenth of the tolerance comes of it, the function is no test."""


DOUBLE = Precision(is_single=False, tolerance=1e-9, agreement=1e-12, largest=1e8, rounding=2**-50)
IN_SINGLE = Precision(is_single=True, tolerance=2e-3, agreement=1e-5, largest=1e3, rounding=2**-21)

_PATIENCE_S = 5

_MANIFEST = """\
[package]
name = "bench"
version = "0.1.0"
edition = "2024"

[workspace]

[profile.dev]
opt-level = 1
debug = false
overflow-checks = false
"""

_MAIN = """\
#![allow(warnings, unconditional_panic, arithmetic_overflow)]

DUAL
MODULES

use dual::Number;
use std::sync::atomic::Ordering::Relaxed;

type Body<T> = fn(&[T], usize) -> T;

const ALL: &[(&str, Body<dual::Dual>, Body<PLAIN>, Body<f64>)] = &[FUNCTIONS];

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let first = std::env::args().nth(1).unwrap().parse().unwrap();
    for &(name, dual, plain, double) in &ALL[first..] {
        println!("{name} {}", std::panic::catch_unwind(|| numbers(dual, plain, double)).unwrap_or("panics".to_string()));
    }
}

fn numbers(of: Body<dual::Dual>, plain: Body<PLAIN>, double: Body<f64>) -> String {
    let mut shown = String::new();
    for (size, k) in INPUTS {
        for at in 0..size {
            let tangent = |i| if i == at { 1.0 } else { 0.0 };
            let number = |(i, &value): (usize, &f64)| dual::Dual { value, tangent: tangent(i) };
            let xs: Vec<_> = NUMBERS[..size].iter().enumerate().map(number).collect();
            let got = of(&xs, k);
            let value = plain(&NUMBERS[..size].iter().map(|&x| x.into()).collect::<Vec<PLAIN>>(), k).value();
            let largest = f64::from_bits(dual::LARGEST.swap(0, Relaxed));
            if !(largest <= FINITE) {
                return "is infinite somewhere, or no number".to_string();
            }
            if !((got.value - value).abs() <= TOLERANCE * value.abs().max(1.0)) {
                return "is another function of dual numbers".to_string();
            }
            dual::ROUNDING.store(f64::to_bits(ROUNDING), Relaxed);
            let off = of(&xs, k).tangent - got.tangent;
            dual::ROUNDING.store(0, Relaxed);
            let scale = got.tangent.abs().max(got.value.abs());
            let is_large = scale >= LARGEST;
            if !(off.abs() <= LOST * scale.max(1.0)) {
                return "loses its digits".to_string();
            }
            let moved = |by: f64| NUMBERS[..size].iter().enumerate().map(|(i, x)| x + by * tangent(i)).collect::<Vec<_>>();
            if let Ok(Some((slope, off))) = std::panic::catch_unwind(|| slope(|by| double(&moved(by), k))) && !is_large {
                let rounded = largest * f64::EPSILON / STEP; // of what is large on the way, and not in the end
                if !((slope - got.tangent).abs() <= 10.0 * off + rounded + ALIKE * scale.max(1.0)) {
                    return format!("DOUBTED{} of {size}: dual numbers say {:e}, differences {slope:e}", at, got.tangent);
                }
            }
            shown += &format!("{:e} {:e} ", got.value, got.tangent);
        }
    }
    shown
}

const ALIKE: f64 = 1e-5;

/// The slope at 0 by differences, and how far it may be off; nothing where there is a kink or a jump near by.
fn slope(of: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    let [before, nearer_before, at, nearer_after, after] = [-STEP, -STEP / 2.0, 0.0, STEP / 2.0, STEP].map(of);
    let (wide, narrow) = ((after - before) / (2.0 * STEP), (nearer_after - nearer_before) / STEP);
    let scale = at.abs().max(narrow.abs()).max(1.0);
    let bend = ((after - at) - (at - before)).abs() / STEP;
    let is_smooth = bend <= 1e-2 * scale && (wide - narrow).abs() <= 1e-4 * scale;
    is_smooth.then_some((narrow + (narrow - wide) / 3.0, (wide - narrow).abs()))
}

const STEP: f64 = 1e-5;
"""

_DOUBTED = "derivative "
"""How it begins what is said of a derivative that differences do not bear out."""


def verdict(said: str) -> Verdict:
    """On a function of which that is said in the place of numbers: it is no test; or nobody knows what is right."""
    return Verdict("wrong" if said.startswith(_DOUBTED) else "invalid", said)


Right = list[float] | str
"""The value and the derivative by each element, of each input; or why a function is no test."""


def rights(functions: Sequence[Source], folder: Path, precision: Precision = DOUBLE) -> list[Right]:
    """What is right for each function."""
    found: dict[int, Right] = {}
    numbers = list(range(len(functions)))
    while unfit := _unfit([functions[number] for number in numbers], folder, precision):
        found |= {numbers[at]: message for message, at in unfit}
        numbers = [number for number in numbers if number not in found]
    done = 0
    while done < len(numbers):
        lines, ended = _run(folder, done)
        found |= {numbers[done + at]: _right(line.split(maxsplit=1)[1], precision) for at, line in enumerate(lines)}
        done += len(lines)
        if done < len(numbers):
            found[numbers[done]] = ended
            done += 1
    return [found[number] for number in range(len(functions))]


def right_by_function(functions: Sequence[S], folder: Path, precision: Precision = DOUBLE) -> dict[S, list[float]]:
    """What is right for each function that is a test."""
    found = zip(functions, rights(functions, folder, precision), strict=True)
    return {function: right for function, right in found if isinstance(right, list)}


def _unfit(functions: Sequence[Source], folder: Path, precision: Precision) -> list[tuple[str, int]]:
    """Write and compile the program; which functions rustc refuses, and why."""
    (folder / "src").mkdir(parents=True, exist_ok=True)
    for stale in (folder / "src").glob("*.rs"):
        stale.unlink()
    names = [f"p{number:04}" for number in range(len(functions))]
    for name, function in zip(names, functions, strict=True):
        (folder / "src" / f"{name}.rs").write_text(f"use crate::casts::Number;\n\n{function.text}")
    each = ", ".join(f'("{name}", {name}::body, {name}::body, {name}::body)' for name in names)
    main = _MAIN.replace("DUAL", f"{DUAL}{SINGLE}{CASTS}{INPUTS}").replace(
        "MODULES", "".join(f"mod {name};\n" for name in names)
    )
    main = main.replace("PLAIN", "single::Single" if precision.is_single else "f64")
    main = main.replace("FINITE", "f64::from(f32::MAX)" if precision.is_single else "f64::MAX")
    main = main.replace("TOLERANCE", f"{precision.agreement:e}").replace("LOST", f"{precision.tolerance / 10:e}")
    main = main.replace("(ROUNDING)", f"({precision.rounding:e})").replace("DOUBTED", _DOUBTED)
    main = main.replace(">= LARGEST", f">= {precision.largest:e}")
    (folder / "src" / "main.rs").write_text(main.replace("FUNCTIONS", each))
    (folder / "Cargo.toml").write_text(_MANIFEST)
    built = subprocess.run(["cargo", "build", "--quiet"], cwd=folder, capture_output=True, text=True, check=False)
    found = [(message, number) for message, number in errors(built.stderr) if number is not None]
    assert found or built.returncode == 0, built.stderr
    return found


def _run(folder: Path, first: int) -> tuple[list[str], str]:
    """The lines of all functions from that one on, and why there are no more."""
    program: list[str | Path] = [folder / "target" / "debug" / "bench", str(first)]
    try:
        done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired as hangs:
        return (hangs.stdout or b"").decode().splitlines(), "does not end"
    return done.stdout.splitlines(), "dies"


def _right(numbers: str, precision: Precision) -> Right:
    try:
        found = [float(number) for number in numbers.split()]
    except ValueError:
        return numbers
    return found if all(abs(number) < precision.largest for number in found) else "is infinite, or nearly so"
