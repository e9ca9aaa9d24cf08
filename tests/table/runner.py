"""Many programs in one crate: built, run, and each given its verdict."""

from __future__ import annotations

import json
import logging
import math
import re
import signal
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.table.catalogue import refusal
from tests.table.closed_form import right
from tests.table.headers import DEPTH, LEVELS, Program
from tests.table.source import source
from tests.workbench import MANIFEST, Workbench, doit

PROFILES = "".join(
    f'[profile.level{level}]\ninherits = "release"\nopt-level = {level if level.isdigit() else f"{level!r}"}\n'
    for level in LEVELS
)

LOG = logging.getLogger("table")

AT_ONCE = 100
"""Programs in one crate."""

# Without `std::rt` and `println!` the merged module is small. Each line is out before the next program begins.
MAIN = """\
#![no_main]
#![allow(warnings)]
pub use autodiff::*;

{modules}

const REPORTS: &[fn(u32)] = &[{reports}];

unsafe extern "C" {{
    fn dprintf(file: i32, format: *const core::ffi::c_char, ...) -> i32;
    fn atoi(text: *const core::ffi::c_char) -> i32;
}}

pub fn show(case: usize, got: &[&[f64]]) {{
    unsafe {{
        dprintf(1, c"{{\\"case\\": %d, \\"got\\": [\\"".as_ptr(), case as i32);
        for part in got {{
            for number in *part {{
                dprintf(1, c"%.17g ".as_ptr(), *number);
            }}
        }}
        dprintf(1, c"\\"]}}\\n".as_ptr());
    }}
}}

#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, argv: *const *const core::ffi::c_char) -> i32 {{
    let [first, n] = [1, 2].map(|i| unsafe {{ atoi(*argv.add(i)) }});
    core::hint::black_box(control(n as f64, 1.0));
    for report in &REPORTS[first as usize..] {{
        report(n as u32);
    }}
    0
}}

// At level 0 a program with nothing but forward mode is refused, whatever its headers are.
#[autodiff_reverse(control, Active, Active)]
fn square(x: f64) -> f64 {{
    x * x
}}

// What the headers speak of.

pub trait Real: Copy {{
    fn of(x: f64) -> Self;
    fn get(self) -> f64;
}}

impl Real for f32 {{
    fn of(x: f64) -> Self {{
        x as f32
    }}
    fn get(self) -> f64 {{
        self as f64
    }}
}}

pub trait Bend {{
    fn bend(&self, t: f64) -> f64;
}}

pub struct Bow(pub f64);
pub struct Spring {{
    pub name: &'static str,
    pub slope: f64,
}}

impl Bend for Bow {{
    fn bend(&self, t: f64) -> f64 {{
        self.0 * t + t * t / 32.0
    }}
}}

impl Bend for Spring {{
    fn bend(&self, t: f64) -> f64 {{
        self.slope * t + t * t / 32.0
    }}
}}

pub fn bent(slope: f64) -> impl Fn(f64) -> f64 + Copy {{
    move |t| slope * t + t * t / 32.0
}}

pub fn bent_by_3(t: f64) -> f64 {{
    3.0 * t + t * t / 32.0
}}

pub fn bent_by_4(t: f64) -> f64 {{
    4.0 * t + t * t / 32.0
}}

pub fn bent_by_3_single(t: f32) -> f32 {{
    3.0 * t + t * t / 32.0
}}

pub fn bent_by_4_single(t: f32) -> f32 {{
    4.0 * t + t * t / 32.0
}}
"""


@dataclass(frozen=True)
class Verdict:
    """`right`, `refused`, `wrong` or `crash`; and what was said, or came out."""

    kind: str
    said: str = ""


Verdicts = dict[Program, Verdict]


