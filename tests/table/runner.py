"""What becomes of each program of the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from tests.programs import LEVELS, Kind, Verdict, Way
from tests.table.catalogue import refusal
from tests.table.closed_form import right
from tests.table.headers import Program
from tests.table.source import source
from tests.workbench import Workbench

SHARED = """\
// What the headers speak of.

pub trait Real: Copy {
    fn of(x: f64) -> Self;
    fn get(self) -> f64;
}

impl Real for f32 {
    fn of(x: f64) -> Self {
        x as f32
    }
    fn get(self) -> f64 {
        self as f64
    }
}

pub trait Bend {
    fn bend(&self, t: f64) -> f64;
}

pub struct Bow(pub f64);
pub struct Spring {
    pub name: &'static str,
    pub slope: f64,
}

impl Bend for Bow {
    fn bend(&self, t: f64) -> f64 {
        self.0 * t + t * t / 32.0
    }
}

impl Bend for Spring {
    fn bend(&self, t: f64) -> f64 {
        self.slope * t + t * t / 32.0
    }
}

pub fn bent(slope: f64) -> impl Fn(f64) -> f64 + Copy {
    move |t| slope * t + t * t / 32.0
}

pub fn bent_by_3(t: f64) -> f64 {
    3.0 * t + t * t / 32.0
}

pub fn bent_by_4(t: f64) -> f64 {
    4.0 * t + t * t / 32.0
}

pub fn bent_by_3_single(t: f32) -> f32 {
    3.0 * t + t * t / 32.0
}

pub fn bent_by_4_single(t: f32) -> f32 {
    4.0 * t + t * t / 32.0
}
"""

Verdicts = dict[Program, Verdict]


def judge(programs: Sequence[Program], folder: Path, config: str = "single-module-merge", workers: int = 2) -> Verdicts:
    """What becomes of each program: built for its level in `folder` by a config, and run.

    What is known to be refused is built apart, so that it does not hold up the rest.  Of a header that is refused without
    being known for it, not every program gets a verdict.
    """
    jobs = [
        (level, [p for p in programs if p.level == level and bool(refusal(p)) == is_known])
        for level in LEVELS
        for is_known in (False, True)
    ]
    with ThreadPoolExecutor(workers) as pool:
        levels = groupby(jobs, key=lambda job: job[0])
        judged = pool.map(
            _judge_level,
            [(Workbench(folder / f"level{level}"), Way(level, config), [its for _, its in two]) for level, two in levels],
        )
        return {program: verdict for verdicts in judged for program, verdict in verdicts.items()}


def _judge_level(job: tuple[Workbench, Way, list[list[Program]]]) -> Verdicts:
    bench, way, sets = job
    verdicts: Verdicts = {}
    for programs in sets:
        KIND.judge(programs, way, bench, verdicts)
    return verdicts


def _compared(program: Program, got: list[float]) -> Verdict:
    expected, tolerance = right(program), program.header.tolerance
    if len(got) == len(expected) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(got, expected, strict=True)
    ):
        return Verdict("right")
    return Verdict("wrong", f"got {got}, want {expected}")


# Nobody listed a header that is refused now, and one refusal says so.
KIND = Kind(SHARED, source, _compared, likeness=lambda program: program.header)
