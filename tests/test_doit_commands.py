"""doit's own `-s`, `-a`, `list --status`, `info`, `forget`, `ignore` and `clean` tell the truth of our tasks."""

from __future__ import annotations

import json
import re
import subprocess
import time

import pytest

from pipeline.stages import NAMES
from tests.workbench import CUBE, ROOT, Workbench, doit

pytestmark = pytest.mark.toolchain


def statuses(bench: Workbench, *arguments: str) -> dict[str, str]:
    """What `list --status` says of each stage."""
    listed = bench.doit("list", "--status", *arguments)
    assert listed.returncode == 0, listed.stderr
    found = {name: status for status, name in re.findall(r"^(\w) (\w+)", listed.stdout, re.MULTILINE)}
    return {name: found[name] for name in NAMES if name in found}


def last_run(bench: Workbench) -> dict[str, tuple[str, str]]:
    """What the last run carried out: how, and why."""
    runs = json.loads(bench.doit("history", "--json").stdout)["runs"]
    return {each["stage"]: (each["how"], each["why"]) for each in runs[-1]["stages"]}


def test_list_says_what_is_up_to_date(bench: Workbench) -> None:
    bench.build()
    assert statuses(bench) == dict.fromkeys(NAMES, "U")
    assert statuses(bench, "opt2.level=1") == dict.fromkeys(NAMES, "U") | {"opt2": "R"}
    bench.write(CUBE.replace("x * x * x", "x * x * x + 2.5"))
    assert statuses(bench)["crate_bitcode"] == "R"
    (bench.output() / "bench").unlink()
    assert statuses(bench)["link"] == "R"


@pytest.mark.parametrize("processes", [(), ("-n", "2"), ("-n", "2", "-P", "thread")], ids=" ".join)
def test_a_command_line_that_makes_no_sense_ends_with_3(bench: Workbench, processes: tuple[str, ...]) -> None:
    for words in (("matrix", "nobody"), ("matrix", "shard=4/3"), ("build", "config=nowhere"), ("why", "nothing")):
        finished = bench.doit(*processes, *words)
        assert (finished.returncode, finished.stderr.startswith("error: ")) == (3, True), words


def test_info_says_why_a_stage_is_not_up_to_date(bench: Workbench) -> None:
    bench.build()
    fresh = bench.doit("info", "opt2")
    assert fresh.returncode == 0
    assert "status     : up-to-date" in fresh.stdout
    assert " - enzyme\n" in fresh.stdout
    stale = bench.doit("info", "opt2", "opt2.level=1")
    assert stale.returncode == 1
    assert "    - `level` was 3, is 1 (args=[]" in stale.stdout
    assert "from=opt2" in bench.doit("info", "opt2", "from=opt2").stdout
    bench.doit("forget", "opt2")
    assert "doit has forgotten it; the cache has not" in bench.doit("info", "opt2").stdout


def test_what_doit_remembers_can_be_printed(bench: Workbench) -> None:
    bench.build()
    lines = bench.doit("dumpdb").stdout.splitlines()
    remembered = {line.partition(" ")[0]: json.loads(line.partition(" ")[2]) for line in lines}
    assert set(NAMES) <= remembered.keys()
    assert remembered["opt1"]["_values_:"] == {"made": "opt1"}


@pytest.mark.parametrize("words", [("help",), ("--version",), ("help", "run"), ("list",)], ids=" ".join)
def test_a_reader_that_goes_away_ends_it_without_a_word(words: tuple[str, ...]) -> None:
    piped = 'exec 3>&1; "$@" 2>&3 | true'
    finished = subprocess.run(["sh", "-c", piped, "sh", ROOT / "doit", *words], capture_output=True, text=True, check=False)
    assert (finished.stdout, finished.stderr) == ("", "")


def test_strace_says_what_there_is_instead() -> None:
    finished = doit("strace", "enzyme")
    assert finished.returncode == 3
    assert finished.stderr.startswith(
        "ERROR: strace traces tasks that are shell commands, and ours are not\n  = help: ./doit replay enzyme"
    )


def test_what_is_forgotten_is_asked_of_the_cache(bench: Workbench) -> None:
    bench.build()
    assert "forgetting opt1\n" in bench.doit("forget", "opt1").stdout
    assert statuses(bench) == dict.fromkeys(NAMES, "U") | {"opt1": "R"}
    assert bench.build().stages == dict.fromkeys(NAMES, "fresh") | {"opt1": "hit"}


def test_what_is_ignored_is_not_taken_for_done(bench: Workbench) -> None:
    bench.build()
    bench.write(CUBE.replace("x * x * x", f"x * x * x + {time.time()}"))
    assert bench.doit("ignore", "opt1").returncode == 0
    assert statuses(bench)["opt1"] == "I"
    built = bench.doit("build")
    assert "   opt1 is passed over\n" in built.stderr
    assert "   build is passed over: it, or what it needs, is ignored (`./doit forget STAGE` ends that)\n" in built.stderr
    assert "target/crategrad" not in built.stdout, "no artifact is said to be there"
    assert bench.doit("forget", "opt1").returncode == 0
    assert "opt1" in bench.build().ran


def test_alone_is_heeded_and_recorded(bench: Workbench) -> None:
    bench.build()
    assert bench.doit("-s", "opt1").returncode == 0
    assert last_run(bench) == {"opt1": ("ran", "it was asked for alone (-s)")}
    before = bench.doit("history", "--json").stdout
    assert bench.doit("opt1").stderr == "   opt1 is up to date (-a runs it all the same)\n"
    assert bench.doit("history", "--json").stdout == before, "what does nothing leaves nothing"


def test_all_the_same_runs_what_is_up_to_date(bench: Workbench) -> None:
    plain = ("autodiff=false", "build_std=none")  # two stages, neither of which is build_std
    assert set(bench.build(*plain).stages) == {"crate_bitcode", "link"}
    assert bench.doit("-a", "link", *plain).returncode == 0
    assert last_run(bench) == dict.fromkeys(("crate_bitcode", "link"), ("ran", "it was asked for all the same (-a)"))


def test_clean_says_what_it_would_do_and_does_it(bench: Workbench) -> None:
    bench.build("keep=1")
    before = sorted(bench.output().rglob("*"))
    would = bench.doit("clean", "-n")
    assert would.returncode == 0
    assert sorted(bench.output().rglob("*")) == before
    assert bench.doit("clean", "opt1").returncode == 0
    assert not list(bench.output().glob("stages/04-*"))
    assert statuses(bench) == dict.fromkeys(NAMES, "U") | {"opt1": "R", "abi_fixup": "R"}
    assert bench.build().stages["opt1"] == "hit"
    assert bench.doit("clean").returncode == 0
    assert not bench.output().exists()
    assert len(json.loads(bench.doit("history", "--json").stdout)["runs"]) > 0, "what was done stays known"
