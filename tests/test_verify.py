"""Derivatives that check themselves (`verify` of the config): what they find, say and leave alone."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline import enzyme_driver, process, verification
from pipeline.config import load
from pipeline.gradcheck import builds
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.repairs import NAMES, nested
from pipeline.stages import MODULE, Inputs, Stage
from pipeline.stages.abi_fixup import AbiFixup
from pipeline.stages.opt1 import Opt1
from pipeline.toolchain import Tool, find_tools
from tests import alone
from tests.workbench import MANIFEST, MERGED, ROOT, Workbench, doit

CRATE = ROOT / "tests/crates/verify"
STAGES = CRATE / "target/crategrad/verify/stages"
WRONG = 86

WITHOUT_CURES = ("option", "result", "moved", "carried")
"""The functions of the crate that come out wrong without a word: classes S4, S5, S6 and S9."""
UNROLLED = "exchanged"
"""That of class S7, where LLVM also unrolled loops before."""


def run(program: Path, *arguments: str, asking: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], env={"CRATEGRAD_VERIFY": asking}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def program() -> Path:
    """The crate, built to check itself."""
    built = doit("build", f"crate={CRATE}", "config=verify")
    assert built.returncode == 0, built.stdout + built.stderr
    return CRATE / "target/crategrad/verify/verify"


@dataclass(frozen=True)
class Unrolling:
    """opt1 as it would be if nothing were held back but vectors."""

    opt: Tool

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        options = ["-passes=default<O2>", "-vectorize-loops=false", "-vectorize-slp=false"]
        process.run_tool([self.opt, *options, "-o", out / MODULE, inputs["module"] / MODULE], log=log)


def without_cures(out: Path, opt1: Stage) -> Path:
    """The crate built to check itself, without repairs, and with nobody who refuses what comes of that."""
    merged = doit("llvm_link", f"crate={CRATE}", "config=verify", MERGED)
    assert merged.returncode == 0, merged.stderr
    tools = find_tools()
    fixup = AbiFixup(tools.opt, tools.libllvm, raw=False, repairs=True, without=tuple({*NAMES} - {"nested"}))
    stages = alone.stages(2, tools) | {"opt1": opt1, "abi_fixup": fixup}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pipeline.audit.audit", lambda *_: [])
        patched.setattr(enzyme_driver, "_MEMMOVE", "what Enzyme never says")
        alone.build(STAGES / "03-llvm_link", stages, STAGES.parent / "stages", out, tools)
    return out / "link" / "verify"


@pytest.fixture(scope="module")
def faulty(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert program.exists(), "what the stages link by"
    return without_cures(tmp_path_factory.mktemp("faulty"), Opt1(find_tools().opt, 2))


@pytest.fixture(scope="module")
def faulty_and_unrolled(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert program.exists(), "what the stages link by"
    return without_cures(tmp_path_factory.mktemp("unrolled"), Unrolling(find_tools().opt))


@pytest.mark.toolchain
@pytest.mark.parametrize("function", WITHOUT_CURES)
def test_what_is_wrong_is_found_where_it_is_called(function: str, faulty: Path) -> None:
    is_found_where_it_is_called(function, faulty)


@pytest.mark.toolchain
def test_what_is_wrong_once_loops_are_unrolled_is_found(faulty_and_unrolled: Path) -> None:
    is_found_where_it_is_called(UNROLLED, faulty_and_unrolled)


def is_found_where_it_is_called(function: str, program: Path) -> None:
    done = run(program, function)
    assert done.returncode == WRONG, done.stdout + done.stderr
    assert len(re.findall("^error: ", done.stderr, re.MULTILINE)) == 1, "once for three calls"
    lines = enumerate((CRATE / "src/main.rs").read_text().splitlines(), 1)
    line = next(number for number, text in lines if re.search(rf"d_{function}\(&?x, ", text))
    assert re.search(rf"^error: `d_{function}`, .* is wrong\n  --> src/main.rs:{line}:", done.stderr, re.MULTILINE), done.stderr
    assert re.search(r"  reverse mode (\S+), .*\n  forward mode (\S+), .*\n  off by \S+, relatively \S+; ", done.stderr)
    assert "numbers that move: 9 in x\n" in done.stderr
    assert "verify: 3 calls of derivatives from 1 places, 3 checked, 3 wrong, 0 undecided" in done.stderr


@pytest.mark.toolchain
def test_the_program_can_end_at_once(faulty: Path) -> None:
    done = run(faulty, "moved", asking="abort")
    assert done.returncode == -6
    assert done.stdout == ""


@pytest.mark.toolchain
@pytest.mark.parametrize("function", [*WITHOUT_CURES, UNROLLED, "report"])
def test_what_is_right_stays_as_it_is(function: str, program: Path) -> None:
    built = doit("build", f"crate={CRATE}")
    assert built.returncode == 0, built.stderr
    done, plain = run(program, function), run(CRATE / "target/crategrad/default/verify", function)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "error" not in done.stderr


@pytest.mark.toolchain
def test_what_was_not_checked_is_told_without_being_asked_for(program: Path) -> None:
    said = run(program, "report").stderr
    assert "3 calls of derivatives from 3 places, 2 checked, 0 wrong" in said
    assert re.search(r"`d_opaque` at src/main.rs:\d+:\d+, called 1 times: not checked, `x` is `verify::Opaque`", said)
    assert run(program, "moved").stderr == ""
    assert "3 calls of derivatives from 1 places, 3 checked" in run(program, "moved", asking="summary").stderr


ASKING = """
define void @shim(ptr %x, ptr %to) {
  call void @asking(ptr %x, ptr %to)
  ret void
}
define void @asking(ptr %x, ptr %to) noinline {
  %shadow = alloca double
  %seen = alloca ptr
  store ptr @places, ptr %seen
  %wanted = call i1 @__crategrad_verify_wanted(ptr %seen)
  br i1 %wanted, label %checks, label %goes_on
checks:
  call void @copies(ptr %seen)
  br label %goes_on
goes_on:
  call void (...) @__enzyme_autodiff(ptr @inner, ptr %x, ptr %shadow)
  ret void
}
define void @user(ptr %x) {
  %wanted = call i1 @__crategrad_verify_wanted(ptr %x)
  br i1 %wanted, label %checks, label %goes_on
checks:
  call void @copies(ptr %x)
  br label %goes_on
goes_on:
  ret void
}
@places = external constant ptr
declare i1 @__crategrad_verify_wanted(ptr)
declare void @copies(ptr)
declare void @inner(ptr)
declare void @__enzyme_autodiff(...)
"""


def test_nothing_is_checked_where_it_is_differentiated_and_enzyme_sees_who_asks(tmp_path: Path) -> None:
    (tmp_path / "module.ll").write_text(ASKING)
    with Module(find_tools().libllvm, tmp_path / "module.ll") as module:
        shims = module.named(["shim"])
        assert verification.leave_out(module, shims) == ["not verified, as it is differentiated itself: asking"]
        assert nested.inline(Editor(module), shims) == ["nested: asking"]
        asked = [
            [module.name(module.callee(i)) for i in module.instructions(f) if module.is_call(i)]
            for f in module.named(["shim", "user"])
        ]
    assert "__enzyme_autodiff" in asked[0]
    assert not {"copies", "asking", "__crategrad_verify_wanted"} & set(asked[0])
    assert asked[1] == ["__crategrad_verify_wanted", "copies"]


NESTED = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(d1, Active, Active)]
fn quartic(x: f64) -> f64 {
    x * x * x * x
}

#[inline(never)]
#[autodiff_reverse(d2, Active, Active)]
fn first(x: f64) -> f64 {
    d1(x, 1.0).1
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let (first, second) = d2(f64::from(argc) + 0.5, 1.0);
    i32::from((first, second) != (13.5, 27.0))
}
"""


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("config", "strategy"), [("default", "slice"), pytest.param("verify", "single-module-merge", marks=pytest.mark.full)]
)
def test_a_derivative_of_a_derivative_is_right_however_large_the_function(config: str, strategy: str, tmp_path: Path) -> None:
    """What checks calls by pointer, so that a slice of it would be the whole program after all, and be made twice."""
    bench = Workbench(tmp_path)
    bench.write(NESTED, MANIFEST)
    bench.build(f"config={config}", f"strategy={strategy}", "enzyme.fast_math=false")
    assert run(bench.output(config) / "bench").returncode == 0


