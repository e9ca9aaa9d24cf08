"""What each strategy costs, by program size: `.venv/bin/python bench/strategies.py [edit] [crate] [growth] [outside] …`.

The program is generated: a model that is differentiated, and some of other code, in a library, 1, 10 and 100 times.  It calls
what is differentiated, too: else cargo alone would compile nothing of the line that is edited.

edit      one line of the model is edited; until the artifact is there, beside cargo alone on the same edit.
crate     the same with `slice`, where the other code is in the crate that is edited, and cargo has as much to do as it is.
growth    the stages from llvm_link to codegen after that edit, and the most memory that a process has, by size of the program.
outside   the time that the other code takes as the program runs, over that of what cargo makes.
gradient  the time that gradients take, of each strategy over fat-lto.

Rounds are interleaved; all figures are medians, all ratios medians of the ratios of one round.  With `--slice` an edit is
measured with that strategy alone: the others take minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")
STRATEGIES = ("slice", "single-module-merge", "fat-lto")
STAGES = ("llvm_link", "opt1", "abi_fixup", "enzyme", "opt2", "codegen")
AROUND = {"RUSTC": os.fspath(Path(CARGO).with_name("rustc"))}
"""The compiler is the pipeline's, and brings its linker along.  All else is as cargo does it."""

MANIFEST = """[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[dependencies]
{dependencies}
"""

MODEL = """//! What is differentiated.
use autodiff::*;

#[autodiff_reverse(d_rosenbrock, Duplicated, Active)]
pub fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

/// The potential of bodies of one mass, three numbers each.
#[autodiff_reverse(d_potential, Duplicated, Active)]
pub fn potential(places: &[f64]) -> f64 {
    let bodies: Vec<&[f64]> = places.chunks_exact(3).collect();
    let mut sum = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[..i] {
            let squared: f64 = a.iter().zip(b.iter()).map(|(a, b)| (a - b) * (a - b)).sum();
            sum -= 1.0 / (squared + 0.01).sqrt();
        }
    }
    sum
}

/// A layer of neurons, and the sum of the squares of what comes out.
#[autodiff_reverse(d_layer, Duplicated, Const, Active)]
pub fn layer(weights: &[f64], inputs: &[f64]) -> f64 {
    let outputs = weights.chunks_exact(inputs.len()).map(|row| row.iter().zip(inputs).map(|(w, x)| w * x).sum::<f64>().tanh());
    outputs.map(|y| y * y).sum()
}
"""

MAIN = """mod model;
use model::{d_layer, d_potential, d_rosenbrock, layer, potential, rosenbrock};

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i as f64 * 0.37).sin()).collect()
}

fn main() {
    let mut asked = std::env::args().skip(1);
    let what = asked.next().unwrap_or_default();
    let times: usize = asked.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let mut sum = 0.0;
    if what == "gradient" {
        let (x, places, weights, inputs) = (numbers(3000), numbers(300), numbers(4000), numbers(40));
        let (mut dx, mut dplaces, mut dweights) = (vec![0.0; 3000], vec![0.0; 300], vec![0.0; 4000]);
        for _ in 0..times {
            sum += d_rosenbrock(&x, &mut dx, 1.0) + dx[7];
            sum += d_potential(&places, &mut dplaces, 1.0) + dplaces[7];
            sum += d_layer(&weights, &mut dweights, &inputs, 1.0) + dweights[7];
        }
    } else if what == "value" {
        sum += rosenbrock(&numbers(3000)) + potential(&numbers(300)) + layer(&numbers(4000), &numbers(40));
    } else {
        for round in 0..times {
            sum += other::all(round);
        }
    }
    println!("{sum}");
}
"""

OTHER = """//! Other code, of the kind that programs have: words, maps, sorting, matrices, shapes behind pointers.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub weight: f64,
    pub count: usize,
}

pub trait Shape {
    fn area(&self) -> f64;
}

pub struct Disc(pub f64);
pub struct Square(pub f64);

impl Shape for Disc {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.14
    }
}

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0 + NUMBER.0
    }
}

#[inline(never)]
pub fn entries(n: usize) -> Vec<Entry> {
    (0..n).map(|i| Entry { key: format!("key {}", (i * 7 + NUMBER) % 13), weight: i as f64 * 0.5, count: i }).collect()
}

#[inline(never)]
pub fn by_key(entries: &[Entry]) -> BTreeMap<&str, f64> {
    let mut sums = BTreeMap::new();
    for entry in entries {
        *sums.entry(entry.key.as_str()).or_insert(0.0) += entry.weight;
    }
    sums
}

#[inline(never)]
pub fn counted(text: &str) -> HashMap<char, usize> {
    text.chars().filter(|c| c.is_alphanumeric()).fold(HashMap::new(), |mut found, c| {
        *found.entry(c).or_default() += 1;
        found
    })
}

#[inline(never)]
pub fn sorted(entries: &[Entry]) -> Vec<Entry> {
    let mut all = entries.to_vec();
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.key.cmp(&b.key)));
    all.dedup_by(|a, b| a.key == b.key);
    all
}

#[inline(never)]
pub fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    c
}

#[inline(never)]
pub fn written(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let _ = write!(text, "{:>8}|{:.3}|{:04x};", entry.key, entry.weight, entry.count);
    }
    text
}

#[inline(never)]
pub fn shapes(n: usize) -> Vec<Box<dyn Shape>> {
    (0..n).map(|i| if i % 3 == 0 { Box::new(Disc(i as f64)) as Box<dyn Shape> } else { Box::new(Square(i as f64)) }).collect()
}

pub fn all(round: usize) -> f64 {
    let made = entries(40 + round % 3);
    let text = written(&sorted(&made));
    let areas: f64 = shapes(20).iter().map(|shape| shape.area()).sum();
    let matrix: Vec<f64> = (0..144).map(|i| (i + round) as f64).collect();
    let keys: f64 = by_key(&made).values().sum();
    product(&matrix, &matrix, 12)[5] + areas + keys + counted(&text).len() as f64
}
"""


