"""Many programs in one crate: built, run, and each given its verdict."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from tests.workbench import MANIFEST, Workbench, doit

LEVELS = ("0", "1", "2", "3", "s")
"""rustc's optimisation levels; opt1 has the same, but for s."""

PROFILES = "".join(
    f'[profile.level{level}]\ninherits = "release"\nopt-level = {level if level.isdigit() else f"{level!r}"}\n'
    for level in LEVELS
)

LOG = logging.getLogger("programs")

AT_ONCE = 100
"""Programs in one crate."""

PATIENCE_S = 60
"""What takes longer hangs."""

MEMCHECK = ("valgrind", "--quiet", "--error-exitcode=99") if os.environ.get("CRATEGRAD_MEMCHECK") else ()
"""What looks for memory that is freed twice, or read when it is freed or was not written: no number need be wrong of it."""

# Without `std::rt` and `println!` the merged module is small. Each line is out before the next program begins.
_MAIN = """\
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

{shared}"""

DEPTH = 2
"""What the programs get at run time, and the compiler cannot know."""


@dataclass(frozen=True)
class Verdict:
    """`right`, `refused`, `wrong` or `crash`; or `invalid`, of what is no program; and what was said, or came out."""

    kind: str
    said: str = ""


@dataclass(frozen=True)
class Way:
    """How a crate is built: at which optimisation level of rustc's, by which config, with what else set."""

    level: str
    config: str = "single-module-merge"
    settings: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """What `./doit build` is given; opt1 has no level s."""
        opt1 = "2" if self.level == "s" else self.level
        return [f"config={self.config}", f"profile=level{self.level}", f"opt1.level={opt1}", *self.settings]


P = TypeVar("P", bound=Hashable)


class Judge(Generic[P]):
    """How programs are judged, many in one crate."""

    def alike(self, program: P) -> Hashable:
        """Programs of which this is the same are refused together: one of them is tried."""
        return program

    def write(self, programs: Sequence[P], bench: Workbench) -> None:
        """The crate of these programs: a file for each, so that a refusal names it."""
        raise NotImplementedError

    def run(self, programs: Sequence[P], binary: Path) -> dict[P, Verdict]:
        """The verdict on each, in a binary that has them all."""
        raise NotImplementedError

    def judge(self, programs: Sequence[P], way: Way, bench: Workbench, verdicts: dict[P, Verdict]) -> None:
        """Add what becomes of each program when built in a way, many in one crate."""
        for begin in range(0, len(programs), AT_ONCE):
            self._judge_crate(programs[begin : begin + AT_ONCE], way, bench, verdicts)

    def _judge_crate(self, programs: Sequence[P], way: Way, bench: Workbench, verdicts: dict[P, Verdict]) -> None:
        """Enzyme differentiates a crate or refuses it, and then names some programs, if any.

        Those are left out, and with them what is alike.  Where none is named the crate is halved.
        """
        refused = {self.alike(p) for p, verdict in verdicts.items() if verdict.kind in {"refused", "crash"}}
        programs = [program for program in programs if self.alike(program) not in refused]
        if not programs:
            return
        self.write(programs, bench)
        built = doit("build", f"crate={bench.folder}", *way.options)
        said = errors(built.stderr)
        LOG.info("level %s: %d programs %s", way.level, len(programs), "built" if built.returncode == 0 else "refused")
        for message, number in said:
            LOG.info("%s: %s", "one of them" if number is None else programs[number], message)
        if built.returncode == 0:
            verdicts |= self.run(programs, bench.output(way.config) / "bench")
        elif named := {programs[number]: refusal(message) for message, number in said if number is not None}:
            verdicts |= named
            self._judge_crate(programs, way, bench, verdicts)
        elif len(programs) == 1:
            verdicts[programs[0]] = refusal(said[0][0]) if said else Verdict("crash", built.stderr.strip())
        else:
            half = len(programs) // 2
            self._judge_crate(programs[:half], way, bench, verdicts)
            self._judge_crate(programs[half:], way, bench, verdicts)