SOMETIMES = """\
use autodiff::*;

#[autodiff_reverse(d_kink, Active, Active)]
fn kink(x: f64) -> f64 {
    x.abs() + x * x
}

fn main() {
    for n in 0..10 {
        d_kink(f64::from(n) * 0.1, 1.0);
    }
}
"""


@pytest.mark.toolchain
def test_every_so_many_calls_are_held_against_differences_too(tmp_path: Path) -> None:
    """The first of them at a kink, of which nothing can be said."""
    bench = Workbench(tmp_path)
    bench.write(SOMETIMES, MANIFEST)
    bench.build("verify.every=3", "verify.differences=true")
    done = run(bench.output() / "bench", asking="summary")
    assert done.returncode == 0
    assert "10 calls of derivatives from 1 places, 4 checked, 0 wrong, 1 undecided" in done.stderr


BOTH_ALIKE = """\
use autodiff::*;
use std::sync::atomic::{AtomicU32, Ordering};

static CALLS: AtomicU32 = AtomicU32::new(0);

#[inactive]
fn calls() -> f64 {
    f64::from(CALLS.fetch_add(1, Ordering::Relaxed))
}

#[autodiff_reverse(d_counted, Active, Active)]
fn counted(x: f64) -> f64 {
    x * x + calls()
}

/// What is computed of `x` lies in `room` for a while, which is said to be constant.
#[autodiff_reverse(d_scratch, Duplicated, Const, Active)]
fn scratch(x: &[f64], room: &mut [f64]) -> f64 {
    for (x, room) in x.iter().zip(&mut *room) {
        *room = x * x;
    }
    room.iter().zip(x).map(|(square, x)| square + x).sum()
}

fn main() {
    if std::env::args().any(|argument| argument == "counted") {
        for _ in 0..3 {
            d_counted(1.5, 1.0);
            d_counted(2.5, 1.0);
        }
    } else {
        let mut dx = [0.0; 2];
        d_scratch(&[1.0, 2.0], &mut dx, &mut [0.0; 2], 1.0);
        println!("{dx:?}");
    }
}
"""


