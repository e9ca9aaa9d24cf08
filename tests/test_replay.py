"""`./doit replay`: a stage as a script that needs nothing of ours, and makes the same bytes anywhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.test_audit import EITHER_LENGTH, ROUND
from tests.workbench import CUBE, Workbench

pytestmark = pytest.mark.toolchain

IN_PROCESS = "no commands: all of it is done in process"


def replayed(bench: Workbench, stage: str) -> Path:
    finished = bench.doit("replay", stage)
    assert finished.returncode == 0, finished.stderr
    (folder,) = (bench.output() / "replay").glob(f"*-{stage}")
    assert finished.stdout.startswith(f"{folder}: ")
    assert "other bytes" not in finished.stdout
    return folder


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script where the environment has nothing else in it."""
    return subprocess.run([folder / "repro.sh"], env=environment, capture_output=True, text=True, check=False)


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("stage", ["llvm_link", "opt1", "enzyme", "opt2", "codegen", "link"])
def test_the_script_makes_the_same_bytes_wherever_it_lies(bench: Workbench, tmp_path: Path, stage: str) -> None:
    bench.build()
    folder = replayed(bench, stage)
    made = outputs(next((bench.output() / "stages").glob(f"*-{stage}")))
    assert outputs(folder / "output") == made
    sent = tmp_path / "sent to" / "somebody"
    shutil.copytree(folder, sent)
    shutil.rmtree(folder)
    ran = run(sent)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    # What Enzyme gave is put back in memory.
    in_process = {"llvm_link": ["beside_objects", "places.json"], "enzyme": ["module.bc"]}.get(stage, [])
    told = [f"output/{name} is of Crategrad's own process: no command makes it\n" for name in in_process]
    assert ran.stdout == "".join([*told, "all as it was recorded\n"])
    by_commands = made.keys() - set(in_process)
    again = outputs(sent / "replayed")
    assert {name: again.get(name) for name in by_commands} == {name: made[name] for name in by_commands}
    text = (sent / "repro.sh").read_text()
    assert not any(word in text for word in ("python", "doit ", str(bench.folder)))
    assert run(sent).returncode == 0, "it can be run again"
    assert re.search(r"\nThe tools:\n  /\S+: .*\d\.\d", (sent / "README").read_text())


def test_what_comes_out_otherwise_is_said(bench: Workbench) -> None:
    bench.build()
    folder = replayed(bench, "opt1")
    other = run(folder, OPT="/bin/false")
    assert other.returncode == 1
    assert bench.doit("clean").returncode == 0
    assert not bench.output().exists()
    assert "command 1: ended with 1, and with 0 when it was recorded" in other.stdout
    assert "command 1: replayed/module.bc is not what it was" in other.stdout


def test_a_stage_without_commands_says_so_and_gives_its_modules(bench: Workbench) -> None:
    bench.build()
    assert IN_PROCESS in bench.doit("replay", "abi_fixup").stdout
    folder = replayed(bench, "abi_fixup")
    stages = bench.output() / "stages"
    assert (folder / "input/module/module.bc").read_bytes() == (stages / "04-opt1/module.bc").read_bytes()
    assert (folder / "output/module.bc").read_bytes() == (stages / "05-abi_fixup/module.bc").read_bytes()
    assert not (folder / "repro.sh").exists()
    assert "Crategrad does all of it in its own process" in (folder / "README").read_text()


def test_what_enzyme_refuses_can_be_sent_too(bench: Workbench) -> None:
    foreign = 'unsafe extern "C" {\n    safe fn gamma_of_nobody(x: f64) -> f64;\n}\n'
    bench.write(CUBE.replace("#[autodiff", f"{foreign}#[autodiff").replace("x * x * x", "gamma_of_nobody(x)", 1))
    built = bench.doit("build")
    assert built.returncode == 1
    finished = bench.doit("replay", "enzyme")
    assert finished.returncode == 0, finished.stderr
    assert "the stage fails; README says with which words" in finished.stdout
    folder = bench.output() / "replay/06-enzyme"
    assert built.stderr.partition("error: ")[2].splitlines()[0] in (folder / "README").read_text()
    ran = run(folder)
    assert (ran.returncode, ran.stdout) == (0, "all as it was recorded\n")
    assert "No augmented forward pass found for gamma_of_nobody" in ran.stderr, "it is Enzyme that says so"


def test_what_was_cut_short_as_the_audit_refused_it_is_no_command(bench: Workbench) -> None:
    bench.write(EITHER_LENGTH.replace("FURTHER", ROUND))
    assert bench.doit("build").returncode == 1
    finished = bench.doit("replay", "enzyme")
    assert finished.returncode == 0, finished.stderr
    script = bench.output() / "replay/06-enzyme/repro.sh"
    assert not script.exists() or "ended $? 143" not in script.read_text()


def test_what_has_no_replay_is_refused(bench: Workbench) -> None:
    for words, said in (
        (["nonsense"], "there is no stage `nonsense` here"),
        ([], "which stage?"),
    ):
        refused = bench.doit("replay", *words)
        assert refused.returncode == 3
        assert said in refused.stderr
