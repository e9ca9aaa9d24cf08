"""`target: aarch64-unknown-linux-gnu`: built here, run by qemu, as far as Debian's packages for it are there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline import platforms
from pipeline.errors import UserError
from pipeline.platforms import HOST, PLATFORMS, cpu_for_target, started_on, tools_for_target
from pipeline.toolchain import Tool, Tools
from tests.test_prebuilt import SORTED
from tests.workbench import Workbench, doit

TARGET = "aarch64-unknown-linux-gnu"
ARM = PLATFORMS[TARGET]
IS_HERE = ARM.cc.path.exists() and ARM.runner.path.exists()


@pytest.fixture
def bare_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target, as if nothing of it were installed."""
    nothing = replace(ARM, cc=Tool(tmp_path / "gcc"), runner=Tool(tmp_path / "qemu"))
    monkeypatch.setitem(platforms.PLATFORMS, TARGET, nothing)


def test_what_is_missing_is_named_with_its_packages(bare_platform: None, tools: Tools, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"what links programs for {TARGET} is missing: .*/gcc\n.*apt-get install gcc-aarch64"):
        tools_for_target(tools, TARGET)
    with pytest.raises(UserError, match=rf"what runs programs for {TARGET} is missing: .*/qemu\n.*apt-get install .*qemu-user"):
        started_on(TARGET, tmp_path)


def test_host_takes_what_is_here(bare_platform: None, tools: Tools, tmp_path: Path) -> None:
    assert tools_for_target(tools, HOST) == tools
    assert started_on(HOST, tmp_path) == [tmp_path]


@pytest.mark.parametrize(
    ("cpu", "target", "found"),
    [
        ("x86-64", HOST, "x86-64"),
        ("native", HOST, "native"),
        ("x86-64", TARGET, "generic"),
        ("cortex-a72", TARGET, "cortex-a72"),
    ],
)
def test_processor_is_one_of_the_targets(cpu: str, target: str, found: str) -> None:
    assert cpu_for_target(cpu, target, default="x86-64") == found


@pytest.mark.toolchain
@pytest.mark.parametrize("setting", ["codegen.cpu=native", "check=true"])
def test_what_is_of_this_machine_alone_is_refused(setting: str) -> None:
    refused = doit("build", f"target={TARGET}", setting)
    assert refused.returncode == 3
    assert f"`target: {TARGET}` cannot be with `{setting.replace('=', ': ')}`" in refused.stderr


@pytest.mark.toolchain
def test_without_stds_sources_it_says_what_is_missing(bench: Workbench) -> None:
    refused = bench.doit("build", f"target={TARGET}", "build_std=prebuilt")
    assert refused.returncode == 1
    assert ("std carries no bitcode: " if IS_HERE else f"what links programs for {TARGET} is missing") in refused.stderr


# std is built for it: minutes.
@pytest.mark.toolchain
@pytest.mark.full
@pytest.mark.skipif(not IS_HERE, reason=ARM.cure)
@pytest.mark.parametrize("strategy", ["slice", "single-module-merge", "fat-lto"])
def test_gradient_on_another_machine(bench: Workbench, strategy: str) -> None:
    bench.write(SORTED)
    bench.environment["CRATEGRAD_ARGUMENTS"] = '["0.5", "-1.5", "2.5", "1.0", "-0.25"]'
    ran = bench.doit("run", f"target={TARGET}", f"config={strategy}")
    right = "[1.5, -1.5, 12.5, 4.0, -0.5]"
    assert ran.stdout == f"{right} {right}\n", ran.stderr
    program = (bench.output(strategy) / "bench").read_bytes()
    assert (program[:4], program[18:20]) == (b"\x7fELF", (183).to_bytes(2, "little")), "EM_AARCH64"
