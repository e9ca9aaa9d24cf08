"""The stage enzyme: derivatives all at once, and what becomes of the others where one is refused."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pipeline.enzyme_driver import Catalyst, Diagnostic, EnzymeDriver
from pipeline.errors import UserError
from pipeline.ladder import LADDER
from pipeline.stages import MODULE
from pipeline.stages.enzyme import AT_FIRST, Enzyme
from pipeline.toolchain import find_tools
from tests.alone import build, stages
from tests.workbench import MANIFEST, MERGED, Workbench

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
LLVM_DIS = TOOLS.llvm_as.path.with_name("llvm-dis")

# The derivatives share a helper, and a static that the helper counts in.
SEVERAL = """\
#![no_main]
use autodiff::*;

#[unsafe(no_mangle)]
pub static mut CALLS: u32 = 0;

#[inline(never)]
fn square(x: f64) -> f64 {
    unsafe { CALLS += 1 };
    x * x
}

#[autodiff_reverse(d_cube, Active, Active)]
#[autodiff_forward(t_cube, Dual, Dual)]
fn cube(x: f64) -> f64 {
    square(x) * x
}

#[autodiff_reverse(d_fourth, Active, Active)]
fn fourth(x: f64) -> f64 {
    let mut squares = Vec::new();
    while squares.len() < 2 + unsafe { CALLS > 100 } as usize {
        squares.push(square(x));
    }
    squares[0] * squares[1]
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let x = f64::from(argc) + 0.5;
    let near = |got: (f64, f64), value: f64, slope: f64| {
        (got.0 - value).abs() <= 1e-12 * value && (got.1 - slope).abs() <= 1e-12 * slope
    };
    let right = near(d_cube(x, 1.0), x * x * x, 3.0 * x * x)
        && near(t_cube(x, 1.0), x * x * x, 3.0 * x * x)
        && near(d_fourth(x, 1.0), x * x * x * x, 4.0 * x * x * x);
    i32::from(!right || unsafe { CALLS } != 4)
}
"""

REFUSED = SEVERAL.replace("square(x) * x", "square(x) * unsafe { gamma_of_nobody(x) }") + (
    'unsafe extern "C" {\n    fn gamma_of_nobody(x: f64) -> f64;\n}\n'
)


@dataclass(frozen=True)
class Overtaxed:
    """An Enzyme that does what the real one does, but refuses a module that asks for more than so many derivatives."""

    real: EnzymeDriver
    most: int

    def differentiate(self, module: Path, text: Path, flags: Sequence[str], log: Path) -> list[Diagnostic]:
        said = subprocess.run([LLVM_DIS, "-o", "-", module], capture_output=True, text=True, check=True).stdout
        if len(re.findall(r"call void \(\.\.\.\) @__enzyme_", said)) > self.most:
            return [Diagnostic("Enzyme: too many")]
        return self.real.differentiate(module, text, flags, log)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_derivatives_that_are_had_one_by_one_are_those_of_one_program(bench: Workbench, tmp_path: Path, most: int) -> None:
    bench.write(SEVERAL)
    bench.build(MERGED)
    later = {name: stage for name, stage in stages(3, TOOLS).items() if name in ("enzyme", "opt2", "codegen")}
    real = later["enzyme"]
    assert isinstance(real, Enzyme)
    given = bench.output() / "stages" / "05-abi_fixup"
    through = {**later, "enzyme": replace(real, driver=Overtaxed(real.driver, most))}
    program = build(given, through, bench.output() / "stages", tmp_path, TOOLS)
    assert subprocess.run([program], check=False).returncode == 0
    assert [path.name for path in (tmp_path / "enzyme").iterdir()] == [MODULE]


POWERS = 9


def products_of_slopes() -> str:
    """More derivatives than Enzyme is shown at once: of powers, and each of a product of two powers' slopes."""
    powers = "".join(
        f"#[autodiff_reverse(d{n}, Active, Active)]\nfn power{n}(x: f64) -> f64 {{ x.powi({n}) }}\n"
        for n in range(1, POWERS + 1)
    )
    products, checks = "", []
    for n in range(1, POWERS):
        other = (n + 3) % POWERS + 1
        body = f"d{n}(x, 1.0).1 * d{other}(x, 1.0).1"
        products += f"#[autodiff_reverse(r{n}, Active, Active)]\nfn product{n}(x: f64) -> f64 {{ {body} }}\n"
        degree = n + other - 2
        checks.append(f"near(r{n}(x, 1.0).1, {float(n * other * degree)} * x.powi({degree - 1}))")
    return f"""\
#![no_main]
use autodiff::*;
fn near(one: f64, other: f64) -> bool {{ (one - other).abs() <= 1e-12 * other.abs().max(1.0) }}
{powers}{products}
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {{
    let x = f64::from(argc) + 0.25;
    i32::from(!({" && ".join(checks)}))
}}
"""


