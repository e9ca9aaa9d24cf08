"""`./doit perf`: what is read of Enzyme's remarks; what each function of `perf.rs` keeps, and why; and that it is as much."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.perf.remarks import read_remarks
from tests.workbench import CUBE, MANIFEST, Workbench

RUST = Path(__file__).with_name("perf.rs")
LINES = RUST.read_text().splitlines()
IN_ONE_FILE = "src/main.rs"

# ---- What Enzyme says

SAID = """\
Instruction could write forcing f to not be marked readonly_or_throw  store double %v3., ptr %v1., align 8
Load may need caching   %v2. = load double, ptr %v1., align 8, !dbg !9 due to   store double %v3., ptr %v4., align 8, !dbg !7
Load may need caching   %v5. = load double, ptr %v6., align 8 due to origin ptr %v6.
Load must be recomputed   %v2. = load double, ptr %v1., align 8 in b1. due to   store double %v3., ptr %v4., align 8
SE could not compute loop limit of b3. of diffe_flim: ***COULDNOTCOMPUTE*** maxlim: ***COULDNOTCOMPUTE***
Could not compute outermost loop limit by moving value   %2 = add i64 %iv, -1 computed at blockb4. function diffe_f
Caching instruction   %v2. = load double, ptr %v1., align 8 legalRecompute: 0 shouldRecompute: 0 tryLegalRecomputeCheck: 1
"""


def test_remarks_are_those_about_the_tape() -> None:
    told = read_remarks(SAID)
    load = "%v2. = load double, ptr %v1., align 8, !dbg !9"
    assert told.overwritten == {load: "store double %v3., ptr %v4., align 8, !dbg !7"}
    assert told.from_outside == ("%v5. = load double, ptr %v6., align 8",)
    assert told.uncounted == ("b3.",)
    assert told.uncounted_yet == ("b4.",)


# ---- What is told of functions


def line(marker: str) -> str:
    """The place, but for the column, of the line of `perf.rs` that is marked so."""
    (number,) = (number for number, text in enumerate(LINES, 1) if text.endswith(f"// {marker}"))
    return f"{IN_ONE_FILE}:{number}"


@pytest.fixture
def written(session_bench: Workbench) -> Workbench:
    """The crate, with the source of `perf.rs`."""
    return write(session_bench)


def write(bench: Workbench) -> Workbench:
    bench.environment.clear()
    bench.write(RUST.read_text())
    return bench


@pytest.fixture(scope="module")
def told(session_bench: Workbench) -> dict[str, Any]:
    """What is told of each function."""
    finished = write(session_bench).doit("perf", "--json")
    assert finished.returncode == 0, finished.stderr
    told = json.loads(finished.stdout)
    assert told["version"] == 1
    return {function["function"].removeprefix("bench::"): function for function in told["functions"]}


def kept(function: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """Of all that is kept the line, the word of the reason, and the line of what forces it."""
    return [(_line(one["place"]), one["reason"]["word"], _line(one["reason"]["place"])) for one in function["kept"]]


def _line(place: str | None) -> str:
    return ":".join((place or "").split(":")[:2])


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("function", "reason"),
    [("raw", "may alias"), ("fields", "may alias"), ("halves", "may alias"), ("in_place", "overwritten")],
)
def test_a_write_that_forces_a_copy_of_what_is_read_is_named(told: dict[str, Any], function: str, reason: str) -> None:
    assert kept(told[function]) == [(line(f"{function}: read"), reason, line(f"{function}: write"))]
    (one,) = told[function]["kept"]
    assert one["bytes"] == 8
    assert [loop["counted"] for loop in one["loops"]] == ["before"]


@pytest.mark.toolchain
def test_raw_pointers_are_called_by_their_names(told: dict[str, Any]) -> None:
    (one,) = told["raw"]["kept"]
    assert one["what"] == "what is read of `x`"
    assert "`x` and `y` are apart" in one["reason"]["why"]
    assert "`&[f64]` and `&mut [f64]`" in one["reason"]["help"]


@pytest.mark.toolchain
@pytest.mark.parametrize("function", ["slices", "fields_apart", "halves_apart", "decay", "forwards"])
def test_what_is_advised_keeps_nothing(told: dict[str, Any], function: str) -> None:
    assert told[function]["kept"] == told[function]["tape"] == []


@pytest.mark.toolchain
def test_what_an_iteration_leaves_to_the_next_is_kept(told: dict[str, Any]) -> None:
    for function in ("product", "triangle", "until"):
        assert kept(told[function]) == [(line(f"{function}: read"), "carried", "")], function
    assert told["product"]["kept"][0]["what"] == "`product`"
    counted = {name: [loop["counted"] for loop in told[name]["kept"][0]["loops"]] for name in ("triangle", "until")}
    assert counted == {"triangle": ["before", "on entry"], "until": ["after"]}


@pytest.mark.toolchain
def test_what_a_call_leaves_is_told_of_the_call_and_of_what_is_called(told: dict[str, Any]) -> None:
    assert kept(told["steps"]) == [
        (line("step: read"), "written by the caller", ""),
        (line("steps: read"), "tape of a call", ""),
    ]
    assert [one["function"] for one in told["steps"]["kept"]] == ["bench::step", ""]
    (one,) = told["depth"]["kept"]
    assert (one["function"], one["reason"]["word"]) == ("bench::depth", "tape of a call")
    assert "calls itself" in one["reason"]["why"]


@pytest.mark.toolchain
def test_memory_of_each_iteration_is_told(told: dict[str, Any]) -> None:
    assert {reason for _, reason, _ in kept(told["rows"])} == {"allocated"}
    assert (line("rows: read"), "allocated", line("rows: write")) in kept(told["rows"])


@pytest.mark.toolchain
def test_what_a_loop_ends_on_is_called_so(told: dict[str, Any]) -> None:
    """Not the result of a call, as it is in the module: abi_fixup hides it in one."""
    assert (line("flow: end"), "carried", "") in kept(told["flow"])
    assert "what a loop ends on" in {one["what"] for one in told["flow"]["kept"]}


@pytest.mark.toolchain
def test_as_text_each_place_has_its_line(written: Workbench) -> None:
    finished = written.doit("perf", "raw", "d_slices", "forwards")
    assert finished.returncode == 0, finished.stderr
    assert re.search(
        rf"--> {line('raw: write')}:\d+\n +\|   \*y\.add\(i\) = value\.sin\(\) \* value; // raw: write", finished.stdout
    )
    assert "d_slices, reverse mode: no tape" in finished.stdout
    assert "t_slices, forward mode: no tape" in finished.stdout
    assert "product" not in finished.stdout


@pytest.mark.toolchain
def test_a_name_that_nothing_has_is_refused_with_those_that_are_near(written: Workbench) -> None:
    finished = written.doit("perf", "prodct")
    assert finished.returncode == 3
    assert (
        finished.stderr
        == "error: no function `prodct` is differentiated here\n  = help: there are: bench::product, d_product\n"
    )


@pytest.mark.toolchain
def test_where_nothing_is_differentiated_there_is_no_tape(bench: Workbench) -> None:
    without = bench.doit("perf", "autodiff=false")
    assert (without.returncode, without.stderr) == (1, "error: there is no tape: the config says `autodiff: false`\n")
    bench.write(CUBE.replace("df(x, 1.0)", "(f(x), 3.0 * x * x)"), MANIFEST)
    unused = bench.doit("perf")
    assert unused.returncode == 1
    assert "error: there is no tape: no #[autodiff…] derivative is used in bench" in unused.stderr


# ---- That it is as much as said

COUNTING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static size_t total;

void *malloc(size_t size) {
    static void *(*real)(size_t);
    if (!real) real = dlsym(RTLD_NEXT, "malloc");
    total += size;
    return real(size);
}

void *realloc(void *old, size_t size) {
    static void *(*real)(void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "realloc");
    total += size;
    return real(old, size);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "%zu\\n", total); }
"""
"""A library that, loaded before the C library, tells how many bytes a program asked for."""


