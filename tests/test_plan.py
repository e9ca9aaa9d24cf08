"""The plan: which stages a config asks for, what they read, and where each key of the config ends up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline import config
from pipeline.artifact import Artifact
from pipeline.config import MATRIX, Config
from pipeline.crate import Crate
from pipeline.linker import Linker
from pipeline.plan import Sources, Step, plan
from pipeline.slice import Slicer
from pipeline.stages import NAMES
from pipeline.stages.crate_bitcode import CrateBitcode
from pipeline.stages.enzyme import Enzyme
from pipeline.strategies.fat_lto import FatLto
from pipeline.strategies.single_module_merge import SingleModuleMerge
from pipeline.strategies.slice import Slice
from pipeline.tape import POOL
from pipeline.toolchain import Rust, Tools

CONFIGS = Path(config.__file__).parent.parent / "configs"
SHIPPED = sorted(path.stem for path in CONFIGS.glob("*.yaml") if path != MATRIX)

EVERYTHING = """
1 build_std
2 crate_bitcode <- std: build_std
3 llvm_link <- crate: crate_bitcode, std: build_std
4 opt1 <- module: llvm_link
5 abi_fixup <- module: opt1
6 enzyme <- module: abi_fixup
7 opt2 <- module: enzyme
8 codegen <- module: opt2
9 link <- crate: crate_bitcode, std: build_std, object: codegen
"""

WITHOUT_AUTODIFF = """
1 build_std
2 crate_bitcode <- std: build_std
3 llvm_link <- crate: crate_bitcode, std: build_std
4 opt1 <- module: llvm_link
7 opt2 <- module: opt1
8 codegen <- module: opt2
9 link <- crate: crate_bitcode, std: build_std, object: codegen
"""

WITHOUT_STD = """
2 crate_bitcode
3 llvm_link <- crate: crate_bitcode
4 opt1 <- module: llvm_link
7 opt2 <- module: opt1
8 codegen <- module: opt2
9 link <- crate: crate_bitcode, object: codegen
"""

AS_CARGO_DOES = """
2 crate_bitcode
9 link <- crate: crate_bitcode
"""

BESIDE_OBJECTS = EVERYTHING.replace("object: codegen", "object: codegen, merged: llvm_link")

PLANS = {
    "slice": BESIDE_OBJECTS,
    "debug": EVERYTHING,
    "default": BESIDE_OBJECTS,
    "fat-lto": EVERYTHING,
    "single-module-merge": EVERYTHING,
    "verify": BESIDE_OBJECTS,
    "autodiff=false": AS_CARGO_DOES,
    "autodiff=false strategy=fat-lto": WITHOUT_AUTODIFF,
    "autodiff=false strategy=fat-lto build_std=none": WITHOUT_STD,
    "autodiff=false bitcode=false": AS_CARGO_DOES,
    "build_std=prebuilt": BESIDE_OBJECTS,
    "autodiff=false bitcode=false build_std=none": AS_CARGO_DOES,
}


class Planner:
    """Plans for one crate with one set of tools."""

    def __init__(self, folder: Path, rust: Rust, tools: Tools) -> None:
        self.crate = Crate(folder / "crate", Artifact("bin", "binary"), (), ())
        self.rust = rust
        self.tools = tools
        self.linker = Linker(tools.cc, {"ld": tools.lld}, "of the system")

    def plan(self, overrides: str = "", *, offline: bool = False) -> tuple[Step, ...]:
        return self.plan_config(config.load("default", dict(each.split("=", 1) for each in overrides.split())), offline=offline)

    def plan_config(self, chosen: Config, *, offline: bool = False) -> tuple[Step, ...]:
        sources = Sources("of std", "of the crate", "of the toolchain")
        return plan(chosen, self.crate, sources, self.rust, self.tools, self.linker, offline=offline)

    def stages(self, overrides: str = "") -> dict[str, Any]:
        return {step.name: step.stage for step in self.plan(overrides)}


@pytest.fixture
def planner(tmp_path: Path, rust: Rust, tools: Tools) -> Planner:
    return Planner(tmp_path, rust, tools)


def rendered(steps: Sequence[Step]) -> str:
    lines = []
    for step in steps:
        inputs = ", ".join(f"{role}: {source}" for role, source in step.inputs.items())
        lines.append(f"{step.number} {step.name}" + (f" <- {inputs}" if inputs else ""))
    return "\n" + "\n".join(lines) + "\n"


# ---- Which stages


@pytest.mark.parametrize("name", SHIPPED)
def test_plan_of_a_shipped_config(planner: Planner, name: str) -> None:
    assert rendered(planner.plan_config(config.load(name))) == PLANS[name]


@pytest.mark.parametrize("overrides", [overrides for overrides in PLANS if "=" in overrides])
def test_plan_of_a_config_that_leaves_stages_out(planner: Planner, overrides: str) -> None:
    assert rendered(planner.plan(overrides)) == PLANS[overrides]


@pytest.mark.parametrize("overrides", ["", *(overrides for overrides in PLANS if "=" in overrides)])
def test_plan_is_in_order_and_reads_only_what_is_made_before(planner: Planner, overrides: str) -> None:
    made: list[str] = []
    for step in planner.plan(overrides):
        assert set(step.inputs.values()) <= set(made)
        made.append(step.name)
    assert made == [name for name in NAMES if name in made]


def test_every_stage_can_be_planned(planner: Planner) -> None:
    assert tuple(planner.stages()) == NAMES


# ---- What a key of the config changes


def changed(planner: Planner, overrides: str, among: str = "") -> set[str]:
    """The stages that differ, or that are in one plan alone."""
    before, after = planner.stages(among), planner.stages(f"{among} {overrides}")
    return {name for name in NAMES if before.get(name) != after.get(name)}


CHANGES = {
    "strategy=fat-lto": {"build_std", "crate_bitcode", "llvm_link"},
    "strategy=single-module-merge": {"build_std", "crate_bitcode", "llvm_link"},
    "profile=dev": {"crate_bitcode"},
    "opt1.level=0": {"opt1", "abi_fixup"},
    "opt2.level=0": {"opt2"},
    "codegen.level=0": {"codegen"},
    "target=aarch64-unknown-linux-gnu": {"crate_bitcode", "enzyme", "codegen"},  # the rest is of `Rust`
    "panic=unwind": {"build_std", "crate_bitcode", "llvm_link", "opt2"},
    "build_std=prebuilt": {"build_std"},
    "codegen.cpu=native": {"crate_bitcode", "codegen"},
    "enzyme.fast_math=false": {"enzyme"},
    "enzyme.strong_zero=true": {"abi_fixup"},
    "enzyme.flags.enzyme-print-perf=true": {"enzyme"},
    "enzyme.patience_s=10": {"enzyme"},
    "tape=system": {"llvm_link", "enzyme"},
    "abi_fixup=false": {"abi_fixup"},
    "verify.every=7": {"crate_bitcode"},
    "verify.differences=true": set(),  # nothing is checked
    "check=true": set(),  # it is after the last stage
    "c_bitcode=false": {"crate_bitcode"},
    "autodiff=false": {*NAMES},
}

CHANGES_WITHOUT_AUTODIFF = {
    "debug_symbols=false": {"crate_bitcode"},
    "build_std=none": {"build_std", "link"},
    "bitcode=false": {"build_std", "crate_bitcode", "llvm_link", "opt1", "opt2", "codegen", "link"},
}


@pytest.mark.parametrize("override", CHANGES)
def test_key_of_the_config_changes_these_stages_and_no_other(planner: Planner, override: str) -> None:
    assert changed(planner, override) == CHANGES[override]


@pytest.mark.parametrize("override", CHANGES_WITHOUT_AUTODIFF)
def test_key_that_autodiff_needs_changes_these_stages_and_no_other(planner: Planner, override: str) -> None:
    assert changed(planner, override, among="autodiff=false strategy=fat-lto") == CHANGES_WITHOUT_AUTODIFF[override]


def test_strategy_of_that_name_merges(planner: Planner) -> None:
    tools = planner.tools
    merge = SingleModuleMerge(tools.llvm_link, tools.llvm_nm, tools.opt, POOL)
    assert planner.stages("strategy=single-module-merge")["llvm_link"].strategy == merge
    assert planner.stages("strategy=fat-lto")["llvm_link"].strategy == FatLto(planner.linker, tools.lld, tools.opt, POOL)
    assert planner.stages("strategy=slice")["llvm_link"].strategy == Slice(merge, tools.libllvm, tools.llc)


def test_levels_end_where_they_are_meant(planner: Planner) -> None:
    stages = planner.stages("opt1.level=0 opt2.level=1 codegen.level=2 codegen.cpu=skylake")
    assert (stages["opt1"].level, stages["opt2"].level, stages["codegen"].level) == (0, 1, 2)
    assert stages["crate_bitcode"].cpu == stages["codegen"].cpu == "skylake"


def test_tools_are_those_that_were_given_each_in_its_place(planner: Planner) -> None:
    """The made-up tools differ, so that two of them exchanged are seen."""
    stages, tools, rust = planner.stages(), planner.tools, planner.rust
    assert [stages[name].opt for name in ("opt1", "abi_fixup", "opt2")] == [tools.opt] * 3
    assert (stages["codegen"].llc, stages["link"].linker) == (tools.llc, planner.linker)
    assert (stages["abi_fixup"].libllvm, stages["enzyme"].libllvm) == (tools.libllvm, tools.libllvm)
    assert stages["enzyme"].driver.catalyst == tools.catalyst
    slicer = Slicer(tools.llvm_link, tools.libllvm)
    assert stages["enzyme"].slicer == slicer
    assert (stages["build_std"].llvm_link, stages["build_std"].llvm_nm) == (tools.llvm_link, tools.llvm_nm)
    for name in ("build_std", "crate_bitcode"):
        assert (stages[name].rustc, stages[name].cargo, stages[name].triple) == (rust.rustc, rust.cargo, rust.triple)


def test_sources_reach_the_stages_that_read_them(planner: Planner) -> None:
    stages = planner.stages()
    assert (stages["build_std"].sources, stages["crate_bitcode"].sources) == ("of std", "of the crate")
    assert stages["build_std"].libraries == stages["crate_bitcode"].libraries == "of the toolchain"
    assert stages["link"].libraries == ""
    assert planner.stages("autodiff=false build_std=none")["link"].libraries == "of the toolchain"


def test_crate_is_built_where_it_lies_into_a_target_folder_of_our_own(planner: Planner) -> None:
    stage = planner.stages()["crate_bitcode"]
    assert (stage.artifact.name, stage.folder) == ("binary", planner.crate.folder)
    assert stage.target == planner.crate.folder / "target" / "crategrad" / "cargo"


@pytest.mark.parametrize("offline", [True, False])
def test_offline_reaches_cargo(planner: Planner, offline: bool) -> None:
    stages = {step.name: step.stage for step in planner.plan(offline=offline)}
    crate = stages["crate_bitcode"]
    assert isinstance(crate, CrateBitcode)
    assert crate.offline == offline


def test_environment_of_build_scripts_is_planned_with(planner: Planner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "-O1")
    monkeypatch.setenv("RUSTFLAGS", "-g")
    environment = planner.stages()["crate_bitcode"].environment
    assert environment["CFLAGS"] == "-O1"
    assert "RUSTFLAGS" not in environment


def test_every_key_of_a_config_is_tested_here() -> None:
    """The shipped `default` sets every key; a new one wants an entry above."""
    tested = {override.partition("=")[0] for override in CHANGES | CHANGES_WITHOUT_AUTODIFF}
    assert set(dotted(yaml.safe_load((CONFIGS / "default.yaml").read_text()))) - tested == {
        "extends",  # tests/test_config.py
        "toolchain",  # it is resolved before the plan
        "enzyme.flags",
        "gradcheck.ranges",  # of no stage: tests/test_gradcheck.py
    }


def dotted(section: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in section.items():
        if isinstance(value, dict) and value:
            yield from dotted(value, f"{prefix}{name}.")
        else:
            yield prefix + name


# ---- Enzyme's flags


def flags_of(planner: Planner, overrides: str) -> list[str]:
    stage = planner.stages(overrides)["enzyme"]
    assert isinstance(stage, Enzyme)
    flags = stage.all_flags()
    assert set(flags) >= ALWAYS
    return [flag for flag in flags if flag not in ALWAYS]


ALWAYS = {
    "--enzyme-inactive-dynamic=0",
    "--enzyme-loop-invariant-cache=0",
    "--enzyme-max-type-depth=4",
    "--enzyme-max-type-offset=256",
    "--enzyme-rematerialize=0",
}


def test_fast_math_is_enzymes_own_default(planner: Planner) -> None:
    assert flags_of(planner, "enzyme.fast_math=true") == []
    assert flags_of(planner, "enzyme.fast_math=false") == ["--enzyme-fast-math=0"]


def test_flags_are_handed_on_as_enzyme_reads_them(planner: Planner) -> None:
    flags = "enzyme.flags.enzyme-b=true enzyme.flags.enzyme-c=false enzyme.flags.enzyme-a=7 enzyme.flags.enzyme-d=word"
    assert flags_of(planner, flags) == ["--enzyme-a=7", "--enzyme-b=1", "--enzyme-c=0", "--enzyme-d=word"]
    assert flags_of(planner, "enzyme.flags.enzyme-a=1 enzyme.fast_math=false")[-1] == "--enzyme-fast-math=0"
