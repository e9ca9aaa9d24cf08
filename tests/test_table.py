"""Headers of every family, in every mode, at several optimisation levels: right or refused, never wrong (`docs/table.md`)."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from tests.programs import LEVELS, errors
from tests.table import catalogue, composite
from tests.table.closed_form import right
from tests.table.headers import MODES
from tests.table.runner import KIND, Verdicts, judge
from tests.workbench import ROOT, Workbench

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


def test_the_table_is_of_this_catalogue() -> None:
    rows = re.findall(r"^\| `(.*?)` \|", (ROOT / "docs" / "table.md").read_text(), re.MULTILINE)
    assert len(rows) >= 100
    assert set(rows) <= {header.shown for header in catalogue.HEADERS}


def test_random_headers_follow_from_the_seed() -> None:
    once, again, others = (list(map(str, composite.programs(seed, 20))) for seed in (7, 7, 8))
    assert once == again
    assert once != others


def test_what_is_said_of_which_program() -> None:
    stderr = """\
warning: unused variable
  --> src/p0001.rs:4:2
error[E0658]: the type `f16` is unstable
  --> src/p0003.rs:4:2
error: floats in the integers of its header: `_ZN5bench5p00176primal17h0123456789abcdefE`
error: Enzyme broke down (SIGABRT)
error: could not compile `bench` (bin "bench") due to 1 previous error
"""
    said = [(message[:20], number) for message, number in errors(stderr)]
    assert said == [("E0658: the type `f16", 3), ("floats in the intege", 17), ("Enzyme broke down (S", None)]


def test_what_is_said_of_a_place_in_std_is_of_who_asked() -> None:
    note = "  = note: `derivative` was asked for, reverse mode of `bench::p::primal` at src/p{}.rs:4:4\n"
    stderr = f"error: Enzyme: no\n  --> src/vec.rs:1:2\nerror: nor this\n{note.format('0021')}{note.format('0022')}"
    assert errors(stderr) == [(said, number) for said in ("Enzyme: no", "nor this") for number in (21, 22)]


def test_a_program_that_dies_does_not_hide_the_others(tmp_path: Path) -> None:
    good, dead, bad = programs = catalogue.chosen(3)
    lines = [json.dumps({"case": k, "got": [" ".join(map(str, right(program)))]}) for k, program in enumerate(programs)]
    binary = tmp_path / "bench"
    binary.write_text(f"""\
#!/bin/sh
if [ $1 = 0 ]; then echo '{lines[0]}'; kill -SEGV $$; fi
echo '{lines[2].replace("1", "2")}'
""")
    binary.chmod(0o755)
    verdicts = KIND.run(programs, binary)
    assert [verdicts[program].kind for program in (good, dead, bad)] == ["right", "crash", "wrong"]
    assert "SIGSEGV" in verdicts[dead].said


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("config", "count"), [("single-module-merge", 80), pytest.param("fat-lto", 50, marks=pytest.mark.full)]
)
def test_some_of_each_family_are_right(tmp_path: Path, config: str, count: int) -> None:
    assert unlisted(judge(catalogue.chosen(count), tmp_path, config)) == []


@pytest.mark.full
@pytest.mark.toolchain
def test_methods_of_one_vtable_are_differentiated_in_every_width(tmp_path: Path) -> None:
    """In one program: Enzyme would make the shadow of a vtable for the first width, and take it for all.

    And what drops a box may be anything that drops, of std's, too: where that has no floats nobody looks into it.
    """
    headers = ("callee fn(f64, &dyn Bend)", "callee fn(f64, Box<dyn Fn(f64) -> f64>) -> f64")
    chosen = [(h, p) for p in catalogue.everything() for h in headers if h in p.header.shown and p.level == "3"]
    assert {(header, program.mode) for header, program in chosen} == set(product(headers, MODES))
    programs = [program for _, program in chosen]
    KIND.write(programs, bench := Workbench(tmp_path))
    bench.build("profile=level3")
    assert {verdict.kind for verdict in KIND.run(programs, bench.output() / "bench").values()} == {"right"}


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
