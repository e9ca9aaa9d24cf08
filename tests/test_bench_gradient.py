"""The suite of gradients: what programs print is read and compared, what was measured is told; Rust and C++ agree."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bench.gradient import __main__ as command
from bench.gradient import building, measuring, running, suite, telling
from bench.gradient.measuring import AGAIN
from bench.gradient.running import Reading, Time
from pipeline import config
from pipeline.errors import UserError
from pipeline.toolchain import find_tools
from tests.workbench import ROOT, doit

PRINTED = """\
value 2.5e0
resident_before_kB 3000
value_of_gradient 2.5e0
resident_after_kB 3400
without_value 0e0
block 3 5e0 -1e-3
block 1 1e0 1e0
slope 2e0 2e0
slopes 1e0 1e0 1e0 1e0 1e0 1e0 1e0 2e0
primal_s 1e-6 2e-6
gradient_s 4e-6 6e-6
gradient_only_s 3e-6 5e-6
slope_s 2e-6 2e-6
slopes_s 8e-6 9e-6
"""


def changed(line: str) -> str:
    """The output with another line of that name."""
    name = line.split(maxsplit=1)[0]
    return "".join(f"{line}\n" if each.split()[0] == name else f"{each}\n" for each in PRINTED.splitlines())


def with_gradient(seconds: float) -> Reading:
    reading = running.read(PRINTED)
    return replace(reading, times={**reading.times, "gradient": Time(seconds, seconds)})


def test_what_a_program_prints_is_read() -> None:
    reading = running.read(PRINTED)
    assert reading.numbers["block 0"] == (3.0, 5.0, -1e-3)
    assert reading.numbers["block 1"] == (1.0, 1.0, 1.0)
    assert reading.times["gradient_only"] == Time(3e-6, 5e-6)
    assert reading.resident_kb == (3000, 3400)
    assert list(running.contradictions(reading)) == []


@pytest.mark.parametrize(
    "printed", ["", "value\n", "no such\n", PRINTED.replace("gradient_s", "gradual_s"), PRINTED.replace("block", "clock")]
)
def test_what_is_no_measurement_is_refused(printed: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        running.read(printed)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("value_of_gradient 2.500001", "the value is"),
        ("value_of_gradient nan", "the value is"),
        ("without_value 1e-8", "without the value"),
        ("without_value nan", "without the value"),
        ("slope 2 2.0001", "by forward mode is"),
        ("slopes 1 1 1 1 1 1 1 1", "of many directions"),
    ],
)
def test_a_program_that_contradicts_itself_is_found(line: str, what: str) -> None:
    (found,) = running.contradictions(running.read(changed(line)))
    assert what in found


def test_two_sides_are_held_against_each_other() -> None:
    mine = running.read(PRINTED)
    within = running.read(PRINTED.replace("block 3 5e0 -1e-3", f"block 3 {5 * (1 + 5e-10)} {-1e-3 + 1e-9}"))
    beyond = running.read(PRINTED.replace("block 3 5e0 -1e-3", "block 3 5e0 -1.00001e-3"))
    assert list(running.differences(mine, within)) == []
    assert [line.partition(":")[0] for line in running.differences(mine, beyond)] == ["block 0"]
    assert [line.partition(":")[0] for line in running.differences(mine, running.read(changed("value 2.6")))] == ["value"]
    fewer = running.read(PRINTED.replace("block 1 1e0 1e0\n", ""))
    assert list(running.differences(mine, fewer))


def test_nothing_agrees_with_nan_and_infinity_with_nothing_finite() -> None:
    assert not running.agree((math.nan,), (math.nan,))
    assert not running.agree((math.inf,), (1.0,))
    assert running.agree((0.0,), (0.0,))
    assert not running.agree((1.0,), (1.0, 1.0))


def test_rows_have_leasts_medians_the_faster_side_and_the_noise() -> None:
    readings = {
        "slice": [with_gradient(6e-6), with_gradient(4e-6), with_gradient(5e-6)],
        "C++ as Rust": [with_gradient(9e-6)] * 3,
        "C++ as it comes": [with_gradient(5e-6)] * 3,
        AGAIN: [with_gradient(4.4e-6)] * 3,
    }
    (row,) = measuring.rows(suite.PROGRAMS[0], readings)
    assert row.rust["gradient"] == Time(4e-6, 5e-6)
    assert (row.cpp["gradient"].least, row.cpp_way) == (5e-6, "as it comes")
    assert row.over_cpp == pytest.approx(0.8)
    assert row.over_cpp_median == pytest.approx(1.0)
    assert row.over_primal == pytest.approx(4.0)
    assert row.direction_of_many == pytest.approx(0.5)
    assert row.noise == pytest.approx(1 - 4 / 4.4)
    assert row.tape_kb == (400, 400)


def test_the_table_json_and_the_plot_have_what_was_measured(tmp_path: Path) -> None:
    readings = {name: [with_gradient(4e-6)] for name in ("slice", "fat-lto", "C++ as Rust", AGAIN)}
    rows = [row for program in suite.PROGRAMS[:2] for row in measuring.rows(program, readings)]
    lines = list(telling.markdown(rows))
    assert lines[0].count("|") == lines[2].count("|") == len(telling.COLUMNS) + 1
    assert "fat-lto: Rust / C++ is 1.00 in the geometric mean" in lines[-1]
    told = json.loads(telling.as_json({"all": rows}, "a machine"))
    assert told["tables"]["all"][0]["rust"]["gradient"] == {"least": 4e-6, "median": 4e-6}
    telling.plot(rows, tmp_path / "plot.svg")
    text = "".join(ET.parse(tmp_path / "plot.svg").getroot().itertext())
    assert all(name in text for name in (suite.PROGRAMS[0].name, "Rust, slice", "Rust, fat-lto", "C++"))


def test_the_document_gets_the_tables_between_its_markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "performance.md"
    document.write_text(f"before\n{command.BEGIN}\nold\n{command.END}\nafter\n")
    monkeypatch.setattr(command, "DOCUMENT", document)
    readings = {name: [with_gradient(4e-6)] for name in ("slice", "C++ as Rust", AGAIN)}
    command.write(
        {"built for x86-64": measuring.rows(suite.PROGRAMS[0], readings)}, ["error: no"], "./doit bench_gradient --write"
    )
    written = document.read_text()
    assert written.startswith("before\n")
    assert written.endswith(f"{command.END}\nafter\n")
    assert "    ./doit bench_gradient --write\n" in written
    assert "### Built for x86-64" in written
    assert "Not measured:\n\n    error: no\n" in written
    assert "old" not in written


def test_the_document_has_its_markers() -> None:
    text = (ROOT / "docs/performance.md").read_text()
    assert text.index(command.BEGIN) < text.index(command.END)


def test_programs_are_chosen_by_name_and_size() -> None:
    assert suite.chosen([]) == list(suite.PROGRAMS)
    assert [program.sizes for program in suite.chosen(["fft:64", "rk4"])] == [(64,), (1000,)]
    for word, message in (
        ("nobody", "there are gmm, "),
        ("fft:1,2", "such as fft:4096"),
        ("fft:0", "expected length"),
        ("fft:x", "expected length"),
    ):
        with pytest.raises(UserError, match=message) as refused:
            suite.chosen([word])
        assert refused.value.exit_code == 3


def test_every_program_has_both_sides() -> None:
    for program in suite.PROGRAMS:
        assert program.cpp.exists()
        assert (suite.CRATE / f"src/programs/{program.name}.rs").exists()


@pytest.mark.parametrize("words", [["nobody"], ["--rounds=0"], ["--strategies=fat"]])
def test_a_wrong_command_line_runs_nothing(words: list[str]) -> None:
    finished = doit("bench_gradient", *words)
    assert finished.returncode == 3
    assert finished.stderr.startswith("error: bench_gradient: ")


@pytest.mark.toolchain
@pytest.mark.skipif(not building.CLANG.exists(), reason="no clang-22")
def test_rust_and_cpp_agree(tmp_path: Path) -> None:
    (program,) = suite.chosen(["rk4:5"])
    sides = {"slice": building.rust("slice", "x86-64", tmp_path / "slice")}
    ways = building.cpp(program, config.load("default"), find_tools(), tmp_path)
    sides |= {f"{measuring.CPP}{way}": binary for way, binary in ways.items()}
    (row,) = measuring.measure(program, sides, rounds=1, seconds=0.0)
    assert len(sides) == 3
    assert all(time.least > 0 for side in (row.rust, row.cpp) for time in side.values())
