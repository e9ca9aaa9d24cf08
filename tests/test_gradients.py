"""Gradients: those of `crates/gradients` in every mode, against closed forms and differences, under both strategies.

The crate is built and run once per config.  For each of its functions and each mode it prints what Enzyme's derivative
returns and what it should.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from pipeline.stages.llvm_link import BESIDE_OBJECTS
from pipeline.strategies.slice import WHOLE
from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

CRATE = ROOT / "tests" / "crates" / "gradients"

CASES = {
    "scalars": ("wave", "surface"),
    "slices": ("rosenbrock", "polynomial", "smoothed"),
    "outputs": ("softmax", "prefix_products", "heat"),
    "arrays": ("determinant", "cartesian"),
    "constants": ("moment", "visited", "potential"),
    "calls": ("particles", "chebyshev"),
    "iterators": ("distance", "volumes", "growth", "coherence"),
    "linear_algebra": ("matrix_product", "log_sum_exp", "quadratic_form"),
    "allocation": ("collected", "neighbours"),
    "control_flow": ("huber", "activations", "geometric", "enough"),
    "single_precision": ("logistic", "softplus", "normalized"),
}
"""The crate's modules and the functions that each has differentiated."""

FUNCTIONS = [function for functions in CASES.values() for function in functions]
MODES = ("reverse", "forward", "forward_8")
STRATEGIES = ("single-module-merge", "fat-lto", "slice")
WAYS = (
    "slice",
    "single-module-merge",
    *(pytest.param(way, marks=pytest.mark.full) for way in ("fat-lto", "debug", "prebuilt")),
)
"""How the crate is built: by a config, or with the std that the toolchain brings."""


@dataclass(frozen=True)
class Tolerance:
    """How far numbers of one precision may be from each other, relatively."""

    value: float
    closed_form: float
    differences: float
    """Central differences are good to two thirds of the digits; in `f32` only five are left."""


TOLERANCES = {
    "f64": Tolerance(value=1e-14, closed_form=1e-12, differences=1e-6),
    "f32": Tolerance(value=1e-6, closed_form=1e-5, differences=1e-2),
}


@dataclass(frozen=True)
class Report:
    """What one mode makes of one function."""

    case: str
    mode: str
    precision: str
    value: list[float]
    """The outputs as the derivative returns them."""
    primal: list[float]
    """The outputs of a plain call."""
    enzyme: list[float]
    """Reverse: the adjoint of each input.  Forward: the tangent of each output, for one direction after the other."""
    closed: list[float]
    """The same by the closed form."""
    differences: list[float]
    """The same by central differences."""
    weights: list[float]
    """What reverse mode is seeded with: a number for each output."""
    directions: list[list[float]]
    """What forward mode is seeded with, the first for width 1: a number for each input."""

    @property
    def tolerance(self) -> Tolerance:
        return TOLERANCES[self.precision]


Reports = dict[tuple[str, str], Report]


@pytest.fixture(scope="session")
def single_module_merge() -> Reports:
    return build_and_run("single-module-merge")


@pytest.fixture(scope="session")
def fat_lto() -> Reports:
    return build_and_run("fat-lto")


@pytest.fixture(scope="session", name="slice")
def sliced() -> Reports:
    return build_and_run("slice")


@pytest.fixture(scope="session")
def debug() -> Reports:
    return build_and_run("debug")


@pytest.fixture(scope="session")
def prebuilt() -> Reports:
    return build_and_run("fat-lto", "build_std=prebuilt")


def build_and_run(config: str, *settings: str) -> Reports:
    finished = doit("run", f"crate={CRATE}", f"config={config}", *settings)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    reports = [Report(**json.loads(line)) for line in finished.stdout.splitlines()]
    return {(report.case, report.mode): report for report in reports}


@pytest.fixture(scope="session")
def exactly() -> dict[str, Reports]:
    """By each strategy, with fast math off."""
    return {name: build_and_run(name, "enzyme.fast_math=false") for name in STRATEGIES}


