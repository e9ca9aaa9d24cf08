"""`./doit abi`: the six families at every level, against the columns of rustc's own test of 2025; refusals; the report."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pipeline.abi.headers import Reader
from pipeline.abi.lowering import Lowering
from pipeline.abi.matching import Argument, Row, match
from pipeline.llvm import Module
from pipeline.toolchain import find_tools
from tests.test_audit import EITHER_LENGTH, ROUND
from tests.workbench import MANIFEST, ROOT, Finished, Workbench

pytestmark = pytest.mark.toolchain

RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")
TOOLS = find_tools()
FAMILIES = (ROOT / "tests/crates/families/src/main.rs").read_text()

EXPECTED = {
    "array": "(ptr)",
    "array_of_one": "(ptr)",
    "function": "(ptr, float)",
    "reference": "(ptr, ptr)",
    "dynamic": "(ptr, ptr, float)",
    "tuple": "(float, float)",
    "structure": "(float, float)",
    "nested": "(float, float)",
    "references": "(ptr, ptr)",
}
"""The headers that rustc's Rust ABI gives, in tests/codegen-llvm/autodiff/abi_handling.rs those of opt level 0."""

# What LLVM makes of them where nobody keeps it from it: at level 3 rustc's own columns again.
_DROPPED = {"function": "(float)", "reference": "(ptr)", "dynamic": "(ptr, float)"}
_PROMOTED = {"array": "(float, float)", "array_of_one": "(float)", "reference": "(float)", "references": "(float, float)"}
ACTUAL = {0: EXPECTED, 1: EXPECTED | _DROPPED, 2: EXPECTED | _DROPPED, 3: EXPECTED | _DROPPED | _PROMOTED}

# ---- As a rustc engineer sees them: rustc's output, and LLVM's passes over the whole program

ENTRY = """
#[unsafe(no_mangle)]
pub fn entry(a: f32) -> f32 {
    let b = core::hint::black_box(a);
    array(&[a, b]) + array_of_one(&[b]) + function(square, a) + function(square, b) + reference(&a, &FACTOR)
        + dynamic(&Scaled(a), b) + tuple((a, b)) + structure(Pair { x: a, y: b }) + nested(Nested { x: a, y: Wrapper { z: b } })
        + references((&a, &b))
}
"""


