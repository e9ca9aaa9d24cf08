"""What becomes of random functions: many are compiled in one crate, and differentiated, built and run some at a time.

Where any of these is not right, each of them is tried alone.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pipeline.errors import UserError
from pipeline.llvm import Module
from pipeline.toolchain import find_tools
from tests.alone import build, merged, only, stages
from tests.fuzz import oracle
from tests.fuzz.headers import Derived
from tests.fuzz.oracle import CASTS, DOUBLE, DUAL, INPUTS, SINGLE, SIZES, Precision, Source
from tests.programs import PROFILES, Verdict, refusal, run
from tests.workbench import MANIFEST, Workbench

LOG = logging.getLogger("fuzz")

LEVELS = ("0", "1", "2", "3")
MODES = ("reverse", "forward", "width 2")
"""In which functions are tried, if nothing else is said; `width 4` is another, and those with another header (`MIXED`)."""
MIXED = ("mixed", "within")
"""In which functions are tried that have constants, and numbers that they may write; these are of `f64` alone."""

HEADERS = ("headers",)
"""In which functions are tried that have a header of their own, of `f64` alone: in reverse, in forward mode and in width 2."""

MODES_OF = {"f64": MODES, "f32": MODES, "mixed": MIXED, "headers": HEADERS}
"""In which modes functions are tried, by what they are of (`record.Run.numbers`)."""

AT_ONCE = 60
"""Functions in one crate: of more, to take the others out of the module for each takes longer than to begin anew."""

TOGETHER = 6
"""Light functions in one program: more is hardly quicker, and has more of them tried anew where one is refused."""

PATIENCE_S = 300
"""A function whose stages take longer hangs: most take a few seconds."""

# How many elements there are, and `k`, the compiler cannot see.
_MAIN = """\
#![no_main]
#![allow(warnings, unconditional_panic, arithmetic_overflow)]
pub use autodiff::*;

DUAL
MODULES

const ALL: &[extern "C" fn(i32, *const *const u8) -> i32] = &[FUNCTIONS];

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, argv: *const *const u8) -> i32 {
    let first = if argc > 1 { unsafe { atoi(*argv.add(1)) } } else { 0 };
    core::hint::black_box(&ALL[first as usize..]).iter().map(|one| one(argc.min(1), argv)).sum()
}

unsafe extern "C" {
    fn atoi(text: *const u8) -> i32;
    fn dprintf(file: i32, format: *const core::ffi::c_char, ...) -> i32;
}

pub struct Case {
    pub argc: usize,
}

impl Case {
    pub fn reverse(&self, of: fn(&[f64], &mut [f64], usize, f64) -> f64) {
        self.show(|xs, k, at| {
            let mut gradient = vec![0.0; xs.len()];
            let value = of(xs, &mut gradient, k, 1.0);
            (value, gradient[at])
        });
    }

    pub fn forward(&self, of: fn(&[f64], &[f64], usize) -> (f64, f64)) {
        self.show(|xs, k, at| of(xs, &towards(xs, at), k));
    }

    pub fn wide<const WIDTH: usize, const ALL: usize>(&self, of: fn(&[f64], [&[f64]; WIDTH], usize) -> [f64; ALL]) {
        for lane in 0..WIDTH {
            self.show(|xs, k, at| {
                let all: [_; WIDTH] = core::array::from_fn(|other| towards(xs, if other == lane { at } else { other }));
                let got = of(xs, all.each_ref().map(|direction| &direction[..]), k);
                (got[0], got[lane + 1])
            });
        }
    }

    /// `of` is given constants, too, and numbers that it may write.
    pub fn mixed(&self, of: impl Fn(&[f64], &[f64], &mut [f64], usize, usize) -> (f64, f64)) {
        self.show(|xs, k, at| {
            let numbers: Vec<f64> = NUMBERS.iter().rev().take(xs.len()).copied().collect();
            let constants = numbers.clone();
            let (value, slope) = of(xs, &constants, &mut numbers.clone(), k, at);
            (value, if constants == numbers { slope } else { f64::NAN })
        });
    }

    /// `of` is given numbers that are part of a struct, and puts its result there.
    pub fn within(&self, of: fn(&mut Within, &mut Within, usize)) {
        self.show(|xs, k, at| {
            let mut given = Within { result: 0.0, numbers: xs.to_vec(), count: xs.len() };
            let mut shadow = Within { result: 1.0, numbers: vec![0.0; xs.len()], count: 0 };
            of(&mut given, &mut shadow, k);
            (given.result, shadow.numbers[at])
        });
    }

