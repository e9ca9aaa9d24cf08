"""`./doit matrix`: the file, the cells that come of it, and what is told of them."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema_rs
import junitparser
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pipeline import config, request
from pipeline.build import Build
from pipeline.commands import late_options
from pipeline.config import ConfigError
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.matrix import ci, command, schema, sharding
from pipeline.matrix.reading import MOST, Cell, read
from pipeline.remote import Remote
from pipeline.remote.folder import Folder
from pipeline.request import Request
from pipeline.runs import Runs
from tests.conftest import Rounds
from tests.faults.test_configs import mutated
from tests.small_build import bring_up_to_date, small_build
from tests.workbench import ROOT, Workbench


@pytest.fixture(autouse=True)
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, and no CI server around it."""
    for variable in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CRATEGRAD_CWD", str(tmp_path))
    monkeypatch.setenv("CRATEGRAD_CACHE", str(tmp_path / "cache"))
    return tmp_path


def cells_of(folder: Path, text: str) -> list[Cell]:
    (folder / "m.yaml").write_text(text)
    return read(folder / "m.yaml", folder)


def settings(cell: Cell) -> dict[str, object]:
    return {key: node.value for key, node in cell.settings.items()}


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as error:
        cells_of(folder, text)
    assert error.value.exit_code == 3
    return error.value.message.removeprefix("error: ")


# ---- The file


def test_what_is_shipped_can_be_read() -> None:
    shipped = read(config.MATRIX, ROOT)
    assert [cell.name for cell in shipped] == ["slice", "single-module-merge", "fat-lto", "gradients", "debug"]
    asked = request.read_request({}, Digests(Path("/dev/null")))
    configs = [command.request_of(cell, asked).config for cell in shipped]
    assert [each.name for each in configs] == [cell.name for cell in shipped]
    assert [each.strategy for each in configs] == ["slice", "single-module-merge", "fat-lto", "slice", "single-module-merge"]


def test_the_shipped_schema_is_that_of_the_configs_keys() -> None:
    stale = "run `python -m pipeline.matrix.schema`"
    assert json.loads(schema.FILE.read_text()) == json.loads(json.dumps(schema.json_schema())), stale


def test_every_combination_is_a_cell_less_what_is_excluded(tmp_path: Path) -> None:
    text = """
axes:
  strategy: [slice, fat-lto]
  opt1.level: [2, 3]
  enzyme.fast_math: [true]
exclude:
  - {strategy: fat-lto, opt1.level: 3}
"""
    assert [cell.name for cell in cells_of(tmp_path, text)] == [
        "slice-opt1.level-2-enzyme.fast_math-true",
        "slice-opt1.level-3-enzyme.fast_math-true",
        "fat-lto-opt1.level-2-enzyme.fast_math-true",
    ]


def test_what_is_included_joins_the_cells_whose_axes_it_leaves_alone(tmp_path: Path) -> None:
    """GitHub's own rules: later items change what earlier ones added, but no axis, and no cell that was included."""
    text = """
axes:
  strategy: [slice, fat-lto]
  opt1.level: [2, 3]
include:
  - profile: release
  - {profile: dev, opt1.level: 3}
  - {strategy: slice, build_std: prebuilt}
  - {strategy: single-module-merge}
  - {strategy: single-module-merge, opt1.level: 3}
"""
    assert {cell.name: settings(cell) for cell in cells_of(tmp_path, text)} == {
        "slice-opt1.level-2": {"strategy": "slice", "opt1.level": 2, "profile": "release", "build_std": "prebuilt"},
        "slice-opt1.level-3": {"strategy": "slice", "opt1.level": 3, "profile": "dev", "build_std": "prebuilt"},
        "fat-lto-opt1.level-2": {"strategy": "fat-lto", "opt1.level": 2, "profile": "release"},
        "fat-lto-opt1.level-3": {"strategy": "fat-lto", "opt1.level": 3, "profile": "dev"},
        "single-module-merge": {"strategy": "single-module-merge"},
        "single-module-merge-opt1.level-3": {"strategy": "single-module-merge", "opt1.level": 3},
    }


def test_cells_have_names(tmp_path: Path) -> None:
    named = cells_of(tmp_path, "cells:\n  plain:\n  careful: {check: true, enzyme.flags.enzyme-print: false}\n")
    assert {cell.name: settings(cell) for cell in named} == {
        "plain": {},
        "careful": {"check": True, "enzyme.flags.enzyme-print": False},
    }


