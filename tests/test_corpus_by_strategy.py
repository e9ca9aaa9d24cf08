"""The corpus is differentiated alike under every strategy (`docs/strategies.md`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fuzz import oracle
from tests.fuzz.together import AT_ONCE, Functions, apart
from tests.idioms.__main__ import MODES
from tests.idioms.corpus import Idiom, corpus
from tests.idioms.strategies import DOCUMENT, Row, agreement, chosen, judge, read, write
from tests.programs import Verdict, Way
from tests.workbench import Workbench

SENSITIVE = ("bezier_by_de_casteljau", "roots_all_at_once", "gauss_newton_steps")
"""Functions in whose last digits one sees whether two loads were made one, or a loop unrolled, before Enzyme."""


def test_the_document_says_what_is_kept() -> None:
    before = DOCUMENT.read_text()
    write()
    assert DOCUMENT.read_text() == before


def test_what_is_kept_is_of_the_corpus() -> None:
    assert {row.name for row in read()} == {idiom.name for idiom in chosen()}


def test_strategies_agree_to_the_last_bit_or_to_the_last_digits() -> None:
    assert agreement([["0.5", "1"], ["0.5", "1"]]) == "to the last bit"
    assert agreement([["0.5", "3"], ["0.50000000000000011", "3"]]) == "to 1e-12"
    assert agreement([["0.5", "3"], ["0.5", "3.0000000001"]]) == "no"
    assert agreement([["0.5", "nan"], ["0.6", "nan"]]) == "no"


def test_what_has_the_whole_program_merged_is_set_apart() -> None:
    a, b, c = (Idiom("area", name) for name in "abc")
    assert apart([a, b, c], "a pointer is called at src/boxed.rs:9:1, for `wide` of `bench::p0001::primal`") == ([b], [a, c])
    assert apart([a, b, c], "only one codegen unit sees counter") == ([a], [b, c])


@pytest.mark.full
@pytest.mark.toolchain
def test_sensitive_functions_are_the_same_by_every_strategy(tmp_path: Path) -> None:
    rows = judge(corpus(SENSITIVE), tmp_path)
    same(rows)
    assert {row.agree for row in rows} == {"to the last bit"}


BESIDE = (
    "report_beside_the_sum",
    "world_of_forces",
    "collisions_sorted_by_place",
    "sensors_in_a_chain",
    "weights_by_character",
)
"""Functions that make texts, count who borrows, and ask for random keys: what std does for them is then there once."""


@pytest.mark.full
@pytest.mark.toolchain
def test_functions_that_share_what_std_does_for_them_are_right_beside_each_other(tmp_path: Path) -> None:
    verdicts, _ = _beside("single-module-merge", BESIDE, tmp_path)
    assert [verdict.kind for verdict in verdicts.values()] == ["right"] * len(BESIDE)


@pytest.mark.toolchain
def test_a_hash_map_has_nothing_merged(tmp_path: Path) -> None:
    """What std keeps to make its random keys is in one codegen unit, and stays there."""
    verdicts, sliced = _beside("slice", BESIDE[-1:], tmp_path)
    assert [verdict.kind for verdict in verdicts.values()] == ["right"]
    assert [idiom.name for idiom in sliced] == list(BESIDE[-1:])


def _beside(strategy: str, names: Sequence[str], folder: Path) -> tuple[dict[Idiom, Verdict], set[Idiom]]:
    """What becomes of functions in one crate, none of which is tried by itself; and which are sliced."""
    idioms = corpus(names)
    functions = Functions(oracle.right_by_function(idioms, folder / "oracle"), MODES)
    verdicts: dict[Idiom, Verdict] = {}
    functions.judge(idioms, Way("3", strategy), Workbench(folder / "crate"), verdicts)
    return verdicts, functions.sliced


@pytest.mark.full
@pytest.mark.toolchain
def test_every_function_is_the_same_by_every_strategy(tmp_path: Path) -> None:
    every = chosen()
    same([row for begin in range(0, len(every), AT_ONCE) for row in judge(every[begin : begin + AT_ONCE], tmp_path)])


def same(rows: list[Row]) -> None:
    """None is wrong nor crashes, and what is right by several strategies is the same to the last bit, unless by chance."""
    kinds = Counter(said.partition(":")[0] for row in rows for said in (row.slice, row.single_module_merge, row.fat_lto))
    print(kinds)
    assert set(kinds) <= {"right", "refused"}
    assert kinds["right"] >= 0.95 * kinds.total()
    assert [row for row in rows if row.agree not in ("to the last bit", "by chance")] == []
