"""`./doit why`: how stages stand, what moved in their keys, down to the function, and since which run."""

from __future__ import annotations

import json
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipeline import commands, standing, why
from pipeline.build import Build
from pipeline.errors import UserError
from pipeline.explain.functions import Difference, demangled, differences
from pipeline.explain.outputs import compare
from pipeline.plan import Step
from pipeline.stages import NAMES, Inputs
from pipeline.stages.build_std import BuildStd, sources_of_std
from pipeline.toolchain import Rust, Tools, find_tools
from tests.small_build import bring_up_to_date, small_build
from tests.workbench import CUBE, MANIFEST, Workbench


def said(capsys: pytest.CaptureFixture[str], build: Build, *words: str) -> str:
    capsys.readouterr()
    commands.why(build, as_json=False, with_diff=False, words=words)
    return capsys.readouterr().out


def told(capsys: pytest.CaptureFixture[str], build: Build, *words: str) -> dict[str, dict[str, object]]:
    capsys.readouterr()
    commands.why(build, as_json=True, with_diff=False, words=words)
    return {each["stage"]: each for each in json.loads(capsys.readouterr().out)["stages"]}


# ---- How stages stand


def test_before_a_build_nothing_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = told(capsys, small_build(tmp_path))
    assert {name: each["state"] for name, each in answers.items()} == dict.fromkeys(("opt1", "opt2", "link"), "not made")
    assert answers["opt1"]["why"] == "it has not run here"
    assert not (tmp_path / "cache").exists()


def test_a_setting_that_moved_is_told_with_both_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bring_up_to_date(small_build(tmp_path))
    build = small_build(tmp_path, opt2="zwei")
    answers = told(capsys, build)
    assert {name: each["state"] for name, each in answers.items()} == {"opt1": "fresh", "opt2": "stale", "link": "waits"}
    assert answers["opt2"]["moved"] == [{"kind": "settings", "name": "word", "was": '"two"', "is": '"zwei"', "files": []}]
    text = said(capsys, build)
    assert '   opt2          stale: `word` was "two", is "zwei"; what is there is of run 1 (' in text
    assert '      `word`\n         was "two"\n         is  "zwei"\n' in text
    assert "   link          waits: it runs only if opt2 makes something else\n" in text


@dataclass(frozen=True)
class OfStd(BuildStd):
    """Has the fields of build_std, and writes a word."""

    def run(self, inputs: Inputs, out: Path, log: Path) -> None:
        (out / "std.bc").write_text(self.sources)


def std_of(folder: Path, rust: Rust, tools: Tools) -> Build:
    """A build of a stage that depends on std's sources as they are."""
    build = small_build(folder)
    sources = sources_of_std(rust, build.digests)
    of_rust, of_llvm = (rust.rustc, rust.cargo, rust.triple), (tools.llvm_link, tools.llvm_nm, tools.libllvm)
    stage = OfStd(*of_rust, sources, "of the toolchain", *of_llvm, beside_objects=True, panic="abort", rust=rust)
    build.steps = {"build_std": Step("build_std", stage, {})}
    return build


def test_files_of_std_are_told(tmp_path: Path, rust: Rust, tools: Tools, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("core/src/lib.rs", "core/src/num.rs", "std/tests/none.rs"):
        (rust.sources / name).parent.mkdir(parents=True, exist_ok=True)
        (rust.sources / name).write_text("one")
    bring_up_to_date(std_of(tmp_path, rust, tools))
    assert told(capsys, std_of(tmp_path, rust, tools))["build_std"]["state"] == "fresh"
    for name in ("core/src/num.rs", "core/src/new.rs", "std/tests/none.rs"):
        (rust.sources / name).write_text("another")
    (rust.sources / "core/src/lib.rs").unlink()
    answer = told(capsys, std_of(tmp_path, rust, tools))["build_std"]
    assert answer["why"] == "the sources of std are others: core/src/lib.rs, core/src/new.rs, core/src/num.rs"
    moved: Any = answer["moved"]
    assert [(each["name"], each["was"] is None, each["is"] is None) for each in moved if each["kind"] == "files"] == [
        ("core/src/lib.rs", False, True),
        ("core/src/new.rs", True, False),
        ("core/src/num.rs", False, False),
    ]
    shutil.rmtree(tmp_path / "cache/std")
    assert told(capsys, std_of(tmp_path, rust, tools))["build_std"]["why"] == "the sources of std are others"


def test_the_library_of_a_tool_that_moved_is_named() -> None:
    was = {"tools": {"opt": "1", "opt (libLLVM.so.22.1)": "2", "opt (libz.so.1)": "3"}}
    now = {"tools": {**was["tools"], "opt (libLLVM.so.22.1)": "4"}}
    assert why.told(why.changes(was, now)) == ["`opt (libLLVM.so.22.1)` is another"]


def test_after_the_build_it_says_why_the_stages_ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt2="zwei"))
    build = small_build(tmp_path, opt2="zwei")
    answers = told(capsys, build)
    assert {each["state"] for each in answers.values()} == {"fresh"}
    assert {name: each["since"] for name, each in answers.items()} == {"opt1": 1, "opt2": 2, "link": 2}
    assert answers["opt2"]["last"] == {"run": 2, "how": "ran", "why": '`word` was "two", is "zwei"', "error": ""}
    text = said(capsys, build, "link")
    assert re.search(r"\) ran it, [\d.]+ s: what opt2 made is another\n      what opt2 made\n         was ", text)
    assert "module.bc differs" in text
    assert "opt1" not in text