@pytest.fixture(scope="module")
def optimised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The families, without derivatives, optimised as a whole program at each level."""
    folder = tmp_path_factory.mktemp("families")
    functions = FAMILIES.partition("use autodiff::*;")[2].partition("fn check(")[0]
    (folder / "families.rs").write_text(re.sub(r"#\[autodiff.*\n", "", functions) + ENTRY)
    options = ["--edition=2024", "-Cdebuginfo=2", "-Copt-level=3", "-Cno-prepopulate-passes", "-Ccodegen-units=1"]
    argv: list[str | Path] = [RUSTC, *options, "--crate-type=lib", "--cap-lints=allow", "--emit=llvm-bc", "families.rs"]
    subprocess.run(argv, cwd=folder, check=True)
    for level in ACTUAL:
        passes = ["-internalize-public-api-list=entry", f"-passes=internalize,default<O{level}>"]
        optimise: list[str | Path] = [TOOLS.opt.path, *passes, "families.bc", "-o", f"{level}.bc"]
        subprocess.run(optimise, cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("level", ACTUAL)
def test_headers_after_llvms_passes_are_those_of_the_columns_and_mapped(optimised: Path, level: int) -> None:
    with Module(TOOLS.libllvm, optimised / f"{level}.bc") as module:
        reader = Reader(module)
        for name, actual in ACTUAL[level].items():
            (function,) = reader.by_name[name]
            assert str(reader.header(function)) == f"{actual} -> float", name
            assert all(row.kind != "not modelled" for row in mapping(reader, function)), name


def mapping(reader: Reader, function: int) -> tuple[Row, ...]:
    signature = reader.signature(function)
    assert signature is not None
    result, parameters = signature
    lowering = Lowering(reader.module)
    arguments = [Argument(name, tuple(lowering.argument(ty, name))) for name, ty in parameters]
    return match(arguments, lowering.result(result, "result"), reader.header(function)).rows


def test_promoted_and_dropped_arguments_are_told(optimised: Path) -> None:
    with Module(TOOLS.libllvm, optimised / "3.bc") as module:
        reader = Reader(module)
        rows = {name: [(r.path, r.kind, r.at, r.parts) for r in mapping(reader, reader.by_name[name][0])] for name in EXPECTED}
    result = ("result", "scalar", (), ())
    assert rows["array"] == [("x", "promoted", (0, 1), ("x[0]", "x[1]")), result]
    assert rows["function"] == [("f", "dropped", (), ()), ("x", "scalar", (0,), ()), result]
    assert rows["reference"] == [("x", "promoted", (0,), ("*x",)), ("y", "dropped", (), ()), result]
    assert rows["references"] == [("x.0", "promoted", (0,), ("*x.0",)), ("x.1", "promoted", (1,), ("*x.1",)), result]
    assert rows["dynamic"][1:] == [("curve.vtable", "dropped", (), ()), ("x", "scalar", (1,), ()), result]
    assert rows["nested"] == [("x.x", "scalar pair", (0,), ()), ("x.y.z", "scalar pair", (1,), ()), result]


# ---- In the pipeline


def write(bench: Workbench, main: str, level: int = 3) -> Workbench:
    bench.write(main, f"{MANIFEST}\n[profile.release]\nopt-level = {level}\n")
    return bench


def ledger(bench: Workbench, *arguments: str) -> dict[str, dict[str, Any]]:
    finished = bench.doit("abi", "--json", *arguments)
    assert finished.returncode == 0, finished.stderr
    written = json.loads(finished.stdout)
    assert written["version"] == 1
    return {function["function"].rpartition("::")[2]: function for function in written["functions"]}


@pytest.mark.parametrize("level", [0, *(pytest.param(level, marks=pytest.mark.full) for level in (1, 2)), 3])
def test_the_six_families_in_the_pipeline(bench: Workbench, level: int) -> None:
    functions = ledger(write(bench, FAMILIES, level), f"opt1.level={level}")
    for name, expected in EXPECTED.items():
        assert functions[name]["expected"]["header"] == f"{expected} -> float", name
    for name, function in functions.items():
        assert function["verdict"] in {"as expected", "adjusted and mapped", "restored"}, name
        stages = {stage["after"]: stage for stage in function["stages"]}
        assert list(stages) == ["rustc", "llvm_link", "opt1", "abi_fixup"]
        for stage in stages.values():
            assert {row["class"] for row in rows_of(stage)}.isdisjoint({"not modelled"}), (name, stage)
        assert {row["class"] for row in rows_of(stages["abi_fixup"])}.isdisjoint({"integer-cast"}), name
    assert functions["array_by_value"]["verdict"] == "restored"
    assert functions["array_by_value"]["expected"]["header"] == "(i64) -> float"
    assert functions["tuple"]["verdict"] == functions["nested"]["verdict"] == "adjusted and mapped"
    assert functions["square"]["called_by"] == ["d_function"]
    assert functions["at"]["called_by"] == ["d_dynamic"]


def rows_of(stage: dict[str, Any]) -> list[dict[str, Any]]:
    mapping = stage.get("mapping", {"arguments": [], "result": []})
    return [*mapping["arguments"], *mapping["result"]]


def test_headers_at_level_0_are_rustcs_own_at_every_stage(bench: Workbench) -> None:
    functions = ledger(write(bench, FAMILIES, 0), "opt1.level=0")
    for name, expected in EXPECTED.items():
        assert [stage["header"] for stage in functions[name]["stages"]] == [f"{expected} -> float"] * 4, name
    assert functions["array"]["arguments"] == [{"name": "x", "type": "&[f32; 2]", "activity": "Duplicated"}]
    assert functions["array"]["result"] == {"name": "result", "type": "f32", "activity": "Active"}
    assert functions["array"]["verdict"] == "as expected"


def test_the_report_is_for_people(bench: Workbench) -> None:
    finished = write(bench, FAMILIES).doit("abi", "d_array_by_value")
    assert finished.returncode == 0
    assert finished.stdout.startswith("bench::array_by_value  src/main.rs:")
    for line in [
        "#[autodiff_reverse(d_array_by_value, Active, Active)]",
        "fn array_by_value(x: [f32; 2]) -> f32",
        "restored: its header had floats in integers; abi_fixup inlined it where it is differentiated",
        "Expected          (i64) -> float",
        "after abi_fixup   inlined",
        "x        integer-cast   i64        %0 i64 = x[0], x[1]",
    ]:
        assert f"   {line}\n" in finished.stdout
    assert finished.stdout.endswith("\n1 function: 1 restored\n")


def test_functions_are_chosen_by_name(bench: Workbench) -> None:
    write(bench, FAMILIES)
    assert list(ledger(bench, "bench::tuple", "square")) == ["tuple", "square"]
    assert set(ledger(bench, "refer")) == {"reference", "references", "behind_a_reference"}
    assert json.loads(bench.doit("abi", "tuple", "--json").stdout)["functions"][0]["function"] == "bench::tuple"


def error(finished: Finished, code: int = 1) -> str:
    assert finished.returncode == code
    return finished.stderr[finished.stderr.index("error:") :]


def test_name_that_is_none_is_told_with_the_nearest(bench: Workbench) -> None:
    said = error(write(bench, FAMILIES).doit("abi", "refrence"), code=3)
    assert said.startswith(
        "error: no function `refrence` is differentiated here, or called by one that is\n  = help: there are: "
    )
    assert "bench::reference" in said


def test_program_without_derivatives_has_no_ledger(bench: Workbench) -> None:
    assert "the config says `autodiff: false`" in error(bench.doit("abi", "autodiff=false"))
    bench.write('#![no_main]\n#[unsafe(no_mangle)]\npub extern "C" fn main() -> i32 { 0 }\n')
    assert "no #[autodiff…] derivative is used in bench" in error(bench.doit("abi"))


MAIN = """
#[unsafe(no_mangle)]
pub extern "C" fn main(argc: i32, _argv: *const *const u8) -> i32 {
    BODY;
    0
}
"""

OF_AN_ENUM = """#![no_main]
use autodiff::*;
type Maybe = Option<f64>;