def test_what_is_made_of_two_derivatives_is_differentiated_wherever_the_two_are_made(bench: Workbench) -> None:
    bench.write(products_of_slopes())
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0


def test_only_what_is_refused_is_named_and_the_cause_once(bench: Workbench) -> None:
    bench.write(REFUSED)
    finished = bench.doit("build")
    assert finished.returncode == 1
    assert "d_fourth" not in finished.stderr
    for derivative, mode in (("d_cube", "reverse"), ("t_cube", "forward")):
        assert f"`{derivative}` was asked for, {mode} mode of `bench::cube` at src/main.rs:15:4" in finished.stderr


# At level 0 the word of the error's length is that of the pointer: a value of two types.
VALIDATED = """\
#![no_main]
use autodiff::*;

#[unsafe(no_mangle)]
pub static mut CALLS: u32 = 0;

struct Parameters {
    scale: f64,
    shift: Option<f64>,
}

fn read(x: &[f64]) -> Result<Parameters, &'static str> {
    unsafe { CALLS += 1 };
    let scale = *x.first().ok_or("no scale")?;
    match x {
        [_, shift, ..] if *shift > 5.0 => Err("the shift is too large"),
        [_, shift, ..] => Ok(Parameters { scale, shift: Some(*shift) }),
        _ => Ok(Parameters { scale, shift: None }),
    }
}

#[autodiff_reverse(d_validated, Duplicated, Active)]
fn validated(x: &[f64]) -> f64 {
    match read(x) {
        Ok(Parameters { scale, shift: Some(shift) }) => scale * shift * scale,
        Ok(Parameters { scale, shift: None }) => scale * scale,
        Err(message) => message.len() as f64,
    }
}

#[autodiff_reverse(d_square, Active, Active)]
fn square(x: f64) -> f64 {
    x * x
}

#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    let n = argc as usize;
    let mut right = d_square(3.0, 1.0) == (9.0, 6.0);
    for (x, value, slopes) in [
        (&[3.0, 2.0][..], 18.0, [12.0, 9.0]),
        (&[3.0][..n], 9.0, [6.0, 0.0]),
        (&[3.0, 6.0][..], 22.0, [0.0, 0.0]),
        (&[][..n - 1], 8.0, [0.0, 0.0]),
    ] {
        let mut dx = [0.0; 2];
        right &= d_validated(x, &mut dx[..x.len()], 1.0) == value && dx == slopes;
    }
    i32::from(!right || unsafe { CALLS } != 4)
}
"""


def test_what_enzyme_refuses_at_first_is_had_by_a_rung_of_the_ladder(bench: Workbench) -> None:
    bench.write(VALIDATED)
    built = bench.build("config=debug")
    assert subprocess.run([bench.output("debug") / "bench"], check=False).returncode == 0
    (climbed,) = (line for line in built.stdout.splitlines() if "rung" in line)
    assert "d_validated: reverse mode of bench::validated" in climbed
    assert climbed.endswith(f", by the rung `{LADDER[0].name}` of the ladder")
    assert bench.build("config=debug").stdout.splitlines()[-2:] == built.stdout.splitlines()[-2:]
    told = json.loads(bench.doit("abi", "--json", "config=debug").stdout)["functions"]
    asked = {each["derivative"]["name"]: each["derivative"]["rung"] for each in told if each["derivative"]}
    assert asked == {"d_validated": LADDER[0].name, "d_square": None}
    assert f"by the rung `{LADDER[0].name}`" in bench.doit("abi", "validated", "config=debug").stdout


SORTED = """\
#![no_main]
use autodiff::*;

#[autodiff_reverse(d_sorted, Duplicated, Active)]
fn sorted(x: &[f64]) -> f64 {
    let mut all: Vec<(Option<u8>, f64)> = (0..).zip(x).map(|(at, &x)| ((at % 3 > 0).then_some(at), x)).collect();
    all.sort_unstable_by_key(|one| one.0);
    all.iter().enumerate().map(|(i, &(at, x))| x * x * i as f64 + x * f64::from(at.unwrap_or(7))).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let mut dx = [0.0; 4];
    // In the order of 0 and 3, or of 3 and 0; then 1 and 2.
    let value = d_sorted(&[1.5, 2.0, 3.0, 1.5], &mut dx, 1.0);
    let right = value == 66.25 && dx[0] + dx[3] == 17.0 && dx[1] == 9.0 && dx[2] == 20.0;
    i32::from(!right)
}
"""