@dataclass(frozen=True)
class Program:
    """A generated crate, and how it is built."""

    folder: Path
    edits = itertools.count(int(time.time()) % 10**6)  # no edit of a run before: the cache has those

    @classmethod
    def generate(cls, folder: Path, size: int) -> Program:
        """With as much other code as `size` times the least, in a library."""
        dependencies = f'autodiff = {{ path = "{ROOT}/rust/autodiff" }}\nother = {{ path = "other" }}'
        _write(folder / "Cargo.toml", "program", f"{dependencies}\n\n[workspace]")
        _write(folder / "other/Cargo.toml", "other", "")
        (folder / "src/model.rs").write_text(MODEL)
        (folder / "src/main.rs").write_text(MAIN)
        _write_other(folder / "other/src", "lib.rs", size)
        return cls(folder)

    @classmethod
    def generate_one_crate(cls, folder: Path, size: int) -> Program:
        """With as much other code, in the crate that has the model."""
        _write(folder / "Cargo.toml", "program", f'autodiff = {{ path = "{ROOT}/rust/autodiff" }}\n\n[workspace]')
        (folder / "src/model.rs").write_text(MODEL)
        (folder / "src/main.rs").write_text(f"mod other;\n{MAIN}")
        (folder / "src/other").mkdir()
        _write_other(folder / "src/other", "mod.rs", size)
        return cls(folder)

    def edit(self) -> None:
        """Edit one line of what is differentiated."""
        edited = MODEL.replace("100.0 *", f"{100.0 + next(self.edits) * 1e-9:.12} *")
        assert edited != MODEL
        (self.folder / "src/model.rs").write_text(edited)

    def edit_outside(self) -> None:
        """Edit a line that no derivative reaches."""
        (self.folder / "src/main.rs").write_text(MAIN.replace("0.37", f"{0.37 + next(self.edits) * 1e-9:.12}"))

    def build(self, strategy: str) -> Measured:
        """Build it with the pipeline."""
        return measured([ROOT / "doit", "build", f"crate={self.folder}", f"config={strategy}"])

    def build_by_cargo(self) -> Measured:
        """Build it as if there were no pipeline."""
        argv: list[str | Path] = [CARGO, "build", "--release", "--quiet", "--manifest-path", self.folder / "Cargo.toml"]
        return measured([*argv, "--target-dir", self.folder / "plain"], AROUND)

    def stages(self, strategy: str) -> dict[str, dict[str, Any]]:
        """What each stage said of itself."""
        folder = self.folder / f"target/crategrad/{strategy}/stages"
        found = {path.stem.partition("-")[2]: json.loads(path.read_text()) for path in folder.glob("*.json")}
        return {stage: found[stage] for stage in STAGES}

    def binary(self, strategy: str) -> Path:
        """The artifact."""
        return self.folder / (f"target/crategrad/{strategy}/program" if strategy in STRATEGIES else "plain/release/program")


def _write(manifest: Path, name: str, dependencies: str) -> None:
    (manifest.parent / "src").mkdir(parents=True)
    manifest.write_text(MANIFEST.format(name=name, dependencies=dependencies))


def _write_other(folder: Path, root: str, size: int) -> None:
    modules = [f"part_{number}" for number in range(size)]
    for number, module in enumerate(modules):
        (folder / f"{module}.rs").write_text(OTHER.replace("NUMBER", str(number)))
    calls = "".join(f" + {module}::all(round)" for module in modules)
    declared = "".join(f"pub mod {module};\n" for module in modules)
    (folder / root).write_text(f"{declared}\npub fn all(round: usize) -> f64 {{\n    0.0{calls}\n}}\n")


@dataclass(frozen=True)
class Measured:
    """What a command took."""

    seconds: float
    processor: float
    memory: int
    """The most that one of its processes had, in bytes."""


