"""`target: aarch64-unknown-linux-gnu`: built here, run by qemu, as far as Debian's packages for it are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from pipeline import doctor, platforms
from pipeline.digests import Digests
from pipeline.errors import UserError
from pipeline.platforms import HOST, PLATFORMS, cpu_for_target, rust_for_target, started_on, tools_for_target
from pipeline.tasks.opening import digest_of_libraries
from pipeline.toolchain import Rust, Tool, Tools
from tests import test_forms as forms
from tests import test_gradients as gradients
from tests.test_prebuilt import SORTED
from tests.workbench import ROOT, Workbench, doit

TARGET = "aarch64-unknown-linux-gnu"
ARM = PLATFORMS[TARGET]
IS_HERE = all(path.exists() for path in (ARM.cc.path, ARM.start_up, ARM.runner.path))


@pytest.fixture
def bare_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target, as if nothing of it were installed."""
    nothing = replace(ARM, cc=Tool(tmp_path / "gcc"), runner=Tool(tmp_path / "qemu"), root=tmp_path / "root")
    monkeypatch.setitem(platforms.PLATFORMS, TARGET, nothing)


def test_what_is_missing_is_named_with_its_packages(bare_platform: None, tools: Tools, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"what links programs for {TARGET} is missing: .*/gcc\n.*apt-get install gcc-aarch64"):
        tools_for_target(tools, TARGET)
    with pytest.raises(UserError, match=rf"what runs programs for {TARGET} is missing: .*/qemu\n.*apt-get install .*qemu-user"):
        started_on(TARGET, tmp_path)


def test_doctor_names_what_is_missing(bare_platform: None) -> None:
    missing = [need for need in doctor.target_needs(TARGET) if not need.is_met]
    assert [need.name for need in missing] == ["cc", "libc", "runner"]
    assert {need.cure for need in missing} == {ARM.cure}
    assert list(doctor.target_needs(HOST)) == []


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


def test_libraries_are_those_of_the_machine_and_of_the_target_where_there_are_any(rust: Rust, digests: Digests) -> None:
    """Debian's toolchain has none for another: std is built for it, macros run here."""
    arm, known = rust_for_target(rust, TARGET), set()
    for libraries in (rust.libraries, arm.libraries):
        libraries.mkdir(parents=True)
        for content in ("one", "two"):
            (libraries / "libstd-0.rlib").write_text(content)
            known.add(digest_of_libraries(rust, arm, digests))
    assert len(known) == 4


MARKS = (
    pytest.mark.toolchain,
    pytest.mark.full,
    pytest.mark.skipif(not IS_HERE, reason=ARM.cure),
    pytest.mark.parametrize("strategy", ["slice", "single-module-merge", "fat-lto"]),
)


def on_the_target(test: Callable[..., None]) -> Callable[..., None]:
    """By each strategy, where the target's packages are; std is built for it, which takes minutes."""
    return reduce(lambda marked, mark: mark(marked), MARKS, test)


@on_the_target
def test_gradient_on_another_machine(bench: Workbench, strategy: str) -> None:
    bench.write(SORTED)
    bench.environment["CRATEGRAD_ARGUMENTS"] = '["0.5", "-1.5", "2.5", "1.0", "-0.25"]'
    ran = bench.doit("run", f"target={TARGET}", f"config={strategy}")
    right = "[1.5, -1.5, 12.5, 4.0, -0.5]"
    assert ran.stdout == f"{right} {right}\n", ran.stderr
    program = (bench.output(strategy) / "bench").read_bytes()
    assert (program[:4], program[18:20]) == (b"\x7fELF", (183).to_bytes(2, "little")), "EM_AARCH64"


@on_the_target
def test_gradients_in_every_mode_on_another_machine(strategy: str) -> None:
    """Slices, arrays, `Vec`s, closures, results of several numbers, `f32`."""
    reports = gradients.build_and_run(strategy, f"target={TARGET}")
    assert set(reports) == {(function, mode) for function in gradients.FUNCTIONS for mode in gradients.MODES}
    for report in reports.values():
        gradients.assert_close(report.value, report.primal, report.tolerance.value)
        gradients.assert_close(report.enzyme, report.closed, report.tolerance.closed_form)


@on_the_target
def test_every_form_on_another_machine(strategy: str) -> None:
    """Headers as that machine has them: results by memory, pairs in registers, aggregates of floats."""
    ran = doit("run", f"crate={forms.CRATE}", f"config={strategy}", f"target={TARGET}")
    cases = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len({case["case"] for case in cases}) == len(cases) >= 350, ran.stderr
    assert [case for case in cases if not forms.is_right(case)] == []


@on_the_target
def test_the_six_families_on_another_machine(strategy: str) -> None:
    ran = doit("run", f"crate={ROOT}/tests/crates/families", f"config={strategy}", f"target={TARGET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
