"""The records of runs: what was carried out, why, and since which run it is as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline import runs
from pipeline.errors import UserError
from pipeline.runs import FAILED, HIT, RAN, Runs
from pipeline.why import Change
from tests.small_build import bring_up_to_date, small_build


def outcomes(folder: Path) -> list[list[tuple[str, str]]]:
    """Of each run that is remembered what was carried out, and how."""
    return [[(event.stage, event.how) for event in run.events] for run in small_build(folder).runs.all()]


def test_a_run_tells_what_it_carried_out(tmp_path: Path) -> None:
    build = small_build(tmp_path)
    bring_up_to_date(build)
    (run,) = build.runs.all()
    assert (run.number, run.command) == (1, " ".join(["./doit", *run.events[0].words]))
    assert outcomes(tmp_path) == [[("opt1", RAN), ("opt2", RAN), ("link", RAN)]]
    for event in run.events:
        made = build.made(event.stage)
        assert made is not None
        assert (event.key, event.tree, event.parts) == (made.key, made.tree, made.parts)
        assert event.why == "it has not run here"
        assert event.seconds >= event.tool_seconds >= 0
        assert event.bytes == build.store.size(made.tree) > 0


def test_a_run_that_does_nothing_leaves_nothing(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    before = list((tmp_path / "cache/runs").iterdir())
    assert bring_up_to_date(small_build(tmp_path)) == []
    assert list((tmp_path / "cache/runs").iterdir()) == before


def test_what_moved_is_recorded_with_both_values(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt2="zwei"))
    of_opt2, of_link = small_build(tmp_path).runs.all()[-1].events
    assert of_opt2.why == '`word` was "two", is "zwei"'
    assert of_opt2.changes == (Change("settings", "word", '"two"', '"zwei"'),)
    assert of_link.why == "what opt2 made is another"
    (change,) = of_link.changes
    assert (change.kind, change.name, change.now) == ("inputs", "module", of_opt2.tree)


def test_a_hit_says_what_it_saved(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt2="zwei"))
    bring_up_to_date(small_build(tmp_path))
    assert outcomes(tmp_path)[-1] == [("opt2", HIT), ("link", HIT)]
    first, _, last = small_build(tmp_path).runs.all()
    assert last.events[0].tool_seconds == first.events[1].tool_seconds


def test_an_early_cutoff_is_to_be_seen(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    assert bring_up_to_date(small_build(tmp_path, opt1="one(a comment)")) == ["opt1", "opt2"]
    assert outcomes(tmp_path)[-1] == [("opt1", RAN), ("opt2", RAN)]


def test_a_failure_is_recorded_with_its_message(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        bring_up_to_date(small_build(tmp_path, opt2="fails"))
    assert outcomes(tmp_path) == [[("opt1", RAN), ("opt2", FAILED)]]
    assert small_build(tmp_path).runs.all()[0].events[-1].error.startswith("error: it fails\n")


def test_who_insists_is_told_to_have(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    small_build(tmp_path).carry_out("opt2", because="it was asked for (-a)")
    assert outcomes(tmp_path)[-1] == [("opt2", RAN)]
    assert small_build(tmp_path).runs.all()[-1].events[0].why == "it was asked for (-a)"


def test_since_which_run_a_stage_is_what_it_is(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt2="zwei"))
    small_build(tmp_path, opt2="zwei").carry_out("opt2", because="again")
    build = small_build(tmp_path)
    since = {name: build.runs.since(name, made.tree) for name in build.steps if (made := build.made(name))}
    assert {name: run.number for name, run in since.items() if run} == {"opt1": 1, "opt2": 2, "link": 2}
    assert build.runs.since("opt1", "another") is None


def test_the_last_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs.KEPT == 50
    monkeypatch.setattr(runs, "KEPT", 3)
    for number in range(5):
        bring_up_to_date(small_build(tmp_path, link=str(number)))
    assert [run.number for run in small_build(tmp_path).runs.all()] == [3, 4, 5]


def test_records_that_are_cut_off_or_damaged_are_passed_over(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt1="eins"))
    first, second = sorted((tmp_path / "cache/runs").iterdir())
    whole = second.read_bytes()
    for length in range(0, len(whole), 37):
        second.write_bytes(whole[:length])
        assert len(Runs(tmp_path / "cache/runs").all()) in {1, 2}
    first.write_bytes(b'{"stage": 7}\n\xff\n')
    assert [run.number for run in Runs(tmp_path / "cache/runs").all()] == [2]
    assert bring_up_to_date(small_build(tmp_path, opt1="ein")) == ["opt1", "opt2", "link"]


def test_a_record_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/runs").write_text("no folder")
    assert bring_up_to_date(small_build(tmp_path)) == ["opt1", "opt2", "link"]
    assert small_build(tmp_path).runs.all() == []