def test_what_enzyme_breaks_down_with_is_had_by_another_rung(bench: Workbench) -> None:
    bench.write(SORTED, f'{MANIFEST}\n[profile.plain]\ninherits = "release"\nopt-level = 0\n')
    built = bench.build("profile=plain", "opt1.level=0")
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
    assert f"by the rung `{LADDER[1].name}` of the ladder" in built.stdout


@dataclass(frozen=True)
class Stubborn:
    """An Enzyme that refuses everything, and says with what flags."""

    def differentiate(self, module: Path, text: Path, flags: Sequence[str], log: Path) -> list[Diagnostic]:
        return [Diagnostic(f"Enzyme: not with {list(flags)}")]


def test_what_every_rung_refuses_is_refused_for_the_first_cause(bench: Workbench, tmp_path: Path) -> None:
    bench.write(SEVERAL)
    bench.build()
    enzyme = stages(3, TOOLS)["enzyme"]
    assert isinstance(enzyme, Enzyme)
    assert enzyme.ladder == LADDER
    (tmp_path / "out").mkdir()
    given = {"module": bench.output() / "stages" / "05-abi_fixup"}
    with pytest.raises(UserError) as refused:
        replace(enzyme, driver=Stubborn()).run(given, tmp_path / "out", tmp_path / "log")
    assert str(refused.value).startswith(f"error: Enzyme: not with {enzyme.all_flags()}\n")
    assert str(refused.value).count("not with") == 1
    assert not list((tmp_path / "out").iterdir())


def test_what_outlives_a_function_is_not_freed_on_whatever_rung() -> None:
    enzyme = stages(3, TOOLS)["enzyme"]
    assert isinstance(enzyme, Enzyme)
    for rung in (AT_FIRST, *LADDER):
        flags, plain = ([*enzyme.flags_for([[{"outlives": one}], [{"outlives": False}]], rung)] for one in (True, False))
        assert set(flags) - set(plain) == {"--enzyme-free-internal-allocations=0"}
        assert plain == enzyme.all_flags(rung.flags)


# A loop of two runs, too large to be unrolled before Enzyme has made it small: what it looks for by integers is kept.
LOOKED_UP = """\
@x = internal global [8 x double] [NUMBERS]
@dx = internal global [8 x double] zeroinitializer
@keys = internal global [2 x i64] [i64 3, i64 4]
@sum = internal global double 0.0
@dsum = internal global double 1.0
@line = private constant [4 x i8] c"%g \\00"
@enzyme_dup = external global i32
@enzyme_const = external global i32

declare void @__enzyme_autodiff(...)
declare i32 @printf(ptr, ...)

define internal i1 @same(i1 %x) noinline nofree nounwind willreturn memory(none) "enzyme_inactive" {
  ret i1 %x
}

define i32 @main(i32 %argc) {
  %never = icmp sgt i32 %argc, 100
  call void (...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr @x, ptr @dx, ptr @enzyme_const, ptr @keys, \
ptr @enzyme_dup, ptr @sum, ptr @dsum, ptr @enzyme_const, i1 %never)
  br label %prints
prints:
  %i = phi i32 [ 0, %0 ], [ %next, %prints ]
  %place = getelementptr double, ptr @dx, i32 %i
  %adjoint = load double, ptr %place
  call i32 (ptr, ...) @printf(ptr @line, double %adjoint)
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 8
  br i1 %done, label %out, label %prints
out:
  ret i32 0
}

define internal void @f(ptr %x, ptr %keys, ptr %sum, i1 %never) {
  %result = call double @squares(ptr %x, ptr %keys, i1 %never)
  store double %result, ptr %sum
  ret void
}

define internal double @squares(ptr %x, ptr %keys, i1 %never) {
entry:
  br label %loop
loop:
  %last = phi i1 [ false, %entry ], [ true, %latch ]
  %i = phi i64 [ 0, %entry ], [ 1, %latch ]
  %sum = phi double [ 0.0, %entry ], [ %next_sum, %latch ]
  br i1 %never, label %latch, label %look
look:
  %place = getelementptr i64, ptr %keys, i64 %i
  %hash0 = load i64, ptr %place
HASH
  %index = and i64 %hashLAST, 7
  br label %inner
inner:
  %j = phi i64 [ 0, %look ], [ %next_j, %more ]
  %at = getelementptr double, ptr %x, i64 %j
  %here = icmp eq i64 %j, %index
  %is_here = call i1 @same(i1 %here)
  br i1 %is_here, label %found, label %not_yet
not_yet:
  %byte_at = getelementptr i8, ptr %keys, i64 %j
  %byte = load i8, ptr %byte_at
  %over = icmp eq i8 %byte, 100
  %is_over = call i1 @same(i1 %over)
  br i1 %is_over, label %latch, label %more
more:
  %next_j = add i64 %j, 1
  br label %inner
found:
  %value = load double, ptr %at
  %square = fmul double %value, %value
  %with = fadd double %sum, %square
  br label %latch
latch:
  %next_sum = phi double [ %sum, %loop ], [ %sum, %not_yet ], [ %with, %found ]
  br i1 %last, label %exit, label %loop
exit:
  ret double %next_sum
}
"""