def test_a_path_in_a_name_is_made_fit_for_a_folder(tmp_path: Path) -> None:
    text = "axes:\n  config: [debug, ../x/my own.yaml]\n  toolchain: [/opt/rust]\n"
    assert [cell.name for cell in cells_of(tmp_path, text)] == ["debug-toolchain-_opt_rust", "my_own-toolchain-_opt_rust"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "m.yaml:1:1: expected a mapping of axes, include, exclude, cells"),
        ("[a]", "m.yaml:1:1: expected a mapping"),
        ("{}", "m.yaml:1:1: there are no cells"),
        ("cell: {}", "m.yaml:1:1: unknown key `cell`\n  = help: did you mean `cells`?"),
        ("axes: [a]", "m.yaml:1:7: `axes` cannot be a list\n  = help: expected a mapping"),
        ("axes: {strategy: slice}", "m.yaml:1:18: the axis `strategy` cannot be `slice`\n  = help: expected a list of values"),
        ("axes: {strategy: []}", "m.yaml:1:18: the axis `strategy` cannot be an empty list"),
        ("axes: {strategy: }", "m.yaml:1:18: the axis `strategy` has no value"),
        ("axes: {strategy: [[slice]]}", "m.yaml:1:19: `strategy` cannot be a list"),
        (
            "axes: {strategy: [slice, fat-lto, slice]}",
            "m.yaml:1:35: `slice` is in the axis `strategy` twice: first at m.yaml:1:19",
        ),
        ("axes: {opt1: [2]}", "m.yaml:1:8: unknown key `opt1`"),
        ("axes: {opt1.levle: [2]}", "m.yaml:1:8: unknown key `opt1.levle`\n  = help: did you mean `opt1.level`?"),
        ("axes: {extends: [debug]}", "m.yaml:1:8: unknown key `extends`"),
        ("axes: {config: [1]}", "m.yaml:1:17: `config` cannot be `1`\n  = help: expected a config's name or path"),
        ("include: {strategy: slice}", "m.yaml:1:10: `include` cannot be a mapping\n  = help: expected a list"),
        ("include: [slice]", "m.yaml:1:11: an item of `include` cannot be `slice`"),
        ("include: [{}]", "m.yaml:1:11: an item of `include` cannot be a mapping"),
        ("axes: {strategy: [slice]}\nexclude: [{strategy: fat-lto}]", "m.yaml:2:11: this excludes nothing"),
        ("axes: {strategy: [slice]}\nexclude: [{opt1.level: 2}]", "m.yaml:2:11: this excludes nothing"),
        ("axes: {strategy: [slice]}\nexclude: [{strategy: slice}]", "m.yaml:1:1: there are no cells"),
        ("cells: {a: 1}", "m.yaml:1:12: the cell `a` cannot be `1`"),
        ("cells: {a b: {}}", "m.yaml:1:9: `a b` cannot be a cell's name"),
        ("cells: {cargo: {}}", "m.yaml:1:9: `cargo` cannot be a cell's name"),
        ("cells: {a/b: {}}", "m.yaml:1:9: `a/b` cannot be a cell's name"),
        ("axes: {strategy: [slice]}\ncells: {slice: }", "m.yaml:2:9: there is another cell `slice`: at m.yaml:1:19"),
        ("cells: {a: {}, a: {}}", "m.yaml:1:16: `a` is set twice: first at m.yaml:1:9"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    assert refusal(tmp_path, text).startswith(said)


def test_there_is_a_limit(tmp_path: Path) -> None:
    axis = f"[{', '.join(map(str, range(1, 101)))}]"
    many = f"axes:\n  opt1.level: {axis}\n  opt2.level: {axis}\n  enzyme.patience_s: {axis}\n  verify.every: {axis}\n"
    assert refusal(tmp_path, many) == f"m.yaml:2:3: the axes make more than {MOST} cells"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"other\.yaml: cannot be read: No such file or directory\n  = help: matrix=FILE"):
        read(tmp_path / "other.yaml", tmp_path)


# ---- The request


