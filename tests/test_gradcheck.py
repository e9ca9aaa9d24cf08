"""`./doit gradcheck`: what is asked for, what comes of the points, the report; and a crate with a function for each verdict."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import junitparser
import pytest

from pipeline.config import load
from pipeline.errors import UserError
from pipeline.gradcheck import builds, harness, report
from pipeline.gradcheck.harness import Checked, Function, Point
from pipeline.request import Points
from tests.workbench import CUBE, MANIFEST, ROOT, Finished, Workbench, doit

ENERGY = Function("demo::energy", "src/main.rs:3:4", ("d_energy", "t_energy"))
RATE = Function("demo::inner::rate", "src/main.rs:9:4", ("d_rate",), ("t", "x"))


def right(seed: int, **worst: float) -> Point:
    return Point(seed, "right", compared=10, worst=worst)


# ---- What is chosen


@pytest.mark.parametrize("name", ["rate", "inner::rate", "demo::inner::rate", "d_rate"])
def test_a_function_is_named_by_the_end_of_its_path_or_by_a_derivative(name: str) -> None:
    assert harness.chosen([ENERGY, RATE], [name]) == [RATE]


def test_without_a_name_all_are_chosen() -> None:
    assert harness.chosen([ENERGY, RATE], []) == [ENERGY, RATE]


@pytest.mark.parametrize("name", ["ate", "demo", "other::rate"])
def test_a_name_that_none_has_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=r"can call no function .*\n.*there are: demo::energy, demo::inner::rate"):
        harness.chosen([ENERGY, RATE], [name])


def test_each_build_has_a_folder_of_its_own_and_the_users_flags() -> None:
    config = load("default", {"enzyme.fast_math": "false", "codegen.cpu": "native"})
    made = builds.variants(config, [0, 1, 3])
    assert len({config.name, *(each.name for each in made.values())}) == 5
    unoptimised = made[builds.UNOPTIMISED]
    assert (unoptimised.profile, unoptimised.opt1.level, unoptimised.opt2.level, unoptimised.codegen.level) == ("dev", 0, 0, 0)
    assert {each.opt1.level for each in made.values()} == {2, 0, 1, 3}
    assert {each.enzyme.fast_math for each in made.values()} == {False}
    assert unoptimised.codegen.cpu == "native"


def test_ranges_go_to_the_functions_that_they_name() -> None:
    ranges = {"rate": {"t": "1..2"}, "d_rate": {"x": "0..1"}}
    assert harness.ranges_of([ENERGY, RATE], ranges) == {RATE: {"t": "1..2", "x": "0..1"}}


@pytest.mark.parametrize(
    ("ranges", "said"),
    [
        ({"nobody": {"t": "1..2"}}, r"can call no function `nobody` here"),
        ({"rate": {"y": "1..2"}}, r"`gradcheck.ranges.rate.y`: `demo::inner::rate` has no such argument\n.*9:4\n.*are: t, x"),
        ({"energy": {"y": "1..2"}}, r"has no such argument\n.*\n.*its arguments are: none"),
    ],
)
def test_a_range_of_nothing_is_refused(ranges: dict[str, dict[str, str]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        harness.ranges_of([ENERGY, RATE], ranges)


# ---- What comes of the points


def judged(*points: Point) -> Checked:
    return harness._judged(ENERGY, "as configured", points)


def test_the_worst_of_all_points_is_told() -> None:
    checked = judged(right(1, x=1e-9), right(2, x=1e-7, k=1e-8))
    assert (checked.verdict, checked.worst) == ("right", {"x": 1e-7, "k": 1e-8})
    assert not checked.is_failure


def test_one_wrong_point_is_enough() -> None:
    checked = judged(right(1), Point(2, "wrong", compared=10, mismatches=1, text="by x"), right(3))
    assert (checked.verdict, checked.why, checked.is_failure) == ("wrong", "by x", True)


def test_one_point_that_was_checked_is_enough() -> None:
    assert judged(Point(1, "not finite"), right(2)).verdict == "right"
    nowhere = judged(Point(1, "not finite"), Point(2, "not finite"))
    assert (nowhere.verdict, nowhere.is_failure) == ("not checked", False)
    assert "#[autodiff::domain(" in nowhere.why


def test_where_nothing_moves_nothing_is_checked() -> None:
    checked = judged(Point(1, "right"), Point(2, "right"))
    assert (checked.verdict, checked.why) == ("not checked", "nothing moves: every activity is `Const`")


def test_one_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(harness, "_PATIENCE_S", 0.2)
    checked = harness.check(harness.Program(program, tmp_path, os.environ), ENERGY, "as configured", Points())
    assert (checked.verdict, checked.is_failure) == ("stopped", True)
    assert checked.why.startswith("it takes longer than 0.2 s\n  = help: ")


def test_what_cannot_be_made_is_named() -> None:
    assert "no `w` can be made" in judged(Point(1, "unknown", what="w")).why


# ---- The report

FOUND = [
    Checked(ENERGY, "as configured", "right", points=(right(1, x=1.5e-9),)),
    Checked(ENERGY, "unoptimised", "right", points=(Point(1, "right", compared=4, kinks=2, undecided=1),)),
    Checked(RATE, "as configured", "wrong", "by x:\n  got 1"),
    Checked(RATE, "unoptimised", "wrong", "by x:\n  got 1"),
]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    report.show(FOUND, ["d_method of demo::method"], Points(3, 7, 4))
    told = capsys.readouterr().out
    assert re.search(r"^demo::energy +d_energy, t_energy +as configured +right +10 +x 1\.5e-09$", told, re.MULTILINE)
    assert re.search(r"unoptimised +right \(2 kinks, 1 undecided\) +4$", told, re.MULTILINE)
    assert told.count("by x:\n  got 1") == 1, "what is the same in both builds is told once"
    assert "demo::inner::rate (as configured, unoptimised), src/main.rs:9:4" in told
    assert "d_method of demo::method" in told
    assert told.endswith("2 right, 2 wrong; `n=3 seed=7 length=4 levels=0` repeats this\n")


def test_junit(tmp_path: Path) -> None:
    skipped = Checked(RATE, "unoptimised", "not checked", "nowhere finite")
    report.write_junit([*FOUND, skipped], tmp_path / "out.xml")
    (suite,) = junitparser.JUnitXml.fromfile(str(tmp_path / "out.xml"))
    assert (suite.tests, suite.failures, suite.skipped) == (5, 2, 1)
    failed = [case for case in suite if case.is_failure]
    assert {(case.classname, case.name) for case in failed} == {
        ("demo::inner::rate", "as configured"),
        ("demo::inner::rate", "unoptimised"),
    }
    assert failed[0].result[0].text == "by x:\n  got 1"


# ---- The real thing

CRATE = ROOT / "tests/crates/gradcheck"

VERDICTS = {
    "energy": "right",
    "values::pull": "right",
    "wrong": "wrong",
    "scratch": "right",
    "stops": "stopped",
    "goes_on": "right",
    "undefined": "not checked",
    "defined": "right",
    "hinge": r"right \(\d+ kinks\)",
    "opaque": "not checked",
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    xml = tmp_path_factory.mktemp("junit") / "out.xml"
    return doit("gradcheck", f"--junit={xml}", f"crate={CRATE}"), xml


@pytest.mark.toolchain
def test_each_function_gets_its_verdict_in_both_builds(checked: tuple[Finished, Path]) -> None:
    finished, _ = checked
    assert finished.returncode == 1
    assert "Traceback" not in finished.stdout + finished.stderr
    for function, verdict in VERDICTS.items():
        for build in (builds.AS_CONFIGURED, builds.UNOPTIMISED):
            row = rf"^gradcheck::{function} .* {build} +{verdict} +\d+"
            assert re.search(row, finished.stdout, re.MULTILINE), (row, finished.stdout + finished.stderr)
    assert len(re.findall("^gradcheck::.* as configured", finished.stdout, re.MULTILINE)) == len(VERDICTS)


@pytest.mark.toolchain
def test_the_table_in_the_guide_is_that_of_a_run(checked: tuple[Finished, Path]) -> None:
    def figures(text: str) -> list[str]:
        """The rows, each with its error figures as `E`: they are of one processor."""
        return [
            re.sub(r"\d\.\de[+-]\d+", "E", line.strip()) for line in text.splitlines() if " compared " in line or "::" in line
        ]

    guide = (ROOT / "docs/check.md").read_text()
    shown = figures(guide[guide.index("    function  ") : guide.index("The exit code is 1")])
    assert len(shown) > len(VERDICTS)
    assert [row for row in shown if row not in figures(checked[0].stdout)] == []


@pytest.mark.toolchain
def test_what_is_wrong_is_told(checked: tuple[Finished, Path]) -> None:
    told = checked[0].stdout
    assert "`d_wrong`, the derivative of the result by x, number 0 of 4\n    got  0.0\n" in told
    assert "no `of` can be made" in told
    assert "index out of bounds: the len is 4 but the index is" in told
    assert "not called, as they are methods, generic or unsafe: d_method of gradcheck::method" in told
    assert re.search(r"= note: seed \d+ repeats this", told)


@pytest.mark.toolchain
def test_all_derivatives_of_a_function_are_checked_together(checked: tuple[Finished, Path]) -> None:
    assert re.search(r"^gradcheck::energy +d_energy, t_energy, v_energy ", checked[0].stdout, re.MULTILINE)


@pytest.mark.toolchain
def test_junit_has_them_all(checked: tuple[Finished, Path]) -> None:
    (suite,) = junitparser.JUnitXml.fromfile(str(checked[1]))
    assert (suite.tests, suite.failures, suite.skipped) == (2 * len(VERDICTS), 4, 4)


@pytest.mark.toolchain
def test_one_function_at_other_points(checked: tuple[Finished, Path]) -> None:
    finished = doit("gradcheck", "values::pull", f"crate={CRATE}", "n=2", "seed=11", "length=5")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.endswith("2 right; `n=2 seed=11 length=5 levels=0` repeats this\n")
    again = doit("gradcheck", "pull", f"crate={CRATE}", "n=2", "seed=11", "length=5")
    assert again.stdout == finished.stdout


@pytest.mark.full
@pytest.mark.toolchain
def test_it_goes_across_the_levels_that_are_asked_for() -> None:
    finished = doit("gradcheck", f"crate={ROOT / 'examples/hello'}", "levels=1,3")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    found = re.findall(r"^hello::rosenbrock +gradient +(.*?) +right +\d+ ", finished.stdout, re.MULTILINE)
    assert found == [builds.AS_CONFIGURED, "level 1", "level 3"]


@pytest.mark.toolchain
def test_ranges_of_the_config_count_more_than_those_of_the_function(checked: tuple[Finished, Path], tmp_path: Path) -> None:
    """`undefined` is a logarithm, of numbers below zero by its own domain; `stops` goes out of bounds from 5 on."""
    config = tmp_path / "x.yaml"
    config.write_text("extends: default\ngradcheck:\n  ranges:\n    undefined: {x: 2.0..3.0}\n    stops: {i: 0..1}\n")
    finished = doit("gradcheck", "undefined", "stops", f"crate={CRATE}", "length=6", f"config={config}")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert len(re.findall(r"^gradcheck::(?:undefined|stops) .* right ", finished.stdout, re.MULTILINE)) == 4


@pytest.mark.toolchain
def test_the_program_itself_is_as_ever(checked: tuple[Finished, Path]) -> None:
    ran = doit("run", f"crate={CRATE}")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("main: 0.8414")
    sections = (CRATE / "target/crategrad/default/gradcheck").read_bytes()
    assert b"crategrad_gradcheck" not in sections


@pytest.mark.toolchain
def test_a_crate_without_derivatives_says_so(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.write("fn main() {}\n", MANIFEST)
    finished = bench.doit("gradcheck")
    assert finished.returncode == 1
    assert "error: there is nothing to check" in finished.stderr


FORGETFUL = """
#[autodiff_reverse(dg, Duplicated, Const, Active)]
fn g(x: &[f64], scratch: &mut [f64]) -> f64 {
    for (x, to) in x.iter().zip(scratch.iter_mut()) {
        *to = x * x;
    }
    scratch.iter().sum()
}
"""


@pytest.mark.toolchain
def test_a_build_can_end_with_it(tmp_path: Path) -> None:
    """Once: what has passed is known.  What is wrong fails the build, each time."""
    bench = Workbench(tmp_path)
    asked = ("check=true", "levels=", f"seed={time.time_ns() % 2**32}")  # points that no run before this one has checked
    bench.write(CUBE, MANIFEST)
    first = bench.build(*asked)
    assert re.search(r"^bench::f .* right ", first.stdout, re.MULTILINE)
    again = bench.build(*asked)
    assert "bench::f" not in re.sub(r"reverse mode of bench::f", "", again.stdout)
    called = CUBE.replace("    let x = f64", "    dg(&[1.0], &mut [0.0], &mut [0.0], 1.0);\n    let x = f64")
    bench.write(f"{called}{FORGETFUL}", MANIFEST)
    for _ in range(2):
        failed = bench.doit("build", *asked)
        assert failed.returncode == 1
        assert re.search(r"^bench::g .* wrong ", failed.stdout, re.MULTILINE), failed.stdout + failed.stderr
