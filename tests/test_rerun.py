"""`from=`, `until=`, `with=` and `keep=`: a build restarted in the middle."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline import rerun
from pipeline.config import ConfigError
from pipeline.errors import UserError
from pipeline.request import cache_folder
from pipeline.rerun import Rerun
from pipeline.stages import NAMES
from tests.workbench import CUBE, Workbench

ALL = list(NAMES)

# ---- What is asked for


def test_what_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "edited.ll").touch()
    assert rerun.read({}, tmp_path) == Rerun()
    asked = rerun.read({"from": "enzyme", "until": "opt2", "with": "edited.ll", "keep": "ll", "dry": "1"}, tmp_path)
    assert asked == Rerun("enzyme", "opt2", tmp_path / "edited.ll", "ll", dry=True)
    assert [name for name in ALL if asked.forces(name) and asked.wants(name)] == ["enzyme", "opt2"]
    assert [name for name in ALL if Rerun().wants(name) and not Rerun().forces(name)] == ALL


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"from": "enzym"}, "from=enzym: there is no such stage"),
        ({"until": ""}, "until=: there is no such stage"),
        ({"from": "opt2", "until": "opt1"}, "opt1 comes before opt2"),
        ({"with": "edited.ll"}, "which stage is to read it"),
        ({"from": "link", "with": "edited.ll"}, "which stage is to read it"),
        ({"from": "opt2", "with": "nowhere.ll"}, "there is no such file"),
        ({"from": "opt2", "with": ""}, "there is no such file"),
        ({"keep": "yes"}, "keep=yes: expected 1, or ll"),
        ({"dry": "yes"}, "dry=yes: expected 1 or 0"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, variables: dict[str, str], words: str) -> None:
    (tmp_path / "edited.ll").touch()
    with pytest.raises(ConfigError) as refused:
        rerun.read(variables, tmp_path)
    assert words in refused.value.message


def test_a_stage_that_the_config_leaves_out_is_refused() -> None:
    with pytest.raises(UserError, match="until=enzyme: this config does without that stage"):
        Rerun(last="enzyme").check({"link"})


# ---- For real


@pytest.mark.toolchain
def test_from_runs_a_stage_and_all_after_it(bench: Workbench) -> None:
    bench.build()
    assert bench.build("from=opt2").ran == ["opt2", "codegen", "link"]
    assert bench.build().ran == []


@pytest.mark.toolchain
def test_until_stops_there(bench: Workbench) -> None:
    bench.build()
    program = bench.output() / "bench"
    program.unlink()
    stopped = bench.build("from=opt1", "until=abi_fixup")
    assert stopped.ran == ["opt1", "abi_fixup"]
    assert stopped.stdout.startswith("bench: until abi_fixup: ")
    assert not program.exists()
    assert bench.doit("until=opt2").returncode == 0, "what is done by default is then to build"
    refused = bench.doit("execute", "until=opt2")
    assert refused.returncode == 3
    assert "until=opt2 leaves no program to run" in refused.stderr
    assert bench.doit("build", "autodiff=false", "until=enzyme").returncode == 3
    assert bench.doit("build", "from=enzym").returncode == 3


@pytest.mark.toolchain
def test_keep_leaves_what_each_stage_made_in_order(bench: Workbench) -> None:
    bench.build("keep=ll")
    stages = bench.output() / "stages"
    kept = sorted(path.name for path in stages.iterdir() if path.suffix in (".bc", ".ll", ".o"))
    modules = ["03-llvm_link", "04-opt1", "05-abi_fixup", "06-enzyme", "07-opt2"]
    assert [name for name in kept if not name.startswith("02-crate_bitcode.")] == [
        *(f"{module}{ending}" for module in modules for ending in (".bc", ".ll")),
        "08-codegen.o",
    ]
    assert any(".02-bench.00.bc" in name or ".01-bench.00.bc" in name for name in kept)
    assert (stages / "04-opt1.bc").read_bytes() == (stages / "04-opt1/module.bc").read_bytes()
    assert "define" in (stages / "04-opt1.ll").read_text()
    assert not (stages / "04-opt1.bc").samefile(stages / "04-opt1/module.bc"), "what is edited is no file of the cache"
    bench.build("keep=1", "opt2.level=1")
    assert (stages / "07-opt2.bc").read_bytes() == (stages / "07-opt2/module.bc").read_bytes()
    assert bench.doit("clean").returncode == 0
    assert not bench.output().exists()


@pytest.mark.toolchain
def test_what_was_made_before_a_failure_is_kept(bench: Workbench) -> None:
    foreign = 'unsafe extern "C" {\n    safe fn gamma_of_nobody(x: f64) -> f64;\n}\n'
    bench.write(CUBE.replace("#[autodiff", f"{foreign}#[autodiff").replace("x * x * x", "gamma_of_nobody(x)", 1))
    assert bench.doit("build", "keep=1").returncode == 1
    assert (bench.output() / "stages/05-abi_fixup.bc").exists()
    assert not (bench.output() / "stages/06-enzyme.bc").exists()


@pytest.fixture
def edited(bench: Workbench, tmp_path: Path) -> Callable[[str, str], Path]:
    """What abi_fixup made, as text, with an edit."""

    def edit(before: str, after: str) -> Path:
        bench.build("keep=ll")
        text = (bench.output() / "stages/05-abi_fixup.ll").read_text()
        assert before in text
        (tmp_path / "edited.ll").write_text(text.replace(before, after))
        return tmp_path / "edited.ll"

    return edit


def keys() -> set[str]:
    """All keys in the cache."""
    return {path.stem for path in cache_folder().glob("keys/*/*") if path.stem != "lock"}


@pytest.mark.toolchain
def test_an_edited_module_takes_the_place_of_a_stages_input(bench: Workbench, edited: Callable[[str, str], Path]) -> None:
    file = edited("fmul", "fadd")
    program = bench.output() / "bench"
    good, before = program.read_bytes(), keys()
    built = bench.build("from=enzyme", f"with={file}")
    apart = bench.folder / "target/crategrad/default-edited"
    assert built.stdout.startswith(f"bench: {apart / 'bench'} (edited: enzyme was given edited.ll)\n")
    assert built.stdout.count(" s, edited\n") == 4
    comment = subprocess.run(["readelf", "-p", ".comment", apart / "bench"], capture_output=True, text=True, check=True)
    assert "crategrad: edited: enzyme was given edited.ll" in comment.stdout
    assert subprocess.run([apart / "bench"], check=False).returncode == 1

    made = {path.stem: json.loads(path.read_text()) for path in (apart / "stages").glob("*.json")}
    assert [name for name, each in sorted(made.items()) if each["how"] == "edited"] == [
        "06-enzyme",
        "07-opt2",
        "08-codegen",
        "09-link",
    ]
    # Others may keep something meanwhile.
    assert keys() - before >= {each["key"] for each in made.values() if each["how"] == "edited"}

    assert program.read_bytes() == good
    assert bench.build().ran == []
    assert program.read_bytes() == good
    for name in ("06-enzyme", "09-link"):
        assert json.loads((bench.output() / f"stages/{name}.json").read_text())["key"] != made[name]["key"]
    assert "there with= has no place" in bench.doit("gradcheck", "from=enzyme", f"with={file}").stderr
    ran = bench.doit("run", "from=enzyme", f"with={file}")
    assert ran.returncode == 1
    assert "is edited: enzyme was given edited.ll" in ran.stderr


@pytest.mark.toolchain
def test_an_edited_module_that_is_none_is_refused_at_its_line(bench: Workbench, edited: Callable[[str, str], Path]) -> None:
    file = edited("fmul", "nonsense")
    shutil.rmtree(bench.folder / "target/crategrad/default-edited", ignore_errors=True)
    refused = bench.doit("build", "from=enzyme", f"with={file}")
    assert refused.returncode == 1
    assert f"{file} is no module for enzyme" in refused.stderr
    assert "edited.ll:" in refused.stderr
    assert not (bench.folder / "target/crategrad/default-edited/bench").exists()