@pytest.fixture(scope="module")
def allocated(session_bench: Workbench, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], int]:
    """How many bytes the derivative of a function asks for, for so many numbers; its gradient is right."""
    folder = tmp_path_factory.mktemp("counting")
    write(session_bench).build("tape=system")  # the pool's blocks are larger than what is asked for
    shutil.copy(session_bench.output() / "bench", folder)
    (folder / "counting.c").write_text(COUNTING)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", "counting.so", "counting.c"], cwd=folder, check=True)
    environment = {**os.environ, "LD_PRELOAD": str(folder / "counting.so")}

    def count(function: str, n: int) -> int:
        argv: list[str | Path] = [folder / "bench", function, str(n)]
        finished = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, f"{function}: the gradient is wrong"
        return int(finished.stderr)

    return count


# How often the loops of each function run for n numbers, the inner one, if there is one, first told last.
RUNS: dict[str, list[Callable[[int], int]]] = {
    "raw": [lambda n: n],
    "halves": [lambda n: n],
    "in_place": [lambda n: n],
    "product": [lambda n: n],
    "triangle": [lambda n: n, lambda n: n * (n - 1) // 2],
}
FEW, MANY = 20, 300


@pytest.mark.toolchain
@pytest.mark.parametrize("function", RUNS)
def test_as_much_is_allocated_as_is_told(told: dict[str, Any], allocated: Callable[[str, int], int], function: str) -> None:
    def expected(n: int) -> int:
        return sum(part["bytes"] * RUNS[function][len(part["loops"]) - 1](n) for part in told[function]["tape"])

    more = allocated(function, MANY) - allocated(function, FEW)
    assert more == expected(MANY) - expected(FEW) > 0


@pytest.mark.toolchain
def test_calls_leave_as_much_as_is_told(told: dict[str, Any], allocated: Callable[[str, int], int]) -> None:
    of_element, of_call = (part["bytes"] for part in sorted(told["steps"]["tape"], key=lambda part: part["function"] is None))
    more = allocated("steps", MANY) - allocated("steps", FEW)
    assert more == (of_call + 8 * of_element) * (MANY - FEW)
    (record,) = told["depth"]["tape"]
    assert allocated("depth", MANY) - allocated("depth", FEW) == record["bytes"] * (MANY - FEW)


@pytest.mark.toolchain
def test_a_tape_that_grows_takes_what_is_told_and_less_than_four_times_that(
    told: dict[str, Any], allocated: Callable[[str, int], int]
) -> None:
    (part,) = told["until"]["tape"]
    more, least = allocated("until", 2 * MANY) - allocated("until", 0), part["bytes"] * 2 * MANY
    assert least <= more < 4 * least


@pytest.mark.toolchain
@pytest.mark.parametrize("function", ["slices", "halves_apart", "decay"])
def test_what_keeps_nothing_allocates_nothing(allocated: Callable[[str, int], int], function: str) -> None:
    assert allocated(function, MANY) == allocated(function, FEW)


@pytest.mark.toolchain
def test_of_two_that_allocate_alike_one_keeps_as_much_more_as_is_told(
    told: dict[str, Any], allocated: Callable[[str, int], int]
) -> None:
    (part,) = told["fields"]["tape"]
    assert allocated("fields", MANY) - allocated("fields_apart", MANY) == part["bytes"] * MANY