def asked_with(folder: Path, text: str = "", **variables: str) -> Request:
    if text:
        (folder / "m.yaml").write_text(text)
        variables["matrix"] = "m.yaml"
    variables = {name.replace("__", "."): value for name, value in variables.items()}
    return request.read_request({"crate": str(folder / "crate"), **variables}, Digests(folder / "digests.json"))


@pytest.mark.parametrize("shard", ["", "0/3", "4/3", "1/0", "1", "1/3/3", "-1/3", "x/y", "٣/٣"])
def test_a_shard_is_one_of_so_many(tmp_path: Path, shard: str) -> None:
    with pytest.raises(ConfigError, match=f"command line: shard={shard}: expected which of how many"):
        asked_with(tmp_path, shard=shard)


def test_a_cell_sets_what_its_config_does_not_and_the_command_line_the_rest(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/own.yaml").write_text("extends: default\nopt1: {level: 3}\nopt2: {level: 1}\n")
    (tmp_path / "deep/m.yaml").write_text("cells:\n  a: {config: ./own.yaml, opt2.level: 2}\n  b: {opt2.level: 0}\n")
    asked = asked_with(tmp_path, matrix="deep/m.yaml", config="debug", codegen__level="1")
    a, b = (command.request_of(cell, asked).config for cell in read(asked.matrix.file, tmp_path))
    assert (a.name, a.opt1.level, a.opt2.level, a.codegen.level, a.strategy) == ("a", 3, 2, 1, "slice")
    assert (b.name, b.opt1.level, b.opt2.level, b.codegen.level, b.strategy) == ("b", 0, 0, 1, "single-module-merge")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("axes: {strategy: [slice, fat]}", "m.yaml:1:26: `strategy` cannot be `fat`\n  = help: expected `fat-lto` or"),
        (
            "cells: {a: {opt1.level: 9}}",
            "m.yaml:1:25: `opt1.level` cannot be `9`\n  = help: expected a whole number from 0 to 3",
        ),
        ("cells: {a: {enzyme.flags.loose: true}}", "m.yaml:1:13: the flag `loose` is refused"),
        ("cells: {a: {build_std: none}}", "m.yaml:1:24: `build_std` cannot be `none` with `autodiff: true`"),
        ("cells: {a: {config: nowhere}}", "/configs/nowhere.yaml: cannot be read"),
    ],
)
def test_what_a_config_would_refuse_is_refused_before_anything_runs(tmp_path: Path, text: str, said: str) -> None:
    asked = asked_with(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        command.run(asked, Cells(tmp_path, {}), command.Options(), [])
    assert said in error.value.message


def test_cells_are_chosen_by_name(tmp_path: Path) -> None:
    cells = cells_of(tmp_path, "cells: {a: , bee: , c: }")
    assert [cell.name for cell in command.chosen(cells, ["c", "a"])] == ["a", "c"]
    with pytest.raises(ConfigError, match="there is no cell `beee`\n  = help: did you mean `bee`"):
        command.chosen(cells, ["beee"])


def test_what_is_of_one_build_has_no_place(tmp_path: Path) -> None:
    asked = asked_with(tmp_path, "cells: {a: }", keep="1")
    with pytest.raises(ConfigError, match="keep="):
        command.run(asked, Cells(tmp_path, {}), command.Options(), [])


def test_cells_can_be_brought_up_to_a_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = asked_with(tmp_path, "cells: {a: {check: true}, b: }", until="opt2")
    is_well, out, _ = told_by(asked, Cells(tmp_path, WORDS), capsys, as_json=True)
    assert is_well
    stages = {
        cell["cell"]: [(each["stage"], len(each["tree"])) for each in cell["stages"]] for cell in json.loads(out)["cells"]
    }
    assert list(stages.values()) == [[("opt1", 64), ("opt2", 64)]] * 2


def test_whatever_is_written_there_is_cells_or_is_refused_with_its_place(tmp_path: Path, rounds: Rounds) -> None:
    guide = (ROOT / "docs/matrix.md").read_text().partition("```yaml\n")[2].partition("```")[0]
    asked, seeds = asked_with(tmp_path), rounds(400, 10_000)
    (tmp_path / "strict.yaml").write_text("extends: default\n")
    file = tmp_path / "ci/m.yaml"
    file.parent.mkdir()
    refused = []
    for seed in range(seeds):
        file.write_bytes(mutated(random.Random(seed), [guide, config.MATRIX.read_text()]))
        try:
            for cell in read(file, tmp_path):
                command.request_of(cell, asked)
        except ConfigError as error:
            refused.append(error.message)
    assert [each for each in refused if not re.match(r"error: ci/m\.yaml:\d+:\d+: ", each)] == []
    assert seeds / 2 < len(refused) < seeds
    rounds.tell(f"{seeds} mutated matrices: {len(refused)} refused, each with its line")


# ---- The cells, built: three stages without tools, all around them the real thing


class Cells:
    """Builds of three stages that write words; a cell's name says which other words."""

    def __init__(
        self,
        folder: Path,
        words: Mapping[str, Mapping[str, str]],
        wrong: tuple[str, ...] = (),
        remote: Remote | None = None,
    ) -> None:
        self.remote = remote
        self.folder = folder
        self.words = words
        self.wrong = wrong
        self.closed: list[str] = []
        self.binaries: dict[str, list[bool]] = {}
        self.wrong_binaries: tuple[str, ...] = ()

    def open(self, asked: Request) -> Build:
        name = asked.config.name
        if name == "unplanned":
            raise UserError("error: no such toolchain")
        build = small_build(self.folder, **self.words.get(name, {}))
        build.folder = build.folder.with_name(name)
        build.store.remote = self.remote
        build.runs = Runs(request.cache_folder() / "runs" / replace(asked, folder=build.crate.folder).name)
        return build

    def build_binaries(self, asked: Request, build: Build) -> list[bool]:
        if asked.config.name in self.wrong_binaries:
            raise UserError("error: of the binary")
        return self.binaries.pop(asked.config.name, [])

    def check(self, asked: Request, build: Build) -> str | None:
        if not asked.config.check:
            return None
        print("what gradcheck says")
        return "a derivative is wrong" if asked.config.name in self.wrong else ""

    def close(self, build: Build) -> None:
        self.closed.append(build.folder.name)


WORDS = {"b": {"link": "drei"}, "c": {"opt2": "zwei"}, "d": {"opt1": "eins"}, "fails": {"opt2": "fails"}}
"""What is to be made: opt1 twice, opt2 three times but for one that fails, link four times."""

MATRIX = "cells: {a: , b: , fails: , c: , same: , d: , unplanned: }"


def told_by(asked: Request, means: Cells, capsys: pytest.CaptureFixture[str], **options: bool | str) -> tuple[bool, str, str]:
    capsys.readouterr()
    is_well = command.run(asked, means, command.Options(**options), [])  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    return is_well, out, err


def test_so_many_stages_run_as_there_are_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, means = asked_with(tmp_path, MATRIX), Cells(tmp_path, WORDS)
    is_well, out, err = told_by(asked, means, capsys, as_json=True)
    cells = {each["cell"]: each for each in json.loads(out)["cells"]}
    stages = [stage for cell in cells.values() for stage in cell["stages"]]
    ran = [stage["key"] for stage in stages if stage["how"] == "ran"]
    keys = {stage["key"] for stage in stages if stage["key"]}
    assert sorted(ran) == sorted(keys), "each once, whichever cell came first"
    assert len(keys) == 2 + 3 + 4
    how = {name: [stage["how"] for stage in cell["stages"]] for name, cell in cells.items()}
    assert how == {
        "a": ["ran", "ran", "ran"],
        "b": ["hit", "hit", "ran"],
        "fails": ["hit", "failed"],
        "c": ["hit", "ran", "ran"],
        "same": ["hit", "hit", "hit"],
        "d": ["ran", "ran", "ran"],
        "unplanned": ["failed"],
    }
    assert not is_well
    assert [name for name, cell in cells.items() if cell["failed"]] == ["fails", "unplanned"]
    assert means.closed == ["a", "b", "fails", "c", "same", "d"]
    assert "error: it fails" in err
    assert "error: no such toolchain" in err


def test_each_cell_has_a_folder_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = asked_with(tmp_path, "cells: {a: , b: , c: }")
    is_well, out, _ = told_by(asked, Cells(tmp_path, WORDS), capsys, as_json=True)
    assert is_well
    made = {each["cell"]: (tmp_path / each["product"]).read_text() for each in json.loads(out)["cells"]}
    assert made == {"a": "onetwothree", "b": "onetwodrei", "c": "onezweithree"}
    again = told_by(asked, Cells(tmp_path, WORDS), capsys)
    assert again[1].splitlines()[-1].startswith("3 cells, 0 failed; stages: 9 up to date; ")


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = asked_with(tmp_path, "cells: {a: {check: true}, b: {check: true}, fails: , c: }")
    is_well, out, err = told_by(asked, Cells(tmp_path, WORDS, wrong=("b",)), capsys)
    assert not is_well
    s = r"\d+\.\d\d"
    rows = [
        r"cell +opt1 +opt2 +link +gradcheck +seconds",
        rf"a +ran {s} s +ran {s} s +ran {s} s +ran {s} s +{s}",
        rf"b +hit +hit +ran {s} s +failed {s} s +{s}",
        rf"fails +hit +failed {s} s +- +- +{s}",
        rf"c +hit +ran {s} s +ran {s} s +- +{s}",
    ]
    assert all(re.fullmatch(row, line) for row, line in zip(rows, out.splitlines(), strict=False)), out
    assert "\nb, gradcheck:\na derivative is wrong\n" in out
    assert "\nfails, opt2:\nerror: it fails\n" in out
    assert re.search(rf"^4 cells, 2 failed; stages: 7 ran, 4 from cache, 2 failed; {s} s$", out, re.MULTILINE), out
    assert "what gradcheck says" in err
    assert "what gradcheck says" not in out
    assert err.index("a (1 of 4)") < err.index("   opt1") < err.index("b (2 of 4)")


def test_binaries_that_are_started_are_built_in_each_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, means = asked_with(tmp_path, "cells: {a: , b: , c: {check: true}, d: }"), Cells(tmp_path, WORDS)
    means.binaries, means.wrong_binaries = {"a": [False, True], "b": [False]}, ("c",)
    is_well, out, _ = told_by(asked, means, capsys, as_json=True)
    last = {cell["cell"]: cell["stages"][-1] for cell in json.loads(out)["cells"]}
    assert {name: (stage["stage"], stage["how"], stage["error"]) for name, stage in last.items()} == {
        "a": ("binaries", "ran", ""),
        "b": ("binaries", "fresh", ""),
        "c": ("binaries", "failed", "error: of the binary"),
        "d": ("link", "ran", ""),
    }
    assert not is_well


def test_junit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = asked_with(tmp_path, "cells: {a: , fails: }")
    told_by(asked, Cells(tmp_path, WORDS), capsys, junit="out.xml")
    a, fails = junitparser.JUnitXml.fromfile(str(tmp_path / "out.xml"))
    assert (a.name, a.tests, a.failures) == ("a", 3, 0)
    assert (fails.name, fails.tests, fails.failures) == ("fails", 2, 1)
    (failed,) = [case for case in fails if case.is_failure]
    assert (failed.classname, failed.name, failed.result[0].message) == ("fails", "opt2", "error: it fails")
    with pytest.raises(UserError, match="cannot be written"):
        told_by(asked, Cells(tmp_path, WORDS), capsys, junit="out.xml/below")


# ---- What CI servers are told


def test_github_folds_each_cell_and_shows_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("before\n")
    _, _, err = told_by(asked_with(tmp_path, "cells: {a: , fails: }"), Cells(tmp_path, WORDS), capsys)
    words = [line.partition("::")[2].partition("::")[0].partition(" ")[0] for line in err.splitlines() if line[:2] == "::"]
    assert words == ["group", "endgroup", "group", "endgroup", "error"]
    assert "::error title=fails, opt2::it fails%0A  = help: write another word%0A  = log: " in err
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith(
        "before\n### ./doit matrix\n\n| cell | opt1 | opt2 | link | seconds |\n|---|---|---|---|---|\n| a | ran"
    )
    assert "**fails**, opt2:" in summary


def test_a_summary_that_cannot_be_written_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    is_well, _, err = told_by(asked_with(tmp_path, "cells: {a: }"), Cells(tmp_path, WORDS), capsys)
    assert is_well
    assert "warning: the step summary cannot be written: Is a directory" in err


def test_gitlab_folds_each_cell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITLAB_CI", "true")
    with ci.group("opt1.level-2", "1 of 1"):
        pass
    out = capsys.readouterr().err
    assert re.fullmatch(
        r"\x1b\[0Ksection_start:\d+:opt1_level_2\r\x1b\[0Kopt1\.level-2 \(1 of 1\)\n"
        r"\x1b\[0Ksection_end:\d+:opt1_level_2\r\x1b\[0K\n",
        out,
    )


def test_the_job_matrix_of_github_has_every_cell_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked, means = asked_with(tmp_path, "cells: {a: , b: , c: }"), Cells(tmp_path, {})
    _, out, _ = told_by(asked, means, capsys, github=True)
    assert json.loads(out) == {"include": [{"name": name, "cells": name} for name in "abc"]}
    assert out.count("\n") == 1
    _, out, _ = told_by(asked, means, capsys, github=True, jobs=2)  # type: ignore[arg-type]
    jobs = json.loads(out)["include"]
    assert [job["name"] for job in jobs] == ["a and 1 more", "b"]
    assert sorted(" ".join(job["cells"] for job in jobs).split()) == ["a", "b", "c"]
    with pytest.raises(UserError, match="257 jobs"):
        ci.github_jobs([[str(number)] for number in range(257)])


def commands_in(found: Any) -> Iterator[str]:
    """The lines of shell in a CI file that call `./doit`."""
    if isinstance(found, dict):
        for each in found.values():
            yield from commands_in(each)
    elif isinstance(found, list):
        for each in found:
            yield from commands_in(each)
    elif isinstance(found, str):
        yield from (line for line in found.splitlines() if "/doit " in line)


@pytest.mark.parametrize(("file", "calls"), [("github.yml", 2), ("gitlab.yml", 1)])
def test_the_files_for_ci_call_what_there_is(tmp_path: Path, file: str, calls: int) -> None:
    told = yaml.safe_load((ROOT / "docs/ci" / file).read_text())
    commands = [line.partition("/doit ")[2].rstrip(")") for line in commands_in(told)]
    assert len(commands) == calls
    for line in commands:
        given = {"$CELLS": "a b", "$CI_NODE_INDEX": "2", "$CI_NODE_TOTAL": "3"}
        for name, value in given.items():
            line = line.replace(name, value)  # noqa: PLW2901
        task, *words = shlex.split(line)
        assert task == "matrix"
        names, options = late_options([word for word in words if word[:2] == "--" or "=" not in word], *command.OPTIONS)
        command.number_of_jobs(options.get("jobs", ""))
        variables = dict(word.split("=", 1) for word in words if word[:2] != "--" and "=" in word)
        asked = asked_with(tmp_path, **variables)
        assert asked.matrix.file == tmp_path / variables["matrix"]
        assert names in ([], ["a", "b"])


@pytest.mark.parametrize(("file", "schema_file"), [("github.yml", "github-workflows.json"), ("gitlab.yml", "gitlab-ci.json")])
def test_the_files_for_ci_are_what_servers_take(file: str, schema_file: str) -> None:
    """By the schemas that the servers' own editors go by; and a mistake is one by them."""
    package = importlib.util.find_spec("check_jsonschema")
    assert package
    assert package.origin
    public = Path(package.origin).parent / "builtin_schemas/vendor" / schema_file
    valid = jsonschema_rs.validator_for(json.loads(public.read_text()))
    told = yaml.safe_load((ROOT / "docs/ci" / file).read_text())
    jobs = {"on" if key is True else key: value for key, value in told.items()}  # YAML 1.1 takes `on` for a boolean
    assert [str(error) for error in valid.iter_errors(jobs)] == []
    wrong = {**jobs, "jobs": {"build": {"steps": 3}}} if "jobs" in jobs else {**jobs, "build": {"script": {"no": "list"}}}
    assert not valid.is_valid(wrong)


def test_the_file_in_the_guide_makes_the_cells_in_the_guide(tmp_path: Path) -> None:
    guide = (ROOT / "docs/matrix.md").read_text()
    text = guide.partition("```yaml\n")[2].partition("```")[0]
    listed = guide.partition("| cell | of |\n|---|---|\n")[2].partition("\n\n")[0]
    cells = cells_of(tmp_path, text)
    assert [cell.name for cell in cells] == re.findall(
        r"`([a-z0-9.-]+)`[,| ]", re.sub(r"\|[^|]+\|$", "|", listed, flags=re.MULTILINE)
    )
    assert [cell.name for cell in cells if settings(cell).get("check")] == ["slice-opt1.level-2", "slice-opt1.level-3"]


# ---- Parts

COSTS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.dictionaries(st.sampled_from("stuvwxyz"), st.integers(0, 1000).map(float), max_size=6),
    max_size=12,
)