def test_what_ran_again_and_made_the_same_is_as_old_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bring_up_to_date(small_build(tmp_path))
    small_build(tmp_path).carry_out("opt2", because="it was asked for all the same (-a)")
    text = said(capsys, small_build(tmp_path), "opt2")
    assert "fresh; run 2 (" in text
    assert re.search(r"ran it, [\d.]+ s, and made what run 1 did: it was asked for all the same \(-a\)\n", text)


def test_a_failure_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError):
        bring_up_to_date(small_build(tmp_path, opt2="fails"))
    assert "not made: it failed: 07-opt2.log says why; it failed in run 1 (" in said(capsys, small_build(tmp_path), "opt2")


def test_what_the_cache_has_is_said(tmp_path: Path) -> None:
    bring_up_to_date(small_build(tmp_path))
    bring_up_to_date(small_build(tmp_path, opt2="zwei"))
    assert standing.states(small_build(tmp_path))["opt2"].why.endswith(standing.CACHED)


def test_what_is_no_stage_and_no_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no stage `enzym` here\n  = help: there are opt1, opt2, link"):
        commands.why(small_build(tmp_path), as_json=False, with_diff=False, words=["enzym"])
    with pytest.raises(UserError, match="--nonsense: there is no such option"):
        commands.why(small_build(tmp_path), as_json=False, with_diff=False, words=["opt1", "--nonsense"])


# ---- Two modules, function by function

MODULE = """\
@0 = private unnamed_addr constant [2 x i8] c"ab"
@1 = private unnamed_addr constant [2 x i8] c"cd"
@kept = global i32 7
define double @loss(double %x) #0 !dbg !4 {
  %y = fmul double %x, 2.0, !dbg !7
  ret double %y, !dbg !9
}
define ptr @names() {
  ret ptr @1
}
define void @gone() {
  ret void
}
attributes #0 = { nounwind }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !1, isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "lib.rs", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "loss", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "c", linkageName: "cost", file: !1, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = distinct !DISubprogram(name: "mul", file: !8, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 9, column: 1, scope: !6, inlinedAt: !10)
!8 = !DIFile(filename: "ops.rs", directory: "/std")
!9 = !DILocation(line: 2, column: 1, scope: !4)
!10 = distinct !DILocation(line: 6, column: 1, scope: !5, inlinedAt: !9)
"""


def changed(tmp_path: Path, *edits: tuple[str, str]) -> list[Difference]:
    """What differs after these edits of the module."""
    was, now = tmp_path / "was.ll", tmp_path / "now.ll"
    was.write_text(MODULE)
    text = MODULE
    for before, after in edits:
        assert before in text
        text = text.replace(before, after)
    now.write_text(text)
    return differences(find_tools().libllvm, was, now)