    fn show(&self, of: impl Fn(&[f64], usize, usize) -> (f64, f64)) {
        for (size, k) in INPUTS {
            let xs = &NUMBERS[..size + self.argc - 1];
            for at in 0..xs.len() {
                let (value, slope) = of(xs, k * self.argc, at);
                unsafe { dprintf(1, c"%.17g %.17g ".as_ptr(), value, slope) };
            }
        }
        unsafe { dprintf(1, c"\\n".as_ptr()) };
    }
}

pub struct Within {
    pub result: f64,
    pub numbers: Vec<f64>,
    pub count: usize,
}

fn towards(xs: &[f64], at: usize) -> Vec<f64> {
    (0..xs.len()).map(|i| if i == at { 1.0 } else { 0.0 }).collect()
}
"""

_MODULE = """\
use crate::casts::Number;
use autodiff::{autodiff_forward, autodiff_reverse};

TEXT
ATTRIBUTES
PRIMAL

#[unsafe(export_name = "NAME")]
pub extern "C" fn start(argc: i32, _argv: *const *const u8) -> i32 {
    let case = crate::Case { argc: argc as usize };
    CALLS
    0
}
"""

_PRIMAL = "fn primal(xs: &[f64], k: usize) -> f64 { body(xs, k) }"
_PRIMAL_IN_SINGLE = "fn primal(xs: &[f32], k: usize) -> f32 { body(crate::single::Single::slice(xs), k).0 }"


@dataclass(frozen=True)
class Mode:
    """How a function is differentiated, and how that is called of `f64`, and of `f32`."""

    attribute: str = ""
    in_double: str = ""
    in_single: str = ""
    lines: tuple[str, ...] = ()
    """What is printed of it, a name for each line."""
    header: str = ""
    """A function of its own, by which it calls the one that is tried, of `f64`."""


_REVERSE = Mode(
    "#[autodiff_reverse(reverse, Duplicated, Const, Active)]",
    "case.reverse(reverse);",
    """case.reverse(|xs, dx, k, by| {
        let mut adjoints = vec![0.0; xs.len()];
        let value = reverse(&crate::single::rounded(xs), &mut adjoints, k, by as f32) as f64;
        dx.iter_mut().zip(adjoints).for_each(|(to, adjoint)| *to = adjoint as f64);
        value
    });""",
    ("reverse",),
)
_FORWARD = Mode(
    "#[autodiff_forward(forward, Dual, Const, Dual)]",
    "case.forward(forward);",
    """case.forward(|xs, dx, k| {
        let (value, tangent) = forward(&crate::single::rounded(xs), &crate::single::rounded(dx), k);
        (value as f64, tangent as f64)
    });""",
    ("forward",),
)


def _wide(width: int) -> Mode:
    """Forward mode in several directions at once."""
    each, each_rounded = (", ".join(f"{one}[{lane}]" for lane in range(width)) for one in ("dx", "&dx"))
    return Mode(
        f"#[autodiff_forward(wide, {width}, Dual, Const, Dual)]",
        f"case.wide::<{width}, {width + 1}>(|xs, dx, k| wide(xs, {each}, k));",
        f"""case.wide::<{width}, {width + 1}>(|xs, dx, k| {{
        let (xs, dx) = (crate::single::rounded(xs), dx.map(crate::single::rounded));
        wide(&xs, {each_rounded}, k).map(|number| number as f64)
    }});""",
        tuple(f"width {width}, direction {lane}" for lane in range(width)),
    )


_MIXED = Mode(
    in_double="""case.mixed(|xs, constants, ys, k, at| {
        let (mut dx, mut dy) = (vec![0.0; xs.len()], vec![0.0; ys.len()]);
        let value = mixed_reverse(xs, &mut dx, constants, ys, &mut dy, k, 1.0);
        (value, dx[at])
    });
    case.mixed(|xs, constants, ys, k, at| {
        let mut dy = vec![0.0; ys.len()];
        mixed_forward(xs, &crate::towards(xs, at), constants, ys, &mut dy, k)
    });""",
    lines=("mixed, reverse", "mixed, forward"),
    header="""\