@given(COSTS, st.integers(1, 8))
def test_every_cell_is_in_one_part(costs: dict[str, dict[str, float]], count: int) -> None:
    made = sharding.parts(costs, count)
    assert len(made) == count
    assert Counter(name for part in made for name in part) == Counter(costs.keys())
    assert made == sharding.parts({name: dict(cost) for name, cost in costs.items()}, count), "the same for the same costs"
    for part in made:
        assert part == [name for name in costs if name in part]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=30), st.integers(1, 8))
def test_parts_cost_about_the_same(seconds: list[int], count: int) -> None:
    costs = {f"cell {i}": {f"key {i}": float(each)} for i, each in enumerate(seconds)}
    most = max(sharding.expected(costs, part) for part in sharding.parts(costs, count))
    assert most <= sum(seconds) / count + max(seconds)


def test_without_records_all_cells_cost_the_same() -> None:
    made = sharding.parts({name: {} for name in "abcdefg"}, 3)
    assert sorted(map(len, made)) == [2, 2, 3]


def test_what_is_made_alike_is_charged_once() -> None:
    std = {"std": 30.0}
    costs = {
        "a": std | {"a": 2.0},
        "b": std | {"b": 2.0},
        "c": {"other std": 30.0, "c": 2.0},
        "d": {"other std": 30.0, "d": 2.0},
    }
    assert sharding.parts(costs, 2) == [["a", "b"], ["c", "d"]]


