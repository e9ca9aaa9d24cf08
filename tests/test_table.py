"""Headers of every family, in every mode, at several optimisation levels: right or refused, never wrong (`docs/table.md`)."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from tests.table import catalogue, composite
from tests.table.headers import LEVELS, MODES
from tests.table.runner import Verdicts, judge
from tests.workbench import ROOT

SEED = int(os.environ.get("CRATEGRAD_TABLE_SEED", "1"))


def test_the_catalogue_is_large_enough() -> None:
    programs = catalogue.everything()
    assert len(catalogue.HEADERS) >= 100
    assert len(programs) >= 1000
    assert {program.mode for program in programs} == set(MODES)
    assert {program.level for program in programs} == set(LEVELS)
    chosen = catalogue.chosen()
    assert len(set(chosen)) == 150
    assert {program.header.family for program in chosen} == {header.family for header in catalogue.HEADERS} - {"f16 and f128"}


def test_every_header_is_in_the_table() -> None:
    table = (ROOT / "docs" / "table.md").read_text()
    assert [header.shown for header in catalogue.HEADERS if f"| `{header.shown}` |" not in table] == []


def test_random_headers_follow_from_the_seed() -> None:
    once, again, others = (list(map(str, composite.programs(seed, 20))) for seed in (7, 7, 8))
    assert once == again
    assert once != others


@pytest.mark.toolchain
def test_some_of_each_family_are_right(tmp_path: Path) -> None:
    assert unlisted(judge(catalogue.chosen(), tmp_path)) == []


@pytest.mark.full
@pytest.mark.toolchain
def test_every_header_is_right_or_refused_as_listed(tmp_path: Path) -> None:
    verdicts = judge(catalogue.everything(), tmp_path)
    print(Counter(verdict.kind for verdict in verdicts.values()))
    assert unlisted(verdicts) == []


@pytest.mark.full
@pytest.mark.toolchain
def test_random_headers_are_right_or_refused(tmp_path: Path) -> None:
    print(f"CRATEGRAD_TABLE_SEED={SEED}")
    verdicts = judge(composite.programs(SEED, 2000), tmp_path)
    print(Counter(verdict.kind for verdict in verdicts.values()))
    assert [f"{p}: {v.kind}: {v.said}" for p, v in verdicts.items() if v.kind in {"wrong", "crash"}] == []


def unlisted(verdicts: Verdicts) -> list[str]:
    """What is neither right nor refused as the catalogue says."""
    as_listed = {p for p, v in verdicts.items() if v.kind == "right" or (v.kind == "refused" and catalogue.refusal(p))}
    return [f"{p}: {v.kind}: {v.said}" for p, v in verdicts.items() if p not in as_listed]
