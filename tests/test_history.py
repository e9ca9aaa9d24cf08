"""`./doit history`: the runs as a table, as JSON, as a trace."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pipeline import commands
from pipeline.errors import UserError
from tests.small_build import bring_up_to_date, small_build
from tests.workbench import Workbench


def told(capsys: pytest.CaptureFixture[str], folder: Path, words: Sequence[str] = (), *, as_json: bool = False) -> str:
    capsys.readouterr()
    commands.history(small_build(folder), as_json, "", words)
    return capsys.readouterr().out


@pytest.fixture
def three_runs(tmp_path: Path) -> Path:
    """The folder of a build that was made, changed and failed, and changed back."""
    bring_up_to_date(small_build(tmp_path))
    with pytest.raises(UserError):
        bring_up_to_date(small_build(tmp_path, opt1="eins", link="fails"))
    bring_up_to_date(small_build(tmp_path))
    return tmp_path


def test_each_run_is_a_line(three_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = told(capsys, three_runs).splitlines()
    assert first.startswith("    1  2")
    assert " s  3 ran  ./doit" in first
    assert " s  2 ran, link failed  ./doit" in second
    assert " s  2 from cache  ./doit" in third


def test_a_run_in_full_has_a_line_for_each_stage(three_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, opt1, opt2 = told(capsys, three_runs, ["3"]).splitlines()
    assert re.search(r'from cache, saved \d+\.\d\d s: `word` was "eins", is "one"$', opt1)
    assert "12 B" in opt2
    assert re.match(r" *opt2 +\d+\.\d\d s ", opt2)
    with pytest.raises(UserError, match="run 7 is not remembered\n  = help: there are 1 to 3"):
        told(capsys, three_runs, ["7"])


def test_json_has_all(three_runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = json.loads(told(capsys, three_runs, ["--json"]))
    assert read == json.loads(told(capsys, three_runs, as_json=True))
    assert read["version"] == 1
    assert [run["run"] for run in read["runs"]] == [1, 2, 3]
    of_opt1 = read["runs"][1]["stages"][0]
    assert {"stage", "how", "why", "changes", "seconds", "tool_seconds", "bytes", "key", "tree", "parts"} < of_opt1.keys()
    assert of_opt1["changes"] == [{"kind": "settings", "name": "word", "was": '"one"', "now": '"eins"'}]
    assert read["runs"][1]["stages"][-1]["error"].startswith("error: it fails")


def test_nothing_is_told_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, tmp_path) == "no run is remembered here yet\n"
    with pytest.raises(UserError, match="nothing to trace"):
        commands.history(small_build(tmp_path), as_json=False, trace=str(tmp_path / "trace"), words=[])
    assert not (tmp_path / "trace").exists()


def well_formed(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The slices of a trace that has what the Trace Event Format asks for."""
    required = {"M": {"ph", "name", "pid", "tid", "args"}, "X": {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}}
    for event in trace["traceEvents"]:
        assert event.keys() == required[event["ph"]]
    slices = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert all(isinstance(each[field], int) and each[field] >= 0 for each in slices for field in ("ts", "dur", "pid", "tid"))
    named = {event["tid"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    assert {each["tid"] for each in slices} == named
    for track in named:
        on_track = sorted((each["ts"], each["ts"] + each["dur"]) for each in slices if each["tid"] == track)
        assert all(end <= begin + 2 for (_, end), (begin, _) in pairwise(on_track)), "no two overlap"
    return slices


def test_a_trace_has_a_slice_for_each_stage(three_runs: Path) -> None:
    file = three_runs / "deep" / "trace.json"
    commands.history(small_build(three_runs), as_json=False, trace=str(file), words=["2"])
    slices = well_formed(json.loads(file.read_text()))
    assert [(each["name"], each["cat"]) for each in slices] == [("opt1", "ran"), ("opt2", "ran"), ("link", "failed")]
    assert slices[0]["args"]["why"] == '`word` was "one", is "eins"'
    assert slices[2]["args"]["error"].startswith("error: it fails")
    with pytest.raises(UserError, match="cannot be written"):
        commands.history(small_build(three_runs), as_json=False, trace=str(file / "below"), words=[])


@pytest.mark.toolchain
def test_what_a_real_build_did_is_told(bench: Workbench, tmp_path: Path) -> None:
    bench.build()
    bench.build("opt2.level=1")
    traced = bench.doit("history", f"--trace={tmp_path / 'trace.json'}")
    assert traced.returncode == 0, traced.stderr
    slices = well_formed(json.loads((tmp_path / "trace.json").read_text()))
    assert slices[0]["name"] == "opt2"
    assert bench.doit("history").stdout.splitlines()[-1].endswith(f"./doit build opt2.level=1 crate={bench.folder}")
    assert bench.doit("-n", "2", "build", "from=opt2").returncode == 0
    read = json.loads(bench.doit("history", "--json").stdout)["runs"]
    assert [each["stage"] for each in read[-1]["stages"]] == ["opt2", "codegen", "link"], "doit's processes share the record"
    assert {each["why"] for each in read[-1]["stages"]} == {"from=opt2"}
    assert "nonsense" in bench.doit("history", "nonsense").stderr