def test_costs_are_what_the_last_run_took(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    with pytest.raises(UserError):
        bring_up_to_date(small_build(tmp_path, opt1="eins", link="fails"))
    found = sharding.recorded(small_build(tmp_path).runs)
    now = small_build(tmp_path)
    made = {name: now.made(name) for name in now.steps}
    assert found == {each.key: each.seconds for each in made.values() if each}
    assert len(found) == 3


def test_costs_are_read_as_they_were_written(tmp_path: Path) -> None:
    costs = {"a": {"s" * 64: 1.504, "t" * 64: 2.0}, "b": {}, "c": {"s" * 64: 1.504}}
    file = tmp_path / "costs.json"
    file.write_text(sharding.written(costs))
    found = sharding.read(file, ["c", "b", "a", "new"])
    assert found == {"c": {"s" * 16: 1.5}, "b": {}, "a": {"s" * 16: 1.5, "t" * 16: 2.0}, "new": {}}
    assert list(found) == ["c", "b", "a", "new"], "cells come in the order of the matrix"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": 1}', '{"a": {"s": -1}}', '{"a": {"s": "1"}}', '{"a": {"s": NaN}}', "[" * 99999, '"\\ud800"']
)
def test_what_is_no_file_of_costs_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "costs.json").write_text(text)
    with pytest.raises(ConfigError, match=r"costs\.json: .*(\n.*)?`./doit matrix --costs >FILE` writes one"):
        sharding.read(tmp_path / "costs.json", ["a"])