#[autodiff_reverse(d_maybe, Active, Active)]
fn maybe(x: Maybe) -> f64 {
    x.unwrap_or(2.0)
}

#[autodiff_reverse(d_packed, Active, Active)]
#[inline(never)]
fn packed(x: [f32; 2]) -> f32 {
    x[0] * x[1]
}
"""

RECURSIVE = """#![no_main]
use autodiff::*;

#[inline(never)]
fn root(x: f64, n: u32) -> Option<f64> {
    if n == 0 { return (x > 0.0).then_some(x); }
    Some(root(x, n - 1)?.sqrt() + root(x, n / 2)?)
}

#[autodiff_reverse(df, Active, Const, Active)]
fn f(x: f64, n: u32) -> f64 {
    root(x, n).unwrap_or(1.0) * x
}
"""


def test_refusal_of_abi_fixup_is_a_verdict(bench: Workbench) -> None:
    calls = "d_maybe(Some(f64::from(argc)), 1.0); d_packed([argc as f32; 2], 1.0)"
    functions = ledger(write(bench, OF_AN_ENUM + MAIN.replace("BODY", calls)))
    assert functions["maybe"]["verdict"] == "refused"
    assert functions["maybe"]["why"] == "`Active` is for values made of nothing but numbers, and `x` is an enum (`Option<f64>`)"
    assert functions["maybe"]["stages"][-1] == {"after": "abi_fixup", "state": "not run", "header": None}
    assert functions["packed"]["verdict"] == "refused"


def test_a_recursive_function_is_restored(bench: Workbench) -> None:
    functions = ledger(write(bench, RECURSIVE + MAIN.replace("BODY", "df(f64::from(argc), argc as u32, 1.0)")))
    assert functions["root"]["verdict"] == "restored"
    assert functions["root"]["expected"]["header"] == "(double, i32) -> { i64, double }"


def test_what_the_audit_refuses_is_a_verdict(bench: Workbench) -> None:
    functions = ledger(write(bench, EITHER_LENGTH.replace("FURTHER", ROUND)))
    assert functions["f"]["verdict"] == "refused"
    assert functions["f"]["why"].startswith("the bits of a float are moved as an integer here")
    assert "src/main.rs:" in functions["f"]["why"]


OTHERS = """#![no_main]
use autodiff::*;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Two { x: f32, y: f32 }
#[repr(C)]
#[derive(Clone, Copy)]
pub struct One { x: f32 }
pub struct Model { k: f64 }