def measured(argv: Sequence[str | Path], environment: Mapping[str, str] = {}) -> Measured:
    """Run a command, silently unless it fails."""
    with tempfile.TemporaryFile("w+") as output:
        begun = time.perf_counter()
        child = subprocess.Popen(argv, env={**os.environ, **environment}, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            sys.exit(output.read())
    return Measured(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def edit(folder: Path, rounds: int, strategies: Sequence[str] = STRATEGIES) -> None:
    """Figures 1, 2 and 4."""
    program = Program.generate(folder / "edited", 10)
    times = _after_edits(program, strategies, rounds)
    print("\nedit of one line of what is differentiated -> artifact")
    for name, seconds in times.items():
        over = {other: ratio(seconds, times[other]) for other in ("cargo alone", "fat-lto") if other in times}
        said = ", ".join(f"{value:.2f} x {other}" for other, value in over.items())
        print(f"  {name:20} {statistics.median(seconds):6.2f} s   {said}")
    begun = time.time()
    program.edit_outside()
    took = program.build("slice").seconds
    again = [stage for stage, said in program.stages("slice").items() if said["how"] == "ran" and said["when"] > begun]
    print(f"edit outside of it, slice: {took:.2f} s; stages that ran again: {', '.join(again) or 'none'}")


def crate(folder: Path, rounds: int) -> None:
    """Figure 1, by what cargo alone has to do."""
    print("\nedit of one line of what is differentiated -> artifact, by other code in the same crate")
    for size in (1, 5, 10, 20, 60):
        times = _after_edits(Program.generate_one_crate(folder / f"crate-{size}", size), ["slice"], rounds)
        cargos, ours = (statistics.median(times[name]) for name in ("cargo alone", "slice"))
        print(f"  {size:4} x  slice {ours:6.2f} s   cargo alone {cargos:6.2f} s   aim {1.25 * cargos + 0.5:6.2f} s")


def _after_edits(program: Program, strategies: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """The seconds that cargo alone and each strategy take after one line of the model is edited, an edit for each round."""
    ways: dict[str, Callable[[], Measured]] = {"cargo alone": program.build_by_cargo}
    ways |= {strategy: partial(program.build, strategy) for strategy in strategies}
    for build in ways.values():
        build()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        program.edit()
        for name, build in ways.items():
            times[name].append(build().seconds)
    return times


def growth(folder: Path, rounds: int) -> None:
    """Figures 3 and 6."""
    print(f"\nthe stages from {STAGES[0]} to {STAGES[-1]} after the edit, and the most memory of a process, by other code")
    for size in (1, 10, 100):
        program = Program.generate(folder / f"size-{size}", size)
        for strategy in STRATEGIES:
            program.build(strategy)
        found: dict[str, list[tuple[float, float]]] = {strategy: [] for strategy in STRATEGIES}
        for _ in range(rounds):
            program.edit()
            for strategy in STRATEGIES:
                memory = program.build(strategy).memory
                found[strategy].append((sum(stage["seconds"] for stage in program.stages(strategy).values()), memory))
        for strategy, pairs in found.items():
            seconds, memory = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(f"  {size:4} x  {strategy:20} {seconds:7.2f} s {memory / 2**20:8.0f} MiB")


def outside(folder: Path, rounds: int) -> None:
    """Figure 5, of the program."""
    program = Program.generate(folder / "outside", 10)
    program.build("slice"), program.build_by_cargo()
    print("\nthe processor's time of what no derivative reaches")
    _compare(program, ("slice", "cargo alone"), ["other", "300"], rounds)


def gradient(folder: Path, rounds: int) -> None:
    """Figure 5, of gradients."""
    program = Program.generate(folder / "gradient", 1)
    for strategy in STRATEGIES:
        program.build(strategy)
    print("\nthe processor's time of gradients")
    _compare(program, (*STRATEGIES[:-1], STRATEGIES[-1]), ["gradient", "1000"], rounds)


def _compare(program: Program, ways: Sequence[str], arguments: Sequence[str], rounds: int) -> None:
    """Each way's time, over that of the last."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            times[way].append(measured([program.binary(way), *arguments]).processor)
    for way in ways:
        over = ratio(times[way], times[ways[-1]])
        print(f"  {way:20} {statistics.median(times[way]) * 1e3:8.1f} ms   {over:.3f} x {ways[-1]}")


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios of each round."""
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))


FIGURES = {"edit": (edit, 5), "crate": (crate, 5), "growth": (growth, 3), "outside": (outside, 41), "gradient": (gradient, 21)}
"""What is measured, and in how many rounds."""


def main() -> None:
    """Print the figures asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", choices=[[], *FIGURES], help="all, where none is named")
    parser.add_argument("--rounds", type=int, help="rounds of each")
    parser.add_argument("--slice", action="store_true", help="an edit, with that strategy alone")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.slice:
            edit(Path(folder), asked.rounds or 5, ["slice"])
            return
        for name in asked.figures or FIGURES:
            measure, rounds = FIGURES[name]
            measure(Path(folder), asked.rounds or rounds)


if __name__ == "__main__":
    main()
