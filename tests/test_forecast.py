"""`dry=1`: what would be done; held against what then is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.build import Build
from pipeline.explain.forecast import FROM_CACHE, MAYBE, RUN, UP_TO_DATE, forecast, show
from pipeline.rerun import Rerun
from tests.small_build import bring_up_to_date, small_build
from tests.workbench import CUBE, Workbench


def words(build: Build, rerun: Rerun | None = None) -> dict[str, str]:
    """What would become of each stage, in a word; nothing is made of it."""
    before = sorted(build.store.store.root.rglob("*"))
    found = {name: each.word for name, each in forecast(build, rerun or Rerun()).items()}
    assert sorted(build.store.store.root.rglob("*")) == before
    return found


def test_before_a_build_all_would_run(tmp_path: Path) -> None:
    found = forecast(small_build(tmp_path), Rerun())
    assert {each.word for each in found.values()} == {RUN}
    assert str(found["opt1"]) == "would run: it has not run here"
    assert str(found["opt2"]) == "would run: it has not run here; or the cache has what it makes of what opt1 will have made"


def test_what_is_up_to_date_stays(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    assert words(small_build(tmp_path)) == dict.fromkeys(("opt1", "opt2", "link"), UP_TO_DATE)


def test_after_a_stage_that_runs_it_is_not_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bring_up_to_date(small_build(tmp_path))
    build = small_build(tmp_path, opt1="one(a comment)", link="drei")
    assert words(build) == {"opt1": RUN, "opt2": MAYBE, "link": RUN}
    show(forecast(build, Rerun()), "small")
    said = capsys.readouterr().out
    assert said.startswith("small: nothing was run\n")
    assert "   opt2          would run unless opt1 makes the same as before\n" in said
    assert '   link          would run: `word` was "three", is "drei"; or the cache' in said
    assert bring_up_to_date(build) == ["opt1", "opt2", "link"]


def test_what_the_cache_has_is_known_with_all_that_comes_of_it(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt1="eins"))
    found = forecast(small_build(tmp_path), Rerun())
    assert {each.word for each in found.values()} == {FROM_CACHE}
    assert found["opt2"].why == "what opt1 would make is another"
    assert words(small_build(tmp_path, link="drei")) == {"opt1": FROM_CACHE, "opt2": FROM_CACHE, "link": RUN}
    bring_up_to_date(small_build(tmp_path))
    last = small_build(tmp_path).runs.all()[-1]
    assert {event.how for event in last.events} == {"hit"}


def test_an_artifact_that_was_removed_is_had_from_the_cache(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    small_build(tmp_path).product.unlink()
    assert words(small_build(tmp_path)) == {"opt1": UP_TO_DATE, "opt2": UP_TO_DATE, "link": FROM_CACHE}


def test_from_and_until_are_heeded(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    assert words(small_build(tmp_path), Rerun(first="opt2")) == {"opt1": UP_TO_DATE, "opt2": RUN, "link": RUN}
    assert words(small_build(tmp_path), Rerun(first="opt2", last="opt2")) == {"opt1": UP_TO_DATE, "opt2": RUN}


@pytest.mark.toolchain
def test_a_dry_run_runs_nothing(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", "x * x * x + 7.5"))
    for task in ("build", "run", "opt2"):
        finished = bench.doit(task, "dry=1")
        assert finished.returncode == 0, finished.stderr
        assert finished.stderr == ""
        assert "   crate_bitcode would run: sources were edited: src/main.rs\n" in finished.stdout
        assert "   opt2          would run unless enzyme makes the same as before\n" in finished.stdout
        assert ("\n   link " in finished.stdout) == (task != "opt2")
    assert "crate_bitcode" in bench.build().ran