def test_what_a_cache_of_enzymes_holds_is_what_was_written_last(tmp_path: Path) -> None:
    """LLVM would take the first: that nothing was found for the first key."""
    steps = 150
    hashing = [f"  %hash{i + 1} = {('mul', 'xor')[i % 2]} i64 %hash{i}, {2 * i + 3}" for i in range(steps)]
    numbers = ", ".join(f"double {i + 1}.0" for i in range(8))
    text = LOOKED_UP.replace("HASH", "\n".join(hashing)).replace("LAST", str(steps)).replace("NUMBERS", numbers)
    (tmp_path / "given.ll").write_text(text)
    derived = tmp_path / "out.ll"
    assert Catalyst(TOOLS.catalyst, 60).differentiate(tmp_path / "given.ll", derived, [], tmp_path / "log") == []
    ran = subprocess.run([TOOLS.opt.path.with_name("lli"), derived], capture_output=True, text=True, check=True)
    right = [0.0] * 8
    for key in (3, 4):
        index = key
        for i in range(steps):
            index = (index ^ (2 * i + 3) if i % 2 else index * (2 * i + 3)) % 8
        right[index] += 2 * (index + 1)
    assert [float(number) for number in ran.stdout.split()] == right


HANDED_ON = """\
#![no_main]
use autodiff::*;

#[derive(Clone, Copy)]
struct Hit {
    distance: f64,
    normal: [f64; 3],
}

trait Surface {
    fn hit(&self, from: [f64; 2], towards: [f64; 2]) -> Option<Hit>;
}

struct Floor(f64);
struct Wall(f64);

impl Surface for Floor {
    fn hit(&self, from: [f64; 2], towards: [f64; 2]) -> Option<Hit> {
        let distance = (self.0 - from[1]) / towards[1];
        (distance > 1e-3).then_some(Hit { distance, normal: [0.0, 1.0, 0.0] })
    }
}

impl Surface for Wall {
    fn hit(&self, from: [f64; 2], towards: [f64; 2]) -> Option<Hit> {
        let distance = (self.0 - from[0]) / towards[0];
        (distance > 1e-3).then_some(Hit { distance, normal: [1.0, 0.0, distance] })
    }
}

#[autodiff_reverse(d_hits, Duplicated, Active)]
#[autodiff_forward(t_hits, Dual, Dual)]
fn hits(x: &[f64; 2]) -> f64 {
    let scene: Vec<Box<dyn Surface>> = vec![Box::new(Floor(-6.0)), Box::new(Wall(x[0] * 4.0)), Box::new(Floor(9.0))];
    scene.iter().filter_map(|one| one.hit([0.0; 2], [x[0], -x[1]])).map(|hit| hit.distance * (hit.normal[0] + 1.0)).sum()
}

#[unsafe(no_mangle)]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let (x, mut dx) = ([0.5, 2.0], [0.0; 2]);
    // 6 / x[1], and twice 4 x[0] / x[0]
    let value = d_hits(&x, &mut dx, 1.0);
    let (_, tangent) = t_hits(&x, &[0.0, 1.0]);
    i32::from(!(value == 11.0 && dx[0].abs() < 1e-12 && dx[1] == -1.5 && tangent == -1.5))
}
"""


def test_what_a_method_returns_by_the_pointer_that_is_handed_on_has_a_derivative(bench: Workbench) -> None:
    """Of the function between Enzyme believed that it writes nothing (docs/enzyme-issues/sret-handed-on.ll)."""
    bench.write(HANDED_ON)
    bench.build()
    assert subprocess.run([bench.output() / "bench"], check=False).returncode == 0