#[autodiff_reverse(mixed_reverse, Duplicated, Const, Duplicated, Const, Active)]
#[autodiff_forward(mixed_forward, Dual, Const, Dual, Const, Dual)]
fn primal_of_mixed(xs: &[f64], constants: &[f64], ys: &mut [f64], k: usize) -> f64 {
    mixed(xs, constants, ys, k)
}
""",
)
_WITHIN = Mode(
    in_double="case.within(within_reverse);",
    lines=("within a struct, reverse",),
    header="""\
#[autodiff_reverse(within_reverse, Duplicated, Const)]
fn within(given: &mut crate::Within, k: usize) {
    given.result = body(&given.numbers[..given.count], k);
}
""",
)
_MODES = {
    "reverse": _REVERSE,
    "forward": _FORWARD,
    "width 2": _wide(2),
    "width 4": _wide(4),
    "mixed": _MIXED,
    "within": _WITHIN,
}


@dataclass(frozen=True)
class Job:
    """A function that is to be taken through the stages."""

    number: int
    level: str
    precision: Precision
    lines: Sequence[str]
    """What is printed, a name for each line."""
    right: Sequence[float]
    crate: Path
    folder: Path


def judge(
    functions: Sequence[Source],
    level: str,
    folder: Path,
    modes: Sequence[str] = MODES,
    precision: Precision = DOUBLE,
    together: int = 1,
) -> list[Verdict]:
    """What becomes of each function at a level, so many in a program: those that print may be refused beside others.

    `broke down` is where Enzyme did so, and no program was made; `crash` is a program, or a stage of ours, that dies or hangs;
    `invalid` is what is no test, as it does not compile, panics or is infinite.
    """
    found: list[Verdict] = []
    for begin in range(0, len(functions), AT_ONCE):
        found += _judge_crate(functions[begin : begin + AT_ONCE], level, folder, modes, precision, together)
    return found


def _judge_crate(
    functions: Sequence[Source], level: str, folder: Path, modes: Sequence[str], precision: Precision, together: int
) -> list[Verdict]:
    rights = oracle.rights(functions, folder / "oracle", precision)
    valid = {number: right for number, right in enumerate(rights) if isinstance(right, list)}
    verdicts = {number: oracle.verdict(said) for number, said in enumerate(rights) if isinstance(said, str)}
    if valid:
        tools, bench = find_tools(), Workbench(folder / f"level{level}")
        write([functions[number] for number in valid], bench, modes, precision)
        module = merged(bench, level, tools)
        crate = bench.output() / "stages"
        jobs = [
            Job(at, level, precision, derived(functions[number], modes, precision).lines, right, crate, module.parent)
            for at, (number, right) in enumerate(valid.items())
        ]
        with Module(tools.libllvm, module) as whole:
            verdicts |= dict(zip(valid, _side_by_side(whole, jobs, together), strict=True))
    return [verdicts[number] for number in range(len(functions))]


def write(functions: Sequence[Source], bench: Workbench, modes: Sequence[str], precision: Precision = DOUBLE) -> None:
    """The crate of these functions, a file for each."""
    names = [f"p{number:04}" for number in range(len(functions))]
    texts = {"DUAL": f"{DUAL}{SINGLE}{CASTS}\n{INPUTS}", "MODULES": "".join(f"mod {name};\n" for name in names)}
    bench.write(_filled(_MAIN, FUNCTIONS=", ".join(f"{name}::start" for name in names), **texts), f"{MANIFEST}\n{PROFILES}")
    for stale in (bench.folder / "src").glob("p*.rs"):
        stale.unlink()
    for name, function in zip(names, functions, strict=True):
        its = derived(function, modes, precision)
        text = _filled(_MODULE, TEXT=function.text, ATTRIBUTES=its.attributes, PRIMAL=its.primal, CALLS=its.calls, NAME=name)
        (bench.folder / "src" / f"{name}.rs").write_text(text)


def derived(function: Source, modes: Sequence[str], precision: Precision) -> Derived:
    """What stands around a function that is tried in these modes."""
    own = getattr(function, "derived", None)
    if isinstance(own, Derived):
        return own
    of = [_MODES[mode] for mode in modes]
    attributes = "\n".join([*(mode.header for mode in of), *(mode.attribute for mode in of)])
    calls = "\n    ".join(mode.in_single if precision.is_single else mode.in_double for mode in of)
    primal = _PRIMAL_IN_SINGLE if precision.is_single else _PRIMAL
    return Derived(attributes, primal, calls, tuple(line for mode in of for line in mode.lines))


def _filled(template: str, **texts: str) -> str:
    for name, text in texts.items():
        template = template.replace(name, text, 1)
    return template


_WHOLE: list[Module] = []
"""The module of all functions, for the processes that judge one each."""


def _side_by_side(whole: Module, jobs: Sequence[Job], together: int) -> list[Verdict]:
    """What becomes of each, two programs at a time."""
    some = [jobs[begin : begin + together] for begin in range(0, len(jobs), together)]
    _WHOLE.append(whole)
    try:
        with ThreadPoolExecutor(2) as threads:
            return [verdict for verdicts in threads.map(_judged, some) for verdict in verdicts]
    finally:
        _WHOLE.clear()


def _judged(jobs: Sequence[Job]) -> Sequence[Verdict]:
    """What becomes of each: in one program, or alone, if not all are right there."""
    verdicts = _in_a_process(jobs)
    if len(jobs) == 1 or all(verdict.kind == "right" for verdict in verdicts):
        return verdicts
    return [verdict for job in jobs for verdict in _in_a_process([job])]


def _in_a_process(jobs: Sequence[Job]) -> Sequence[Verdict]:
    """In one that has the module as it was read here: LLVM may take it with it, and a pool would wait for that forever."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    process = fork.Process(target=lambda: theirs.send(_judge_program(jobs)))
    process.start()
    theirs.close()
    try:
        verdicts: Sequence[Verdict] = ours.recv()
    except EOFError:
        process.join()
        verdicts = [Verdict("crash", f"the process of the stages ended with {process.exitcode}")] * len(jobs)
    return verdicts