impl Model {
    #[inline(never)]
    fn scaled(&self, (a, b): (f64, f64)) -> f64 { self.k * a * b }
}

#[inline(never)]
#[track_caller]
fn checked(x: f64) -> f64 { assert!(x > -1e9); x * x }
#[inline(never)]
extern "C" fn of_c(p: Two) -> f32 { p.x * p.y }
#[inline(never)]
fn wrapped(p: One) -> One { One { x: p.x * p.x } }
#[inline(never)]
fn generic<T: Copy + core::ops::Mul<Output = T>>(x: T) -> T { x * x }

#[autodiff_reverse(df, Const, Active, Active)]
#[inline(never)]
fn f(_: (), x: f64) -> f64 {
    let y = x as f32;
    let small = of_c(Two { x: y, y }) * wrapped(One { x: y }).x * generic(y);
    checked(x).tan() * Model { k: x }.scaled((x, x)) * f64::from(small)
}

#[autodiff_forward(tg, Dual, Dual)]
#[inline(never)]
fn g(x: [f64; 3]) -> [f64; 3] { [x[0] * x[1], generic(x[1]), x[2]] }
"""


def test_other_headers_by_their_rust_names(bench: Workbench) -> None:
    calls = "df((), f64::from(argc), 1.0); tg([f64::from(argc); 3], [1.0; 3])"
    functions = ledger(write(bench, OTHERS + MAIN.replace("BODY", calls), 0), "opt1.level=0")
    lowered = {
        name: [(row["rust"], row["class"]) for row in rows_of(function["expected"])] for name, function in functions.items()
    }
    result = ("result", "scalar")
    assert lowered["f"] == [("arg0", "zero-sized"), ("x", "scalar"), result]
    assert lowered["g"] == [("x", "indirect"), ("result", "sret")]
    assert functions["g"]["result"]["type"] == "[f64; 3]"
    assert lowered["scaled"] == [("self", "scalar"), ("arg1.0", "scalar pair"), ("arg1.1", "scalar pair"), result]
    assert functions["scaled"]["function"] == "bench::Model::scaled"
    assert lowered["checked"] == [("x", "scalar"), ("#[track_caller]", "scalar"), result]
    assert lowered["wrapped"] == [("p", "integer-cast"), ("result", "integer-cast")]
    assert lowered["generic<f32>"] == lowered["generic<f64>"] == [("x", "scalar"), result]
    assert functions["tan"]["called_by"] == ["df"]
    assert functions["tan"]["stages"][2] == {"after": "opt1", "state": "no bitcode", "header": "(double) -> double"}
    assert functions["of_c"]["verdict"] == "refused"
    assert functions["of_c"]["expected"]["header"] is None
    assert functions["of_c"]["stages"][0]["header"] == "(double) -> float"