@pytest.mark.toolchain
def test_a_function_is_named_with_what_was_inlined_into_it_and_the_lines(tmp_path: Path) -> None:
    (found,) = changed(tmp_path, ("%x, 2.0", "%x, 3.0"))
    assert (found.name, found.how, found.inlined) == ("loss", "changed", ("cost",))
    assert "-  %y = fmul double %x, 2.000000e+00" in found.diff
    assert "+  %y = fmul double %x, 3.000000e+00" in found.diff


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("before", "after", "name", "how"),
    [
        ("@gone()", "@came()", "came", "new"),
        ("define void @gone() {\n  ret void\n}\n", "", "gone", "gone"),
        ("{ nounwind }", "{ noinline }", "loss", "changed"),
        ("i32 7", "i32 8", "kept", "changed"),
        ('c"cd"', 'c"xy"', "names", "changed"),
    ],
)
def test_what_counts_as_a_difference(tmp_path: Path, before: str, after: str, name: str, how: str) -> None:
    assert (name, how) in {(each.name, each.how) for each in changed(tmp_path, (before, after))}


@pytest.mark.toolchain
def test_other_lines_and_other_numbers_are_no_difference(tmp_path: Path) -> None:
    assert changed(tmp_path, ("line: 9, column: 1", "line: 77, column: 1")) == []
    shifted = '@2 = private unnamed_addr constant [2 x i8] c"cd"\n@kept'
    numbers = ('@1 = private unnamed_addr constant [2 x i8] c"cd"\n@kept', f'@1 = private constant [1 x i8] c"q"\n{shifted}')
    assert changed(tmp_path, numbers, ("ret ptr @1", "ret ptr @2")) == []


@pytest.mark.toolchain
def test_what_is_no_module_is_compared_as_bytes(tmp_path: Path) -> None:
    for folder, text in (("was", "one"), ("now", "two")):
        (tmp_path / folder).mkdir()
        for name in ("module.bc", "x.json", f"only-{folder}"):
            (tmp_path / folder / name).write_text(text)
    found = compare(find_tools().libllvm, tmp_path / "was", tmp_path / "now")
    assert {each.file: (each.how, each.functions) for each in found} == {
        "only-now": ("new", None),
        "only-was": ("gone", None),
        "module.bc": ("changed", None),
        "x.json": ("changed", None),
    }


@pytest.mark.toolchain
def test_names_are_rusts() -> None:
    old = "_ZN5hello10rosenbrock28_$u7b$$u7b$closure$u7d$$u7d$17h99d8f3cf1d6d00fcE"
    names = demangled([old, "main"], find_tools().opt.path.with_name("llvm-cxxfilt"))
    assert names == {old: "hello::rosenbrock::{{closure}}", "main": "main"}
    assert demangled(["main"], Path("/nowhere")) == {"main": "main"}


# ---- For real


@pytest.mark.toolchain
def test_an_edit_is_followed_from_the_file_to_the_function(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    before = bench.doit("why").stdout
    assert "crate_bitcode stale: sources were edited: src/main.rs; what is there is of run " in before
    assert "      file src/main.rs\n         was " in before
    assert "llvm_link     waits: it runs only if crate_bitcode makes something else" in before
    bench.build()
    after = bench.doit("why").stdout
    assert "function `main` of module `bench` changed, where `bench::f` is inlined" in after
    answers = {each["stage"]: each for each in json.loads(bench.doit("why", "--json").stdout)["stages"]}
    assert tuple(answers) == NAMES
    assert {each["state"] for each in answers.values()} == {"fresh"}
    diff = bench.doit("why", "opt1", "--diff").stdout
    assert "+  %" in diff
    assert "fadd double" in diff
    assert bench.doit("why", "nonsense").returncode == 3


@pytest.mark.toolchain
def test_what_a_first_build_has_read_and_written_is_no_edit(bench: Workbench, tmp_path: Path) -> None:
    """In a workspace the lock lies above the crate, as does a file that it includes."""
    crate = bench.copy(tmp_path / "app")
    (crate.folder / "Cargo.lock").unlink(missing_ok=True)
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["app"]\nresolver = "3"\n')
    (tmp_path / "table.csv").write_text("1")
    crate.write(f'{CUBE}pub static TABLE: &str = include_str!("../../table.csv");\n', MANIFEST.replace("[workspace]\n", ""))
    crate.build()
    assert (tmp_path / "Cargo.lock").exists()
    assert crate.build().stages == dict.fromkeys(NAMES, "fresh")
    crate.write(f"{CUBE}// without\n", MANIFEST.replace("[workspace]\n", ""))
    assert "sources were edited: src/main.rs;" in crate.doit("why", "crate_bitcode").stdout