def _judge_program(jobs: Sequence[Job]) -> Sequence[Verdict]:
    """What becomes of the functions of one program; the same of all where there is none."""
    one, tools = jobs[0], find_tools()
    with tempfile.TemporaryDirectory(dir=one.folder) as folder:
        begun, out = Path(folder, "begun"), Path(folder, "out")
        begun.mkdir()
        out.mkdir()
        only(_WHOLE[-1], [f"p{job.number:04}" for job in jobs], begun / "module.bc")
        try:
            with _patience():
                binary = build(begun, stages(int(one.level), tools), one.crate, out, tools)
        except UserError as error:
            refused = refusal(str(error))
            verdict = replace(refused, kind="broke down") if refused.kind == "crash" else refused
        except TimeoutError:
            verdict = Verdict("broke down", f"a stage does not end within {PATIENCE_S} s")
        except Exception:  # it is one of thousands
            verdict = Verdict("crash", traceback.format_exc())
        else:
            return _compared(jobs, binary)
    return [verdict] * len(jobs)


@contextmanager
def _patience() -> Iterator[None]:
    """TimeoutError where what is done within takes too long; the tool that was running is ended by it."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)


def _compared(jobs: Sequence[Job], binary: Path) -> Sequence[Verdict]:
    """Whether each mode of each function gives what dual numbers give."""
    stdout, death = run(binary)
    if death:
        return [Verdict("crash", death)] * len(jobs)
    lines = iter(stdout.splitlines())
    verdicts = [compared(job.lines, list(islice(lines, len(job.lines))), job.right, job.precision) for job in jobs]
    assert not list(lines), "a line is of no function"
    return verdicts


def compared(names: Sequence[str], lines: Sequence[str], right: Sequence[float], precision: Precision) -> Verdict:
    """Whether a function printed what is right in each mode; `names` are those of the lines."""
    differing = [
        f"{name}: {what}"
        for name, line in zip(names, lines, strict=True)
        for what in differences([float(number) for number in line.split()], right, precision)
    ]
    return Verdict("wrong", "; ".join(differing)) if differing else Verdict("right")


def differences(got: Sequence[float], right: Sequence[float], precision: Precision = DOUBLE) -> list[str]:
    """The first number of each input that is another; NaN is equal to none."""
    if len(got) != len(right):
        return [f"{len(got)} numbers instead of {len(right)}"]
    found, end = [], 0
    for size in SIZES:
        begin, end = end, end + 2 * size
        scale = max(1.0, *map(abs, right[begin:end]))
        for at in range(begin, end):
            if not abs(got[at] - right[at]) <= precision.tolerance * scale:
                what = f"derivative {(at - begin) // 2}" if (at - begin) % 2 else "value"
                found.append(f"{what} of {size} elements is {got[at]:.12g}, not {right[at]:.12g}")
                break
    return found
