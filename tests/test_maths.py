"""The mathematical functions of std: closed forms at regular points, and at the edges what `docs/maths.md` says."""

from __future__ import annotations

import re

import pytest

from tests.maths import BEGIN, DOCUMENT, END, Point, points, table

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module")
def found() -> list[Point]:
    return points()


def test_every_function_is_right_at_regular_points(found: list[Point]) -> None:
    regular = [point for point in found if not point.is_edge]
    assert len({point.function for point in regular}) >= 55
    assert {point.type for point in regular} == {"f64", "f32"}
    assert [point for point in regular if not point.is_right] == []


def test_the_value_is_that_of_a_plain_call_at_edges_too(found: list[Point]) -> None:
    assert [
        point for point in found for value in point.values if f"{value:.6g}" != f"{point.plain:.6g}".replace("-nan", "nan")
    ] == []


def test_edges_are_as_the_page_says(found: list[Point]) -> None:
    text = DOCUMENT.read_text()
    assert "\n".join(table(found)) == text[text.index(BEGIN) + len(BEGIN) : text.index(END)].strip("\n").join(("\n", "\n"))


@pytest.mark.full
def test_without_fast_math_it_is_the_same(found: list[Point]) -> None:
    """Infinities and NaN flow as IEEE has it either way: with fast math derivatives are reordered, and no more."""
    exact = points("enzyme.fast_math=false")
    assert [point for point in exact if not point.is_edge and not point.is_right] == []
    shown = [list(table([point])) for point in exact if point.is_edge and point.type == "f64"]
    assert shown == [list(table([point])) for point in found if point.is_edge and point.type == "f64"]


def test_every_function_that_the_page_names_is_tried(found: list[Point]) -> None:
    prose = DOCUMENT.read_text().partition(BEGIN)[0]
    named = set(re.findall(r"`(\w+)`", prose)) - {"f64", "f32", "to_bits"}
    assert named <= {point.function for point in found}