@pytest.fixture(params=WAYS)
def reports(request: pytest.FixtureRequest) -> Reports:
    found: Reports = request.getfixturevalue(request.param.replace("-", "_"))
    return found


@pytest.fixture
def report(reports: Reports, function: str, mode: str) -> Report:
    return reports[function, mode]


every_function = pytest.mark.parametrize("function", FUNCTIONS)
every_mode = pytest.mark.parametrize("mode", MODES)


def test_no_function_and_no_mode_is_left_out(reports: Reports) -> None:
    assert len(FUNCTIONS) >= 12
    assert set(reports) == {(function, mode) for function in FUNCTIONS for mode in MODES}


@every_mode
@every_function
def test_the_value_is_that_of_a_plain_call(report: Report) -> None:
    assert_close(report.value, report.primal, report.tolerance.value)


@every_mode
@every_function
def test_the_derivative_is_the_closed_form(report: Report) -> None:
    assert_close(report.enzyme, report.closed, report.tolerance.closed_form)


@every_mode
@every_function
def test_the_derivative_is_what_differences_say(report: Report) -> None:
    assert_close(report.enzyme, report.differences, report.tolerance.differences)


@every_function
def test_reverse_is_the_transpose_of_forward(reports: Reports, function: str) -> None:
    """⟨w, J·u⟩ = ⟨Jᵀ·w, u⟩ for the weights w and each direction u, of Enzyme's numbers alone."""
    reverse, forward, forward_8 = (reports[function, mode] for mode in MODES)
    outputs, directions = len(forward_8.weights), forward_8.directions
    assert (len(directions), len(forward_8.enzyme)) == (8, 8 * outputs)
    tangents = [forward_8.enzyme[lane * outputs : (lane + 1) * outputs] for lane in range(8)]
    expected = [inner(reverse.enzyme, direction) for direction in directions]
    assert_close([inner(forward_8.weights, tangent) for tangent in tangents], expected, reverse.tolerance.closed_form)
    assert_close([inner(forward.weights, forward.enzyme)], expected[:1], reverse.tolerance.closed_form)


@every_mode
@every_function
@pytest.mark.parametrize("strategy", ["single_module_merge", pytest.param("fat_lto", marks=pytest.mark.full)])
def test_the_strategies_agree(request: pytest.FixtureRequest, strategy: str, function: str, mode: str) -> None:
    one, other = (request.getfixturevalue(name)[function, mode] for name in (strategy, "slice"))
    assert_close(other.value, one.value, one.tolerance.value)
    assert_close(other.enzyme, one.enzyme, one.tolerance.closed_form)


@pytest.mark.full
@every_mode
@every_function
def test_without_fast_math_the_strategies_agree_to_the_last_bit(exactly: dict[str, Reports], function: str, mode: str) -> None:
    one, *others = (exactly[name][function, mode] for name in STRATEGIES)
    assert [(other.value, other.enzyme) for other in others] == [(one.value, one.enzyme)] * len(others)


def test_what_slice_differentiates_is_a_slice(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("slice")
    linked = CRATE / "target/crategrad/slice/stages/03-llvm_link"
    assert (linked / BESIDE_OBJECTS).exists()
    assert not (linked / WHOLE).exists()


def assert_close(found: Sequence[float], expected: Sequence[float], tolerance: float) -> None:
    """Each number within the tolerance of its own size; a small one, of a thousandth of the largest beside it.

    What is small is a sum of large terms that cancel, and keeps their rounding.
    """
    assert len(found) == len(expected) > 0
    least = max(map(abs, expected)) / 1000
    assert least > 0, "zeros everywhere say nothing"
    for one, other in zip(found, expected, strict=True):
        assert abs(one - other) <= tolerance * max(abs(other), least), (found, expected)


def inner(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(x, y, strict=True))