@pytest.fixture(
    scope="module", params=[pytest.param(False, marks=pytest.mark.full), True], ids=["modes alone", "with differences"]
)
def alike(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bool]:
    """A program whose derivatives are wrong in both modes alike; and whether differences are taken."""
    bench = Workbench(tmp_path_factory.mktemp("alike"))
    bench.write(BOTH_ALIKE, MANIFEST)
    bench.build("config=verify", *(["verify.differences=true"] if request.param else []))
    return bench.output("verify") / "bench", request.param


@pytest.mark.toolchain
def test_a_value_that_a_plain_call_does_not_give_is_told_once_for_each_place(alike: tuple[Path, bool]) -> None:
    program, _ = alike
    done = run(program, "counted")
    assert done.returncode == WRONG, done.stdout + done.stderr
    place = r"^error: `d_counted`, .* is wrong\n  --> src/main.rs:(\d+):\d+\n"
    values = r"  number 0 of the result is (\S+) as the derivative returns it\n  a plain call gives (\S+)\n"
    found = re.findall(place + values, done.stderr, re.MULTILINE)
    first = BOTH_ALIKE[: BOTH_ALIKE.index("d_counted(1.5")].count("\n") + 1
    assert [int(line) for line, _, _ in found] == [first, first + 1]
    assert all(got != plain for _, got, plain in found)
    assert done.stderr.count("error: ") == 2
    assert "verify: 6 calls of derivatives from 2 places, 6 checked, 6 wrong, 0 undecided" in done.stderr


@pytest.mark.toolchain
def test_what_is_wrong_in_both_modes_is_found_by_differences(alike: tuple[Path, bool]) -> None:
    program, differences = alike
    done = run(program)
    assert done.stdout == "[1.0, 1.0]\n", "not 2 x + 1"
    assert done.returncode == (WRONG if differences else 0), done.stderr
    assert bool(re.search(r"reverse mode \S+, and so says forward mode\n  differences  \S+\n", done.stderr)) == differences


def test_gradcheck_has_the_derivatives_as_they_are() -> None:
    assert {config.verify.every for config in builds.variants(load("verify"), [0]).values()} == {0}