@dataclass(frozen=True)
class Kind(Judge[P]):
    """A kind of programs: how they are written, and how it is seen whether what they print is right."""

    shared: str
    """Rust that all of them use."""
    source: Callable[[P, int], str]
    """The module of a program, by its number."""
    compared: Callable[[P, list[float]], Verdict]
    """The verdict on what a program printed."""
    likeness: Callable[[P], Hashable] = lambda program: program

    def alike(self, program: P) -> Hashable:
        """See `Judge.alike`."""
        return self.likeness(program)

    def write(self, programs: Sequence[P], bench: Workbench) -> None:
        """See `Judge.write`."""
        names = [f"p{number:04}" for number in range(len(programs))]
        modules = "\n".join(f"mod {name};" for name in names)
        reports = ", ".join(f"{name}::report" for name in names)
        bench.write(_MAIN.format(modules=modules, reports=reports, shared=self.shared), f"{MANIFEST}\n{PROFILES}")
        for stale in (bench.folder / "src").glob("p*.rs"):
            stale.unlink()
        for number, (name, program) in enumerate(zip(names, programs, strict=True)):
            (bench.folder / "src" / f"{name}.rs").write_text(self.source(program, number))

    def run(self, programs: Sequence[P], binary: Path) -> dict[P, Verdict]:
        """See `Judge.run`: one that dies is noted, and the run goes on after it."""
        verdicts: dict[P, Verdict] = {}
        while len(verdicts) < len(programs):
            stdout, death = run(binary, str(len(verdicts)), str(DEPTH))
            for case in map(json.loads, stdout.splitlines()):
                program = programs[case["case"]]
                verdicts[program] = verdict = self.compared(program, [float(number) for number in case["got"][0].split()])
                if verdict.kind != "right":
                    LOG.info("%s: %s", program, verdict)
            if death:
                verdicts[programs[len(verdicts)]] = Verdict("crash", death)
        return verdicts


def run(binary: Path, *arguments: str) -> tuple[str, str]:
    """What a program prints, and what ended it early."""
    try:
        done = subprocess.run([*MEMCHECK, binary, *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired as hangs:
        return (hangs.stdout or b"").decode().rpartition("\n")[0], f"does not end within {PATIENCE_S} s"
    if done.returncode == 0:
        return done.stdout, ""
    how = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit code {done.returncode}"
    return done.stdout, f"died of {how}: {done.stderr.strip()[:200]}"


_ERROR = re.compile(r"^error(?:\[(?P<code>\w+)\])?: (?P<said>.*)(?:\n *--> (?P<place>.*))?", re.MULTILINE)
_NOTES = re.compile(r"(?:^  = note: `.*\n?)+", re.MULTILINE)
_NAMED = re.compile(r"\bsrc/p(\d{4})\.rs:|\dbench5p(\d{4})")
BROKE_DOWN = "broke down"
"""What is said of a stage that ends by a fault of its own."""


def refusal(message: str) -> Verdict:
    """The verdict where a build ends with this message."""
    return Verdict("crash" if BROKE_DOWN in message else "refused", message)


def errors(stderr: str) -> list[tuple[str, int | None]]:
    """Each message, with the number of the program that it names; where it names none, once for each that the notes name."""
    found: list[tuple[str, int | None]] = []
    for error in _ERROR.finditer(stderr):
        if error["said"].startswith(("could not compile", "`bench` does not build", "aborting")):
            continue
        message = f"{error['code']}: {error['said']}" if error["code"] else error["said"]
        notes = _NOTES.search(stderr, error.end())
        itself, asked = (_numbers(text) for text in (f"{error['place']} {error['said']}", notes[0] if notes else ""))
        found += [(message, number) for number in itself[:1] or asked] or [(message, None)]
    return found


def _numbers(text: str) -> list[int]:
    """The numbers of the programs that a text names."""
    return list(dict.fromkeys(int(named[1] or named[2]) for named in _NAMED.finditer(text)))