def judge(programs: Sequence[Program], folder: Path, workers: int = 2) -> Verdicts:
    """What becomes of each program: built for its level in `folder`, and run.

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
            _judge_level, [(Workbench(folder / f"level{level}"), level, [its for _, its in two]) for level, two in levels]
        )
        return {program: verdict for verdicts in judged for program, verdict in verdicts.items()}


def _judge_level(job: tuple[Workbench, str, list[list[Program]]]) -> Verdicts:
    bench, level, sets = job
    verdicts: Verdicts = {}
    for programs in sets:
        for begin in range(0, len(programs), AT_ONCE):
            _judge_crate(programs[begin : begin + AT_ONCE], level, bench, verdicts)
    return verdicts


def _judge_crate(programs: Sequence[Program], level: str, bench: Workbench, verdicts: Verdicts) -> None:
    """Enzyme differentiates a crate or refuses it, and then names one program, if any.

    That one is left out, and with it the others of its header: nobody listed it, and one refusal says so.  Where none is
    named the crate is halved.
    """
    refused = {program.header for program, verdict in verdicts.items() if verdict.kind in {"refused", "crash"}}
    programs = [program for program in programs if program.header not in refused]
    if not programs:
        return
    write(programs, bench)
    built = doit("build", f"crate={bench.folder}", f"profile=level{level}", f"opt1.level={'2' if level == 's' else level}")
    said = errors(built.stderr)
    LOG.info("level %s: %d programs %s", level, len(programs), "built" if built.returncode == 0 else "refused")
    for message, number in said:
        LOG.info("%s: %s", "one of them" if number is None else programs[number], message)
    if built.returncode == 0:
        verdicts |= run(programs, bench.output() / "bench")
    elif named := {programs[number]: Verdict("refused", message) for message, number in said if number is not None}:
        verdicts |= named
        _judge_crate(programs, level, bench, verdicts)
    elif len(programs) == 1:
        message = said[0][0] if said else built.stderr.strip()
        is_refusal = said and "broke down" not in message
        verdicts[programs[0]] = Verdict("refused" if is_refusal else "crash", message)
    else:
        half = len(programs) // 2
        _judge_crate(programs[:half], level, bench, verdicts)
        _judge_crate(programs[half:], level, bench, verdicts)


def write(programs: Sequence[Program], bench: Workbench) -> None:
    """The crate of these programs: a file for each, so that a refusal names it."""
    names = [f"p{number:04}" for number in range(len(programs))]
    modules = "\n".join(f"mod {name};" for name in names)
    reports = ", ".join(f"{name}::report" for name in names)
    bench.write(MAIN.format(modules=modules, reports=reports), f"{MANIFEST}\n{PROFILES}")
    for stale in (bench.folder / "src").glob("p*.rs"):
        stale.unlink()
    for number, (name, program) in enumerate(zip(names, programs, strict=True)):
        (bench.folder / "src" / f"{name}.rs").write_text(source(program, number))


_ERROR = re.compile(r"^error(?:\[\w+\])?: (?P<said>.*)(?:\n *--> (?P<place>.*))?", re.MULTILINE)
_NAMED = re.compile(r"\bsrc/p(\d{4})\.rs:|\dbench5p(\d{4})")


def errors(stderr: str) -> list[tuple[str, int | None]]:
    """Each message, with the number of the program that it names."""
    found = []
    for error in _ERROR.finditer(stderr):
        named = _NAMED.search(f"{error['place']} {error['said']}")
        if not error["said"].startswith(("could not compile", "`bench` does not build", "aborting")):
            found.append((error["said"], int(named[1] or named[2]) if named else None))
    return found


def run(programs: Sequence[Program], binary: Path) -> Verdicts:
    """Run them all; one that dies is noted, and the run goes on after it."""
    verdicts: Verdicts = {}
    while len(verdicts) < len(programs):
        begin = len(verdicts)
        done = subprocess.run([binary, str(begin), str(DEPTH)], capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            case = json.loads(line)
            program = programs[case["case"]]
            verdicts[program] = verdict = _compared(program, [float(number) for number in case["got"][0].split()])
            if verdict.kind != "right":
                LOG.info("%s, %s: %s", program, verdict.kind, verdict.said)
        if done.returncode:
            died = programs[len(verdicts)]
            verdicts[died] = Verdict("crash", f"died of {signal.Signals(-done.returncode).name}: {done.stderr.strip()[:200]}")
    return verdicts


def _compared(program: Program, got: list[float]) -> Verdict:
    expected, tolerance = right(program), program.header.tolerance
    if len(got) == len(expected) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(got, expected, strict=True)
    ):
        return Verdict("right")
    return Verdict("wrong", f"got {got}, want {expected}")
