"""Idiomatic functions are differentiated rightly or refused (`docs/idioms.md`)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.runner import judge
from tests.idioms import record
from tests.idioms.__main__ import DOCUMENT, LEVELS, MODES, every, figures, rows, write
from tests.idioms.corpus import FOLDER, Idiom, corpus
from tests.programs import Verdict

CHOSEN = corpus()[5::15]
"""Some of most areas."""
SHARE = 0.95
"""How many of all come out right, at least; the others are refused."""
_IN_LLVM = re.compile(r"Enzyme: |oldFunc|[%@]\w")


def test_the_corpus_is_large_and_leaves_no_public_function_out() -> None:
    assert len(corpus()) >= 200
    idioms = every()
    assert len({idiom.name for idiom in idioms}) == len(idioms)
    public = [name for file in FOLDER.rglob("*.rs") for name in re.findall(r"^pub fn (\w+)", file.read_text(), re.MULTILINE)]
    assert sorted(public) == sorted(idiom.name for idiom in idioms)


def test_functions_are_found_by_name_and_by_area() -> None:
    assert [str(idiom) for idiom in corpus(["cloth_relaxed", "sorted"])] == [
        "bodies_in_motion::cloth_relaxed",
        "sorting::sorted",
    ]
    assert {idiom.area for idiom in corpus(["splines"])} == {"splines"}
    assert corpus(["no_such"]) == []


def test_the_document_is_of_this_corpus() -> None:
    listed = re.findall(r"^\| ([a-z ]+) \| `(\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)
    assert [(idiom.area.replace("_", " "), idiom.name) for idiom in every()] == listed


def test_the_document_says_what_is_kept() -> None:
    before = DOCUMENT.read_text()
    write()
    assert DOCUMENT.read_text() == before


def test_a_verdict_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    idioms, kept = [Idiom("area", "one"), Idiom("area", "other")], tmp_path / "verdicts.csv"
    kept.write_text('area,name,level,commit,kind,said\narea,gone,3,abc,right,\narea,one,3,abc,refused,"a, b"\n')
    record.add([record.Row("area", "other", "3", "def", "right", "")], idioms, kept)
    record.add([record.Row("area", "one", "0", "def", "right", "")], idioms, kept)
    assert [row[1:] for row in record.read(kept)] == [
        ("one", "0", "def", "right", ""),
        ("one", "3", "abc", "refused", "a, b"),
        ("other", "3", "def", "right", ""),
    ]
    assert record.verdicts(record.read(kept), idioms, ["3"]) == {"3": [Verdict("refused", "a, b"), Verdict("right")]}
    with pytest.raises(KeyError):
        record.verdicts(record.read(kept), idioms, ["0"])


def test_what_is_not_right_has_its_cause_in_general_words() -> None:
    idioms = [Idiom("area", name) for name in "abcd"]
    said = "error: Enzyme: Cannot deduce type of copy   %{} = load [2 x i64]\n  --> src/lib.rs:1:1"
    verdicts = {"3": [Verdict("right"), Verdict("refused", said.format(1)), Verdict("wrong", "is 1, not 2")]}
    verdicts["3"].append(Verdict("refused", said.format(2)))
    assert list(figures(verdicts))[-2] == "| 3 | 4 | 1 (25.0%) | 2 (50.0%) | 0 (0.0%) | 1 (25.0%) | 0 (0.0%) |"
    table = list(rows(idioms, verdicts))
    assert table[2:6] == [
        "| area | `a` | right |",
        "| area | `b` | refused [1] |",
        "| area | `c` | wrong [2] |",
        "| area | `d` | refused [1] |",
    ]
    assert table[7:9] == [
        "1. Enzyme: Cannot deduce type of copy (2 times)",
        "2. a number is another than dual numbers give (1 times)",
    ]


@pytest.mark.toolchain
def test_chosen_functions_are_right_or_refused(tmp_path: Path) -> None:
    assert len(CHOSEN) >= 25
    right_or_refused(CHOSEN, "3", tmp_path)


@pytest.mark.full
@pytest.mark.toolchain
@pytest.mark.parametrize("level", LEVELS)
def test_every_function_is_right_or_refused(level: str, tmp_path: Path) -> None:
    right_or_refused(corpus(), level, tmp_path)


def right_or_refused(idioms: list[Idiom], level: str, folder: Path) -> None:
    """Judge them: none is wrong, crashes or is no test, most are right, and each refusal is at a line, in words of Rust."""
    verdicts = judge(idioms, level, folder, MODES)
    counts = Counter(verdict.kind for verdict in verdicts)
    print(counts)
    assert [(str(i), v) for i, v in zip(idioms, verdicts, strict=True) if v.kind not in {"right", "refused"}] == []
    assert counts["right"] >= SHARE * len(idioms)
    refused = [(str(idiom), verdict.said) for idiom, verdict in zip(idioms, verdicts, strict=True) if verdict.kind == "refused"]
    assert [(idiom, said) for idiom, said in refused if "\n  --> src/" not in said] == []
    assert [(idiom, said) for idiom, said in refused if _IN_LLVM.search(said.splitlines()[0])] == []