def test_a_file_of_costs_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"error: costs=.*: No such file or directory"):
        sharding.read(tmp_path / "costs.json", ["a"])


FOUR = "cells: {a: , b: , c: , d: }"


def recorded_on(folder: Path, seconds: Mapping[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on a machine with a folder, a cache and a history of its own: in that its cells took so long."""
    folder.mkdir()
    monkeypatch.setenv("CRATEGRAD_CWD", str(folder))
    monkeypatch.setenv("CRATEGRAD_CACHE", str(folder / "cache"))
    monkeypatch.setattr(command, "recorded", lambda asked: {f"all of {asked.config.name}": seconds[asked.config.name]})


@pytest.mark.parametrize("costs", [{}, {"costs": "../costs.json"}], ids=["no file", "a file of costs"])
@pytest.mark.parametrize("seed", range(4))
def test_every_cell_is_in_one_part_whatever_machines_remember(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seed: int, costs: dict[str, str]
) -> None:
    """Three machines, each with a history of its own."""
    (tmp_path / "costs.json").write_text(sharding.written({"a": {"s": 9.0}, "b": {"s": 9.0}, "c": {"t": 1.0}}))
    dice, built = random.Random(seed), []
    for number in (1, 2, 3):
        folder = tmp_path / str(number)
        recorded_on(folder, {name: dice.choice([0.0, 1.0, 50.0]) for name in "abcd"}, monkeypatch)
        _, out, _ = told_by(asked_with(folder, FOUR, shard=f"{number}/3", **costs), Cells(folder, WORDS), capsys, as_json=True)
        built += [each["cell"] for each in json.loads(out)["cells"]]
    assert sorted(built) == ["a", "b", "c", "d"]


def test_one_machine_says_what_cells_cost_and_all_go_by_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded_on(tmp_path / "0", {"a": 30.0, "b": 10.0, "c": 10.0, "d": 10.0}, monkeypatch)
    _, told, _ = told_by(asked_with(tmp_path / "0", FOUR), Cells(tmp_path, WORDS), capsys, costs=True)
    (tmp_path / "costs.json").write_text(told)
    built = []
    for number, seconds in enumerate([1.0, 99.0], 1):
        recorded_on(tmp_path / str(number), {"a": 1.0, "b": 1.0, "c": 1.0, "d": seconds}, monkeypatch)
        asked = asked_with(tmp_path / str(number), FOUR, shard=f"{number}/2", costs=str(tmp_path / "costs.json"))
        _, out, _ = told_by(asked, Cells(tmp_path / str(number), WORDS), capsys, as_json=True)
        built.append([each["cell"] for each in json.loads(out)["cells"]])
    assert built == [["a"], ["b", "c", "d"]]


def test_two_machines_with_a_common_cache_make_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight cells in two folders, each with a cache of its own; what the first one made the second fetches."""
    axes = {"opt1": ("one", "eins"), "opt2": ("two", "zwei"), "link": ("three", "drei")}
    words = dict(zip("abcdefgh", (dict(zip(axes, each, strict=True)) for each in product(*axes.values())), strict=True))
    built: list[str] = []
    came: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    for machine in ("1", "2"):
        folder = tmp_path / machine
        folder.mkdir()
        monkeypatch.setenv("CRATEGRAD_CWD", str(folder))
        monkeypatch.setenv("CRATEGRAD_CACHE", str(folder / "cache"))
        asked = asked_with(folder, f"cells: {{{': , '.join(words)}: }}", shard=f"{machine}/2")
        means = Cells(folder, words, remote=Remote(Folder(tmp_path)))
        is_well, out, err = told_by(asked, means, capsys, as_json=True)
        assert is_well
        assert f" * part {machine} of 2: " in err
        cells = json.loads(out)["cells"]
        built += [cell["cell"] for cell in cells]
        ran += Counter(stage["key"] for cell in cells for stage in cell["stages"] if stage["how"] == "ran")
        came += Counter(stage["how"] for cell in cells for stage in cell["stages"])
        for cell in cells:
            assert (folder / cell["product"]).read_text() == "".join(words[cell["cell"]].values())
    assert sorted(built) == list(words)
    assert (len(ran), set(ran.values())) == (2 + 4 + 8, {1})
    assert came["fetched"] > 0


# ---- The real thing


@pytest.mark.toolchain
def test_cells_share_their_stages(bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRATEGRAD_CACHE")
    file = tmp_path / "m.yaml"
    file.write_text("axes:\n  opt2.level: [1, 2]\n  codegen.level: [1, 2]\ncells:\n  wrong: {profile: nowhere}\n")
    variables = [f"matrix={file}", "enzyme.patience_s=299"]  # keys that no other test makes
    finished = bench.doit("matrix", "--json", *variables)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    cells = json.loads(finished.stdout)["cells"]
    assert [each["cell"] for each in cells if each["failed"]] == ["wrong"]
    stages = [stage for cell in cells[:-1] for stage in cell["stages"]]
    ran = Counter(stage["key"] for stage in stages if stage["how"] == "ran")
    assert set(ran.values()) <= {1}
    assert [stage["stage"] for stage in stages if stage["how"] == "hit"].count("enzyme") >= 3
    for cell in cells[:-1]:
        assert (bench.folder / "target/crategrad" / cell["cell"] / "bench").is_file()
    again = bench.doit("matrix", "opt2.level-1-codegen.level-1", *variables)
    assert again.returncode == 0, again.stderr
    assert f"1 cell, 0 failed; stages: {len(cells[0]['stages'])} up to date" in again.stdout
    assert bench.doit("matrix", "nobody", *variables).returncode == 3
